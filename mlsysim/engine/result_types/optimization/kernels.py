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

    unfused_trips: Integer = Output(
        "how often separate kernels read or write the whole tensor", formula="2 * chain_length"
    )
    fused_trips: Integer = Output("how often the fused kernel reads or writes the whole tensor", formula="2")
    unfused_launches: Integer = Output("launches that separate kernels need", formula="chain_length")
    fused_launches: Integer = Output("launches that the fused kernel needs", formula="1")
    traffic_ratio: Real = Output(
        "how many times more memory traffic separate kernels cause", formula="unfused_trips / fused_trips"
    )
    unfused_overhead: Time = Output(
        "what separate kernels cost the host", unit="us", formula="unfused_launches * (dispatch + launch)"
    )
    fused_overhead: Time = Output(
        "what the fused kernel costs the host", unit="us", formula="fused_launches * (dispatch + launch)"
    )
    overhead_speedup: Real = Output(
        "how many times less host time the fused kernel takes", formula="unfused_overhead / fused_overhead"
    )


class MatmulTileResult(Result):
    """Tiled matrix multiply, reuse and on-chip footprint."""

    macs: Integer = Output("multiply-accumulates that the product takes", formula="m * n * k")
    flops: Operations = Output(
        "operations that the product takes, two for each multiply-accumulate", unit="GFLOP", formula="2 * macs"
    )
    tiles_m: Integer = Output("how many tiles C is high; the last may be cut short", formula="-(-m // tile_m)")
    tiles_n: Integer = Output("how many tiles C is wide; the last may be cut short", formula="-(-n // tile_n)")
    tiles_k: Integer = Output("pairs of operand tiles that add up to one tile of C", formula="-(-k // tile_k)")
    output_tiles: Integer = Output("how many tiles C has", formula="tiles_m * tiles_n")
    tile_products: Integer = Output(
        "products of one A tile and one B tile, those cut short included", formula="output_tiles * tiles_k"
    )
    tile_product_flops: Operations = Output(
        "operations of such a product at full size", unit="MFLOP", formula="2 * tile_m * tile_n * tile_k"
    )
    tile_product_bytes: Data = Output(
        "operands loaded for such a product at full size",
        unit="kB",
        formula="(tile_m + tile_n) * tile_k * operand_bytes",
    )
    tile_intensity: Intensity = Output(
        "operations per loaded byte at full tile size, whatever tile_k is",
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
        "how many tiles of each operand are held at once", formula="2 if double_buffered else 1"
    )
    a_tile_bytes: Data = Output(
        "room on chip that A takes", unit="kB", formula="buffer_copies * tile_m * tile_k * operand_bytes"
    )
    b_tile_bytes: Data = Output(
        "room on chip that B takes", unit="kB", formula="buffer_copies * tile_k * tile_n * operand_bytes"
    )
    accumulator_tile_bytes: Data = Output(
        "room on chip that the sums of a tile of C take",
        unit="kB",
        formula="tile_m * tile_n * accumulator_bytes",
    )
    operand_tile_bytes: Data = Output(
        "room for operands alone, which is what a GPU's shared memory has to give",
        unit="kB",
        formula="a_tile_bytes + b_tile_bytes",
    )
    live_bytes: Data = Output(
        "room for operands and sums, which is what a scratchpad has to give",
        unit="kB",
        formula="operand_tile_bytes + accumulator_tile_bytes",
    )
    fits: Flag | None = Output(
        "whether live_bytes is within the capacity",
        formula="live_bytes <= capacity",
        defined_if="capacity is not None",
        undefined="no capacity is given",
    )
    a_elements: Integer = Output("how many elements A has", formula="m * k")
    b_elements: Integer = Output("how many elements B has", formula="k * n")
    c_elements: Integer = Output("how many elements C has", formula="m * n")
    a_bytes: Data = Output("bytes of all of A", unit="MB", formula="a_elements * operand_bytes")
    a_moves: Integer = Output(
        "A elements loaded, where each column of tiles of C loads A anew", formula="a_elements * tiles_n"
    )
    b_moves: Integer = Output(
        "B elements loaded, where each row of tiles of C loads B anew", formula="b_elements * tiles_m"
    )
    tiled_moves: Integer = Output(
        "elements that tiling loads, and those of C stored at the end", formula="a_moves + b_moves + c_elements"
    )
    global_loads_per_mac: Real = Output(
        "operand elements that a full tile loads for each multiply-accumulate", formula="1 / tile_m + 1 / tile_n"
    )
    partial_sum_moves: Integer = Output(
        "moves where every multiply-accumulate reads its running sum and writes it back", formula="2 * macs"
    )
    a_stationary_moves: Integer = Output(
        "elements moved if an A value stays in its cell while B and the sums come by",
        formula="a_elements + macs + partial_sum_moves",
    )
    output_stationary_moves: Integer = Output(
        "elements moved if a sum stays in its cell while A and B come by; it is stored at the end",
        formula="2 * macs + c_elements",
    )
    b_stationary_moves: Integer = Output(
        "elements moved if a B value stays in its cell while A and the sums come by",
        formula="b_elements + macs + partial_sum_moves",
    )
    row_b_reads: Integer | None = Output(
        "times B is fetched where the cells of a row, each with its own row of A, share a fetch",
        formula="b_elements * -(-m // cells)",
        defined_if="cells is not None",
        undefined="cells is not given",
    )


