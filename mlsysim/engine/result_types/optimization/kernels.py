"""Results of the scenarios about kernels."""

from typing import Annotated

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Bound, Data, Flag, Integer, Intensity, Operations, Real, Time

__all__ = [
    "CompileBreakevenResult",
    "ConvBnReluFusionResult",
    "ElementwiseOpResult",
    "KernelFusionResult",
    "MatmulTileResult",
]


class KernelFusionResult(Result):
    """Fusing a chain of element-wise kernels."""

    unfused_trips: Integer = Output("passes over the tensor in memory, unfused", formula="2 * chain_length")
    fused_trips: Integer = Output("passes over the tensor in memory, fused", formula="2")
    unfused_launches: Integer = Output("kernel launches, unfused", formula="chain_length")
    fused_launches: Integer = Output("kernel launches, fused", formula="1")
    traffic_ratio: Real = Output("unfused traffic over fused traffic", formula="unfused_trips / fused_trips")
    unfused_overhead: Time = Output("host time, unfused", unit="us", formula="unfused_launches * (dispatch + launch)")
    fused_overhead: Time = Output("host time, fused", unit="us", formula="fused_launches * (dispatch + launch)")
    overhead_speedup: Real = Output(
        "host time unfused over host time fused", formula="unfused_overhead / fused_overhead"
    )


class MatmulTileResult(Result):
    """Tiled matrix multiply, reuse and on-chip footprint."""

    macs: Integer = Output("multiply-accumulates in the whole product", formula="m * n * k")
    flops: Operations = Output(
        "arithmetic work, two operations per multiply-accumulate", unit="GFLOP", formula="2 * macs"
    )
    tiles_m: Integer = Output("output tiles down C, the last one possibly partial", formula="-(-m // tile_m)")
    tiles_n: Integer = Output("output tiles across C", formula="-(-n // tile_n)")
    tiles_k: Integer = Output("reduction steps per output tile", formula="-(-k // tile_k)")
    output_tiles: Integer = Output("tiles that cover C", formula="tiles_m * tiles_n")
    tile_products: Integer = Output(
        "small matrix products executed, partial ones counted as one", formula="output_tiles * tiles_k"
    )
    tile_product_flops: Operations = Output(
        "work in one full tile product", unit="MFLOP", formula="2 * tile_m * tile_n * tile_k"
    )
    tile_product_bytes: Data = Output(
        "operand bytes fetched for one full tile product",
        unit="kB",
        formula="(tile_m + tile_n) * tile_k * operand_bytes",
    )
    tile_intensity: Intensity = Output(
        "work per operand byte fetched in a full tile product; tile_k cancels",
        unit="FLOP/byte",
        formula="tile_product_flops / tile_product_bytes",
    )
    unblocked_intensity: Intensity = Output(
        "work per byte if no operand is kept and each multiply-accumulate fetches its two",
        unit="FLOP/byte",
        formula="1 / operand_bytes",
    )
    compulsory_intensity: Intensity = Output(
        "upper limit, with A, B and C moved over the memory bus a single time at the width of operands",
        unit="FLOP/byte",
        formula="flops / ((m * k + k * n + m * n) * operand_bytes)",
    )
    buffer_copies: Annotated[Integer, Bound(ge=1, le=2)] = Output(
        "copies of each operand tile kept on chip", formula="2 if double_buffered else 1"
    )
    a_tile_bytes: Data = Output(
        "on-chip space for the A tile or tiles", unit="kB", formula="buffer_copies * tile_m * tile_k * operand_bytes"
    )
    b_tile_bytes: Data = Output(
        "on-chip space for the B tile or tiles", unit="kB", formula="buffer_copies * tile_k * tile_n * operand_bytes"
    )
    accumulator_tile_bytes: Data = Output(
        "on-chip space for the running sums of one output tile",
        unit="kB",
        formula="tile_m * tile_n * accumulator_bytes",
    )
    operand_tile_bytes: Data = Output(
        "operand buffers only; compare this with GPU shared memory", unit="kB", formula="a_tile_bytes + b_tile_bytes"
    )
    live_bytes: Data = Output(
        "all buffers alive together; compare this with a scratchpad",
        unit="kB",
        formula="operand_tile_bytes + accumulator_tile_bytes",
    )
    fits: Flag | None = Output(
        "whether all buffers fit the stated space",
        formula="live_bytes <= capacity",
        defined_if="capacity is not None",
        undefined="no capacity is given",
    )
    a_elements: Integer = Output("elements of A", formula="m * k")
    b_elements: Integer = Output("elements of B", formula="k * n")
    c_elements: Integer = Output("elements of C", formula="m * n")
    a_bytes: Data = Output("size of the whole A matrix", unit="MB", formula="a_elements * operand_bytes")
    a_moves: Integer = Output(
        "A elements brought on chip: all of A once per column of output tiles", formula="a_elements * tiles_n"
    )
    b_moves: Integer = Output(
        "B elements brought on chip: all of B once per row of output tiles", formula="b_elements * tiles_m"
    )
    tiled_moves: Integer = Output(
        "elements moved by the tiled loop, with C written once", formula="a_moves + b_moves + c_elements"
    )
    global_loads_per_mac: Real = Output(
        "operand elements fetched per multiply-accumulate inside a full tile", formula="1 / tile_m + 1 / tile_n"
    )
    partial_sum_moves: Integer = Output(
        "moves where every multiply-accumulate reads its running sum and writes it back", formula="2 * macs"
    )
    a_stationary_moves: Integer = Output(
        "one cell keeps an A value: B and the sums stream past", formula="a_elements + macs + partial_sum_moves"
    )
    output_stationary_moves: Integer = Output(
        "one cell keeps the sum: operands of both matrices stream past, C leaves once", formula="2 * macs + c_elements"
    )
    b_stationary_moves: Integer = Output(
        "one cell keeps a B value: A and the sums stream past", formula="b_elements + macs + partial_sum_moves"
    )
    row_b_reads: Integer | None = Output(
        "times B is fetched where the cells of a row, each with its own row of A, share a fetch",
        formula="b_elements * -(-m // cells)",
        defined_if="cells is not None",
        undefined="cells is not given",
    )


