"""What the recorder writes about a process, read back from the trace that torch wrote."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ca_engine
from ca_engine.compat import versions
from tests import warm

# `make test-recording` runs these tests with torches that only torch's own engine runs with.
IS_SUPPORTED = versions.is_supported()
ENGINES = ["ca", "torch"] if IS_SUPPORTED else ["torch"]
of_our_engine = pytest.mark.skipif(not IS_SUPPORTED, reason="ca's engine is off with this torch")


def bare_environment(trace: Path) -> dict[str, str]:
    """Nothing but a trace into ``trace``, and the engine where it is not installed."""
    return {
        "TORCH_TRACE": str(trace),
        "PATH": "/usr/bin:/bin",
        "HOME": str(trace.parent),
        "PYTHONPATH": str(Path(ca_engine.__file__).absolute().parents[1]),
    }


def record(folder: Path, engine: str | None, body: str) -> dict[str, list[dict[str, Any]]]:
    """Runs ``body`` in a process of its own, recorded; returns our records by name.

    Without an engine torch alone writes its trace.
    """
    script = folder / "script.py"
    script.write_text(
        "import torch, torch._dynamo\n"
        + ("" if engine is None else f"from ca_engine import install\ninstall(engine={engine!r})\n")
        + "torch._dynamo.config.compiled_autograd = True\n"
        "def backward(loss):\n"
        "    torch.compile(lambda: loss.backward(), backend='eager')()\n" + textwrap.dedent(body)
    )
    trace = folder / "trace"
    done = warm.python().run([sys.executable, script], env=bare_environment(trace), cwd=folder)
    assert done.returncode == 0, done.stderr
    records: dict[str, list[dict[str, Any]]] = {}
    # A forked child may have a log of its own.
    for log in sorted(trace.glob("*.log"), key=lambda path: path.stat().st_ctime):
        for name, found in read_records(log).items():
            records.setdefault(name, []).extend(found)
    return records


def read_records(log: Path) -> dict[str, list[dict[str, Any]]]:
    records: dict[str, list[dict[str, Any]]] = {}
    lines = log.read_text().splitlines()
    for envelope, payload in pairwise(lines):
        if '"artifact": {"name": "ca_' in envelope:
            name = json.loads(envelope.partition("] ")[2])["artifact"]["name"]
            records.setdefault(name, []).append(json.loads(payload.removeprefix("\t")))
    return records


def column(records: dict[str, list[dict[str, Any]]], name: str) -> list[Any]:
    return [value for batch in records["ca_backwards"] for value in batch[name]]


@pytest.mark.parametrize("engine", ENGINES)
def test_hits_and_misses_are_told_apart(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        engine,
        """
        x = torch.ones(4, requires_grad=True)
        x.grad = torch.zeros(4)
        for op in (torch.sin, torch.sin, torch.cos, torch.sin):
            backward(op(x).sum())
        """,
    )
    assert column(records, "miss") == [1, 0, 1, 0]
    assert column(records, "capture") == [0, 0, 1, 0]
    assert column(records, "step") == [0, 1, 2, 3]
    assert all(seconds > 0 for seconds in column(records, "seconds"))
    (end,) = records["ca_end"]
    assert (end["backwards"], end["captures"], end["hits"]) == (4, 2, 2)
    (run,) = records["ca_run"]
    assert run["engine"] == engine
    assert run["argv"] == [str(tmp_path / "script.py")]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_capture_says_why_where_and_what_differs(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        engine,
        """
        model = torch.nn.Linear(4, 4)
        for exponent in (2.0, 3.0):
            model.weight.grad = None if exponent == 2.0 else torch.zeros(4, 4)
            backward(model(torch.ones(2, 4)).pow(exponent).sum())
        """,
    )
    first, second = records["ca_capture"]
    assert first["kind"] == "first"
    assert second["kind"] == "new_autograd_node"
    assert second["node"] == {"index": 2, "name": "PowBackward0"}
    assert second["reason"].startswith("Cache miss due to new autograd node: PowBackward0")
    assert second["key_size"] in second["previous_key_sizes"]
    assert second["closest_capture"] == 0
    changes = {(c["name"], c["attribute"]): (c["before"], c["after"]) for c in second["changes"]}
    assert changes[("PowBackward0", "exponent")] == (2.0, 3.0)
    assert changes[("torch::autograd::AccumulateGrad", ".grad")] == (None, "defined")
    weight = next(n for n in second["autograd_graph"] if n.get("parameter") == "weight")
    assert weight["shape"] == [4, 4]
    call = second["stack"][-1]
    assert call["code"] == "torch.compile(lambda: loss.backward(), backend='eager')()"
    assert second["stack"][0]["function"] == "<module>"


def compiled_functions(folder: Path, engine: str | None) -> set[tuple[str, str]]:
    """Return file and name of what Dynamo compiles beside captured graphs in a recapture."""
    folder.mkdir()
    record(
        folder,
        engine,
        """
        x = torch.ones(4, requires_grad=True)
        for op in (torch.sin, torch.cos):
            backward(op(x).sum())
        """,
    )
    (log,) = (folder / "trace").iterdir()
    compiled = (
        json.loads(line.partition("] ")[2])["compilation_metrics"]
        for line in log.read_text().splitlines()
        if '"compilation_metrics": {' in line
    )
    return {
        (Path(metrics["co_filename"]).name, metrics["co_name"])
        for metrics in compiled
        if "<eval_with_key>" not in metrics["co_filename"]
    }


def test_dynamo_compiles_nothing_of_ours(tmp_path: Path) -> None:
    """Nor what it calls: a first capture imports modules, whose `dataclasses` took seconds.

    Torch 2.14 alone compiles parts of `inspect`, which it calls when it wraps a captured graph.
    """
    of_torch = compiled_functions(tmp_path / "torch-alone", None)
    assert ("script.py", "<lambda>") in of_torch
    for engine in ENGINES:
        assert compiled_functions(tmp_path / engine, engine) == of_torch


@pytest.mark.parametrize("engine", ENGINES)
def test_a_capture_says_where_it_runs(tmp_path: Path, engine: str) -> None:
    # A backward of the meta device computes nothing, and is on a device all the same.
    records = record(
        tmp_path,
        engine,
        """
        for device in ("cpu", "meta"):
            backward(torch.ones(4, requires_grad=True, device=device).sin().sum())
        """,
    )
    assert [found["device"] for found in records["ca_capture"]] == ["cpu", "meta"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_capture_says_under_which_modes_it_was_made(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        engine,
        """
        weight = torch.ones(4, requires_grad=True)
        backward((weight * torch.arange(4.0)).sum())
        torch.set_num_threads(3)
        torch.set_float32_matmul_precision("high")
        torch.use_deterministic_algorithms(True)
        loss = (weight * torch.arange(4.0)).sin().sum()
        torch.set_default_dtype(torch.float64)
        with torch.autocast("cpu", dtype=torch.bfloat16), torch.autograd.detect_anomaly():
            torch.compile(lambda: torch.autograd.grad(loss, [weight]), backend="eager")()
        """,
    )
    first, second = records["ca_capture"]
    assert first["accumulate_grad"]
    assert not second["accumulate_grad"]
    before, after = first["modes"], second["modes"]
    assert before.keys() == after.keys()
    assert {name: (before[name], after[name]) for name in before if name != "threads"} == {
        "grad_enabled": (False, False),
        "autocast": ({}, {"cpu": "torch.bfloat16"}),
        "anomaly": (False, True),
        "deterministic": (False, True),
        "default_dtype": ("torch.float32", "torch.float64"),
        "matmul_precision": ("highest", "high"),
    }
    assert after["threads"] == 3


@pytest.mark.parametrize("engine", ENGINES)
def test_changed_sizes_have_owners_and_values(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        engine,
        """
        for size in (10, 100, 10):
            backward(torch.ones(size, requires_grad=True).sum())
        """,
    )
    _, second = records["ca_capture"]
    assert second["kind"] == "changed_shapes"
    assert second["sizes_changed"] == [0, 1]
    assert [size["value"] for size in second["sizes"]] == [100, 100]
    assert second["sizes"][0]["node"]["name"] == "SumBackward0"
    assert {"attribute": "self_sym_sizes", "before": [10], "after": [100]}.items() <= {
        **second["changes"][0]
    }.items()
    assert column(records, "miss") == [1, 1, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_failed_backward_and_a_failed_capture_are_recorded(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        engine,
        """
        def refuse(grad):
            raise ValueError("no")

        x = torch.ones(3, requires_grad=True)
        x.register_hook(refuse)
        try:
            backward(x.exp().sum())
        except Exception:
            pass

        region = torch.compile(lambda t: t.sin(), backend="aot_eager")
        y = torch.ones(3, requires_grad=True)
        try:
            backward_of = region(y).sum()
            with torch._dynamo.compiled_autograd._enable(lambda module: module):
                torch.autograd.grad(backward_of, y, create_graph=True)
        except RuntimeError as error:
            print(error)
        with torch._dynamo.compiled_autograd._enable(lambda module: module):
            y.exp().sum().backward()
        """,
    )
    assert column(records, "failed")[0] == 1
    failed = [capture for capture in records["ca_capture"] if capture["error"]]
    assert len(failed) == 1
    assert records["ca_end"][0]["failed_captures"] == 1
    assert column(records, "failed")[-1] == 0


def test_a_stack_of_snapshots_survives_hooks_that_must_not_run(tmp_path: Path) -> None:
    """Reading saved tensors would call the user's unpack hooks once more than eager does."""
    records = record(
        tmp_path,
        "ca",
        """
        calls = []
        def unpack(packed):
            calls.append(1)
            return packed
        x = torch.ones(3, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
            loss = x.exp().sum()
        backward(loss)
        assert len(calls) <= 2, calls  # Dynamo may trace it once, the run calls it once
        """,
    )
    assert len(records["ca_capture"]) == 1


