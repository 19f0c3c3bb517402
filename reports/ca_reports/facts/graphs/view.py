"""View of `ca graph`, for the formats that write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.graphs.document import Picture, Read, difference, picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.run.model import Capture, Run


@dataclass(frozen=True)
class GraphView:
    """The graph of one capture of ``run``, or of two what the second does otherwise.

    A view without a run has no page, and names files as the log does.
    """

    picture: Picture
    title: str
    is_difference: bool = False
    run: Run | None = None

    @classmethod
    def of(cls, run: Run, captures: Sequence[Capture]) -> GraphView:
        """Return the view of one or two captures of ``run``."""
        read = [
            Read.of(
                "" if capture.graph is None else capture.graph.text,
                capture.autograd_graph,
                capture.lines,
            )
            for capture in captures
        ]
        title = " → ".join(capture.label for capture in captures)
        if len(read) > 1:
            return cls(difference(*read), title, True, run)
        return cls(picture(*read), f"capture {title}", False, run)