class CompileBreakevenResult(Result):
    """When compiling a model pays for itself."""

    eager_item_time: Time = Output("what one item takes as it is", unit="ms", formula="1 / eager_rate")
    compiled_item_time: Time = Output("what one item takes compiled", unit="ms", formula="1 / compiled_rate")
    saving_per_item: Time = Output(
        "what each item gains by compiling; below zero where compiled code loses",
        unit="ms",
        formula="eager_item_time - compiled_item_time",
    )
    breakeven_items: Real | None = Output(
        "items whose gains add up to the time of one compile; may be a fraction",
        formula="compile_time / saving_per_item",
        defined_if="saving_per_item > 0",
        undefined="each item takes at least as long compiled, so that no number of them pays",
    )
    speedup: Real = Output("how many times faster the compiled model runs", formula="compiled_rate / eager_rate")
    experiment_eager: Time | None = Output(
        "how long the experiment takes without any compile",
        unit="s",
        formula="experiment_items / eager_rate",
        defined_if="experiment_items is not None",
        undefined="no experiment_items are given",
    )
    experiment_compiled_running: Time | None = Output(
        "how long its items take in compiled code",
        unit="s",
        formula="experiment_items / compiled_rate",
        defined_if="experiment_items is not None",
        undefined="no experiment_items are given",
    )
    experiment_compiled_total: Time | None = Output(
        "how long the experiment takes compiled, every compile included",
        unit="s",
        formula="recompiles * compile_time + experiment_compiled_running",
        defined_if="experiment_items is not None and recompiles is not None",
        undefined={
            "experiment_items is None": "no experiment_items are given",
            "recompiles is None": "no recompiles are given",
        },
    )
    experiment_slowdown: Real | None = Output(
        "time of the compiled experiment relative to that without compiling; more than 1 means compiling cost time",
        formula="experiment_compiled_total / experiment_eager",
        defined_if="experiment_items is not None and recompiles is not None",
        undefined={
            "experiment_items is None": "no experiment_items are given",
            "recompiles is None": "no recompiles are given",
        },
    )


class ConvBnReluFusionResult(Result):
    """Memory traffic of a convolution block, one kernel against three."""

    feature_map: Data = Output(
        "bytes of the feature map, once", unit="kB", formula="channels * height * width * bytes_per_value"
    )
    conv_weights: Data = Output(
        "bytes of all filters", unit="MB", formula="channels * channels * kernel_size ** 2 * bytes_per_value"
    )
    norm_params: Data = Output(
        "bytes of all norm parameters", unit="kB", formula="channels * norm_params_per_channel * bytes_per_value"
    )
    conv_traffic: Data = Output(
        "what the convolution moves: the map in and out, and its weights",
        unit="MB",
        formula="2 * feature_map + conv_weights",
    )
    norm_traffic: Data = Output(
        "what the norm moves: the map in and out, and its parameters",
        unit="MB",
        formula="2 * feature_map + norm_params",
    )
    relu_traffic: Data = Output("what the ReLU moves: the map in and out", unit="MB", formula="2 * feature_map")
    unfused_trips: Integer = Output("how often the map is read or written by three kernels: twice by each", formula="6")
    fused_trips: Integer = Output("how often the map is read or written by a single kernel", formula="2")
    unfused_traffic: Data = Output(
        "what all three kernels move", unit="MB", formula="conv_traffic + norm_traffic + relu_traffic"
    )
    fused_traffic: Data = Output("what the single kernel moves", unit="MB", formula="conv_traffic")
    eliminated_activation_traffic: Data = Output(
        "reads and writes of the map that no longer happen",
        unit="MB",
        formula="(unfused_trips - fused_trips) * feature_map",
    )
    traffic_cut: Real = Output("how much less is moved, as a share", formula="1 - fused_traffic / unfused_traffic")
    unfused_time: Time = Output(
        "what the three kernels take to move their traffic at full bandwidth",
        unit="us",
        formula="unfused_traffic / hardware.memory.bandwidth",
    )
    fused_time: Time = Output(
        "what the single kernel takes to move its traffic at full bandwidth",
        unit="us",
        formula="fused_traffic / hardware.memory.bandwidth",
    )
    time_ratio: Real = Output("how many times longer three kernels take", formula="unfused_time / fused_time")


class ElementwiseOpResult(Result):
    """Intensity of kernels that pass over a tensor."""

    flops: Operations = Output("arithmetic of the whole kernel", unit="MFLOP", formula="elements * flops_per_element")
    input_bytes: Data = Output("bytes read", unit="MB", formula="reads * elements * bytes_per_value")
    output_bytes: Data = Output("bytes written", unit="MB", formula="writes * elements * bytes_per_value")
    parameter_bytes: Data = Output(
        "bytes read for scale, shift and the like", unit="kB", formula="parameter_values * bytes_per_value"
    )
    traffic_bytes: Data = Output(
        "reads, writes and parameters together", unit="MB", formula="input_bytes + output_bytes + parameter_bytes"
    )
    intensity: Intensity = Output(
        "arithmetic for each byte of traffic", unit="FLOP/byte", formula="flops / traffic_bytes"
    )
