"""Findings of the rules: every output prints them, every gate counts them."""

from __future__ import annotations

from dataclasses import field
from math import isclose
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.argument_names import ArgumentNames
from ca_reports.facts.evidence import Evidence, SizeKind
from ca_reports.facts.guard_paths import GuardPath, guard_path, readable, referring
from ca_reports.run.model import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.causes.remedies import Remedy
    from ca_reports.run.loop import LoopPosition
    from ca_reports.run.model import Event, Frame

Severity = Literal["error", "warning", "info"]
# How the line to edit is known: the log names it, it was seen to make the change while the program
# ran, or it was read in the program's source.
KnownBy = Literal["recorded", "watched", "read"]
Confidence = Literal["high", "medium", "low"]
# What `ca try` can vary: dynamic shapes, whether hooks are compiled, or inductor waited for.
Varied = Literal["shapes", "hooks", "waits"]


# By what findings of one rule that several functions met at one line are one change: the sizes of a
# tensor, or the last word of what each of them calls the thing.
Joined = Literal["sizes", "name"]


# Numbers that differ by less are told as one.
_TOLD = 1e-5
# Values of which each is another one: fewer may be all that there are.
_ENOUGH = 3
# More pieces of evidence, or names of turns of the user's loop, than this help nobody.
MAX_EVIDENCE = 12
MAX_LOOPS = 100


@dataclass(frozen=True, slots=True)
class About:
    """Facts about a rule that its findings need; see `ca_reports.causes.rules.base.Rule`."""

    code: str
    name: str
    located_in_forward: bool = False
    suggests_trial: Varied | None = None
    leaves_largest: bool = False
    joined_by: Joined | None = None

    def __str__(self) -> str:
        """Return ``CA102 (varying-length)``."""
        return f"{self.code} ({self.name})"


@dataclass(frozen=True, slots=True)
class SizeChoice:
    """What the best plan does about a size, by the times of the run (``sizes.plans``).

    ``pads``: to the next of ``sizes``, in ascending order; else one graph takes any size.
    ``multiple`` is that of the best plan that pads to multiples, if padding to them is best.
    ``saves`` are the seconds that it would have saved in this run, padding and slower steps
    included; None where its steps were not measured.
    """

    pads: bool
    sizes: tuple[int, ...] = ()
    multiple: int | None = None
    saves: float | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """The thing that varied, for remedies that compute with it; the message has it in words.

    ``source`` is the tensor as guards name it (``x``, ``args[1]``), ``dimensions`` are those of its
    sizes that varied. ``values`` are the sizes of the first of them, or the counts of a loop's
    iterations, in the order in which the message tells them. ``together`` are dimensions of other
    arguments that always had the same size. ``modules`` are those whose parameters changed, by
    their names in the model. Each is empty where it is not known. ``size_kind`` says why sizes
    cost compiles, ``choice`` what pays, where all calls' sizes were counted.
    """

    source: str = ""
    dimensions: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    together: tuple[tuple[str, int], ...] = ()
    modules: tuple[str, ...] = ()
    size_kind: SizeKind = "varies"
    choice: SizeChoice | None = None

    @property
    def path(self) -> GuardPath:
        """Return the path of the tensor."""
        return guard_path(self.source)


# What has a guarded value; a result is read off a tensor, which broke the graph.
Holder = Literal["variable", "attribute", "module", "global", "group", "state", "result"]


@dataclass(frozen=True, slots=True)
class GuardedValue:
    """A Python number or text that a compiled function was guarded on, and that changed.

    ``source`` is it as guards name it, ``name`` as users write it. ``holder`` is what has it: a
    variable of the function (an argument, one of a closure), an attribute of an object or of a
    module of torch's kind, a module's global, a parameter group of an optimizer, or the function
    itself, which reads it off a tensor.
    ``values`` are those that were told, in their order, ``times`` how often the function was
    compiled again. ``is_whole``: each value that is known is an int; ``is_text``: a text.
    ``entry`` is the key by which a dict has it, empty if none does. ``is_of_global``: it is reached
    by a module's global, such as another module.
    ``selects``: other functions are called with each value, or other parameters read, of other
    sizes. ``is_held_static``: dynamic numbers are turned off where it is compiled
    (``dynamic=False``); ``is_dynamic_now``: its one recompile takes any value, and
    ``dynamic=True``, which is not set, would have made the first compile do so.
    """

    source: str
    name: str
    holder: Holder
    values: tuple[str, ...] = ()
    times: int = 1
    is_whole: bool = False
    is_text: bool = False
    is_counter: bool = False
    entry: str = ""
    is_of_global: bool = False
    selects: bool = False
    is_held_static: bool = False
    is_dynamic_now: bool = False

    @property
    def path(self) -> GuardPath:
        """Return the path of it."""
        return guard_path(self.source)

    @property
    def last(self) -> str:
        """Return the name without what holds it: ``filled`` of ``self.store.filled``."""
        return self.name.rpartition(".")[2]

    @property
    def ref(self) -> str:
        """Return its name for a sentence."""
        return referring(self.source) if readable(self.source) == self.name else self.name

    @property
    def short(self) -> str:
        """Return the same without what holds it."""
        return self.last if "." in self.name else self.ref

    @property
    def goes_on(self) -> bool:
        """Return whether it is a number that was another one each time: more will come."""
        is_new = len(set(self.values)) == len(self.values) >= _ENOUGH
        return is_new and not (self.is_text or self.selects)


