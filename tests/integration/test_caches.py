"""Starts of one program: torch's own counters say what was cached, `ca` says why it was not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests import warm
from tests.integration.conftest import CA, Outcome, clean_environment, execute
from tests.once import made_once, of_session

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

PROGRAM = """\
import torch
from torch._dynamo.utils import counters

# No kernel of C++: g++ would take most of a start.
net = torch.compile(torch.nn.Linear(4, 8, bias=False))
net(torch.ones(6, 4)).sum().backward()
found = counters["inductor"]
print(found["fxgraph_cache_hit"], found["fxgraph_cache_miss"])
"""
WARM, COLD = "2 0\n", "0 2\n"


def start(folder: Path, name: str, cache: str, *, threads: int = 1) -> Outcome:
    """Start the program in ``folder``, with its own ``cache`` folder and the file of all.

    With one thread it is a fork that finds torch imported, which has one there.
    """
    command = [str(CA), "run", "--no-report", "--cache", "warm.cache", "-o", name, "train.py"]
    caches = {"TORCHINDUCTOR_CACHE_DIR": str(folder / cache), "OMP_NUM_THREADS": str(threads)}
    if threads > 1:
        return execute(command, cwd=folder, env=caches)
    done = warm.python().run(command, cwd=folder, env=clean_environment(caches))
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with runs of one program: cold, on another machine, with other threads."""

    def record(folder: Path) -> None:
        (folder / "train.py").write_text(PROGRAM)
        for name, cache, threads, counted in (
            ("cold", "one", 1, COLD),
            ("moved", "two", 1, WARM),
            ("threads", "two", 2, COLD),
        ):
            found = start(folder, name, cache, threads=threads)
            assert found.stdout == counted, found.stderr
            (folder / f"{name}.txt").write_text(found.stderr)

    return made_once(of_session(tmp_path_factory, "starts"), record)


def explained(folder: Path, *runs: str) -> dict[str, Any]:
    command: list[str | Path] = [CA, "caches", *runs, "--format", "json"]
    found = warm.python().run(command, cwd=folder, env=clean_environment())
    assert found.returncode == 0, found.stderr
    document: dict[str, Any] = json.loads(found.stdout)
    return document


def test_a_file_makes_a_start_in_a_fresh_cache_warm(starts: Path) -> None:
    moved = explained(starts, "moved", "cold")
    assert moved["summary"]["warm"] == moved["summary"]["from_file"] == 1
    assert moved["causes"] == []
    assert "Cache warm.cache: 1 of 1 graph came from it" in (starts / "moved.txt").read_text()
    assert "Cache warm.cache: wrote" in (starts / "cold.txt").read_text()
    # Nothing was compiled by C++, either.
    cold = explained(starts, "cold")
    assert moved["cache_files"][0]["new"] in (None, 0)
    assert cold["cache_files"][0]["entries"] == 0


def test_the_component_that_differs_is_named_with_what_set_it(starts: Path) -> None:
    (cause,) = explained(starts, "threads", "moved")["causes"]
    (difference,) = cause["differs"]
    assert (difference["component"], difference["before"], difference["after"]) == (
        "cpp_runtime_thread_count", "1", "2",
    )  # fmt: skip
    assert difference["from"]["variables"] == [
        {"name": "OMP_NUM_THREADS", "before": "1", "after": "2"}
    ]
    assert cause["fix"] == "`OMP_NUM_THREADS=1` for every start, as the earlier run had it"


def test_each_graph_is_there_for_both_caches(starts: Path) -> None:
    graphs = explained(starts, "threads", "moved")["graphs"]
    assert [(graph["cache"], graph["graph"], graph["state"]) for graph in graphs] == [
        ("aot", None, "miss"), ("fx", "forward", "miss"), ("fx", "backward", "miss"),
    ]  # fmt: skip
    # AOTAutogradCache says what its keys are made of, which torch leaves out without a debugger.
    assert {one["component"] for graph in graphs for one in graph["differs"]} == {
        "cpp_runtime_thread_count"
    }


def test_the_trace_has_what_keys_are_made_of_once(starts: Path) -> None:
    (trace,) = (starts / "cold" / "trace").iterdir()
    lines = trace.read_text().splitlines()
    of_keys = sum(len(line) for line in lines if "components" in line)
    assert of_keys < 30_000  # for three look-ups; torch writes 440 KB
    assert "inductor_config[max_autotune]" not in trace.read_text()


