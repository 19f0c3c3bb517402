"""A second start of the same training finds what inductor compiled for the first."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests import warm
from tests.engine.recorder.test_recorder import bare_environment, read_records

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import sys, torch, torch._dynamo
from ca_engine import install
install(lowering=True)
torch.manual_seed(0)
model = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(4)])
captured = torch.compile(backend="inductor")
with torch._dynamo.compiled_autograd._enable(captured, dynamic=False):
    for _ in range(2):
        result = model(torch.ones(2, 16))
        if "hook" in sys.argv:
            result.register_hook(lambda grad: grad * 2)
        result.sum().backward()
"""


class Start(NamedTuple):
    """Records ``ca_lowering``, and by name torch's own about its caches."""

    lowering: list[dict[str, Any]]
    caches: dict[str, list[dict[str, Any]]]

    def column(self, *names: str) -> list[tuple[Any, ...]]:
        return [tuple(found[name] for name in names) for found in self.lowering]


def start(folder: Path, number: int, *arguments: str, **variables: str) -> Start:
    trace, script = folder / f"trace{number}", folder / "train.py"
    script.write_text(SCRIPT)
    environment = bare_environment(trace) | {"TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")}
    done = warm.python().run(
        [sys.executable, script, *arguments], cwd=folder, env=environment | variables
    )
    assert done.returncode == 0, done.stderr
    (log,) = (path for path in trace.glob("*.log") if b"ca_run" in path.read_bytes())
    caches: dict[str, list[dict[str, Any]]] = {}
    for envelope, payload in pairwise(log.read_text().splitlines()):
        _, found, name = envelope.partition('"artifact": {"name": "')
        name = name.partition('"')[0]
        if found and name.startswith(("fx_graph_cache_", "aotautograd_cache_")):
            caches.setdefault(name, []).append(json.loads(payload))
    return Start(read_records(log)["ca_lowering"], caches)


@pytest.mark.long
@pytest.mark.parametrize(("way", "mode"), [("l2", "1"), ("l1", "l1")])
def test_a_second_process_takes_lowered_graphs_from_the_cache(
    way: str, mode: str, tmp_path: Path
) -> None:
    first, second = (start(tmp_path, number, CA_LOWERING=mode) for number in (1, 2))
    assert first.column("way", "cache") == [(way, "miss")] * 2
    assert second.column("way", "cache") == [(way, "hit")] * 2
    # AOTAutogradCache is keyed by Dynamo's graph, of which there is none.
    assert not any("aotautograd" in name for name in {*first.caches, *second.caches})


@pytest.mark.long
def test_a_second_process_compiles_what_is_refused_with_dynamo_and_inductors_cache(
    tmp_path: Path,
) -> None:
    """AOTAutogradCache turns such a graph away, and torch's record says why."""
    for number, use in ((1, "miss"), (2, "hit")):
        found = start(tmp_path, number, "hook")
        assert found.column("way", "reason", "cache") == [("no", "python_hook", None)] * 2
        turned_away = found.caches["aotautograd_cache_bypass"]
        assert len(turned_away) == 2
        for each in turned_away:
            assert "validate_outputs" in each["cache_bypass_reason"]
        assert f"fx_graph_cache_{use}" in found.caches
