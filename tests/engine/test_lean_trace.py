"""What a run's trace leaves out, and that nobody misses it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from ca_engine import lean_trace, trace


def records_below(folder: Path) -> list[dict[str, Any]]:
    (log,) = folder.glob("*.log")
    lines = [line for line in log.read_text().splitlines() if not line.startswith("\t")]
    records = [json.loads(line.partition("] ")[2]) for line in lines]
    # Torch's own begin of a file, which it writes into the first of two only.
    return [record for record in records if '"torch_version"' not in json.dumps(record)]


def of_kind(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in records if kind in record]


def test_unread_kinds_and_stacks_are_left_out_of_that_trace_alone(tmp_path: Path) -> None:
    with trace.written_to(tmp_path / "full"), trace.written_to(tmp_path / "lean"):
        lean_trace.write_less(str(tmp_path / "lean"))
        torch._dynamo.reset()
        compiled = torch.compile(
            lambda x: x.sin() if x.shape[0] > 2 else x, backend="eager", dynamic=True
        )
        assert compiled(torch.ones(4, 3)).shape == (4, 3)
    full, lean = (records_below(tmp_path / name) for name in ("full", "lean"))

    assert of_kind(full, "create_symbol")
    assert not any(of_kind(lean, kind) for kind in lean_trace.UNREAD)
    guards = of_kind(lean, "guard_added_fast")
    assert guards
    assert all("stack" not in guard["guard_added_fast"] for guard in guards)
    assert all("stack" in guard["guard_added_fast"] for guard in of_kind(full, "guard_added_fast"))

    # All else is there, in its order.
    def without(record: dict[str, Any]) -> dict[str, Any]:
        return {
            key: {name: part for name, part in value.items() if name != "stack"}
            if key in lean_trace.WITHOUT_STACK
            else value
            for key, value in record.items()
        }

    kept = [without(record) for record in full if lean_trace.UNREAD.isdisjoint(record)]
    assert lean == kept
