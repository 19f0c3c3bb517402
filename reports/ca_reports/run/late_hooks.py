"""Reads ``ca_late_hook``: a compiled graph ran beside a module's hook that it does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import integer, mapping, text
from ca_reports.program.stack import Frame, own_frame
from ca_reports.run.frames import own_frames

if TYPE_CHECKING:
    from collections.abc import Mapping

# How often the recorder writes one (`ca_engine.recorder.late_hooks`), and what a log may have.
MAX_LATE_HOOKS = 200


@dataclass(frozen=True, slots=True)
class LateHook:
    """``schema.LateHookRecord``: a hook that a graph does not call.

    ``line`` is that of the record. ``defined`` is where the function of the hook is, ``kind`` what
    it is called for, and ``module`` its part of the model.
    """

    line: int
    graph: str
    module: str
    kind: str
    name: str | None
    defined: Frame | None
    stack: tuple[Frame, ...]

    @classmethod
    def from_record(cls, raw: Mapping[str, Any], line: int) -> LateHook | None:
        """Read a record; None if it does not say what the hook is of."""
        graph, module = text(raw.get("graph")), text(raw.get("module"))
        hook = mapping(raw.get("hook"))
        if not graph or not module:
            return None
        file, at, name = text(hook.get("file")), integer(hook.get("line")), text(hook.get("name"))
        return cls(
            line,
            graph,
            module,
            text(hook.get("kind")) or "",
            name,
            Frame(file, at, name or "", "") if file and at else None,
            own_frames(raw.get("stack")),
        )

    @property
    def called_at(self) -> Frame | None:
        """Return the user's line that called the graph."""
        return own_frame(self.stack)
