"""Scenarios about single kernels: what they move, what fusing and tiling save."""

from mlsysim.engine.bibliography import CHEN_2016, CHEN_2018, HONG_KUNG_1981, LAM_1991, WAHIB_2014
from mlsysim.engine.result_types.optimization.kernels import KernelFusionResult, MatmulTileResult
from mlsysim.engine.scenario import Input, Rule, Scenario
from mlsysim.fields import AtLeastOne, Data, Flag, Integer, NonNegative, Positive, Time

__all__ = ["KernelFusionScenario", "MatmulTileScenario"]


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
        "Both ratios always equal chain_length; they are upper limits.",
        "An operation with a second input, such as a residual add, reads that input in either case, so its traffic "
        "ratio is lower.",
        "A tensor that stays in cache between kernels gains less.",
    )
    rules = (Rule("dispatch + launch > 0", at="dispatch", because="a ratio of host times needs a host time"),)

    chain_length: AtLeastOne[Integer] = Input("operations in the chain")
    dispatch: NonNegative[Time] = Input("host time per operation before the launch", unit="us")
    launch: NonNegative[Time] = Input("host time per kernel launch", unit="us")

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


class MatmulTileScenario(Scenario[MatmulTileResult]):
    """How much data does a tiled matrix multiply C = A B move, and how much on-chip space do its tiles need?

    Counts only, no timing and no cache model: set against no reuse, perfect reuse, and single-cell loop orders that
    keep one operand in place. Per-tile figures describe full tiles; where a tile side does not divide the matrix side,
    tile_products x tile_product_flops exceeds flops.

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
        "A tile larger than the matrix is refused.",
        "Each B element is read once per group of `cells` rows, the last group possibly not full.",
        "Moves are elements, not bytes; compulsory_intensity counts C at operand width even when sums are wider.",
        "On a GPU the accumulator lives in registers: compare shared memory with operand_tile_bytes, not live_bytes.",
        "Counts can pass 2^53, the largest integer a JavaScript number holds exactly; they are exact in the JSON text.",
    )
    rules = (
        Rule("tile_m <= m", at="tile_m"),
        Rule("tile_n <= n", at="tile_n"),
        Rule("tile_k <= k", at="tile_k"),
    )

    m: AtLeastOne[Integer] = Input("rows of A and of C")
    n: AtLeastOne[Integer] = Input("columns of B and of C")
    k: AtLeastOne[Integer] = Input("reduction length: columns of A, rows of B")
    tile_m: AtLeastOne[Integer] = Input("rows of one output tile")
    tile_n: AtLeastOne[Integer] = Input("columns of one output tile")
    tile_k: AtLeastOne[Integer] = Input("reduction elements taken per step")
    operand_bytes: Positive[Data] = Input("width of one element of A or B", unit="byte")
    accumulator_bytes: Positive[Data] = Input("width of one running sum", unit="byte")
    double_buffered: Flag = Input(
        "keep two A tiles and two B tiles so that loading overlaps computing",
        default=False,
        why="the smallest footprint is the plain one",
    )
    capacity: Positive[Data] | None = Input("on-chip space to test the tiles against", unit="KiB", default=None)
    cells: AtLeastOne[Integer] | None = Input("compute cells in a row that hand each B value along", default=None)

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
