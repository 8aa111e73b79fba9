"""Scenarios about smaller models: fewer bits, fewer weights, and what either delivers."""

from collections.abc import Iterator
from typing import Annotated, Any

from mlsysim.catalog import AnyHardware, AnyWorkload
from mlsysim.engine.arithmetic import maximum
from mlsysim.engine.bibliography import (
    DEVLIN_2019,
    GALE_2019,
    GUO_2017,
    HAN_2016,
    HE_2017,
    HINTON_2015,
    IEEE_754,
    JACOB_2018,
    NAGEL_2021,
    ONNX_QUANTIZE,
    REDDI_2020,
    SAAD_2003,
    SANDLER_2018,
    WEN_2016,
)
from mlsysim.engine.result_types.optimization.compression import (
    FrameCompressionResult,
    QuantizationGridResult,
    QuantizedDeploymentProfileResult,
    SparseFlashFitResult,
    StagedCompressionResult,
    WorkLatencyGapResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import NARROW, Warning, any_of, wide_values
from mlsysim.fields import (
    Bound,
    Data,
    Flag,
    Frequency,
    Integer,
    Needs,
    NonNegative,
    Percent,
    Positive,
    Real,
    Share,
    Time,
)

__all__ = [
    "FrameCompressionScenario",
    "QuantizationGridScenario",
    "QuantizedDeploymentProfileScenario",
    "SparseFlashFitScenario",
    "StagedCompressionScenario",
    "WorkLatencyGapScenario",
]


class FrameCompressionScenario(Scenario[FrameCompressionResult]):
    """Does a camera model keep up with the frame rate once its channels are pruned and its weights are integers?

    Frame times of the full model are measured, on a CPU in floating point and on an accelerator in integers; those of
    the pruned model follow from its share of the operations. That is the best case: it holds while arithmetic sets the
    pace, and stops where memory traffic, small channel counts or the work around the model do.

    Source: Sandler et al. (2018), section 4, for a network at several widths; He et al. (2017) for pruning channels of
    a trained one; Jacob et al. (2018), section 2.1, for integers of one byte.

    >>> phone = FrameCompressionScenario(
    ...     full="MobileNetV2", pruned="MobileNetV2_Alpha0_75", frame_rate="30 1/s", cpu_rate="8 1/s",
    ...     accelerator_rate="35 1/s", float_bytes="4 B", int_bytes="1 B").evaluate()
    >>> f"{1e3 * phone.pruned_accelerator_frame:.1f} ms of {1e3 * phone.frame_budget:.1f} ms"
    '19.9 ms of 33.3 ms'
    """

    title = "A pruned, quantized camera model against the frame rate"
    sources = (SANDLER_2018, HE_2017, JACOB_2018)
    notes = (
        "Take both operation counts from the same convention: one paper's operation is a multiply-add, another's "
        "is half of that, and the mix is off by a factor of two.",
        "Expect the measured frame time to drop less than the operations do: layers that are depthwise or have "
        "few channels wait for memory.",
        "Frames also have to be captured, prepared and post-processed; a model that fills the whole budget has no "
        "time left for that.",
        "What pruning costs in accuracy is not in here.",
        "Size is parameters times bytes, without scales, zero-points and headers.",
    )
    rules = (
        Rule("pruned.inference_flops <= full.inference_flops", at="pruned", because="pruning takes operations away"),
        Rule("pruned.parameters <= full.parameters", at="pruned", because="pruning takes parameters away"),
    )

    full: Annotated[AnyWorkload, Needs("inference_flops", "parameters")] = Input("model before pruning")
    pruned: Annotated[AnyWorkload, Needs("inference_flops", "parameters")] = Input(
        "the same model with channels taken away"
    )
    frame_rate: Positive[Frequency] = Input("rate at which the camera delivers frames", unit="1/s")
    cpu_rate: Positive[Frequency] = Input(
        "frames a second that the CPU gets through with the full model in floating point, measured", unit="1/s"
    )
    accelerator_rate: Positive[Frequency] = Input(
        "frames a second that the accelerator gets through with the full model in integers, measured", unit="1/s"
    )
    float_bytes: Positive[Data] = Input("width of a floating-point weight", unit="byte")
    int_bytes: Positive[Data] = Input("width of an integer weight", unit="byte")

    def evaluate(self) -> FrameCompressionResult:
        frame_budget = 1 / self.frame_rate
        cpu_frame = 1 / self.cpu_rate
        accelerator_frame = 1 / self.accelerator_rate
        flop_fraction = self.pruned.inference_flops / self.full.inference_flops
        param_fraction = self.pruned.parameters / self.full.parameters
        full_bytes = self.full.parameters * self.float_bytes
        pruned_bytes = self.pruned.parameters * self.float_bytes
        pruned_int_bytes = self.pruned.parameters * self.int_bytes
        pruned_cpu_frame = cpu_frame * flop_fraction
        pruned_accelerator_frame = accelerator_frame * flop_fraction
        return FrameCompressionResult(
            frame_budget=frame_budget,
            cpu_frame=cpu_frame,
            accelerator_frame=accelerator_frame,
            flop_fraction=flop_fraction,
            param_fraction=param_fraction,
            full_bytes=full_bytes,
            pruned_bytes=pruned_bytes,
            pruned_int_bytes=pruned_int_bytes,
            pruned_cpu_frame=pruned_cpu_frame,
            pruned_accelerator_frame=pruned_accelerator_frame,
        )

    def warnings(self, result: FrameCompressionResult) -> Iterator[Warning]:
        for where, full, pruned in (
            ("CPU", result.cpu_frame, result.pruned_cpu_frame),
            ("accelerator", result.accelerator_frame, result.pruned_accelerator_frame),
        ):
            if any_of(pruned > result.frame_budget):
                yield Warning("deadline_missed", f"on the {where} even {self.pruned.label} misses the frame rate")
            elif any_of(full > result.frame_budget):
                yield Warning("deadline_missed", f"on the {where} {self.full.label} misses the frame rate")
        if any_of(self.accelerator_rate < self.cpu_rate):
            yield Warning("slowdown", f"the accelerator runs {self.full.label} slower than the CPU does")
        if any_of(result.flop_fraction == 1):
            yield Warning("no_gain", f"{self.pruned.label} takes as many operations as {self.full.label}")
        if any_of(self.int_bytes >= self.float_bytes):
            yield Warning("no_gain", "the integers are no smaller than the floating-point numbers")
        yield from wide_values(float_bytes=self.float_bytes)


Value = Annotated[Real, Bound(ge=-1e30, le=1e30)]

# A range narrower than this holds nothing but zeros, for which any scale would do.
_ALL_ZERO = 1e-30


class QuantizationGridScenario(Scenario[QuantizationGridResult]):
    """Which integer grid do numbers land on, and how far off are they when read back?

    For a list of numbers and a number of bits, this gives the scale and zero-point, the code of each number and what it
    reads back as. An affine grid spans [lo, hi] and holds zero exactly, so that padding and ReLU zeros have a code of
    their own; a symmetric grid is centered on zero. Ties round to the even code, the zero-point is added after
    rounding, and codes beyond either end are clipped to it: a value outside [lo, hi] may be off by more than half a
    step.

    Source: Jacob et al. (2018), equation 1, r = S (q - Z); ONNX QuantizeLinear for the order of rounding and shifting.

    >>> grid = QuantizationGridScenario(values=[-1.0, 0.0, 3.0], bits=8).evaluate()
    >>> grid.zero_point, grid.codes
    (64, [0, 64, 255])
    """

    title = "Values on an integer quantization grid"
    sources = (JACOB_2018, NAGEL_2021, ONNX_QUANTIZE, IEEE_754)
    notes = (
        "As in ONNX, x / scale is rounded before the zero-point is added; adding first can give another code.",
        "A range taken from the values is widened to hold zero on an affine grid (as ONNX DynamicQuantizeLinear "
        "does); a stated range without zero is an error.",
        "Where there is nothing but zeros, the scale becomes 1 and each code equals the zero-point.",
        "max_rounding_error does not cover values beyond the range: these are clipped, and may be further off.",
        "The codes of a symmetric grid of 8 bits begin at -127, so -128 never occurs.",
    )
    rules = (
        Rule(
            "len(values) >= 1 or (alpha is not None and beta is not None)",
            at="values",
            because="a grid needs values to span, or both ends of its range",
        ),
        Rule(
            "bits >= 2 or not symmetric and not signed",
            at="bits",
            because="signed codes need a bit for the sign",
        ),
        Rule("symmetric or alpha is None or alpha <= 0", at="alpha", because="an affine range must hold zero"),
        Rule("symmetric or beta is None or beta >= 0", at="beta", because="an affine range must hold zero"),
        Rule("alpha is None or beta is None or alpha <= beta", at="beta"),
        Rule(
            "alpha is None or beta is not None or symmetric or alpha <= max(values + [0])",
            at="alpha",
            because="the range must not end before it begins",
        ),
    )

    values: list[Value] = Input(
        "the real numbers that are quantized", default=[], why="the grid can be asked for without values"
    )
    bits: Annotated[Integer, Bound(ge=1, le=32)] = Input("width of a code, in bits")
    alpha: Value | None = Input("where clipping begins at the low end; left out, the least of the values", default=None)
    beta: Value | None = Input(
        "where clipping begins at the high end; left out, the greatest of the values", default=None
    )
    symmetric: Flag = Input(
        "center the grid on zero: codes are signed and the zero-point is 0",
        default=False,
        why="an affine grid spends no codes on an unused side",
    )
    signed: Flag = Input(
        "let affine codes start below zero rather than at 0; a symmetric grid has signed codes anyway",
        default=False,
        why="unsigned codes are what most affine formats store",
    )

    def evaluate(self) -> QuantizationGridResult:
        spanned = self.values if self.symmetric else [*self.values, 0.0]
        lo = self.alpha if self.alpha is not None else min(spanned)
        hi = self.beta if self.beta is not None else max(spanned)
        largest = max(abs(lo), abs(hi))

        levels = 2 ** (self.bits - 1)
        if self.symmetric:
            qmin, qmax = -(levels - 1), levels - 1
        elif self.signed:
            qmin, qmax = -levels, levels - 1
        else:
            qmin, qmax = 0, 2 * levels - 1
        steps = qmax - qmin

        step = largest / qmax if self.symmetric else (hi - lo) / steps
        scale = 1.0 if largest < _ALL_ZERO else step
        zero_point_exact = 0.0 if self.symmetric else -lo / scale
        zero_point = 0 if self.symmetric else qmin + round(zero_point_exact)
        codes = [max(qmin, min(qmax, round(value / scale) + zero_point)) for value in self.values]
        readback = [scale * (code - zero_point) for code in codes]
        errors = [abs(back - value) for back, value in zip(readback, self.values, strict=True)]
        return QuantizationGridResult(
            lo=lo,
            hi=hi,
            qmin=qmin,
            qmax=qmax,
            steps=steps,
            scale=scale,
            zero_point_exact=zero_point_exact,
            zero_point=zero_point,
            codes=codes,
            readback=readback,
            errors=errors,
            max_rounding_error=scale / 2,
        )

    def warnings(self, result: QuantizationGridResult) -> Iterator[Warning]:
        reach = [result.scale * (code - result.zero_point) for code in (result.qmin, result.qmax)]
        slack = result.max_rounding_error
        clipped = [value for value in self.values if not reach[0] - slack <= value <= reach[1] + slack]
        if clipped:
            yield Warning("values_clipped", f"{len(clipped)} of {len(self.values)} values lie outside the range")


class QuantizedDeploymentProfileScenario(Scenario[QuantizedDeploymentProfileResult]):
    """What does an integer version of a model give and take on one accelerator, and is it good enough to deploy?

    Measured accuracies, latencies and throughputs of both versions side by side, with size from the parameter count,
    energy from rated power, and two limits on the integer version. Assumes that both draw the full rated power, which
    no accelerator does at batch one, and that each pair of figures was measured in the same way.

    Source: Jacob et al. (2018), section 4.1, for accuracy given up to integers; Guo et al. (2017), section 2, for the
    expected calibration error; Reddi et al. (2020) for latency of a single stream beside throughput offline.

    >>> profile = QuantizedDeploymentProfileScenario(
    ...     workload="ResNet50", hardware="T4", float_latency="4 ms", int_latency="1.6 ms",
    ...     float_throughput="1000 1/s", int_throughput="5000 1/s", float_bytes="4 B", int_bytes="1 B",
    ...     float_top1_pct=76.1, int_top1_pct=75.8, float_calibration_error_pct=2.1, int_calibration_error_pct=3.4,
    ...     top1_limit_pct=75.5, calibration_error_limit_pct=3.0).evaluate()
    >>> round(profile.top1_drop, 1), profile.passes_top1, profile.passes_calibration
    (0.3, True, False)
    """

    title = "Accepting or rejecting an INT8 model"
    sources = (JACOB_2018, GUO_2017, REDDI_2020)
    notes = (
        "Both models are charged the same power, so energy_improvement is throughput_gain over again. To claim "
        "that energy is saved, measure the power.",
        "Write 76.1 for 76.1 percent, not 0.761; the difference to 75.8 then reads 0.3, in percentage points.",
        "Do not expect the gain in latency to match the gain in throughput: one is measured at batch one, the "
        "other at large batch.",
        "The sizes are those of the parameters alone.",
    )

    workload: Annotated[AnyWorkload, Needs("parameters")] = Input("model that is quantized; counts its parameters")
    hardware: AnyHardware = Input("accelerator it is deployed on; its rated power prices the energy")
    float_latency: Positive[Time] = Input("time for a single input in floating point", unit="ms")
    int_latency: Positive[Time] = Input("time for a single input in integers", unit="ms")
    float_throughput: Positive[Frequency] = Input(
        "inputs per second in floating point when batches are large", unit="1/s"
    )
    int_throughput: Positive[Frequency] = Input("inputs per second in integers when batches are large", unit="1/s")
    float_bytes: Positive[Data] = Input("bytes that store a weight of the float model", unit="byte")
    int_bytes: Positive[Data] = Input("bytes that store a weight of the integer model", unit="byte")
    float_top1_pct: Percent = Input("how often the float model's first guess is right, in percent")
    int_top1_pct: Percent = Input("how often the integer model's first guess is right, in percent")
    float_calibration_error_pct: Percent = Input(
        "confidence-calibration error of the float model in percent; recorded, for comparison"
    )
    int_calibration_error_pct: Percent = Input(
        "how far the integer model's confidences are from its accuracy, in percent"
    )
    top1_limit_pct: Percent = Input("accuracy below which the integer model is rejected, in percent")
    calibration_error_limit_pct: Percent = Input("calibration error above which it is rejected, in percent")

    def evaluate(self) -> QuantizedDeploymentProfileResult:
        tdp = self.hardware.tdp
        top1_drop = self.float_top1_pct - self.int_top1_pct
        latency_speedup = self.float_latency / self.int_latency
        throughput_gain = self.int_throughput / self.float_throughput
        float_size = self.workload.parameters * self.float_bytes
        int_size = self.workload.parameters * self.int_bytes
        size_reduction = float_size / int_size
        float_energy = int_energy = energy_improvement = None
        if tdp is not None:
            float_energy = tdp / self.float_throughput
            int_energy = tdp / self.int_throughput
            energy_improvement = float_energy / int_energy
        passes_top1 = self.int_top1_pct >= self.top1_limit_pct
        passes_calibration = self.int_calibration_error_pct <= self.calibration_error_limit_pct
        return QuantizedDeploymentProfileResult(
            top1_drop=top1_drop,
            latency_speedup=latency_speedup,
            throughput_gain=throughput_gain,
            float_size=float_size,
            int_size=int_size,
            size_reduction=size_reduction,
            float_energy=float_energy,
            int_energy=int_energy,
            energy_improvement=energy_improvement,
            passes_top1=passes_top1,
            passes_calibration=passes_calibration,
        )

    def warnings(self, result: QuantizedDeploymentProfileResult) -> Iterator[Warning]:
        if any_of(result.latency_speedup < 1):
            yield Warning("slowdown", "the integer model takes longer for a single input")
        if any_of(result.throughput_gain < 1):
            yield Warning("slowdown", "the integer model gets through fewer inputs per second")
        if any_of(self.int_bytes >= self.float_bytes):
            yield Warning("no_gain", "the integers are no smaller than the floating-point numbers")
        if self.hardware.tdp is None:
            yield Warning("power_unknown", f"{self.hardware.label} lists no rated power, so there is no energy")
        capacity = self.hardware.memory.capacity
        for version, size in (("float", result.float_size), ("integer", result.int_size)):
            if capacity is not None and any_of(size > capacity):
                yield Warning("weights_exceed_memory", f"the {version} model does not fit {self.hardware.label}")
        yield from self._implied_rates()
        if any_of((self.float_top1_pct <= 1) | (self.int_top1_pct <= 1) | _looks_like_share(self.top1_limit_pct, 1)):
            yield Warning("percent_or_share", "an accuracy is 1 percent or less; 76 percent is 76, not 0.76")
        errors = (self.float_calibration_error_pct, self.int_calibration_error_pct, self.calibration_error_limit_pct)
        if any(any_of(_looks_like_share(error, _BEST_CALIBRATION)) for error in errors):
            yield Warning("percent_or_share", "a calibration error is 0.1 percent or less; 3 percent is 3, not 0.03")
        yield from wide_values(float_bytes=self.float_bytes)

    def _implied_rates(self) -> Iterator[Warning]:
        """What the measured speeds say of the rate the device would have to reach, and of what batching brings."""
        compute, work = self.hardware.compute, self.workload.inference_flops
        rates = {"the reference peak": compute.peak, **compute.rates}
        listed = [rate for rate in rates.values() if rate is not None]
        floating = [rate for name, rate in rates.items() if rate is not None and name not in NARROW]
        for version, latency, throughput, possible in (
            ("float", self.float_latency, self.float_throughput, floating),
            ("integer", self.int_latency, self.int_throughput, listed),
        ):
            if work is not None and possible and any_of(work * maximum(throughput, 1 / latency) > max(possible)):
                yield Warning(
                    "above_peak",
                    f"the {version} model would run above every dense rate that {self.hardware.label} lists",
                )
            if any_of(throughput * latency < 1):
                yield Warning(
                    "batch_without_gain", f"the {version} model gets through fewer inputs in batches than one by one"
                )


# Percent; even networks that were calibrated are further off.
_BEST_CALIBRATION = 0.1


def _looks_like_share(percent: Any, least: float) -> Any:
    """Whether a figure in percent is so small that a share of one was meant; none at all is nobody's share."""
    return (percent > 0) & (percent <= least)


class SparseFlashFitScenario(Scenario[SparseFlashFitResult]):
    """Does a pruned model fit in flash once the position of every surviving value is stored beside it?

    Unstructured sparsity in a compressed format: a value and an index for each weight that is left. Row pointers and
    headers are left out, so a model that just fits here may not fit in practice. A bitmap, or blocks that share an
    index, need less than this at moderate sparsity.

    Source: Saad (2003), section 3.4, for compressed sparse row storage; Han et al. (2016), section 2, 2a + n + 1
    numbers for a values in n rows, of which 2a count here.

    >>> wearable = SparseFlashFitScenario(workload="MobileNetV2", value_bytes="4 B", index_bytes="2 B",
    ...                                   surviving_bytes="2 MB", flash_budget="2 MB").evaluate()
    >>> f"{wearable.stored_bytes / 1e6:g} MB", wearable.fits
    ('3 MB', False)
    """

    title = "Does a pruned model fit in flash once indices are stored"
    sources = (HAN_2016, SAAD_2003)
    notes = (
        "Check stored_bytes against the budget, never surviving_bytes: with values of four bytes, indices of two "
        "bytes add 50 percent.",
        "Choose index_bytes by the length of a row; a row of up to 65,536 columns needs two bytes.",
        "Pruning less than the share index_bytes / bytes_per_nonzero makes the model larger than it was dense.",
        "2 MB means 2,000,000 bytes; for a part of 2,097,152 bytes, as flash is sold, write 2 MiB.",
    )
    rules = (
        Rule(
            "surviving_bytes <= workload.parameters * value_bytes",
            at="surviving_bytes",
            because="no more is left than there was before pruning",
        ),
    )

    workload: Annotated[AnyWorkload, Needs("parameters")] = Input("dense model")
    value_bytes: Positive[Data] = Input("width of a stored weight", unit="byte")
    index_bytes: NonNegative[Data] = Input("width of the number that says where a weight belongs", unit="byte")
    surviving_bytes: NonNegative[Data] = Input(
        "what is left of the weights after pruning, without any index", unit="MB"
    )
    flash_budget: Positive[Data] = Input("room in flash that the model may fill", unit="MB")

    def evaluate(self) -> SparseFlashFitResult:
        dense_bytes = self.workload.parameters * self.value_bytes
        pruned_share = 1 - self.surviving_bytes / dense_bytes
        bytes_per_nonzero = self.value_bytes + self.index_bytes
        stored_bytes = self.surviving_bytes * bytes_per_nonzero / self.value_bytes
        fits = stored_bytes <= self.flash_budget
        return SparseFlashFitResult(
            dense_bytes=dense_bytes,
            pruned_share=pruned_share,
            bytes_per_nonzero=bytes_per_nonzero,
            stored_bytes=stored_bytes,
            fits=fits,
        )

    def warnings(self, result: SparseFlashFitResult) -> Iterator[Warning]:
        if any_of((result.stored_bytes > self.flash_budget) & (self.surviving_bytes <= self.flash_budget)):
            yield Warning("does_not_fit", "the values alone fit the flash; with their indices they do not")
        elif any_of(result.stored_bytes > self.flash_budget):
            yield Warning("does_not_fit", "the values left after pruning do not fit the flash, even without indices")
        if any_of(result.stored_bytes >= result.dense_bytes):
            yield Warning("no_gain", "with its indices the pruned model is no smaller than the dense one")
        yield from wide_values(value_bytes=self.value_bytes, index_bytes=self.index_bytes)


class StagedCompressionScenario(Scenario[StagedCompressionResult]):
    """How much smaller does a model get by pruning, distilling and then quantizing it, and what accuracy does it lose?

    Sizes of a teacher, of the student it is turned into, and of that student in integers. Accuracies are measurements
    that are stated; nothing predicts them, and they hold for the one task and data set they were taken on. Size counts
    parameters only.

    Source: Devlin et al. (2019), section 3, for the 110 million parameters of BERT-Base; Hinton et al. (2015), section
    2, for distillation; Han et al. (2016), figure 1, for compression in stages that multiply.

    >>> student = StagedCompressionScenario(
    ...     teacher="BERT_Base", student_params=27.5e6, float_bytes="4 B", int_bytes="1 B", baseline_accuracy=0.762,
    ...     pruned_accuracy=0.751, distilled_accuracy=0.759, final_accuracy=0.756, mobile_speedup=12,
    ...     quantize_first_loss=0.021).evaluate()
    >>> student.compression_ratio, round(student.final_loss, 3)
    (16.0, 0.006)
    """

    title = "Prune, distill, then quantize"
    sources = (DEVLIN_2019, HINTON_2015, HAN_2016)
    notes = (
        "An accuracy is a fraction such as 0.762; QuantizedDeploymentProfileScenario takes the same figure as "
        "76.1 percent.",
        "No output depends on pruned_accuracy, distilled_accuracy, mobile_speedup or quantize_first_loss; they "
        "are for the record. Hold quantize_first_loss against final_loss to judge the order of the stages.",
        "Do not infer speed from size: a model 16 times smaller may run at any speed, which is why the mobile "
        "speedup is stated apart.",
    )
    rules = (Rule("student_params <= teacher.parameters", at="student_params", because="a student is no larger"),)

    teacher: Annotated[AnyWorkload, Needs("parameters")] = Input("original model")
    student_params: Positive[Real] = Input("how many parameters the student has")
    float_bytes: Positive[Data] = Input("width of a weight while it is a float", unit="byte")
    int_bytes: Positive[Data] = Input("width of a weight once quantized", unit="byte")
    baseline_accuracy: Share = Input("how often the teacher is right")
    pruned_accuracy: Share = Input("how often the pruned teacher is right; for the record")
    distilled_accuracy: Share = Input("how often the student is right as floats; for the record")
    final_accuracy: Share = Input("how often the student is right as integers")
    mobile_speedup: Positive[Real] = Input("measured gain in speed on a phone; for the record")
    quantize_first_loss: Share = Input("what accuracy drops by if quantization is the first stage; for the record")

    def evaluate(self) -> StagedCompressionResult:
        full_bytes = self.teacher.parameters * self.float_bytes
        student_float_bytes = self.student_params * self.float_bytes
        compressed_bytes = self.student_params * self.int_bytes
        parameter_reduction = 1 - self.student_params / self.teacher.parameters
        compression_ratio = full_bytes / compressed_bytes
        final_loss = self.baseline_accuracy - self.final_accuracy
        return StagedCompressionResult(
            full_bytes=full_bytes,
            student_float_bytes=student_float_bytes,
            compressed_bytes=compressed_bytes,
            parameter_reduction=parameter_reduction,
            compression_ratio=compression_ratio,
            final_loss=final_loss,
        )

    def warnings(self, result: StagedCompressionResult) -> Iterator[Warning]:
        if any_of(self.int_bytes >= self.float_bytes):
            yield Warning("no_gain", "the integers are no smaller than the floating-point numbers")
        if any_of(result.final_loss > self.quantize_first_loss):
            yield Warning("no_gain", "quantizing first lost less accuracy than this order does")
        if any_of(self.mobile_speedup < 1):
            yield Warning("slowdown", "the compressed model was seen to run slower than the teacher")
        yield from wide_values(float_bytes=self.float_bytes)


class WorkLatencyGapScenario(Scenario[WorkLatencyGapResult]):
    """Parameters or operations were cut: how much of that did latency feel?

    The ratio of two measured reductions. It says how much of the promise was kept, not why: scattered zeros that a
    dense kernel multiplies all the same, index traffic and overhead that pruning does not touch look alike in it. It
    holds for the one device, batch and software the latency was taken on.

    Source: Wen et al. (2016), section 1 and figure 1, for sparsity that is large and speedups that are not; Gale et
    al. (2019) for how much unstructured sparsity a network bears.

    >>> round(WorkLatencyGapScenario(work_reduction=0.4, latency_reduction=0.12).evaluate().delivered_share, 3)
    0.3
    """

    title = "Cut in work against cut in latency"
    sources = (WEN_2016, GALE_2019)
    notes = (
        "State what was removed as a fraction, 0.4 and not 40. Of a speedup, take the reduction: twice as fast is 0.5.",
        "Below 0 and above 1 are real answers; a model that now fits in cache can gain more time than work.",
        "A work reduction of zero is refused, for there would be nothing to divide by.",
    )

    work_reduction: Positive[Share] = Input("share of parameters or operations that was taken out")
    latency_reduction: Annotated[Real, Bound(le=1)] = Input(
        "share of the latency that went away with it; below zero where it went up"
    )

    def evaluate(self) -> WorkLatencyGapResult:
        delivered_share = self.latency_reduction / self.work_reduction
        return WorkLatencyGapResult(delivered_share=delivered_share)

    def warnings(self, result: WorkLatencyGapResult) -> Iterator[Warning]:
        if any_of(self.latency_reduction < 0):
            yield Warning("slowdown", "latency rose although work was removed")
        if any_of(self.latency_reduction == 0):
            yield Warning("no_gain", "none of the work removed shows up in latency")
        if any_of(self.latency_reduction > self.work_reduction):
            yield Warning("gain_unexplained", "latency fell by more than the work did")
