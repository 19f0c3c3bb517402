"""What optimizers keep in their parameter groups, and which schedulers write there.

A compiled step is compiled for each Python number in a group. Read off torch 2.13.0, and measured:
`lr` may be a tensor in every optimizer of torch's, which its schedulers fill in place. The other
numbers are to stay numbers: a tensor saves nothing for AdamW's `weight_decay` or SGD's `momentum`,
and raises for `betas` where tensors are updated together (`foreach`) without `capturable`.
"""

from __future__ import annotations

from typing import NamedTuple

from ca_engine.lazy_expressions import expression

RATE = "lr"
# Where an optimizer keeps its groups, each a dict.
GROUPS = "param_groups"
ADDS_GROUP = "add_param_group"
# The keys of groups that momentum is kept in: SGD and RMSprop have the first, Adam's kin the other.
MOMENTUM = frozenset(("momentum", "betas"))
# Classes of torch's that are optimizers, by their names.
OPTIMIZERS = expression(
    r"^(?:(?:Sparse|N|R)?Adam(?:W|ax)?|SGD|ASGD|RMSprop|Rprop|Ada\w+|LBFGS|Muon)$"
)
# Those of torch whose rate is usually given by its name.
WITH_RATE = (
    "SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "Adafactor",
    "ASGD", "RMSprop", "Rprop", "LBFGS", "Muon", "SparseAdam",
)  # fmt: skip


class Scheduler(NamedTuple):
    """A scheduler of torch's: the entries that it writes, and the option that leaves the rate only.

    It writes all of them unless ``only_rate`` is given.
    """

    writes: frozenset[str]
    only_rate: str = ""


_OF_RATE = Scheduler(frozenset((RATE,)))
_OF_MOMENTUM = Scheduler(frozenset((RATE, *MOMENTUM)), "cycle_momentum=False")
SCHEDULERS = {
    **dict.fromkeys(
        ("LambdaLR", "MultiplicativeLR", "StepLR", "MultiStepLR", "ConstantLR", "LinearLR",
         "ExponentialLR", "SequentialLR", "PolynomialLR", "CosineAnnealingLR", "ChainedScheduler",
         "ReduceLROnPlateau", "CosineAnnealingWarmRestarts"),
        _OF_RATE,
    ),
    "OneCycleLR": _OF_MOMENTUM,
    "CyclicLR": _OF_MOMENTUM,
}  # fmt: skip


def cycling(key: str) -> tuple[str, ...]:
    """Return the schedulers that write ``key`` besides the rate."""
    return tuple(name for name, one in SCHEDULERS.items() if key in one.writes - {RATE})