def test_reasons_survive_a_reset(tmp_path: Path) -> None:
    records = record(
        tmp_path,
        "ca",
        """
        x = torch.ones(4, requires_grad=True)
        backward(torch.sin(x).sum())
        torch._dynamo.reset()
        for op in (torch.sin, torch.cos):
            backward(op(x).sum())
        """,
    )
    assert records["ca_capture"][-1]["node"]["name"] == "CosBackward0"


def test_nothing_is_written_to_stderr(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import torch, torch._dynamo\n"
        "from ca_engine import install\n"
        "install()\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "with torch._dynamo.compiled_autograd._enable(lambda module: module):\n"
        "    x.sum().backward(); x.exp().sum().backward()\n"
    )
    done = warm.python().run([sys.executable, script], cwd=tmp_path, env=os.environ)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_forked_child_that_runs_a_backward_says_who_it_is(tmp_path: Path) -> None:
    # GIVEN a process that forks two children, of which one never runs a backward
    # WHEN the other does
    records = record(
        tmp_path,
        "ca",
        """
        import os
        idle = os.fork()
        if not idle:
            os._exit(0)
        os.waitpid(idle, 0)
        child = os.fork()
        if not child:
            backward(torch.ones(3, requires_grad=True).sum())
            os._exit(0)
        os.waitpid(child, 0)
        """,
    )
    # THEN the parent and that child have a record of their own
    first, second = records["ca_run"]
    assert first["pid"] == second["ppid"] or second["pid"] == first["ppid"]
    assert [capture["kind"] for capture in records["ca_capture"]] == ["first"]


