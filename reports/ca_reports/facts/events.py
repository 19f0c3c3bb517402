"""One event of a process, as a rule looks at it."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.evidence import Evidence
from ca_reports.facts.gradient_flags import flag_of_parameter, gradient_flag
from ca_reports.facts.guard_paths import GuardPath, guard_path
from ca_reports.facts.shape_numbers import value_pairs
from ca_reports.logs.fields import no_entries
from ca_reports.program.stack import in_torch, is_installed
from ca_reports.run.model import Frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ca_engine.guards import Guard
    from ca_reports.facts.gradient_flags import GradientFlag
    from ca_reports.run.held import Held
    from ca_reports.run.model import Capture, Change, Compile, Event

AOT_BACKWARD = "CompiledFunctionBackward"
GRAPH_ROOT = "torch::autograd::GraphRoot"
ACCUMULATE_GRAD = "torch::autograd::AccumulateGrad"


class Owner(Protocol):
    """Process-wide data that a capture's facts need."""

    captures: tuple[CaptureFacts, ...]
    by_id: dict[int, CaptureFacts]
    # Sets of the parameters of captures, counts of their nodes: most captures have the same.
    parameters: dict[frozenset[str], frozenset[str]]
    counted: dict[frozenset[tuple[str, int]], Counter[str]]

    def nodes_of(self, capture: Capture) -> tuple[Mapping[str, Any], ...]:
        """Return its autograd nodes. Most captures have most of them in common."""
        ...

    @property
    def first_from(self) -> Mapping[tuple[str, int], int]:
        """Return the positions of the first captures of each line that called backward."""
        ...

    @property
    def other_backwards(self) -> tuple[CaptureFacts, ...]:
        """Return the first captures of further backwards of the program."""
        ...

    def forward_compiles_before(self, capture: Capture) -> tuple[Compile, ...]:
        """User code compiled after the backward before ``capture`` and before it."""
        ...


class CaptureFacts:
    """One capture and what it is to be compared with. Graphs are unpacked when asked for."""

    def __init__(self, capture: Capture, owner: Owner, position: int) -> None:
        """``owner`` knows the other captures; this is number ``position`` of them."""
        self.capture = capture
        self._owner = owner
        self._position = position

    @cached_property
    def closest(self) -> CaptureFacts | None:
        """Return the earlier capture whose autograd graph is closest, as the recorder found it."""
        id = self.capture.closest_capture
        return None if id is None else self._owner.by_id.get(id)

    @property
    def previous(self) -> CaptureFacts | None:
        """Return the capture before this one."""
        return self._owner.captures[self._position - 1] if self._position else None

    @property
    def is_first_of_line(self) -> bool:
        """Return whether no earlier capture was called from this line, which is known."""
        place = self.call_place
        return place is not None and self._owner.first_from[place] == self._position

    @property
    def changes(self) -> tuple[Change, ...]:
        """Return what differs from ``closest`` (cut at the recorder's bound)."""
        return self.capture.changes

    @cached_property
    def attributes(self) -> frozenset[str]:
        """Return the attributes that differ, such as ``.grad`` or ``exponent``."""
        return frozenset(change.attribute for change in self.changes)

    def changed(self, *attributes: str) -> tuple[Change, ...]:
        """Return the changes of these attributes."""
        return tuple(change for change in self.changes if change.attribute in attributes)

    @property
    def nodes(self) -> tuple[Mapping[str, Any], ...]:
        """Return the autograd nodes (``schema.AutogradNode``) as visited; empty if unknown."""
        return self._owner.nodes_of(self.capture)

    @cached_property
    def node_names(self) -> Counter[str]:
        """Count the nodes of each name."""
        return self._shared(Counter(str(node.get("name")) for node in self.nodes))

    @cached_property
    def added(self) -> Counter[str]:
        """Node names that are there more often than in ``closest``, and how much more often."""
        return self._shared(
            self.node_names - self.closest.node_names if self.closest else Counter()
        )

    @cached_property
    def removed(self) -> Counter[str]:
        """Node names that are there less often than in ``closest``."""
        return self._shared(
            self.closest.node_names - self.node_names if self.closest else Counter()
        )

    def _shared(self, counted: Counter[str]) -> Counter[str]:
        # Most captures have as many nodes of each name as another.
        return self._owner.counted.setdefault(frozenset(counted.items()), counted)

    @cached_property
    def parameters(self) -> frozenset[str]:
        """Return the names of the parameters that this backward accumulates into."""
        found = frozenset(str(node["parameter"]) for node in self.nodes if node.get("parameter"))
        return self._owner.parameters.setdefault(found, found)

    def node(self, index: int | None) -> Mapping[str, Any] | None:
        """Return the autograd node of that NodeCall index."""
        return next((node for node in self.nodes if node.get("index") == index), None)

    @property
    def mode_changes(self) -> dict[str, tuple[object, object]]:
        """Return modes (autocast, grad mode …) unlike ``closest``'s: name → before, after."""
        before = self.closest.capture.modes if self.closest else {}
        after = self.capture.modes
        return {
            name: (before[name], after[name])
            for name in after
            if name in before and before[name] != after[name]
        }

    @cached_property
    def forward(self) -> tuple[Compile, ...]:
        """User code that Dynamo compiled since the backward before this one, in order.

        By time; so the forward of this capture's own step, whose AOT backward is new here.
        """
        return self._owner.forward_compiles_before(self.capture)

    @property
    def forward_recompiles(self) -> tuple[Compile, ...]:
        """Return those of ``forward`` that an earlier compile's failed guard made necessary."""
        return tuple(compiled for compiled in self.forward if compiled.has_failed_guards)

    @property
    def aot_replaced(self) -> bool:
        """Return whether an AOT region's backward is another one than in ``closest``."""
        node = self.capture.node
        if node is not None and node.name.startswith(AOT_BACKWARD):
            return True
        return any(change.attribute == "aot_id" for change in self.changes)

    @property
    def only_regions_and_sizes(self) -> bool:
        """Return whether nothing but AOT regions and sizes differ from ``closest``."""
        return all(change.attribute == "aot_id" or value_pairs(change) for change in self.changes)

    @property
    def line(self) -> Frame | None:
        """Return the user's line that called backward."""
        return self.capture.backward_call

    @property
    def call_place(self) -> tuple[str, int] | None:
        """File and number of that line."""
        line = self.line
        return None if line is None else (line.file, line.line)

    @cached_property
    def call(self) -> tuple[Frame, ...]:
        """Return the user's frames that led to the backward, outermost first: its identity."""
        own = tuple(frame for frame in self.capture.stack if not is_installed(frame.file))
        return self.capture.stack if own == self.capture.stack else own

    @property
    def is_other_backward(self) -> bool:
        """Return whether it is the first capture of another backward than those before."""
        return self in self._owner.other_backwards

    @property
    def evidence(self) -> Evidence:
        """Return the record of this capture, with torch's own reason."""
        capture = self.capture
        reason = capture.reason or "torch gave no reason"
        return Evidence(f"{capture.label}: {reason}", capture.file, capture.line)


