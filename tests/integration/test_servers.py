"""Processes that do not end, explained while they go on: from outside, and by themselves."""

from __future__ import annotations

import json
import signal
import subprocess
import time
import urllib.request
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import clean_environment, take_signals

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

# uvicorn configures logging when it begins, which closes all handlers.
WEB = """
import asyncio, socket
from pathlib import Path
import torch, uvicorn
import ca_engine

weight = torch.ones(8, 4)

@torch.compile(backend="eager")
def answer(rows, scale):
    return (rows @ weight * scale).softmax(-1)

async def app(scope, receive, send):
    _, what, *scale = scope["path"].split("/")
    if what == "summary":
        told = str(await asyncio.to_thread(ca_engine.summary))
    else:
        told = str(answer(torch.ones(2, 8), float(scale[0])).shape)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": told.encode()})

async def serve():
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    answer(torch.ones(2, 8), 0.5)  # warm-up, before the server's logs are configured
    settings = uvicorn.Config(app, lifespan="off", log_level="warning")
    listening.listen()
    Path("port").write_text(str(listening.getsockname()[1]))
    await uvicorn.Server(settings).serve([listening])

asyncio.run(serve())
"""
# An engine in a process of its own batches the requests that wait, as vLLM's does.
BATCHES = """
import multiprocessing, queue
import torch
import ca_engine

weight = torch.ones(8, 4)

@torch.compile(backend="eager")
def decode(tokens, temperature):
    return (tokens @ weight / temperature).argmax(-1)

def engine_core(requests, outputs):
    while True:
        waiting = [requests.get()]
        while not requests.empty():
            waiting.append(requests.get())
        if None in waiting:
            return
        for temperature in waiting:
            outputs.put(decode(torch.ones(len(waiting), 8), temperature).tolist())

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    requests, outputs = context.Queue(), context.Queue()
    core = context.Process(target=engine_core, args=(requests, outputs))
    core.start()
    for temperature in (0.5, 0.7):
        requests.put(temperature)
        outputs.get()
    print(ca_engine.summary())
    requests.put(None)
    core.join()
"""


def asked(port: str, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=120) as answer:
        text: str = answer.read().decode()
        return text


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)]
)
def test_a_web_server_is_explained_while_it_serves(
    work: Path, ca: Runner, commands: Path, number: signal.Signals
) -> None:
    pytest.importorskip("uvicorn")
    (work / "serve.py").write_text(WEB)
    server = subprocess.Popen(
        [str(commands / "ca"), "run", "-o", "run", "serve.py"],
        cwd=work, env=clean_environment(), preexec_fn=take_signals,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 240
        while not (work / "port").exists() or not (work / "port").read_text():
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        port = (work / "port").read_text()
        for scale in (0.5, 0.7):
            asked(port, f"answer/{scale}")
        told = asked(port, "summary")
        assert "CA702 `scale`: 0.5 → 0.7" in told
        assert "the run goes on" in told
        seen = json.loads(ca("explain-recompiles", "run", "--format", "json").stdout)
        (process,) = seen["processes"]
        assert (process["recorded"], process["running"], process["ended"]) == (True, True, False)
        assert [found["code"] for found in seen["findings"]] == ["CA702"]
        assert "the run goes on" in ca("explain-recompiles", "run").stdout
    finally:
        server.send_signal(number)
        _, summary = server.communicate(timeout=120)
    assert "CA702 `scale`: 0.5 → 0.7" in summary
    assert (work / "run" / "report.html").exists()
    after = json.loads(ca("explain-recompiles", "run", "--format", "json").stdout)
    (process,) = after["processes"]
    in_order = number is signal.SIGINT  # uvicorn raises either again
    assert server.returncode == -number
    assert (process["running"], process["ended"]) == (False, in_order)
    assert len(list((work / "run" / "trace").iterdir())) == 1


@pytest.mark.long
def test_a_batching_engine_in_a_process_of_its_own_is_explained_by_the_front_end(
    work: Path, cold_ca: Runner
) -> None:
    (work / "engine.py").write_text(BATCHES)
    done = cold_ca("run", "--quiet", "--no-report", "-o", "run", "engine.py")
    assert done.code == 0, done.stderr
    assert "CA702 `temperature`: 0.5 → 0.7" in done.stdout
    assert "engine.py:" in done.stdout
    assert "the run goes on" in done.stdout


def test_without_a_recording_there_is_nothing_to_sum_up(work: Path, warm_python: Runner) -> None:
    (work / "plain.py").write_text("import ca_engine\nca_engine.summary()\n")
    done = warm_python("plain.py")
    assert done.stderr.strip().endswith(
        "nothing is being recorded: start the program by `ca run`, or call ca_engine.record"
    )


PRINTS_ITS_SUMMARY = """
import torch
import ca_engine

weight = torch.ones(8, 4)

@torch.compile(backend="eager")
def answer(rows, scale):
    return (rows @ weight * scale).softmax(-1)

for scale in (0.5, 0.7):
    print(answer(torch.ones(2, 8), scale).sum().item())
print(ca_engine.summary())
"""


@pytest.mark.long
def test_a_patch_is_proven_though_the_program_prints_its_summary(work: Path, ca: Runner) -> None:
    (work / "serve.py").write_text(PRINTS_ITS_SUMMARY)
    recorded = ca("run", "--quiet", "--no-report", "-o", "run", "serve.py")
    assert "CA702 `scale`: 0.5 → 0.7" in recorded.stdout
    done = ca("fix", "run", "--verify", "--yes")
    assert "3 printed lines equal" in done.stdout, done.stderr
    assert "+    print(answer(torch.ones(2, 8), torch.tensor(scale)).sum().item())" in done.stdout
