"""Base of the rules: documented patterns in what one process recorded."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, TypedDict

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.findings import About, Subject
from ca_reports.causes.remedies import remedy as remedy_of
from ca_reports.facts.events import RecompileFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ca_reports.causes.findings import Confidence, Detail, Finding, Joined, Severity, Varied
    from ca_reports.causes.located.trail import Search, Trail
    from ca_reports.causes.remedies import Edits, NoEdits, Remedy
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.evidence import Evidence
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Capture, Change, Event, Frame

# The sections of a rule's docstring, in this order, each under a line `## <heading>`.
SECTIONS = (
    "What it is",
    "Why it costs",
    "Example",
    "What to do",
    "Measured",
    "When the rule can be wrong",
)

# How specific a rule is; where two claim one event, the greater wins. Between these
# values there is room: a rule that must win over a neighbour adds a few.
FALLBACK = 0
GENERAL = 40  # explains a kind of event
SPECIFIC = 60  # names the value, parameter or line that changed
PATTERN = 80  # also names the pattern in time (an epoch's end, every step one more)


@dataclass(frozen=True)
class Match:
    """One place where a rule fits, in one process.

    ``events`` are what it explains. An event that a more specific rule claims too goes to that
    one; a match that loses all of its events is dropped, and its code is mentioned there.
    A match without events stands by itself (something that is so for a whole process).

    ``key`` tells a match from others of its code in one function: the parameter, attribute or
    guarded expression. A baseline recognises the finding by it, so it holds nothing that varies
    from run to run: no size, count, id or wording. Matches of one code with equal ``key``,
    ``group`` and ``noticed_at`` are one finding, also across processes; ``group``, which may
    vary, is the message unless one of the two is given.

    ``location`` is the line to edit where the records name it, such as the operation of the
    forward that changed; ``noticed_at`` is where it showed: the call of the backward, a guard's
    line. ``count`` is how often it happened, the number of events if None. ``subject`` is what
    varied, where a remedy has to know, ``detail`` are the facts of its family.
    ``severity`` and ``specificity`` override the rule's.

    ``explains`` says which differences of a capture this cause makes. A capture in which two causes
    show goes to one of them, and what that one does not explain is the other's: without it a cause
    would be hidden that always changes together with another. ``shows`` says by which of them it is
    recognised beside another cause, where that is less: nodes in another order bring other numbers
    along, but other numbers are no order.

    ``edits`` are the rule's unless given: what `ca fix` tries, or why it tries nothing.

    ``is_note`` is what is expected or nobody can change: ``fix`` says why there is nothing to do.

    ``is_beside`` is a cause that makes the very events of another one: it is found with them, as a
    second change to be made, and never instead.
    """

    message: str
    fix: str
    events: tuple[Event, ...] = ()
    location: Frame | None = None
    noticed_at: Frame | None = None
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = "high"
    key: str = ""
    group: str | None = None
    count: int | None = None
    chain: str | None = None
    subject: Subject = field(default=Subject())
    detail: Detail | None = None
    edits: Edits | NoEdits | None = None
    severity: Severity | None = None
    specificity: int | None = None
    explains: Callable[[CaptureFacts, Change], bool] | None = None
    shows: Callable[[CaptureFacts, Change], bool] | None = None
    is_note: bool = False
    is_beside: bool = False


class Rule(ABC):
    """A cause by its code. Subclasses are one to a module, ``ca101_last_batch.py``.

    The docstring of a subclass is its documentation, as users read it (``ca rule CA101``):
    Markdown, a first line that says what is wrong, then ``SECTIONS``, all of them but those that
    its family has in ``shared``.
    What ``matches`` sees is the model only: no files, no torch, no clock. Of each finding the
    program's source is asked next: ``search`` says how its line to edit is found, ``remedy`` what
    is to be done there, and ``adopt`` whether a finding of another rule is one of this.

    ``needs_recorder``: it cannot tell anything from a log that `ca run` did not write.
    ``located_in_forward``: its cause is in the forward, whose line ``--forward-stacks`` names.
    ``suggests_trial``: what `ca try` varies to get around its findings.
    ``edits`` are what `ca fix` tries in the source, first the one that its advice is
    about, or why there is none.
    ``leaves_largest``: with its remedy each step does what the largest of its captures does.
    ``joined_by`` tells its findings at one line that are one change.
    ``place`` finds the line to edit in the program's source; None if the line that the records name
    is the one.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    shared: ClassVar[Mapping[str, str]] = MappingProxyType({})
    severity: ClassVar[Severity] = "warning"
    specificity: ClassVar[int] = SPECIFIC
    needs_recorder: ClassVar[bool] = False
    located_in_forward: ClassVar[bool] = False
    suggests_trial: ClassVar[Varied | None] = None
    leaves_largest: ClassVar[bool] = False
    edits: ClassVar[Edits] = ()
    joined_by: ClassVar[Joined | None] = None
    place: ClassVar[Search | None] = None

    @abstractmethod
    def matches(self, facts: ProcessFacts) -> Iterable[Match]:
        """Yield where this rule fits in one process; nothing where it does not."""

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Choose what finds the line to edit; None if the one that the records name is it."""
        return cls.place

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """Return the remedy that the source asks for; None if the finding's own is right.

        ``site`` is the line to edit, None where that is not known.
        """
        return None

    @classmethod
    def adopt(cls, trail: Trail, site: Site | None) -> Finding | None:
        """Return another rule's finding as one of this rule, if the source shows that it is."""
        return None

    @classmethod
    def taken(
        cls, finding: Finding, site: Site, *, key: str, message: str, fix: str,
        detail: Detail | None = None,
    ) -> Finding:  # fmt: skip
        """Return another rule's ``finding`` as one of this, read at the line of ``site``."""
        return replace(
            finding,
            rule=cls.about(),
            key=key,
            message=message,
            remedy=remedy_of(fix, cls.edits),
            detail=detail,
            location=site.frame,
            known_by="read",
        )

    @classmethod
    def about(cls) -> About:
        """Return what findings know of this rule."""
        return About(
            cls.code,
            cls.name,
            cls.located_in_forward,
            cls.suggests_trial,
            cls.leaves_largest,
            cls.joined_by,
        )

    @classmethod
    def documentation(cls) -> RuleDocumentation:
        """Return the docstring in its parts. Raises ``ValueError`` if a section is missing."""
        return parse_documentation(inspect.getdoc(cls) or "", cls.shared)


