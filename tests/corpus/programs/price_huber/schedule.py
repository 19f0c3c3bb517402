"""How the loss and the logging change over a run."""

from typing import NamedTuple


class Milestone(NamedTuple):
    step: int
    delta: float


PLAN = (Milestone(0, 2.0), Milestone(3, 1.0), Milestone(6, 0.5))


def current(step, plan=PLAN):
    return max((one for one in plan if one.step <= step), key=lambda one: one.step)


def due(step, every=4):
    return step % every == 0