@pytest.mark.long
def test_a_damaged_file_is_one_line_and_the_run_goes_on(starts: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    whole = (starts / "warm.cache").read_bytes()
    (tmp_path / "warm.cache").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "cache").symlink_to(starts / "two")  # so that nothing is compiled here
    found = start(tmp_path, "run", "cache")
    assert found.code == 0
    assert found.stdout == WARM
    assert found.stderr.startswith(
        f"ca: {tmp_path / 'warm.cache'} was not used: it is damaged; compiling from scratch\n"
    )
    assert (tmp_path / "warm.cache").read_bytes().startswith(b"ca-cache\n")


@pytest.mark.long
def test_a_gate_says_what_came_from_the_file(starts: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "warm.cache").write_bytes((starts / "warm.cache").read_bytes())
    found = execute(
        [CA, "run", "--check", "--no-report", "--cache", "warm.cache", "-o", "run", "train.py"],
        cwd=tmp_path,
        env={"TORCHINDUCTOR_CACHE_DIR": str(starts / "two"), "OMP_NUM_THREADS": "1"},
    )
    assert (found.code, found.stdout) == (0, WARM), found.stderr
    assert found.stderr.index("Passed") < found.stderr.index("Cache warm.cache: 1 of 1 graph came")


def test_a_file_in_no_folder_is_refused_before_the_script_runs(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('ran')")
    found = execute([CA, "run", "--cache", "no/warm.cache", "train.py"], cwd=tmp_path)
    assert (found.code, found.stdout) == (2, "")
    assert "lies in no folder that exists" in found.stderr


def test_an_address_that_others_can_change_is_refused_without_what_opens_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "train.py").write_text("print('ran')")
    address = "http://me:word@example.com/warm.cache?signature=secret"
    found = execute([CA, "run", "--cache", address, "train.py"], cwd=tmp_path)
    assert (found.code, found.stdout) == (2, "")
    assert "http://example.com/warm.cache" in found.stderr
    assert "https://" in found.stderr
    assert "word" not in found.stderr
    assert "secret" not in found.stderr


@pytest.mark.long
def test_what_is_packed_of_a_run_makes_another_one_warm(starts: Path, tmp_path: Path) -> None:
    packed = execute([CA, "caches", "--pack", "threads", "-o", tmp_path / "warm.cache"], cwd=starts)
    assert packed.code == 0, packed.stderr
    assert "wrote" in packed.stderr
    (tmp_path / "train.py").write_text(PROGRAM)
    found = start(tmp_path, "run", "fresh", threads=2)
    assert found.stdout == WARM, found.stderr
    assert "1 of 1 graph came from it" in found.stderr


# `test_run_fidelity.py` imports Dynamo itself first.
@pytest.mark.long
@pytest.mark.parametrize(
    "module", ["torch._functorch._aot_autograd.autograd_cache", "torch._inductor.codecache"]
)
def test_a_program_that_imports_a_cache_first_is_recorded(module: str, tmp_path: Path) -> None:
    # It imports Dynamo, and so us, before it is whole itself.
    found = execute([CA, "run", "--no-report", "--quiet", "-c", f"import {module}"], cwd=tmp_path)
    assert (found.code, found.stderr) == (0, "")


PRECOMPILED = """\
import torch
from torch._dynamo.utils import counters

torch._dynamo.config.caching_precompile = True

@torch.compile
def step(x):
    return x @ x @ x

step(torch.ones(4, 4))
print(counters["dynamo_cache"]["dynamo_cache_hit"], counters["frames"]["total"])
"""


@pytest.mark.long
def test_a_function_of_dynamos_own_cache_is_not_compiled_at_all(ca: Runner, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PRECOMPILED)

    def started(name: str, file: str, cache: str) -> Outcome:
        command = ["run", "--no-report", "--cache", file, "-o", name, "train.py"]
        environment = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / cache)}
        return ca(*command, cwd=tmp_path, env=environment)

    first, second = started("first", "a.cache", "one"), started("second", "a.cache", "two")
    assert (first.stdout, second.stdout) == ("0 1\n", "1 0\n"), second.stderr
    assert "Cache a.cache: 1 of 1 graph came from it." in second.stderr
    # With another file it has a new name, under which no other cache has it.
    assert started("third", "b.cache", "three").stdout == "0 1\n"
    (cause,) = explained(tmp_path, "third", "first")["causes"]
    assert cause["title"] == "Dynamo's cache (`caching_precompile`) is on, and did not have it"
    (line,) = cause["differs"][0]["from"]["lines"]
    assert line["code"] == "torch._dynamo.config.caching_precompile = True"
