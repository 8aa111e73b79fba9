"""Scenarios about single kernels: what they move, what fusing and tiling save."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from mlsysim.catalog import AnyHardware
from mlsysim.engine.arithmetic import defined
from mlsysim.engine.bibliography import (
    ANSEL_2024,
    BA_2016,
    CHEN_2016,
    CHEN_2018,
    HONG_KUNG_1981,
    IOFFE_2015,
    JACOB_2018,
    LAM_1991,
    MILAKOV_2018,
    WAHIB_2014,
    WILLIAMS_2009,
)
from mlsysim.engine.result_types.optimization.kernels import (
    CompileBreakevenResult,
    ConvBnReluFusionResult,
    ElementwiseOpResult,
    KernelFusionResult,
    MatmulTileResult,
)
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.engine.warnings import Warning, any_of, wide_values
from mlsysim.fields import AtLeastOne, Data, Flag, Frequency, Integer, Needs, NonNegative, Positive, Real, Time

__all__ = [
    "CompileBreakevenScenario",
    "ConvBnReluFusionScenario",
    "ElementwiseOpScenario",
    "KernelFusionScenario",
    "MatmulTileScenario",
]


class KernelFusionScenario(Scenario[KernelFusionResult]):
    """What does fusing a chain of element-wise kernels save in memory trips and host time?

    Each unfused kernel reads and writes the whole tensor and pays its own dispatch and launch; the fused one does so
    once. Assumes operations of one input each and a tensor that does not stay in cache between kernels, so the ratios
    are upper limits.

    Source: Wahib and Maruyama (2014), section II; Chen et al. (2018), section 3.

    >>> KernelFusionScenario(chain_length=4, dispatch="10 us", launch="5 us").evaluate().traffic_ratio
    4.0
    """

    title = "Fusing a chain of element-wise kernels"
    sources = (WAHIB_2014, CHEN_2018)
    notes = (
        "Whatever the numbers, each of the two ratios is chain_length. Read them as the most that fusion can bring.",
        "Residual adds and the like read a second tensor, fused or not, and save less traffic than this says.",
        "If the intermediate tensor fits in cache, the saving is smaller than the traffic suggests.",
    )
    rules = (Rule("dispatch + launch > 0", at="dispatch", because="a ratio of host times needs a host time"),)

    chain_length: AtLeastOne[Integer] = Input("how many operations follow each other")
    dispatch: NonNegative[Time] = Input("what an operation takes the host before it can launch anything", unit="us")
    launch: NonNegative[Time] = Input("what launching a kernel takes the host", unit="us")

    def evaluate(self) -> KernelFusionResult:
        unfused_trips = 2 * self.chain_length
        fused_trips = 2
        unfused_launches = self.chain_length
        fused_launches = 1
        traffic_ratio = unfused_trips / fused_trips
        unfused_overhead = unfused_launches * (self.dispatch + self.launch)
        fused_overhead = fused_launches * (self.dispatch + self.launch)
        overhead_speedup = unfused_overhead / fused_overhead
        return KernelFusionResult(
            unfused_trips=unfused_trips,
            fused_trips=fused_trips,
            unfused_launches=unfused_launches,
            fused_launches=fused_launches,
            traffic_ratio=traffic_ratio,
            unfused_overhead=unfused_overhead,
            fused_overhead=fused_overhead,
            overhead_speedup=overhead_speedup,
        )

    def warnings(self, result: KernelFusionResult) -> Iterator[Warning]:
        if any_of(self.chain_length == 1):
            yield Warning("no_gain", "a chain of one operation has nothing to fuse with")


class MatmulTileScenario(Scenario[MatmulTileResult]):
    """How much data does a tiled matrix multiply C = A B move, and how much on-chip space do its tiles need?

    Counts only, no timing and no cache model: set against no reuse, perfect reuse, and single-cell loop orders that
    keep one operand in place. What is said of one tile is said of a full one. Tiles that the edge of the matrix cuts
    short count in full in tile_products, whose work then adds up to more than flops.

    Source: Lam et al. (1991), section 2, for blocking; Hong and Kung (1981) for the bound it approaches; Chen et al.
    (2016), section III, for stationary dataflows.

    >>> tile = MatmulTileScenario(m=256, n=256, k=256, tile_m=32, tile_n=32, tile_k=32,
    ...                           operand_bytes="4 B", accumulator_bytes="4 B").evaluate()
    >>> tile.macs, tile.tile_intensity
    (16777216, 8.0)
    """

    title = "Tiled matrix multiply, reuse and on-chip footprint"
    sources = (LAM_1991, HONG_KUNG_1981, CHEN_2016)
    notes = (
        "Tiles must fit into the matrix, or the request is refused.",
        "Each B element is read once per group of `cells` rows, the last group possibly not full.",
        "Multiply moves by the width of an element to have bytes; compulsory_intensity counts C at operand width "
        "even when sums are wider.",
        "Shared memory of a GPU holds operand_tile_bytes; the accumulator, which live_bytes includes, is in registers.",
        "Counts can pass 2^53, the largest integer a JavaScript number holds exactly; they are exact in the JSON text.",
    )
    rules = (
        Rule("tile_m <= m", at="tile_m"),
        Rule("tile_n <= n", at="tile_n"),
        Rule("tile_k <= k", at="tile_k"),
    )

    m: AtLeastOne[Integer] = Input("height of A, which is that of C")
    n: AtLeastOne[Integer] = Input("width of B, which is that of C")
    k: AtLeastOne[Integer] = Input("length of the sums: width of A, height of B")
    tile_m: AtLeastOne[Integer] = Input("height of a tile of C")
    tile_n: AtLeastOne[Integer] = Input("width of a tile of C")
    tile_k: AtLeastOne[Integer] = Input("part of each sum that one pair of operand tiles covers")
    operand_bytes: Positive[Data] = Input("bytes of a number in A or B", unit="byte")
    accumulator_bytes: Positive[Data] = Input("size of a sum while it is accumulated", unit="byte")
    double_buffered: Flag = Input(
        "hold two tiles of each operand, to load the next while this one is computed",
        default=False,
        why="the smallest footprint is the plain one",
    )
    capacity: Positive[Data] | None = Input("on-chip memory that the tiles should fit", unit="KiB", default=None)
    cells: AtLeastOne[Integer] | None = Input(
        "how many cells of a row use a B value before it is dropped", default=None
    )

    def evaluate(self) -> MatmulTileResult:
        m, n, k = self.m, self.n, self.k
        tile_m, tile_n, tile_k = self.tile_m, self.tile_n, self.tile_k
        width = self.operand_bytes

        macs = m * n * k
        flops = 2 * macs
        tiles_m = -(-m // tile_m)
        tiles_n = -(-n // tile_n)
        tiles_k = -(-k // tile_k)
        output_tiles = tiles_m * tiles_n
        tile_products = output_tiles * tiles_k

        tile_product_flops = 2 * tile_m * tile_n * tile_k
        tile_product_bytes = (tile_m + tile_n) * tile_k * width
        tile_intensity = tile_product_flops / tile_product_bytes
        unblocked_intensity = 1 / width
        compulsory_intensity = flops / ((m * k + k * n + m * n) * width)

        buffer_copies = 2 if self.double_buffered else 1
        a_tile_bytes = buffer_copies * tile_m * tile_k * width
        b_tile_bytes = buffer_copies * tile_k * tile_n * width
        accumulator_tile_bytes = tile_m * tile_n * self.accumulator_bytes
        operand_tile_bytes = a_tile_bytes + b_tile_bytes
        live_bytes = operand_tile_bytes + accumulator_tile_bytes
        fits = None if self.capacity is None else live_bytes <= self.capacity

        a_elements = m * k
        b_elements = k * n
        c_elements = m * n
        a_moves = a_elements * tiles_n
        b_moves = b_elements * tiles_m
        partial_sum_moves = 2 * macs
        return MatmulTileResult(
            macs=macs,
            flops=flops,
            tiles_m=tiles_m,
            tiles_n=tiles_n,
            tiles_k=tiles_k,
            output_tiles=output_tiles,
            tile_products=tile_products,
            tile_product_flops=tile_product_flops,
            tile_product_bytes=tile_product_bytes,
            tile_intensity=tile_intensity,
            unblocked_intensity=unblocked_intensity,
            compulsory_intensity=compulsory_intensity,
            buffer_copies=buffer_copies,
            a_tile_bytes=a_tile_bytes,
            b_tile_bytes=b_tile_bytes,
            accumulator_tile_bytes=accumulator_tile_bytes,
            operand_tile_bytes=operand_tile_bytes,
            live_bytes=live_bytes,
            fits=fits,
            a_elements=a_elements,
            b_elements=b_elements,
            c_elements=c_elements,
            a_bytes=a_elements * width,
            a_moves=a_moves,
            b_moves=b_moves,
            tiled_moves=a_moves + b_moves + c_elements,
            global_loads_per_mac=1 / tile_m + 1 / tile_n,
            partial_sum_moves=partial_sum_moves,
            a_stationary_moves=a_elements + macs + partial_sum_moves,
            output_stationary_moves=2 * macs + c_elements,
            b_stationary_moves=b_elements + macs + partial_sum_moves,
            row_b_reads=None if self.cells is None else b_elements * -(-m // self.cells),
        )

    def warnings(self, result: MatmulTileResult) -> Iterator[Warning]:
        if result.fits is not None and any_of(np.logical_not(result.fits)):
            yield Warning("does_not_fit", "the live tiles need more than the on-chip space")
        if any_of((self.tile_m == 1) & (self.tile_n == 1)):
            yield Warning("no_gain", "a tile of one output element reuses nothing")
        yield from wide_values(operand_bytes=self.operand_bytes, accumulator_bytes=self.accumulator_bytes)


class CompileBreakevenScenario(Scenario[CompileBreakevenResult]):
    """After how many items has compiling a model paid for itself, and does an experiment that recompiles still gain?

    Both rates are steady, compiled code runs at full speed from its first item, and a compile holds up the work. Stops
    being valid where compiled code is kept in a cache between runs, or where the compiler works beside the model.

    Source: Ansel et al. (2024), for what is compiled and why a failed guard, such as a new input shape, compiles again.

    >>> model = CompileBreakevenScenario(eager_rate="100 1/s", compiled_rate="200 1/s", compile_time="30 s").evaluate()
    >>> model.breakeven_items
    6000.0
    """

    title = "When compiling a model pays for itself"
    sources = (ANSEL_2024,)
    notes = (
        "breakeven_items is not whole: round it up to items, or to batches if your rates were measured in batches.",
        "Count the first compile among recompiles: with ten changes to the code after it, write eleven.",
        "Models often compile again when the shape of their input changes; recompiles should have those in it.",
    )

    eager_rate: Positive[Frequency] = Input("speed of the model as it is, in items per second", unit="1/s")
    compiled_rate: Positive[Frequency] = Input("speed of the compiled model, in items per second", unit="1/s")
    compile_time: NonNegative[Time] = Input("how long compiling takes once", unit="s")
    experiment_items: AtLeastOne[Integer] | None = Input(
        "how many items the experiment puts through the model", default=None
    )
    recompiles: NonNegative[Integer] | None = Input(
        "how often the experiment compiles, counting the first time", default=None
    )

    def evaluate(self) -> CompileBreakevenResult:
        eager_item_time = 1 / self.eager_rate
        compiled_item_time = 1 / self.compiled_rate
        saving_per_item = eager_item_time - compiled_item_time
        breakeven_items = defined(saving_per_item > 0, lambda: self.compile_time / saving_per_item)
        speedup = self.compiled_rate / self.eager_rate

        experiment_eager = experiment_compiled_running = experiment_compiled_total = experiment_slowdown = None
        if self.experiment_items is not None:
            experiment_eager = self.experiment_items / self.eager_rate
            experiment_compiled_running = self.experiment_items / self.compiled_rate
            if self.recompiles is not None:
                experiment_compiled_total = self.recompiles * self.compile_time + experiment_compiled_running
                experiment_slowdown = experiment_compiled_total / experiment_eager
        return CompileBreakevenResult(
            eager_item_time=eager_item_time,
            compiled_item_time=compiled_item_time,
            saving_per_item=saving_per_item,
            breakeven_items=breakeven_items,
            speedup=speedup,
            experiment_eager=experiment_eager,
            experiment_compiled_running=experiment_compiled_running,
            experiment_compiled_total=experiment_compiled_total,
            experiment_slowdown=experiment_slowdown,
        )

    def warnings(self, result: CompileBreakevenResult) -> Iterator[Warning]:
        if any_of(self.compiled_rate < self.eager_rate):
            yield Warning("slowdown", "the compiled model runs slower than the eager one")
        if any_of(self.compiled_rate == self.eager_rate):
            yield Warning("no_gain", "the compiled model runs no faster than the eager one")
        if result.experiment_slowdown is not None and any_of(result.experiment_slowdown > 1):
            yield Warning("slowdown", "with all its compiles the experiment takes longer than without compiling")


# Fusing that removes less of the traffic than this is hardly worth a kernel of its own.
_WORTHWHILE_CUT = 0.01


class ConvBnReluFusionScenario(Scenario[ConvBnReluFusionResult]):
    """How much memory traffic does a convolution block save when norm and ReLU are folded into the convolution kernel?

    Traffic to device memory, and the time it takes at full bandwidth: convolution, norm and ReLU as separate kernels
    against a single kernel whose weights absorb the norm. One image, as many output as input channels, a map that keeps
    its size, nothing reused from cache, no arithmetic. Stops being valid in training, where the norm's statistics are
    not frozen, and where the map stays in the last-level cache between kernels, so that the real gain is smaller.

    Source: Ioffe and Szegedy (2015), algorithm 2, for the norm as one scale and shift per channel; Jacob et al. (2018),
    section 3.2, for folding it into the weights; Williams et al. (2009) for time as traffic over bandwidth.

    >>> block = ConvBnReluFusionScenario(channels=256, height=28, width=28, kernel_size=3, bytes_per_value="4 B",
    ...                                  norm_params_per_channel=2, hardware="H100").evaluate()
    >>> f"{block.traffic_cut:.0%} less traffic"
    '45% less traffic'
    """

    title = "Memory traffic of a convolution block, one kernel against three"
    sources = (IOFFE_2015, JACOB_2018, WILLIAMS_2009)
    notes = (
        "The normalization can be folded only when its statistics no longer change, that is for inference.",
        "Four values per channel for norm_params_per_channel if mean and variance are separate, 2 if they are "
        "merged into scale and shift.",
        "Folding leaves one bias value per channel; it is left out of the traffic.",
        "Small maps do not leave the last-level cache between two kernels, which makes the true gain smaller. "
        "That holds for the named example: its map has 0.8 MB and the L2 of an H100 has 50 MiB.",
        "HostDispatchScenario adds what is missing for short kernels: at a few microseconds, launching them costs "
        "about as much as their traffic.",
    )

    channels: AtLeastOne[Integer] = Input("channels of the input, and of the output")
    height: AtLeastOne[Integer] = Input("height of the feature map")
    width: AtLeastOne[Integer] = Input("width of the feature map")
    kernel_size: AtLeastOne[Integer] = Input("side of the square filter")
    bytes_per_value: Positive[Data] = Input("bytes of an activation, weight or norm parameter", unit="byte")
    norm_params_per_channel: NonNegative[Integer] = Input("parameters that the norm reads for each channel")
    hardware: Annotated[AnyHardware, Needs("memory.bandwidth")] = Input(
        "device at whose memory bandwidth everything moves"
    )

    def evaluate(self) -> ConvBnReluFusionResult:
        width = self.bytes_per_value
        feature_map = self.channels * self.height * self.width * width
        conv_weights = self.channels * self.channels * self.kernel_size**2 * width
        norm_params = self.channels * self.norm_params_per_channel * width

        conv_traffic = 2 * feature_map + conv_weights
        norm_traffic = 2 * feature_map + norm_params
        relu_traffic = 2 * feature_map
        kernels = 3
        unfused_trips = 2 * kernels
        fused_trips = 2
        unfused_traffic = conv_traffic + norm_traffic + relu_traffic
        fused_traffic = conv_traffic
        eliminated_activation_traffic = (unfused_trips - fused_trips) * feature_map
        traffic_cut = 1 - fused_traffic / unfused_traffic

        bandwidth = self.hardware.memory.bandwidth
        unfused_time = unfused_traffic / bandwidth
        fused_time = fused_traffic / bandwidth
        time_ratio = unfused_time / fused_time
        return ConvBnReluFusionResult(
            feature_map=feature_map,
            conv_weights=conv_weights,
            norm_params=norm_params,
            conv_traffic=conv_traffic,
            norm_traffic=norm_traffic,
            relu_traffic=relu_traffic,
            unfused_trips=unfused_trips,
            fused_trips=fused_trips,
            unfused_traffic=unfused_traffic,
            fused_traffic=fused_traffic,
            eliminated_activation_traffic=eliminated_activation_traffic,
            traffic_cut=traffic_cut,
            unfused_time=unfused_time,
            fused_time=fused_time,
            time_ratio=time_ratio,
        )

    def warnings(self, result: ConvBnReluFusionResult) -> Iterator[Warning]:
        if any_of(result.traffic_cut < _WORTHWHILE_CUT):
            yield Warning("no_gain", "the weights outweigh the map, and fusing removes less than 1 percent of traffic")
        yield from wide_values(bytes_per_value=self.bytes_per_value)


class ElementwiseOpScenario(Scenario[ElementwiseOpResult]):
    """What is the arithmetic intensity of a kernel that passes over a tensor, such as an activation or a norm?

    Operations over device-memory traffic. Every stated read and write goes to device memory, and parameters are read
    once. Stops being valid where a tensor stays in cache between kernels, which makes the traffic smaller.

    Source: Williams et al. (2009), operational intensity; Milakov and Gimelshein (2018), section 2, for how often a
    softmax passes over its values; Ba et al. (2016) for the scale and shift of a layer norm.

    >>> relu = ElementwiseOpScenario(elements=1_000_000, flops_per_element=1, bytes_per_value="4 B")
    >>> relu.evaluate().intensity
    0.125
    """

    title = "Intensity of kernels that pass over a tensor"
    sources = (WILLIAMS_2009, BA_2016, MILAKOV_2018)
    notes = (
        "Raise reads for a softmax or a norm whose row does not stay on chip; it is then read two or three times.",
        "An operation on two tensors, such as a residual add, has two reads.",
        "The intensity is a rough figure: exponentials and square roots are counted as one operation by custom, "
        "though they take many.",
        'Values of 16 bits are "2 B" or "16 bit" wide, not "16 B".',
        "Norm parameters often stay in FP32, while here they have the width of the data.",
    )
    rules = (Rule("reads + writes >= 1", at="reads", because="a kernel reads or writes its values at least once"),)

    elements: AtLeastOne[Integer] = Input("how many values the tensor holds")
    flops_per_element: NonNegative[Real] = Input("arithmetic spent on each value")
    bytes_per_value: Positive[Data] = Input("bytes of a stored value", unit="byte")
    parameter_values: NonNegative[Integer] = Input(
        "parameters that come with the tensor and are read a single time: scale and shift of a norm",
        default=0,
        why="activations and sums of tensors have no parameters",
    )
    reads: NonNegative[Integer] = Input(
        "how often the kernel fetches each value from device memory",
        default=1,
        why="a kernel with one input reads it once",
    )
    writes: NonNegative[Integer] = Input(
        "how often the kernel stores each value to device memory", default=1, why="a kernel writes its output once"
    )

    def evaluate(self) -> ElementwiseOpResult:
        flops = self.elements * self.flops_per_element
        input_bytes = self.reads * self.elements * self.bytes_per_value
        output_bytes = self.writes * self.elements * self.bytes_per_value
        parameter_bytes = self.parameter_values * self.bytes_per_value
        traffic_bytes = input_bytes + output_bytes + parameter_bytes
        intensity = flops / traffic_bytes
        return ElementwiseOpResult(
            flops=flops,
            input_bytes=input_bytes,
            output_bytes=output_bytes,
            parameter_bytes=parameter_bytes,
            traffic_bytes=traffic_bytes,
            intensity=intensity,
        )

    def warnings(self, result: ElementwiseOpResult) -> Iterator[Warning]:
        yield from wide_values(bytes_per_value=self.bytes_per_value)
