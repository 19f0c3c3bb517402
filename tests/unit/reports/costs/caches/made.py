"""Starts of a program that ask caches, made by hand."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import ca_reports
from ca_reports.costs.caches.starts import examine
from ca_reports.program.files import SourceFiles
from tests.unit.logwriter import LogWriter
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ca_reports.costs.caches.starts import Start
    from ca_reports.run.model import Run

GRAPH = "GraphModule()\n\ndef forward(self, x):\n    relu = torch.relu(x)\n    return (relu,)"
SIZE = (
    "TensorMetadata(dtype=torch.float32, shape=torch.Size([6, 4]), stride=(4, 1), "
    "device=device(type='cpu'), layout=torch.strided, requires_grad=False)"
)
PARTS = {
    "gm": GRAPH,
    "example_inputs[0]": SIZE,
    "fx_kwargs[is_backward]": "False",
    "fx_kwargs[is_inference]": "False",
    "cpp_runtime_thread_count": "2",
    "torch_version": "\ufffdM\ufffd",
    "system_info[hash]": "44136f",
    "inductor_config[max_autotune]": "False",
    "inductor_config[coordinate_descent_tuning]": "False",
}


def components(parts: Mapping[str, str]) -> list[str]:
    return [
        f"[{hashlib.sha256(f'{name} {text}'.encode()).hexdigest()[:52]}] {name}: {text}"
        for name, text in parts.items()
    ]


def key_of(parts: Mapping[str, str]) -> str:
    return "f" + hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()[:40]


class CacheLog(LogWriter):
    """A log of a process that asks caches."""

    def looked_up(
        self, compile_id: str, parts: Mapping[str, str] = PARTS, *, cache: str = "fx_graph",
        state: str = "miss", **more: Any,
    ) -> None:  # fmt: skip
        raw = {"cache_state": state, "key": key_of(parts), "components": components(parts), **more}
        if state == "miss" and cache == "fx_graph":
            raw.setdefault("time_taken_ns", 4_000_000_000)
        self.artifact(f"{cache}_cache_{state}", raw, **self.context(compile_id))

    def bypassed(
        self, compile_id: str, reason: str, cache: str = "aotautograd", error: str | None = None
    ) -> None:
        raw = {"cache_state": "bypass", "key": None, "cache_bypass_reason": reason}
        if error is not None:
            raw["cache_bypass_exception_type"] = error
        self.artifact(f"{cache}_cache_bypass", raw, **self.context(compile_id))


def start_of(
    parts: Mapping[str, str] = PARTS,
    *,
    state: str = "miss",
    function: str = "step",
    aot: bool = False,
    **end: Any,
) -> CacheLog:
    """One function, whose graph is looked up; with ``aot`` a miss of both caches."""
    log = CacheLog()
    log.ca_run(enabled=False)
    saved: dict[str, Any] = {"time_saved_ns": 9 * 10**9} if state == "hit" else {}
    if state == "hit" or aot:
        log.looked_up("0/0", parts, cache="aotautograd", state=state, **saved)
    log.looked_up("0/0", parts, state=state, **saved)
    log.compiled("0/0", 5.0, co_name=function)
    log.ca_end(1.0, 0, 0, **end)
    return log


def loaded(folder: Path, log: LogWriter, **recorded: Any) -> Run:
    return ca_reports.load([run_folder(folder, log, **recorded)], cache_keys=True)


def started(
    folder: Path, log: LogWriter, *earlier: LogWriter, roots: tuple[Path, ...] = ()
) -> Start:
    """The start that ``log`` tells of, compared with the ``earlier`` ones."""
    before = [loaded(folder / f"before{n}", one) for n, one in enumerate(earlier)]
    run = loaded(folder / "after", log)
    return examine(run, before, SourceFiles([str(root) for root in roots]))
