"""A folded graph: the nodes that a picture draws, each with the FX nodes folded into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from ca_reports.run.model import Frame, Node

Role = Literal["autograd", "aot", "accumulate", "hook", "call", "operator", "output"]


@dataclass(frozen=True, slots=True)
class FoldedNode:
    """One node of the picture and all FX nodes that are folded into it.

    ``members`` are positions in the ``FxGraph``, in order; ``head`` is the one that gave
    the node its name. ``inputs`` are positions of folded nodes, ``hidden`` those that are
    not drawn because their producer is a hub. ``reads`` names the graph's own inputs
    (``inputs[3]``). ``shapes`` are what validation says of its outputs. ``group`` is the
    AOT region, the module path, or both (``aot0/blocks.1``), where anything tells.
    """

    label: str
    role: Role
    head: int
    members: tuple[int, ...]
    inputs: tuple[int, ...]
    hidden: tuple[int, ...] = ()
    reads: tuple[str, ...] = ()
    origin: Node | None = None
    place: Frame | None = None
    shapes: tuple[str, ...] = ()
    group: str = ""
    parameter: str = ""

    def in_group(self, group: str) -> FoldedNode:
        """Return the same in another group; ``replace`` takes ten times as long, for each node."""
        return FoldedNode(
            self.label, self.role, self.head, self.members, self.inputs, self.hidden, self.reads,
            self.origin, self.place, self.shapes, group, self.parameter,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folded:
    """The folded graph: nodes in the order of the code, and how many FX nodes it stands for."""

    nodes: tuple[FoldedNode, ...]
    fx_nodes: int
