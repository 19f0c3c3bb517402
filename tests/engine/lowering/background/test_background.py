"""Inductor compiles in another process; whatever becomes of it, the training goes on exactly."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import unittest.mock
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._inductor import config
from torch._inductor.custom_graph_pass import CustomGraphPass

import ca_engine
from ca_engine.compat import inductor, inductor_cache
from ca_engine.lowering.background import worker
from tests.engine.lowering.background.conftest import (
    PATIENCE,
    Records,
    Training,
    forget,
    in_background,
    reference,
    states,
    train_until,
)

pytestmark = pytest.mark.timeout(600)


def reasons(records: Records) -> set[str]:
    return {each["background"]["reason"] for each in records if each["background"]["reason"]}


def has(records: Records, state: str, times: int = 1) -> bool:
    assert state != "ready" or "failed" not in states(records), reasons(records)
    return states(records).count(state) >= times


@pytest.mark.long
def test_compiled_graphs_take_over_between_two_backwards(records: Records) -> None:
    eager, inductor = reference("aot_eager"), reference("inductor")
    training = Training()
    with in_background():
        before = train_until(training, lambda: has(records, "ready"))
        train_until(training, lambda: has(records, "ready", 2))
        after = [training.step() for _ in range(3)]
    assert states(records) == ["compiling", "compiling", "ready", "ready"]
    # Two structures in a row, both in the other process at once.
    assert {each["capture"] for each in records[:2]} == {each["capture"] for each in records[2:]}
    assert [each["way"] for each in records] == ["direct", "direct", "l2", "l2"]
    assert {each["cache"] for each in records[2:]} <= {"hit", "miss"}
    # In the last of these the first of two backwards was compiled.
    assert before[:-1] == [eager] * (len(before) - 1)
    assert after == [inductor] * 3
    background = records[-1]["background"]
    assert 0 < background["own_seconds"] < background["waited"]
    assert background["compile_seconds"] > 0
    assert background["backwards"] > 1


@pytest.mark.long
def test_two_threads_train_while_inductor_compiles_for_both(records: Records) -> None:
    """C++ runs one captured graph at a time; what another thread does meanwhile goes eager.

    So each backward has the bits of `aot_eager`, which here are eager mode's, or of inductor. There
    are two structures, for the sizes of each; those captured before sizes changed run once.
    """
    widths = (4, 5)
    trainings = [Training(width) for width in widths]
    known = [
        {
            backend: reference(backend, Training(width))
            for backend in ("eager", "aot_eager", "inductor")
        }
        for width in widths
    ]
    found: list[list[list[bytes]]] = [[], []]

    def train(number: int) -> None:
        end = time.monotonic() + PATIENCE
        while not has(records, "ready", 4) and time.monotonic() < end:
            with contextlib.suppress(NotImplementedError):  # the other's graph is being captured
                found[number].append(trainings[number].step())
            time.sleep(0.01)

    with in_background():
        threads = [threading.Thread(target=train, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        after = [training.step() for training in trainings]
    assert has(records, "ready", 4)
    assert after == [each["inductor"] for each in known]
    for steps, of_backend in zip(found, known, strict=True):
        assert of_backend["eager"] == of_backend["aot_eager"]
        assert len(steps) > 2
        by_part = list(zip(of_backend["eager"], of_backend["inductor"], strict=True))
        whole = list(of_backend.values())
        mixed = [step for step in steps if step not in whole]
        # Of a step's two backwards one may be compiled already and the other not.
        for step in mixed:
            for part, (eager, compiled) in zip(step, by_part, strict=True):
                torch.testing.assert_close(as_floats(part), as_floats(eager))
                torch.testing.assert_close(as_floats(part), as_floats(compiled))


def as_floats(bits: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(bits), dtype=torch.float32)


SIZES = (2, 4, 5)


def test_each_set_of_sizes_is_compiled_by_itself(records: Records) -> None:
    training = Training()
    with in_background():
        for size in SIZES:
            training.step(training.inputs[:size])
    assert states(records) == ["compiling"] * len(records)
    # Of the first capture sizes are constants. Two structures each: without ``.grad`` and with.
    assert [set(each["sizes"]) for each in records] == [set(), set(), {4}, {4}, {5}, {5}]
    assert {each["way"] for each in records} == {"direct"}


@pytest.mark.long
def test_graphs_for_sizes_take_over(records: Records) -> None:
    expected = [reference("inductor", SizedTraining(size)) for size in SIZES]
    trainings = [SizedTraining(size) for size in SIZES]
    with in_background():
        for training in trainings:
            training.step()
        for training in trainings[1:]:
            before = states(records).count("ready")
            train_until(training, partial(has, records, "ready", before + 2))
        assert [each.step() for each in trainings[1:]] == expected[1:]
    ready = [each for each in records if each["background"]["state"] == "ready"]
    assert [set(each["sizes"]) for each in ready] == [{4}, {4}, {5}, {5}]
    assert {each["way"] for each in ready} == {"l2"}


class SizedTraining(Training):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.inputs = self.inputs[:size]


@pytest.mark.long
def test_the_next_start_needs_no_process(records: Records) -> None:
    with in_background():
        train_until(Training(5), lambda: has(records, "ready", 2))
    start_again()
    training = Training(5)
    with in_background():
        train_until(training, lambda: has(records, "ready", 4))
        found = training.step()
    assert worker._worker is None
    assert [each["cache"] for each in records[-2:]] == ["hit", "hit"]
    assert [each["background"]["compile_seconds"] for each in records[-2:]] == [None, None]
    assert found == reference("inductor", Training(5))


@pytest.mark.long
def test_what_was_compiled_in_the_background_is_known_without_it(records: Records) -> None:
    with in_background():
        train_until(Training(5), lambda: has(records, "ready", 2))
    start_again()
    with (
        unittest.mock.patch.object(inductor, "inductor_compile", side_effect=AssertionError),
        ca_engine.enable(partial(torch.compile, backend="inductor"), lowering=True),
    ):
        Training(5).step()
    assert [(each["way"], each["cache"]) for each in records[-2:]] == [("l2", "hit")] * 2


@pytest.mark.long
def test_a_known_graph_that_is_damaged_is_compiled_again(records: Records) -> None:
    with in_background():
        train_until(Training(5), lambda: has(records, "ready", 2))
    start_again()
    entries = list(Path(inductor_cache.cache_folder(), "fxgraph").glob("*/*/*"))
    assert entries
    for entry in entries:
        entry.unlink()
    with in_background():
        train_until(Training(5), lambda: has(records, "ready", 4))
    assert worker._worker is not None
    assert [each["cache"] for each in records[-2:]] == ["miss", "miss"]


def start_again() -> None:
    assert worker._worker is not None
    worker._worker.close()
    worker._worker = None
    forget()


@pytest.mark.long
def test_other_inputs_run_as_captured(records: Records) -> None:
    training = Training()
    with in_background():
        train_until(training, lambda: has(records, "ready", 2))
        # The same key of C++'s, other strides
        strided = training.inputs.t().contiguous().t()
        with torch._dynamo.config.patch(error_on_recompile=True):
            found = training.step(strided)
            assert training.step(strided) == found
    guards = [each for each in records if each["reason"] == "guard"]
    assert [(each["way"], each["background"]["state"]) for each in guards] == [
        ("direct", "guard")
    ] * len(guards)
    assert guards
    forget()
    expected = Training().step(strided)
    assert found == expected


@pytest.mark.long
def test_a_process_that_is_killed_before_it_has_a_graph_is_started_again(records: Records) -> None:
    training = Training()
    with in_background():
        train_until(training, lambda: worker._worker is not None)
        killed = running()
        os.kill(killed, signal.SIGKILL)
        train_until(training, lambda: has(records, "ready", 2))
        assert running() != killed
    assert_gone(killed)


@pytest.mark.long
def test_a_process_that_dies_with_a_graph(records: Records) -> None:
    training = Training()
    with in_background():
        train_until(
            training, lambda: worker._worker is not None and bool(worker._worker._outstanding)
        )
        killed = running()
        os.kill(killed, signal.SIGKILL)
        train_until(training, lambda: has(records, "failed"))
    (failed,) = [each for each in records if each["background"]["state"] == "failed"][:1]
    assert failed["background"]["reason"] == "the compile process was killed by SIGKILL"
    assert failed["way"] == "direct"
    assert_gone(killed)


def running() -> int:
    assert worker._worker is not None
    process = worker._worker._process
    assert process is not None
    return process.pid


def assert_gone(pid: int) -> None:
    """Not even a zombie is left."""
    assert not Path(f"/proc/{pid}").exists()


class OwnPass(CustomGraphPass):
    def __call__(self, graph: torch.fx.Graph) -> None:
        pass

    def uuid(self) -> Any:
        return "own"


@pytest.mark.long
def test_a_setting_that_cannot_be_sent(records: Records) -> None:
    eager = reference("aot_eager")
    with in_background(), config.patch(post_grad_custom_post_pass=OwnPass()):
        steps = train_until(Training(), lambda: has(records, "failed", 2))
    assert steps == [eager] * len(steps)
    assert reasons(records) == {"inductor's settings or torch's global state can't be sent there"}


@pytest.mark.long
def test_an_operator_of_the_program(records: Records) -> None:
    @torch.library.custom_op("ca_tests::scaled", mutates_args=())
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    scaled.register_fake(torch.empty_like)
    scaled.register_autograd(lambda ctx, grad: scaled(grad))
    training = Training()
    own = torch.compile(lambda x: scaled(x), backend="aot_eager")
    training.model.append(Applied(own))
    expected = Training.step(training)
    with in_background():
        steps = train_until(training, lambda: has(records, "failed", 2))
    assert steps == [expected] * len(steps)
    assert reasons(records) == {"UnknownOperatorError: ca_tests::scaled"}


class Applied(torch.nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


@pytest.mark.long
def test_without_the_cache_the_training_waits(records: Records) -> None:
    with in_background(), config.patch(force_disable_caches=True):
        Training().step()
    assert [each["way"] for each in records] == ["l2", "l2"]
    reason = "FxGraphCache is off, through which the other process hands it over"
    assert reasons(records) == {reason}
    assert worker._worker is None


def test_other_backends_do_not_wait_and_need_no_process(records: Records) -> None:
    for backend in ("eager", "aot_eager"):
        forget()
        with in_background(backend):
            Training().step()
    assert [each["way"] for each in records] == ["direct"] * 2 + ["l2"] * 2
    assert states(records) == [None] * 4
    assert worker._worker is None


@pytest.mark.long
def test_what_is_no_aten_graph_is_compiled_as_without(records: Records) -> None:
    """`.grad`s of one buffer are left to AOTAutograd, as shows once the graph is there."""
    training = Training()
    buffer = torch.zeros(15)
    training.model[0].weight.grad = buffer[:12].view(3, 4)
    training.model[0].bias.grad = buffer[12:]
    with in_background():
        for _ in range(20):
            training.model(training.inputs).square().sum().backward()
    assert [each["way"] for each in records] == ["direct", "l1"]
    assert states(records) == ["compiling", None]


@pytest.mark.long
def test_a_child_of_a_fork_leaves_the_process_alone(records: Records) -> None:
    training = Training()
    with in_background():
        # A graph that is not sent yet would be sent to a process of the child's own.
        both_sent = lambda: worker._worker is not None and worker._worker._jobs == 2  # noqa: E731
        (expected, *_) = train_until(training, both_sent)
        pid = running()
        child = os.fork()
        if child == 0:
            status = 1
            torch.set_num_threads(1)  # OpenMP's other threads stayed behind
            try:
                found = [training.step() for _ in range(3)]
                status = 0 if found == [expected] * 3 and worker._worker is None else 2
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert running() == pid
        train_until(training, lambda: has(records, "ready", 2))
