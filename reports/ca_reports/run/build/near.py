"""The place in the model that lies nearest to an autograd node."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ca_reports.logs.fields import integer, text
from ca_reports.run.frames import own_frames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.run.model import Frame

_AOT_REGION = "CompiledFunctionBackward"


def nearest_place(nodes: list[dict[str, Any]], index: int) -> str | None:
    """Return the parameter that node ``index`` accumulates into, else the nearest one's module.

    ``nodes`` are ``schema.AutogradNode`` in the order in which the backward visits them,
    so near in ``index`` is near in the backward. Of two equally near the later visited one
    is taken: a node's own parameters follow it. None if no parameter has a name. An AOT region
    is at the lines that it was traced from (``net.py:12``, ``net.py:12-20``), if they are known:
    its parameters follow it in the order of its inputs, so that none of them is nearer to the
    cause than another.
    """
    for node in nodes:
        if node.get("index") == index and str(node.get("name")).startswith(_AOT_REGION):
            return _lines(own_frames(node.get("forward_lines")))
    best: tuple[int, int, str] | None = None
    for node in nodes:
        name, at = text(node.get("parameter")), integer(node.get("index"))
        if not name or at is None:
            continue
        if at == index:
            return name
        rank = (abs(at - index), -at, name)
        if best is None or rank < best:
            best = rank
    if best is None:
        return None
    module, dot, _ = best[2].rpartition(".")
    return module if dot else best[2]


def _lines(frames: Sequence[Frame]) -> str | None:
    """From the first to the last of the lines in the first file."""
    if not frames:
        return None
    lines = [frame.line for frame in frames if frame.file == frames[0].file]
    span = str(lines[0]) if len(lines) == 1 else f"{lines[0]}-{lines[-1]}"
    return f"{PurePath(frames[0].file).name}:{span}"
