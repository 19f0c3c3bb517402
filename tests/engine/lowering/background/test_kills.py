"""Processes that are killed at random moments: no step is wrong, and nothing is left of them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

import ca_engine
from ca_engine.compat import versions
from ca_engine.lowering.background import worker
from tests.engine.lowering.background.conftest import PATIENCE, Records
from tests.engine.lowering.background.swapping import empty_caches
from tests.engine.lowering.background.test_dynamo_graph import X, gradient, small

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        not versions.compiles_graphs_elsewhere(), reason="off with this version of torch"
    ),
]

KILLS = 10


def test_the_process_that_compiles(graph_records: Records) -> None:
    """Each step has the bits of `aot_eager` until the graph is settled, and inductor's then."""
    draw = random.Random(0)
    bits = {}
    for backend in ("aot_eager", "inductor"):
        with empty_caches():
            model, compiled = small(backend)
            bits[backend] = gradient(compiled(X), model)
    assert bits["aot_eager"] != bits["inductor"]
    reasons = set()
    longest = 0.0  # of those that were killed too late
    for number in range(KILLS):
        graph_records.clear()
        with empty_caches(), ca_engine.background():
            model, compiled = small("inductor")
            began = time.monotonic()
            gradient(compiled(X), model)
            assert worker._worker is not None
            process = worker._worker._process
            assert process is not None
            kind = draw.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
            # The first is not killed: it shows what moments there are.
            moment = draw.random() * longest if number else PATIENCE
            timer = threading.Timer(moment, _kill, (process.pid, kind))
            timer.start()
            while len(graph_records) < 2:
                assert time.monotonic() < began + PATIENCE, "it took too long"
                found = gradient(compiled(X), model)
                is_settled = len(graph_records) == 2
                assert found == bits["inductor" if is_settled else "aot_eager"]
            longest = max(longest, time.monotonic() - began)
            timer.cancel()
            assert gradient(compiled(X), model) == bits["inductor"]
            worker._worker.close()
            worker._worker = None
        assert not Path(f"/proc/{process.pid}").exists()
        assert graph_records[1]["state"] in ("ready", "waited")
        reasons.add(graph_records[1]["reason"])
    killed = {f"the compile process was killed by {each.name}" for each in signal.Signals}
    assert reasons <= killed | {None, "the compile process ended with exit code 0"}
    assert reasons & killed


def _kill(process: int, kind: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, kind)


TRAINING = """
import sys, time
import torch
import ca_engine
from ca_engine.lowering.background import dynamo_graph

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU())
x = torch.linspace(-2, 3, 12).view(3, 4)
print("started", flush=True)
with ca_engine.background():
    f = torch.compile(model)
    is_settled = False
    while not is_settled or sys.argv[1] == "forever":
        time.sleep(0.01)
        model.zero_grad()
        f(x).square().sum().backward()
        is_settled = all(each._waiting is None for each in dynamo_graph._graphs)
print([each.grad.view(torch.int32).tolist() for each in model.parameters()])
"""


def test_the_training(tmp_path: Path) -> None:
    """What its compile process had written to the caches by then serves the next start."""
    draw = random.Random(0)
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    for _ in range(KILLS):
        training = _started("forever", cache)
        assert training.stdout is not None
        assert training.stdout.readline() == "started\n"
        time.sleep(draw.uniform(0, 15))
        children = _children(training.pid)
        training.kill()
        training.communicate()
        end = time.monotonic() + PATIENCE
        while any(Path(f"/proc/{child}").exists() for child in children):
            assert time.monotonic() < end, "its compile process runs on"
            time.sleep(0.2)
    unkilled = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "other"), "TMPDIR": str(tmp_path)}
    found = []
    for environment in (cache, unkilled):
        training = _started("until settled", environment)
        found.append(training.communicate(timeout=2 * PATIENCE)[0])
        assert training.returncode == 0
    assert found[0] == found[1]


def _started(how_long: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", TRAINING, how_long],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def _children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(each) for each in found.split()]