@dataclass(frozen=True, slots=True)
class SetLater:
    """An attribute that an object had of its class, or not at all, when it was compiled first."""

    attribute: str


@dataclass(frozen=True, slots=True)
class PassedFlag:
    """A flag that the compiled function is given by its name, True in some calls."""

    name: str


@dataclass(frozen=True, slots=True)
class LackedGradients:
    """Parameters of a list, of which some have no gradient in some calls of a compiled function."""

    parameters: str


@dataclass(frozen=True, slots=True)
class BakedNumber:
    """A Python number that a node of the autograd graph keeps for its backward.

    ``node`` is its short name, ``attribute`` what it keeps the number as, and ``values`` are the
    numbers, each once, in the order of the captures.
    """

    node: str
    attribute: str
    values: tuple[float, ...]

    def is_of(self, value: GuardedValue) -> bool:
        """Return whether these are the values that a forward was compiled for, in their order."""
        try:
            numbers = [float(told) for told in value.values]
        except ValueError:
            return False
        # Values are told with fewer digits than a node keeps.
        places = [
            next((at for at, own in enumerate(self.values) if isclose(own, one, rel_tol=_TOLD)), -1)
            for one in numbers
        ]
        return len(set(places)) > 1 and min(places) >= 0 and places == sorted(places)


@dataclass(frozen=True, slots=True)
class BakedIndex:
    """A Python int that an indexing keeps for its backward: a bound of a slice, or one index."""

    of: Literal["slice", "index", "other"]


@dataclass(frozen=True, slots=True)
class ShortBatch:
    """A last batch with fewer samples; None if its rows are no samples.

    ``keeping`` says what to do where they are needed.
    """

    samples: int | None
    keeping: str


@dataclass(frozen=True, slots=True)
class OtherLayout:
    """A tensor that is laid out otherwise in some calls.

    ``begins_elsewhere``: it is a part of a larger one that may be contiguous as it is.
    ``is_of_one``: the stride is that of a dimension of size 1, which a contiguous one may have.
    """

    begins_elsewhere: bool = False
    is_of_one: bool = False


