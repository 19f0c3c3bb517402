from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    thawed: int
    steps: int
    rate: float


PLAN = [Stage(0, 3, 0.05), Stage(1, 3, 0.04), Stage(2, 3, 0.03), Stage(3, 3, 0.02), Stage(5, 3, 0.01)]


def apply_stage(net, stage):
    """The last `thawed` reduction groups train, the others are frozen."""
    groups = list(net.reduce)
    border = len(groups) - stage.thawed
    for number, group in enumerate(groups):
        for parameter in group.parameters():
            parameter.requires_grad_(number >= border)