class CompileBreakevenResult(Result):
    """When compiling a model pays for itself."""

    eager_item_time: Time = Output("time of one item without compiling", unit="ms", formula="1 / eager_rate")
    compiled_item_time: Time = Output("time of one item after compiling", unit="ms", formula="1 / compiled_rate")
    saving_per_item: Time = Output(
        "time saved per item; negative when compiled code is slower",
        unit="ms",
        formula="eager_item_time - compiled_item_time",
    )
    breakeven_items: Real | None = Output(
        "items after which one compile is repaid, not rounded",
        formula="compile_time / saving_per_item",
        defined_if="saving_per_item > 0",
        undefined="compiled code is not faster, so that it never pays",
    )
    speedup: Real = Output("compiled rate over eager rate", formula="compiled_rate / eager_rate")
    experiment_eager: Time | None = Output(
        "time of the experiment without compiling",
        unit="s",
        formula="experiment_items / eager_rate",
        defined_if="experiment_items is not None",
        undefined="experiment_items is absent",
    )
    experiment_compiled_running: Time | None = Output(
        "time the compiled code runs in the experiment",
        unit="s",
        formula="experiment_items / compiled_rate",
        defined_if="experiment_items is not None",
        undefined="experiment_items is absent",
    )
    experiment_compiled_total: Time | None = Output(
        "running time and all compiles",
        unit="s",
        formula="recompiles * compile_time + experiment_compiled_running",
        defined_if="experiment_items is not None and recompiles is not None",
        undefined={
            "experiment_items is None": "experiment_items is absent",
            "recompiles is None": "recompiles is absent",
        },
    )
    experiment_slowdown: Real | None = Output(
        "compiled experiment over eager experiment; above 1 compiling loses",
        formula="experiment_compiled_total / experiment_eager",
        defined_if="experiment_items is not None and recompiles is not None",
        undefined={
            "experiment_items is None": "experiment_items is absent",
            "recompiles is None": "recompiles is absent",
        },
    )


class ConvBnReluFusionResult(Result):
    """Memory traffic of a convolution block, one kernel against three."""

    feature_map: Data = Output(
        "size of one feature map", unit="kB", formula="channels * height * width * bytes_per_value"
    )
    conv_weights: Data = Output(
        "size of the convolution weights", unit="MB", formula="channels * channels * kernel_size ** 2 * bytes_per_value"
    )
    norm_params: Data = Output(
        "size of the norm's parameters", unit="kB", formula="channels * norm_params_per_channel * bytes_per_value"
    )
    conv_traffic: Data = Output(
        "traffic of the convolution kernel", unit="MB", formula="2 * feature_map + conv_weights"
    )
    norm_traffic: Data = Output("traffic of the norm kernel", unit="MB", formula="2 * feature_map + norm_params")
    relu_traffic: Data = Output("traffic of the ReLU kernel", unit="MB", formula="2 * feature_map")
    unfused_trips: Integer = Output(
        "feature-map transfers of three kernels: each reads it once and writes it once", formula="6"
    )
    fused_trips: Integer = Output("feature-map transfers of the fused kernel", formula="2")
    unfused_traffic: Data = Output(
        "traffic of the three kernels", unit="MB", formula="conv_traffic + norm_traffic + relu_traffic"
    )
    fused_traffic: Data = Output("traffic of the fused kernel", unit="MB", formula="conv_traffic")
    eliminated_activation_traffic: Data = Output(
        "feature-map traffic that fusing removes", unit="MB", formula="(unfused_trips - fused_trips) * feature_map"
    )
    traffic_cut: Real = Output(
        "share of the traffic that fusing removes", formula="1 - fused_traffic / unfused_traffic"
    )
    unfused_time: Time = Output(
        "least time of the three kernels", unit="us", formula="unfused_traffic / hardware.memory.bandwidth"
    )
    fused_time: Time = Output(
        "least time of the fused kernel", unit="us", formula="fused_traffic / hardware.memory.bandwidth"
    )
    time_ratio: Real = Output("unfused time over fused time", formula="unfused_time / fused_time")


class ElementwiseOpResult(Result):
    """Intensity of kernels that pass over a tensor."""

    flops: Operations = Output("operations of the kernel", unit="MFLOP", formula="elements * flops_per_element")
    input_bytes: Data = Output("bytes read", unit="MB", formula="reads * elements * bytes_per_value")
    output_bytes: Data = Output("bytes written", unit="MB", formula="writes * elements * bytes_per_value")
    parameter_bytes: Data = Output("bytes of parameters read", unit="kB", formula="parameter_values * bytes_per_value")
    traffic_bytes: Data = Output("all bytes moved", unit="MB", formula="input_bytes + output_bytes + parameter_bytes")
    intensity: Intensity = Output("operations per byte moved", unit="FLOP/byte", formula="flops / traffic_bytes")