@dataclass(frozen=True, slots=True)
class CarriedState:
    """Variables that take nodes of one step to the next, by their names."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitGraph:
    """A graph break that is avoided by a setting or by an argument.

    ``option`` is what `torch._dynamo.config` calls the setting that is True then; ``argument`` is
    passed beside the others; ``function`` was skipped, and can be marked otherwise. Each is empty
    where there is none. ``tests_number``: it is at a branch on a number of the graph's, no tensor.
    ``compiled`` is the function whose compile met it; None where that is not known.
    """

    option: str = ""
    argument: str = ""
    function: str = ""
    tests_number: bool = False
    compiled: Frame | None = None


@dataclass(frozen=True, slots=True)
class KeptByHook:
    """Python state that a hook of the backward reads, or a custom Function's ``ctx`` keeps.

    ``attribute`` is the last name on the way to it, empty if there is none, ``entry`` the key of
    the dict that has it. ``default`` is the number of the hook's default argument that holds it,
    ``cell`` that of its closure's cell, ``bound`` the argument that a `functools.partial` binds.
    ``hook`` is the name of the hook, ``state`` the whole as the hook's own code says it. ``lacks``
    is the number under which the dict had an entry when it was compiled, and has none any more.
    """

    attribute: str = ""
    of_function: bool = False
    entry: str = ""
    default: int | None = None
    cell: int | None = None
    bound: str = ""
    hook: str = ""
    state: str = ""
    lacks: int | None = None


@dataclass(frozen=True, slots=True)
class MadeAgain:
    """A class that is defined again in each step, by its name."""

    name: str


# What changes a setting of torch's: the program by a call of it, the modes that are entered, a
# backward that records a graph, what a reentrant checkpoint or a Function of the program's applies,
# an evaluation that keeps gradients, calls of which the log does not tell.
ChangedBy = Literal[
    "call", "modes", "backward", "checkpoint", "function", "evaluation", "thread", "unknown"
]


@dataclass(frozen=True, slots=True)
class SharedSetting:
    """State of torch's that is of the whole process or thread, by the names of its settings.

    ``by`` is what changes it. ``outside``: the calls in inference mode get tensors that were made
    outside of it; None if unknown.
    """

    names: tuple[str, ...] = ()
    by: ChangedBy = "call"
    outside: bool | None = None


@dataclass(frozen=True, slots=True)
class MadeDynamic:
    """A size that one compile made dynamic: the calls before, of ``size``, and the one for it.

    ``drops``: the line of the call before does nothing with what it gets; None if unknown.
    """

    size: int
    before: tuple[Frame, ...]
    again: tuple[Frame, ...]
    drops: bool | None


@dataclass(frozen=True, slots=True)
class SideJob:
    """Calls of a compiled model beside its training, of an input that grows: a sampler."""


@dataclass(frozen=True, slots=True)
class MadeAlike:
    """Tensors that the remedy would have copied or converted before the call.

    ``names`` are arguments of the compiled function; empty where only the line to edit tells them,
    as of what a backward saved. ``alike`` is what they are to have one of, in
    words; empty where two of them may be one tensor. ``dtype`` is the one that is theirs in every
    call, if that is known.
    """

    names: tuple[str, ...] = ()
    alike: str = ""
    dtype: str = ""


@dataclass(frozen=True, slots=True)
class TensorSubclass:
    """An argument of a compiled function that is of subclasses of `torch.Tensor` in some calls."""

    name: str


@dataclass(frozen=True, slots=True)
class SeveralModules:
    """So many modules of one class that reached the limit of its code, compiled one by one."""

    count: int


@dataclass(frozen=True, slots=True)
class PinnedTo:
    """A size that the line to edit makes a constant of each graph; ``padding`` says how to pad."""

    padding: str


@dataclass(frozen=True, slots=True)
class DictKeys:
    """A dict that is guarded by its keys; ``last`` are those of the last compile, in order.

    ``is_asked``: only whether certain keys are in it was asked, as of a set.
    """

    last: tuple[str, ...]
    is_asked: bool = False


@dataclass(frozen=True, slots=True)
class ToggledHooks:
    """Functions that run as hooks in some backwards only, by their names.

    ``of_saved_tensors``: they unpack what a forward packed, around which a context was entered.
    """

    functions: tuple[str, ...]
    of_saved_tensors: bool = False


@dataclass(frozen=True, slots=True)
class UnknownHook:
    """A hook of a module that a graph does not know: what it is called for, and its function."""

    kind: str
    function: str


@dataclass(frozen=True, slots=True)
class RepeatedNodes:
    """Nodes that a backward has several times; ``told`` says which, and how often, in words."""

    told: str


# What comes and goes: modules with parameters; a parametrization, by which weights are computed
# from other parameters; nodes through which weights go and nothing else does; other operations;
# what a log names the first node of only.
Part = Literal["modules", "parametrization", "weights", "operations", "unknown"]


@dataclass(frozen=True, slots=True)
class OtherNodes:
    """A part of the graph that is not in every backward."""

    part: Part

    @property
    def computes_weights(self) -> bool:
        """Return whether it may come of a parametrization, or a pruning, that begins later."""
        return self.part in ("parametrization", "weights")


@dataclass(frozen=True, slots=True)
class OtherStart:
    """A backward that starts elsewhere, is asked for other gradients, or is another call."""

    kind: Literal["root", "inputs", "call"]


@dataclass(frozen=True, slots=True)
class KeptGradient:
    """`retain_grad()`, which a compiled backward cannot run."""


@dataclass(frozen=True, slots=True)
class TorchsHooks:
    """Hooks that a function of torch's registers, such as ``checkpoint``, by its name."""

    maker: str


@dataclass(frozen=True, slots=True)
class CalledInForward:
    """An autograd function that a compiled forward calls."""


@dataclass(frozen=True, slots=True)
class TiedParameter:
    """A parameter that becomes another one's, or its own again."""


