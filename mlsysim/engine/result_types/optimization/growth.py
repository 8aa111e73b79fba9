"""Results of the scenarios about growth."""

from mlsysim.engine.result import Output, Result
from mlsysim.fields import Real

__all__ = ["GrowthGapResult", "ParameterBandwidthGrowthResult"]


class GrowthGapResult(Result):
    """How far compute outgrows bandwidth over time."""

    compute_annual_factor: Real = Output(
        "what compute is multiplied by in a year of 365.25 days", formula="2 ** (31557600 / compute_doubling_period)"
    )
    bandwidth_annual_factor: Real = Output("what bandwidth is multiplied by in a year", formula="1 + bandwidth_growth")
    gap: Real = Output(
        "how many times more compute grows than bandwidth until the horizon",
        formula="2 ** (horizon / compute_doubling_period - horizon / 31557600 * log2(bandwidth_annual_factor))",
    )


class ParameterBandwidthGrowthResult(Result):
    """Model parameters against memory bandwidth over time."""

    bandwidth_index: list[Real] = Output(
        "bandwidth of the devices, in the order they are listed, in multiples of the baseline device",
        formula="[device.memory.bandwidth / baseline_accelerator.memory.bandwidth for device in accelerators]",
    )
    dense_index: list[Real] = Output(
        "parameters of the dense models, in the order they are listed, in multiples of the baseline model",
        formula="[model.parameters / baseline_model.parameters for model in dense_models]",
    )
    sparse_index: list[Real] = Output(
        "parameters of the sparse models, unused ones too, in the order they are listed, in multiples of"
        " the baseline model",
        formula="[model.parameters / baseline_model.parameters for model in sparse_models]",
    )
    bandwidth_growth: Real = Output("highest of the bandwidth indices", formula="max(bandwidth_index)")
    parameter_growth: Real = Output("highest of the dense indices", formula="max(dense_index)")
