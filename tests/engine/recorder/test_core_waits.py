"""The time for which a thread was ready to run and no core was free."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from ca_engine import trace
from ca_engine.recorder import core_waits
from ca_engine.recorder.core_waits import CoreWaits, clock, waited
from tests.engine.recorder.test_compiles import records_of
from tests.engine.recorder.test_recorder import of_our_engine


def test_the_system_counts_the_waits_of_each_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    before = waited()
    assert before >= 0
    assert waited() >= before
    own: list[float] = []
    thread = threading.Thread(target=lambda: own.append(waited()))
    thread.start()
    thread.join()
    assert own[0] >= 0
    monkeypatch.setattr(core_waits, "_COUNTS", os.devnull)
    assert waited() == 0
    monkeypatch.setattr(core_waits, "_COUNTS", "/nowhere")
    assert waited() == 0
    assert clock() <= perf_counter()


def test_a_compile_says_how_long_it_waited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = iter([1.0, 3.5, 3.5, 3.5])
    monkeypatch.setattr(core_waits, "waited", lambda: next(passed))
    written: list[Any] = []
    monkeypatch.setattr(trace, "compact_artifact", lambda _, record: written.append(record()))
    with trace.written_to(tmp_path):
        waits = CoreWaits()
        waits.begins("0/0")
        waits.ends("0/0", "0/0")
        waits.begins("0/1")
        waits.ends("0/1", "0/1")
        waits.ends("7/0", "7/0")
    assert [(one["event"], one["waited"]) for one in written] == [("0/0", 2.5)]


def test_each_compile_of_a_program_is_asked(tmp_path: Path) -> None:
    script = """
    import torch, torch._dynamo
    from ca_engine import install
    from ca_engine.recorder import core_waits
    import itertools
    passed = itertools.count()
    core_waits.waited = lambda: float(next(passed))
    install()
    f = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    f(torch.ones(2))
    f(torch.ones(3))
    """
    events = [one["event"] for one in records_of(tmp_path, script)["ca_core_waits"]]
    assert {"0/0", "0/1"} <= set(events)


def test_a_capture_says_how_long_it_waited_until_its_graph_stood(tmp_path: Path) -> None:
    script = """
    import torch, torch._dynamo
    from ca_engine import enable, install
    from ca_engine.recorder import core_waits
    import itertools
    passed = itertools.count()
    core_waits.waited = lambda: float(next(passed))
    install()
    x = torch.ones(2, requires_grad=True)
    with enable(torch.compile(backend="eager")):
        (x * x).sum().backward()
    """
    waits = [(one["event"], one["waited"]) for one in records_of(tmp_path, script)["ca_core_waits"]]
    assert waits[0] == ("!0", 1)
    # What compiles its graph, in its first run, is counted by itself.
    assert any(event.startswith("!0/") for event, _ in waits)


@of_our_engine
def test_a_lowered_backward_says_it_without_the_compile_that_is_in_it(tmp_path: Path) -> None:
    script = """
    import torch, torch._dynamo
    from ca_engine import enable, install
    from ca_engine.recorder import core_waits
    import itertools
    passed = itertools.count()
    core_waits.waited = lambda: float(next(passed))
    install()
    x = torch.ones(2, requires_grad=True)
    with enable(torch.compile(backend="aot_eager"), lowering=True):
        (x * x).sum().backward()
    """
    waits = [(one["event"], one["waited"]) for one in records_of(tmp_path, script)["ca_core_waits"]]
    events = [event for event, _ in waits]
    # The capture, what is compiled while it is lowered, and the rest of that.
    assert events[0] == events[-1] == "!0"
    assert any(event.startswith("!0/") for event in events)
    asked = 2 * len(waits)
    # No second of it is counted twice.
    assert sum(seconds for _, seconds in waits) < asked
