"""Random trainings under torch's engine, ours, and ours with lowering: nothing differs.

With ``CA_TEST_RANDOM=1`` they are others each time, ``CA_TEST_EXAMPLES`` says how many, and
``CA_TEST_MINUTES`` for how long others are drawn instead.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering import modes
from tests.engine.compared_trainings import AS_CAPTURED, differences
from tests.engine.random_trainings import RandomTraining, trainings

EXAMPLES = int(os.environ.get("CA_TEST_EXAMPLES", "24"))
MINUTES = float(os.environ.get("CA_TEST_MINUTES", "0"))
BACKENDS = (AS_CAPTURED, "eager", "aot_eager")

pytestmark = [
    pytest.mark.filterwarnings("ignore:Anomaly Detection"),
    pytest.mark.skipif(not modes.is_proven(), reason="lowering is off with this version of torch"),
]


def unhurried(examples: int, phases: tuple[Phase, ...] = tuple(Phase)) -> settings:
    """Return settings for so many examples, however long each takes."""
    checks = list(HealthCheck)
    return settings(max_examples=examples, phases=phases, suppress_health_check=checks)


@unhurried(8)
@given(training=trainings())
def test_as_captured(training: RandomTraining) -> None:
    assert differences(training, AS_CAPTURED) == []


@pytest.mark.long
@pytest.mark.timeout(60 * EXAMPLES)
@pytest.mark.parametrize("backend", BACKENDS)
@unhurried(EXAMPLES)
@given(training=trainings())
def test_with(backend: str, training: RandomTraining) -> None:
    assert differences(training, backend) == []


@pytest.mark.long
@pytest.mark.timeout(120 * MINUTES + 600)
@pytest.mark.skipif(not MINUTES, reason="CA_TEST_MINUTES is not set")
def test_for_minutes() -> None:
    """Draw two examples for each seed: Hypothesis varies what it drew before, seeds do not."""
    end = time.monotonic() + 60 * MINUTES
    start = number = time.time_ns()
    while time.monotonic() < end:
        compare_two(number, BACKENDS[number % len(BACKENDS)])
        number += 1
    print(f"{number - start} seeds")


def compare_two(number: int, backend: str) -> None:
    """Compare what Hypothesis draws for the seed ``number``: its smallest training and another."""

    @seed(number)
    @unhurried(2, (Phase.generate, Phase.shrink))
    @given(training=trainings())
    def compare(training: RandomTraining) -> None:
        assert differences(training, backend) == []

    compare()


# Methods of the engine that are put in the place of others: each breaks one step of a capture.
BROKEN: dict[str, Callable[..., Any]] = {
    "tensor_pre_hook": lambda _, grads, *__: grads,
    "post_acc_grad_hook": lambda *_: [None],
    "post_hook": lambda _, outputs, *__: outputs,
    "validate_outputs": lambda _, __, outputs, *___: outputs,
}


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("method", BROKEN)
def test_what_is_broken_is_noticed(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CaptureCompiler, method, BROKEN[method])
    find(
        trainings(),
        lambda each: differences(each, AS_CAPTURED) != [],
        settings=unhurried(80, (Phase.generate,)),
    )