@dataclass(frozen=True)
class RecompileFacts:
    """A compile that Dynamo made because guards of an earlier one failed.

    ``guards`` are all guards that failed, one for each earlier compile, the decisive one first.
    ``capture`` is the capture whose graph it is, None for user code. ``caused`` are captures
    that came right after it in the same step: a forward recompile brings a new backward.
    ``step`` is the backward in which it happened, for user code the one that followed.
    ``compiles`` are those of user code in its process, by their ids. Where it was made for another
    kind of step (``facts.selecting``), ``follows`` are guards that fail with the decisive one;
    ``selects`` says that what is selected has other sizes or calls other functions, so that no one
    graph serves all kinds.
    """

    compiled: Compile
    guards: tuple[Guard, ...]
    capture: CaptureFacts | None
    location: Frame | None
    caused: tuple[CaptureFacts, ...] = ()
    step: int | None = None
    file: str = ""
    compiles: Mapping[str, Compile] = field(default_factory=no_entries, compare=False, repr=False)
    follows: tuple[Guard, ...] = ()
    selects: bool = False

    @property
    def guard(self) -> Guard:
        """Return the failed guard that was decisive (``facts.decisive``)."""
        return self.guards[0]

    @property
    def path(self) -> GuardPath:
        """Return the path of what that guard reads."""
        return guard_path(self.guard.source)

    @property
    def is_of_given_length(self) -> bool:
        """Return whether the number of things in an argument failed."""
        return self.guard.kind == "length" and self.path.is_variable

    @property
    def earlier(self) -> Compile | None:
        """Return the compile whose guard failed decisively; None if it is not known."""
        return self.compiles.get(self.guard.failed or "")

    @property
    def gradient_flag(self) -> GradientFlag:
        """Return what `requires_grad` of a tensor differs for, where that guard failed."""
        if self.path.is_parameter:
            return flag_of_parameter(self.earlier, self.compiled)
        return gradient_flag(self.guard.source, self.earlier, self.compiled)

    @property
    def events(self) -> tuple[Event, ...]:
        """Return the recompile, and the captures that came of its other AOT backward."""
        replaced = (
            found.capture
            for found in self.caused
            if found.aot_replaced and not found.is_other_backward
        )
        return (self.compiled, *replaced)

    @property
    def held(self) -> Held | None:
        """Return what the source of ``guard`` holds by then; None if nobody looked, or could."""
        found = self.compiled.held
        return None if found is None else found.held_by(self.guard.failed, self.guard.source)

    @property
    def guard_stack(self) -> tuple[Frame, ...]:
        """Return the user's frames that the guard came from, outermost first."""
        return tuple(
            Frame(found.file, found.line, found.function, found.code) for found in self.guard.stack
        )

    @property
    def line(self) -> Frame | None:
        """Return the user's line that the guard came from, else ``location``."""
        if self.capture is not None:
            # Its guards come from code that was generated for the captured graph.
            return self.location
        own = [frame for frame in self.guard_stack if not in_torch(frame.file)]
        return own[-1] if own else self.location

    @property
    def evidence(self) -> Evidence:
        """Return the guard, as torch wrote it."""
        return Evidence(
            f"{self.compiled.compile_id}: {self.guard.text}", self.file, self.compiled.line
        )


def common_call(facts: Sequence[CaptureFacts]) -> Frame | None:
    """Return the user's line of the backward call of the first of ``facts`` that has one."""
    return next((found.capture.backward_call for found in facts if found.capture.stack), None)