# What a cause is about, a class for each family: what comes after the rules reads it, and no text.
Detail = (
    GuardedValue
    | LackedGradients
    | SetLater
    | PassedFlag
    | BakedNumber
    | BakedIndex
    | ShortBatch
    | OtherLayout
    | MadeAlike
    | TensorSubclass
    | SeveralModules
    | PinnedTo
    | CarriedState
    | SplitGraph
    | KeptByHook
    | MadeAgain
    | SharedSetting
    | MadeDynamic
    | SideJob
    | DictKeys
    | ToggledHooks
    | UnknownHook
    | RepeatedNodes
    | OtherNodes
    | OtherStart
    | KeptGradient
    | TorchsHooks
    | CalledInForward
    | TiedParameter
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause, with all that came of it.

    ``severity``: ``error`` for wrong numbers or a crash, ``warning`` for time lost, ``info``
    for what is worth knowing. ``message`` and ``remedy`` name the values and names of this run.
    ``key`` is what tells it from others of its rule in one function, the same in every run.
    ``is_note``: it is expected or nobody can change it, so that the remedy says why there is
    nothing to do. ``location`` is the line to edit, ``noticed_at`` the line where it showed, such
    as the call of the backward. ``known_by`` says how the line to edit is known; else
    ``location`` is only the nearest line that is, and ``candidates`` are the lines of which one
    may be it.
    ``captures`` (``!3``) and ``compile_ids`` (``3/1``, ``!5/7/1``) are the events that this cause
    explains, those of several processes joined and listed once; ``processes`` says whose.
    ``count`` is how often it happened, summed over processes. ``seconds`` is what those events
    cost beyond a hit, None if the log has no times; ``phases`` splits it (``capture``,
    ``dynamo``, ``aot``, ``backend``, ``other``). ``saves`` is what its fix
    alone saves where that is more or less (``diagnosis.savings``): ``spared`` events of the causes
    ``saves_of`` go with it, or stay for them if it is negative. ``loops`` is
    what the user's loop called the backwards of those events, each name once, in the order of the
    events and cut at a bound; empty if it called them nothing.
    ``other_rules`` holds the less specific rules that fit the same events. ``chain`` tells
    a cascade from its cause to its last consequence, in words. ``subject`` is what varied, where
    the rule says so; ``detail`` are the facts of its family. ``events`` are the objects of
    the model that are summed up here; they do not count when findings are compared. They are
    another finding's as well, which has their seconds, where ``is_shared``: two causes that show in
    the same captures only, so that it takes both remedies. ``names`` are those of the user's call,
    where guards know its arguments by their place or key only.
    """

    rule: About
    severity: Severity
    message: str
    remedy: Remedy
    key: str = ""
    location: Frame | None = None
    noticed_at: Frame | None = None
    known_by: KnownBy | None = None
    candidates: tuple[Frame, ...] = ()
    captures: tuple[str, ...] = ()
    compile_ids: tuple[str, ...] = ()
    count: int = 1
    seconds: float | None = None
    saves: float | None = None
    saves_of: tuple[About, ...] = ()
    spared: int = 0
    is_shared: bool = False
    is_note: bool = False
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = "high"
    other_rules: tuple[About, ...] = ()
    chain: str | None = None
    processes: tuple[int, ...] = ()
    phases: Mapping[str, float] = field(default_factory=dict)
    loops: tuple[LoopPosition, ...] = ()
    subject: Subject = field(default=Subject(), compare=False)
    detail: Detail | None = field(default=None, compare=False)
    events: tuple[Event, ...] = field(default=(), compare=False, repr=False)
    names: ArgumentNames = field(default=ArgumentNames(), compare=False, repr=False)

    @property
    def is_located(self) -> bool:
        """Return whether the line to edit is known."""
        return self.known_by is not None

    @property
    def code(self) -> str:
        """Return ``CA101``."""
        return self.rule.code

    @property
    def fix(self) -> str:
        """Return the sentence of its remedy."""
        return self.remedy.sentence

    @property
    def guarded_value(self) -> GuardedValue | None:
        """Return the Python value that forwards were compiled for; None if it is about none."""
        return self.detail if isinstance(self.detail, GuardedValue) else None

    @property
    def baked(self) -> BakedNumber | None:
        """Return the numbers that backwards keep; None if it has none, or the log has none."""
        known = self.detail
        return known if isinstance(known, BakedNumber) and known.values else None

    @property
    def failure(self) -> Failure | None:
        """Return the exception out of a compile that it is about; None if it is about none.

        Of several equal ones, one that ended a process.
        """
        every = [one for one in self.events if isinstance(one, Failure) and one.stage != "program"]
        return max(every, key=lambda one: one.outcome == "ended", default=None)

    @property
    def name(self) -> str:
        """Return ``last-batch``."""
        return self.rule.name

    @property
    def worth(self) -> float:
        """Return the seconds that its fix saves, by which findings are ranked; 0 if unknown."""
        return (self.seconds if self.saves is None else self.saves) or 0.0


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings of a run, those whose fix saves most first, and how many were silenced by code.

    What needs no fix comes last (`Finding.is_note`).

    ``failed_rules`` are those that raised, with the exception: a bug
    in a rule, or a log of a kind that nobody thought of. The other rules' findings stand.
    ``quiet`` are the silenced findings themselves.
    """

    findings: tuple[Finding, ...] = ()
    silenced: Mapping[str, int] = field(default_factory=dict)
    failed_rules: tuple[str, ...] = ()
    quiet: tuple[Finding, ...] = ()

    @property
    def fixes(self) -> tuple[Finding, ...]:
        """Return the findings that somebody can act on."""
        return tuple(found for found in self.findings if not found.is_note)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """Return the findings that need nothing."""
        return tuple(found for found in self.findings if found.is_note)