@dataclass(frozen=True, slots=True)
class RuleDocumentation:
    """``summary`` is one line; ``sections`` maps each of ``SECTIONS`` to its Markdown."""

    summary: str
    sections: dict[str, str]


def parse_documentation(text: str, shared: Mapping[str, str] = Rule.shared) -> RuleDocumentation:
    """Split a rule's docstring. Raises ``ValueError`` where a section lacks or is empty.

    ``shared`` has what stands for a section that the docstring leaves out.
    """
    head, *parts = f"\n{text}".split("\n## ")
    sections = {}
    for part in parts:
        heading, _, body = part.partition("\n")
        sections[heading.strip()] = body.strip("\n").rstrip()
    own = tuple(each for each in SECTIONS if each in sections or each not in shared)
    if tuple(sections) != own:
        raise ValueError(f"the sections must be {SECTIONS}, in this order; found {list(sections)}")
    sections = {each: sections.get(each) or shared.get(each, "") for each in SECTIONS}
    empty = [heading for heading, body in sections.items() if not body.strip()]
    if empty or not head.strip():
        raise ValueError(f"empty: {', '.join(empty) or 'the first line'}")
    return RuleDocumentation(" ".join(head.split()), sections)


class Seen(TypedDict):
    """Names the places in the records where a cause shows: ``Match(…, **of_captures(found))``."""

    events: tuple[Event, ...]
    noticed_at: Frame | None
    evidence: tuple[Evidence, ...]


def of_captures(
    facts: Sequence[CaptureFacts], at: Frame | None = None, *, more: Iterable[Event] = ()
) -> Seen:
    """Return where captures show, with ``more`` events: ``at`` a line, by default the first's."""
    return Seen(
        events=(*capture_events(facts), *more),
        noticed_at=at or facts[0].line,
        evidence=tuple(found.evidence for found in facts),
    )


def of_compiles(facts: Sequence[RecompileFacts], at: Frame | None) -> Seen:
    """Return where recompiles show, at the line ``at``."""
    return Seen(
        events=tuple(found.compiled for found in facts),
        noticed_at=at,
        evidence=tuple(found.evidence for found in facts),
    )


def of_recompiles(facts: Sequence[RecompileFacts], at: Frame | None) -> Seen:
    """Return where recompiles show, and the captures that came of their AOT backwards."""
    seen = of_compiles(facts, at)
    seen["events"] = tuple(event for found in facts for event in found.events)
    return seen


def capture_events(facts: Sequence[CaptureFacts]) -> tuple[Capture, ...]:
    """Return the captures of ``facts``, as a match's events."""
    return tuple(found.capture for found in facts)
