"""What each scenario asks for and how it computes its answer, by domain and theme."""


def load() -> None:
    """Define every scenario class there is."""
    from mlsysim.engine.scenario_definitions import optimization

    optimization.load()
