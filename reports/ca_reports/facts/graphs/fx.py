"""A captured graph as FX wrote it: one node a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from ca_reports.run.model import Frame, Node

Kind = Literal["placeholder", "getitem", "call", "operator"]


@dataclass(frozen=True, slots=True)
class FxNode:
    """One statement ``name = value`` of the captured graph.

    ``inputs`` are positions in ``FxGraph.nodes``, each once, in the order of the text.
    ``target`` is what is called, without the module that FX writes into names
    (``SumBackward0``, ``aten.mm.default``, ``validate_outputs``); for a ``getitem`` its
    key as text. ``origin`` is the NodeCall that the node was captured for, ``place`` the
    forward line of a node inside an AOT region, ``line`` its one-based line in the code.
    """

    name: str
    kind: Kind
    target: str
    inputs: tuple[int, ...]
    text: str
    line: int
    origin: Node | None = None
    place: Frame | None = None


@dataclass(frozen=True, slots=True)
class FxGraph:
    """A whole captured graph. ``outputs`` are positions of what it returns.

    ``unread`` counts the statements that are no FX code: a damaged or a hostile log has
    any text in a graph's place, and what of it is a graph is still shown.
    """

    nodes: tuple[FxNode, ...]
    outputs: tuple[int, ...]
    unread: int = 0