def test_a_forked_child_that_only_hits_is_recorded_too(tmp_path: Path) -> None:
    records = record(
        tmp_path,
        "ca",
        """
        import multiprocessing
        torch.set_num_threads(1)
        def work():
            x = torch.ones(3, requires_grad=True)
            with torch._dynamo.compiled_autograd._enable(lambda module: module):
                x.sin().sum().backward()
        work()
        child = multiprocessing.get_context("fork").Process(target=work)
        child.start()
        child.join()
        """,
    )
    assert len(records["ca_run"]) == 2
    ends = [(end["backwards"], end["hits"]) for end in records["ca_end"]]
    assert sorted(ends) == [(1, 0), (1, 1)]


def test_a_job_that_is_killed_while_it_hangs_has_told_of_its_backwards(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal, torch, ca_engine\n"
        "ca_engine.install()\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "with torch._dynamo.compiled_autograd._enable(lambda module: module):\n"
        "    for _ in range(4):\n"
        "        x.grad = None\n"
        "        x.sin().sum().backward()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = bare_environment(tmp_path / "trace")
    done = warm.python().run([sys.executable, script], env=environment, cwd=tmp_path)
    assert done.returncode == -9
    (log,) = (tmp_path / "trace").glob("*.log")
    assert column(read_records(log), "miss")[:3] == [1, 0, 0]


def test_a_forked_child_of_multiprocessing_writes_its_own_end(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing, torch, ca_engine\n"
        "torch.set_num_threads(1)\n"
        "ca_engine.install()\n"
        "def work():\n"
        "    x = torch.ones(3, requires_grad=True)\n"
        "    with torch._dynamo.compiled_autograd._enable(lambda module: module):\n"
        "        x.sin().sum().backward()\n"
        "for target in (work, print):\n"
        "    child = multiprocessing.get_context('fork').Process(target=target)\n"
        "    child.start(); child.join()\n"
        "    assert child.exitcode == 0, child.exitcode\n"
    )
    environment = bare_environment(tmp_path / "trace")
    warm.python().run([sys.executable, script], env=environment, cwd=tmp_path).check_returncode()
    ends = [
        record["backwards"]
        for log in (tmp_path / "trace").glob("*.log")
        for record in read_records(log).get("ca_end", [])
    ]
    # One that ran no backward has nothing to tell, and a data loader makes new ones each epoch.
    assert sorted(ends) == [0, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_backward_whose_compile_failed_can_be_tried_again(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        engine,
        """
        import torch._dynamo.compiled_autograd as compiled_autograd
        tries = []
        def compiler(module):
            tries.append(module)
            if len(tries) == 1:
                raise MemoryError("not now")
            return module
        x = torch.ones(3, requires_grad=True)
        with compiled_autograd._enable(compiler):
            try:
                (x * 2).sum().backward()
            except MemoryError:
                pass
            for factor in (3, 3):
                (x * factor).sum().backward()
        assert x.grad.tolist() == [6.0] * 3, x.grad
        """,
    )
    failed, *made = records["ca_capture"]
    assert failed["error"] == "MemoryError: not now"
    assert [found["error"] for found in made] == [None] * len(made)
    (end,) = records["ca_end"]
    assert end["failed_captures"] == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_capture_is_compared_with_those_of_the_same_call(tmp_path: Path, engine: str) -> None:
    records = record(
        tmp_path,
        engine,
        """
        model = torch.nn.Linear(4, 4)

        def step(x):
            backward(x.sum())

        def model_of(number):
            output = model(torch.ones(2, 4))
            return output.square() if number == 1 else output.exp().sin().tanh().abs()

        step(model(torch.ones(2, 4)).exp().sin().tanh())
        for number in (1, 2):
            step(model_of(number))
        """,
    )
    # What the last is most alike to was called elsewhere.
    assert [one["closest_capture"] for one in records["ca_capture"]] == [None, 0, 1]
