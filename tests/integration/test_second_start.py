"""What a start finds in the caches that an earlier one filled, or why not, with Inductor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests import warm
from tests.corpus.truth import SAMPLES
from tests.integration.conftest import CA, clean_environment, execute
from tests.once import of_session

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

PROGRAM = """
import torch

@torch.compile
def scaled(x):
    return (x.sin() * 2).sum()

for _ in range(2):
    scaled(torch.randn(8, requires_grad=True)).backward()
"""


@pytest.mark.long
def test_a_second_start_says_what_the_filled_caches_saved(
    ca: Runner, work: Path, tmp_path: Path
) -> None:
    # GIVEN a program and an empty folder for torch's caches
    (work / "train.py").write_text(PROGRAM)
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}

    def started(name: str) -> tuple[dict[str, Any], str]:
        record = ["run", "--quiet", "--no-report", "-o", name, "train.py"]
        assert ca(*record, env=cache).code == 0
        (line,) = json.loads(ca("explain-recompiles", name, "--format", "json").stdout)[
            "compile_bill"
        ]
        return line, ca("explain-recompiles", name, env={"COLUMNS": "200"}).stdout

    # WHEN it is started twice
    cold, told_cold = started("cold")
    warm, told_warm = started("warm")

    # THEN the first start missed, and says what the next one saves
    assert cold["cache"] == {"fx_miss": 1, "aot_miss": 1}
    assert cold["could_save"] > 0.5 * cold["seconds"]
    assert "A start with these caches filled saves up to" in told_cold
    # The second one hit (FxGraphCache once for the forward and once for the backward), and took
    # less by about that
    assert warm["cache"]["aot_hit"] == 1
    assert not [name for name in warm["cache"] if name.endswith("_miss")]
    assert (warm["could_save"], warm["bypasses"]) == (0, {})
    assert warm["seconds"] < 0.5 * cold["seconds"]
    assert "by torch's account" in told_warm


NOT_CACHED = """
import torch

@torch._dynamo.allow_in_graph
def sinus(x):
    return x.sin()

def keep(graph):
    "A pass over the graph, of which the cache knows no identity."

torch._inductor.config.post_grad_custom_pre_pass = keep

@torch.compile
def scaled(x):
    return (sinus(x) * 2).sum()

scaled(torch.randn(8, requires_grad=True)).backward()
"""


@pytest.mark.long
def test_a_program_that_no_cache_takes_says_why(ca: Runner, work: Path, tmp_path: Path) -> None:
    (work / "train.py").write_text(NOT_CACHED)
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    assert ca("run", "--quiet", "--no-report", "-o", "run", "train.py", env=cache).code == 0

    # Both graphs are compiled at each start, and the caches would save nothing
    (line,) = json.loads(ca("explain-recompiles", "run", "--format", "json").stdout)["compile_bill"]
    reasons = {reason.partition(":")[0]: times for reason, times in line["bypasses"].items()}
    assert reasons == {"FxGraphCache": 2, "AOTAutogradCache": 1}
    assert (line["cache"], line["could_save"]) == ({}, 0)
    told = ca("explain-recompiles", "run", env={"COLUMNS": "200"}).stdout
    assert "Not cached, so compiled at each start (2 graphs): FxGraphCache: Unsupported" in told
    assert "AOTAutogradCache: Unsupported call_function target <function sinus>" in told


UNCACHED = sorted(SAMPLES.glob("ca62*_bad.py"))


def starts(script: Path, folder: Path, cache: Path) -> set[str]:
    """Start a program twice; return what the caches had for the second one (``aot bypass``)."""
    environment = clean_environment({"TORCHINDUCTOR_CACHE_DIR": str(cache)})
    for name in ("first", "second"):
        command: list[str | Path] = [CA, "run", "--quiet", "--no-report"]
        command += ["-o", folder / name, script]
        # The C++ compiler takes a minute on a machine that is busy.
        done = warm.python().run(command, cwd=script.parent, env=environment, timeout=900)
        assert done.returncode == 0, done.stderr
    told = execute([CA, "caches", "second", "first", "--format", "json"], cwd=folder).stdout
    return {f"{graph['cache']} {graph['state']}" for graph in json.loads(told)["graphs"]}


@pytest.mark.long
@pytest.mark.timeout(2000)
@pytest.mark.parametrize("bad", [pytest.param(path, id=path.stem[:5].upper()) for path in UNCACHED])
def test_what_a_rule_says_to_write_makes_the_second_start_warm(
    bad: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # GIVEN a program whose graph a cache does not take, and its fixed twin
    fixed = bad.with_name(bad.name.replace("_bad.py", "_fixed.py"))
    cache = of_session(tmp_path_factory, "uncached")

    # WHEN each is started twice
    of_bad = starts(bad, tmp_path / "bad", cache)
    of_fixed = starts(fixed, tmp_path / "fixed", cache)

    # THEN torch bypasses AOTAutogradCache for the one again, and all of the other is a hit
    assert "aot bypass" in of_bad
    assert "aot hit" in of_fixed
    assert {state.partition(" ")[2] for state in of_fixed} == {"hit"}
