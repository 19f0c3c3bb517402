"""Models a log in dataclasses: the input of every rule and every output, which change none.

Nothing here reads or prints. ``None`` means "this log cannot tell"; it never means zero.
All durations are seconds, all ``time`` fields seconds since the epoch.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import orjson

from ca_engine import guards, schema
from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.logs.damage import Damage
from ca_reports.logs.fields import (
    arguments,
    counts,
    duration,
    integer,
    message,
    moment,
    no_entries,
    plain,
    read_by,
    text,
    texts,
    truth,
    versions,
)
from ca_reports.logs.stored import StoredText
from ca_reports.program.files import RecordedSource
from ca_reports.program.stack import Frame, FunctionPass, in_torch, is_wrapper, own_frame
from ca_reports.run.compiler_settings import CompilerSettings
from ca_reports.run.frames import own_frames
from ca_reports.run.recorded import CaptureSeconds, Change, Lifted, Node, RecordedCapture
from ca_reports.run.refusals import LIMIT_IS_ERROR, refusal

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator, Mapping

    from ca_engine.guards import Guard
    from ca_reports.run.background import BackgroundGraph
    from ca_reports.run.cached import CacheFileUse, CacheLookup, Profile, TritonKernel
    from ca_reports.run.cells import Cell
    from ca_reports.run.held import Held, RecordedGuards
    from ca_reports.run.late_hooks import LateHook
    from ca_reports.run.loop import LoopPosition, Positions
    from ca_reports.run.lowered import RecordedLowering
    from ca_reports.run.pinned import PinnedSize

__all__ = [
    "Backwards",
    "Capture",
    "CaptureSeconds",
    "Change",
    "Compile",
    "CudaGraph",
    "End",
    "Event",
    "EventKey",
    "Failure",
    "Frame",
    "GraphBreak",
    "Hazard",
    "Lifted",
    "Node",
    "Outcome",
    "Process",
    "Recorded",
    "Run",
    "Stage",
    "Trial",
    "own_frame",
]


def _stage(value: object) -> Stage | None:
    """Return ``value`` if it names a stage."""
    return next((one for one in get_args(Stage) if one == value), None)


_ADDRESS = expression(r"\b0x[0-9a-f]+")

# What makes two events the same one within a run: the kind first, then its process.
EventKey = tuple[object, ...]

# Kinds of records of which a log has all or not, as text was logged with or without them.
LogKind = Literal["captures", "compiles", "recompiles", "graph_breaks", "times"]
ALL_KINDS: frozenset[LogKind] = frozenset(get_args(LogKind))

# Where an exception came from: a compile, a capture, the code of a compiled graph, or none of them.
Stage = schema.ErrorOrigin
# What became of the process: the exception ended it; the program caught it; Dynamo did, as it was
# told to, and the function runs uncompiled; or the log does not say.
Outcome = Literal["ended", "caught", "suppressed", "unknown"]


@dataclass(frozen=True, slots=True)
class Capture(RecordedCapture):
    """One capture of a backward by compiled autograd: one miss of its cache.

    What our record lacks, or a log without it, is filled from torch's own records: ``reason``
    and what it says, ``time``, ``stack`` and ``seconds``. ``graph`` is the captured graph as
    Python code (``graph_complete`` False: the form before reordering, because the process died
    before the final one was written). ``run_count`` is how many backwards ran it, the miss
    included. ``nearest_module`` is the parameter or module nearest to what changed, ``forward``
    the line of the forward that made what changed, ``lines`` that of each node by its NodeCall
    index, as far as they were noted. ``lowering`` is how its graph reached the backend, where
    lowering was on. ``autograd_json`` are the visited autograd nodes, one a line.
    """

    id: int
    process: int
    rank: int | None
    pid: int | None
    file: str
    line: int
    nearest_module: str | None = None
    forward: Frame | None = None
    lines: Mapping[int, Frame] = field(default_factory=no_entries, compare=False, repr=False)
    graph: StoredText | None = None
    graph_complete: bool = True
    autograd_json: StoredText | None = None
    compile_ids: tuple[str, ...] = ()
    run_count: int | None = None
    lowering: RecordedLowering | None = None

    @property
    def label(self) -> str:
        """Return the id as torch writes it: ``!3``."""
        return f"!{self.id}"

    @property
    def key(self) -> EventKey:
        """Return its identity within the run."""
        return ("capture", self.process, self.id)

    @property
    def is_recapture(self) -> bool:
        """Return whether this backward was captured although an earlier capture was there."""
        return self.kind != "first"

    @property
    def backward_call(self) -> Frame | None:
        """Return the innermost user frame of the backward call (see `own_frame`)."""
        return own_frame(self.stack)

    @property
    def autograd_lines(self) -> list[bytes]:
        """Return the JSON of each visited node (``schema.AutogradNode``); empty if unknown."""
        return [] if self.autograd_json is None else self.autograd_json.data.split(b"\n")

    @property
    def autograd_graph(self) -> list[dict[str, Any]]:
        """Return the same, decoded."""
        return [orjson.loads(line) for line in self.autograd_lines]


_parsed = lru_cache(maxsize=1024)(guards.parse)


# Not frozen: `build` fills it in while its records come, and hands out finished copies.
@dataclass(slots=True)
class Compile:
    """One compile by Dynamo, whatever its number of attempts.

    ``compile_id`` is torch's: ``3/0`` for user code, ``!5/7/1`` in a backward of capture 5.
    ``capture`` is set for what Dynamo makes of a capture's graph, with its hooks and what is left
    of it after a break. Code of the program's that a captured backward runs again, as a checkpoint
    does, has such an id, too, but is the program's: ``capture`` is None.
    ``recompile_reason`` is set if an earlier compile of the same code was there and its
    guards failed. ``location`` is the code that was compiled, or for a captured graph the
    user's frame that called backward. ``graphs`` counts the FX graphs that came out.
    ``phases`` splits ``seconds``, as far as torch's metrics tell: ``dynamo``, ``aot``,
    ``backend``; they add up to no more than ``seconds``. ``line`` is that of its first record.
    ``guards`` is torch's text about all guards of the compiled code (``guardtree``).
    ``resumes`` is where the code goes on after a graph break, if it is what was left of a function:
    that function, at the line of the break. ``cache`` counts hits and misses of torch's caches
    (``fx_hit``, ``fx_miss``, ``aot_hit``, ``aot_miss``), ``saved`` the seconds that hits saved.
    ``bypasses`` say which cache was not asked, and why. ``inductor`` are the seconds of the
    backend's that inductor took, ``kernels`` those that Triton and the C++ compiler did.
    ``code`` is the compiled code itself, torch's too.
    ``failed`` says that an exception ended it, ``fail_type`` and ``fail_reason`` which: ``raised``
    to the caller, ``suppressed`` by ``torch._dynamo.config.suppress_errors``, or ``in_backward``,
    where AOTAutograd compiles the backward of a forward that was compiled before. A graph break or
    a limit that leaves the function to Python is none, though they have a ``fail_reason`` too.
    ``fail_line`` is the user's line that was traced by then.
    ``internal`` compiles are of code that torch calls around a captured graph: no one's to
    change, and in no count. ``held`` says what called the code and with which arguments, and what
    the failed guards' sources held by then, if our recorder was there. ``inputs`` are the sizes of
    its first graph's inputs that are no parameters, the symbol of a dynamic one, by their names
    without signs. ``within`` is the method of an `autograd.Function` that the code was called in,
    None if it was called in none. ``settings`` are those of Dynamo's that were in force.
    ``pinned`` are the dynamic sizes that its code made constants of, in that order.
    ``graph_lines`` are the program's lines that its first graph's values were made at, by their
    names there, if the parts of keys were asked for. ``graph_code`` is torch's text of its first
    graph, of the first few compiles of each code. ``read_after_change`` are lines that change a
    tensor in place which the compiled backward then reads as it was before; None for one that
    torch does not name.
    """

    compile_id: str
    process: int
    rank: int | None
    pid: int | None
    capture: int | None
    recompile_reason: str | None = None
    location: Frame | None = None
    stack: tuple[Frame, ...] = ()
    seconds: float | None = None
    time: float | None = None
    fail_type: str | None = None
    fail_reason: str | None = None
    fail_line: Frame | None = None
    failed: Literal["raised", "suppressed", "in_backward"] | None = None
    attempts: int = 1
    graphs: int = 0
    phases: Mapping[str, float] = field(default_factory=no_entries)
    line: int = 0
    guards: StoredText | None = None
    internal: bool = False
    held: RecordedGuards | None = None
    code: Frame | None = None
    resumes: Frame | None = None
    cache: Mapping[str, int] = field(default_factory=no_entries)
    saved: float | None = None
    kernels: float | None = None
    inductor: float | None = None
    bypasses: tuple[str, ...] = ()
    inputs: Mapping[str, tuple[int | str | None, ...]] = field(default_factory=no_entries)
    within: FunctionPass | None = None
    pinned: tuple[PinnedSize, ...] = ()
    graph_lines: Mapping[str, Frame] = field(default_factory=no_entries)
    graph_code: StoredText | None = None
    read_after_change: tuple[Frame | None, ...] = ()
    settings: CompilerSettings = field(default=CompilerSettings())

    def argument(self, name: str) -> Held | None:
        """Return what an argument of the frame held; None where that was not recorded."""
        return None if self.held is None else self.held.argument(name)

    @property
    def is_wrapped(self) -> bool:
        """Return whether Dynamo compiled a wrapper of its own around what the user's line calls."""
        return self.code is not None and is_wrapper(self.code.file)

    @property
    def failed_guards(self) -> tuple[Guard, ...]:
        """Return the guards of its reason that failed, in torch's order; never empty."""
        return _parsed(self.recompile_reason or "")

    @property
    def key(self) -> EventKey:
        """Return its identity within the run."""
        return ("compile", self.process, self.compile_id)

    @property
    def has_failed_guards(self) -> bool:
        """Return whether an earlier compile's guards failed, in code that somebody can change."""
        return bool(self.recompile_reason) and not self.internal

    @property
    def is_refused(self) -> bool:
        """Return whether a recompile limit was reached: nothing was compiled."""
        if self.fail_type == LIMIT_IS_ERROR:
            return True
        return self.fail_reason is not None and refusal(self.fail_reason) is not None

    @property
    def is_recompile(self) -> bool:
        """Return whether it was compiled because an earlier compile's guards failed."""
        return self.has_failed_guards and not self.is_refused

    @property
    def is_forward(self) -> bool:
        """Return whether it compiled code of a program's, which is no captured backward."""
        return self.capture is None and not self.internal

    @property
    def is_of_evaluation(self) -> bool:
        """Return whether it was seen to be compiled where no gradients are kept.

        A captured graph is compiled in a backward, which keeps none either.
        """
        held = self.held
        if held is None or self.capture is not None:
            return False
        return held.gradients is False and not held.optimizer

    @property
    def own_object(self) -> int | None:
        """Return the identity of its method's object; None for a function, and if unknown."""
        return None if self.held is None else self.held.own_object

    @property
    def ran_in(self) -> int | None:
        """Return the capture whose backward ran it when compiled; None outside of captures."""
        first = self.compile_id.partition("/")[0]
        return int(first[1:]) if first.startswith("!") and first[1:].isdecimal() else None

    @property
    def code_number(self) -> str:
        """Dynamo's number of the code: ``0`` of ``0/3``, ``!5/7`` of ``!5/7/1``.

        What the program runs again in a captured backward has the number that it has elsewhere.
        """
        own = self.compile_id.rpartition("/")[0]
        return own if self.capture is not None else own.rpartition("/")[2]

    @property
    def function(self) -> int:
        """Dynamo's number of the function: the 7 of ``!5/7/1``.

        A captured graph is one function; what is left of it after a graph break is another.
        """
        parts = self.compile_id.split("/")
        return int(parts[-2]) if len(parts) > 1 and parts[-2].isdecimal() else 0


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """A graph break, once for each cause; ``compile_id`` is that of the first one.

    ``reason`` is torch's name of the kind (``gb_type``), ``number`` its number in torch's registry
    (``GB0124``), where the version of torch gives one; ``context`` often names what was called.
    ``given_up``: Dynamo runs the whole function
    in Python, not only this place; ``in_loop``: because the break is in a loop. ``skipped`` is that
    function where torch names it. ``in_operator``: the break is in a function that is given to one
    of torch's, such as `checkpoint`, which is compiled whole or not at all. ``in_step``: the
    function that it splits also calls backward. ``is_error``: the compile ended there with an
    error, as with ``fullgraph=True``. ``capture`` is that of the captured graph which it is in.
    """

    compile_id: str | None
    process: int
    reason: str
    explanation: str | None
    location: Frame | None
    stack: tuple[Frame, ...]
    count: int
    number: str | None = None
    hints: tuple[str, ...] = ()
    context: str | None = None
    given_up: bool = False
    in_loop: bool = False
    in_step: bool = False
    is_error: bool = False
    capture: int | None = None
    skipped: Frame | None = None
    in_operator: bool = False

    @property
    def key(self) -> EventKey:
        """Return its identity within the run."""
        return ("graph_break", self.process, *self.cause)

    @property
    def in_backward(self) -> bool:
        """Return whether it is in a captured backward; else it is in code of the user's."""
        return self.capture is not None

    @property
    def cause(self) -> tuple[str, Frame | None, str]:
        """Return what it has in common with the others of its process that are counted with it.

        Breaks of several causes can be at one line of torch's with one reason: the explanation,
        without the addresses in it, sets them apart. Of one that torch meets in code of its own, in
        a forward, the line that leads there counts.
        """
        place = self.location
        if place is not None and in_torch(place.file) and not self.in_backward:
            outside = (frame for frame in reversed(self.stack) if not in_torch(frame.file))
            place = next(outside, place)
        return self.reason, place, _ADDRESS.sub("", self.explanation or "")


@dataclass(frozen=True, slots=True)
class Backwards:
    """The backwards of one process as columns, in the order in which they ran.

    Row i ran capture ``capture[i]`` at ``start[i]`` for ``seconds[i]``; ``miss`` and
    ``failed`` are 0 or 1. ``steps`` holds each row's step. The columns are cut at a bound
    (``bounds``); ``count``, ``hits`` and ``failures`` never are. ``loops`` holds what the
    user's loop called each row, None if it called none anything.
    """

    steps: array[int]
    capture: array[int]
    start: array[float]
    seconds: array[float]
    miss: array[int]
    failed: array[int]
    count: int
    hits: int
    failures: int
    loops: Positions | None = None

    def __len__(self) -> int:
        """Return the number of rows kept."""
        return len(self.capture)

    def loop_of(self, step: int | None) -> LoopPosition | None:
        """Return what the user's loop called the backward with that number; None if unknown."""
        if self.loops is None or step is None:
            return None
        row = bisect_left(self.steps, step)
        # Backwards within backwards end, and so are written, in another order.
        if row == len(self.steps) or self.steps[row] != step:
            try:
                row = self.steps.index(step)
            except ValueError:
                return None
        return self.loops.at(row)


@dataclass(frozen=True, slots=True)
class CompiledCall:
    """A call of what `torch.compile` returned: when it began, and until it returned (``ca_calls``).

    ``callable`` tells apart what was called, ``place`` is the user's line that called it.
    """

    callable: int
    time: float
    seconds: float
    place: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class GraphSizes:
    """The sizes of a compiled graph's inputs in all its calls: ``schema.SizesRecord``."""

    graph: str
    inputs: Mapping[str, tuple[int | str, ...]]
    symbols: tuple[str, ...]
    sizes: tuple[tuple[int, ...], ...]
    calls: tuple[int, ...]
    steps: tuple[float | None, ...]
    seconds: tuple[float | None, ...]
    digits: int | None = None
    left_out: int = 0
    first_call: int | None = None
    last_call: int | None = None

    @property
    def code_number(self) -> str:
        """Dynamo's number of the code: ``0`` of ``0/3``."""
        return self.graph.rpartition("/")[0]

    @property
    def is_eager(self) -> bool:
        """Return whether Python ran these calls: they are of no graph."""
        return self.graph.rpartition("/")[2] == schema.EAGER_GRAPH


@dataclass(frozen=True, slots=True)
class Hazard:
    """A backward that is not what it looks like, once per kind and place (``ca_hazard``).

    ``kind`` is one of ``schema.HazardKind``, ``then``/``now`` the modes that differ.
    ``step`` is the first such backward, ``capture`` whose graph it ran, ``stack`` where it
    was called. ``count`` is how many there were; at least that many if the process was
    killed before it could say.
    """

    process: int
    file: str
    line: int
    kind: str = read_by(lambda value: text(value) or "")
    id: int | None = read_by(integer)
    step: int | None = read_by(integer)
    capture: int | None = read_by(integer)
    then: Any = read_by(plain)
    now: Any = read_by(plain)
    option: Any = read_by(plain)
    error: str | None = read_by(text)
    error_origin: Stage | None = read_by(_stage)
    lines: tuple[Frame, ...] = read_by(own_frames)
    stack: tuple[Frame, ...] = read_by(own_frames)
    count: int = 1

    @property
    def key(self) -> EventKey:
        """Return its identity within the run."""
        return ("hazard", self.process, self.line)

    @property
    def backward_call(self) -> Frame | None:
        """Return the innermost user frame of the backward call (see `own_frame`)."""
        return own_frame(self.stack)


@dataclass(frozen=True, slots=True)
class CudaGraph:
    """One recording of a CUDA graph by torch: what ``compile_id`` compiled, for replays.

    ``number`` counts the recordings of one compile from 0; ``time`` is when it ended.
    ``location`` is that of the compile, ``line`` that of its record.
    """

    process: int
    compile_id: str
    number: int
    time: float
    seconds: float
    location: Frame | None
    line: int

    @property
    def key(self) -> EventKey:
        """Return its identity within the run."""
        return ("cuda graph", self.process, self.compile_id, self.number)

    @property
    def is_rerecord(self) -> bool:
        """Return whether this compile was recorded before."""
        return self.number > 0


@dataclass(frozen=True, slots=True)
class CudaGraphSkip:
    """A compiled graph that runs without the CUDA graph that was asked for.

    ``reason`` is torch's, without the stack behind it, whose frames of the user's are ``stack``,
    outermost first. ``compile_id`` is None where a text lacks it. ``location`` is that of the
    compile, ``line`` that of the record.
    """

    reason: str
    stack: tuple[Frame, ...]
    compile_id: str | None
    location: Frame | None
    line: int


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of a process, once, however many records tell of it (``facts.failures``).

    ``text`` is type and text, cut. ``capture`` and ``compile_id`` are what it came out of, and
    ``function`` is the name of what was compiled, as far as they are known; ``in_backward``: while
    a backward ran. ``location`` is the line that was traced or run by then, else the function
    that was compiled, or the call of the backward; ``called_from`` the line that called it.
    ``captures`` failed with it: such a one is not kept, and tried again at each step. ``seen`` says
    in words which record told of it first; ``file`` and ``line`` where that is. ``suppressed``:
    Dynamo was told to keep it from the program; ``ended``: it ended the process.
    """

    stage: Stage
    text: str
    seen: str
    file: str
    line: int = 0
    capture: int | None = None
    compile_id: str | None = None
    function: str | None = None
    location: Frame | None = None
    called_from: Frame | None = None
    in_backward: bool = False
    suppressed: bool = False
    ended: bool = False
    captures: tuple[Capture, ...] = ()
    count: int = 1
    process: int = 0
    number: int = 0
    outcome: Outcome = "unknown"

    @property
    def key(self) -> EventKey:
        """Return its identity within the run."""
        return ("failure", self.process, self.number)

    @property
    def type(self) -> str:
        """Return the exception's class: ``BackendCompilerFailed``."""
        return self.text.partition(":")[0]

    @property
    def is_interruption(self) -> bool:
        """Return whether the user pressed Ctrl-C."""
        return self.type == KeyboardInterrupt.__name__

    @property
    def may_have_ended(self) -> bool:
        """Return whether it ended its process, or may have for all that the log says."""
        return self.outcome in ("ended", "unknown")


Event = Capture | Compile | GraphBreak | Hazard | CudaGraph | Failure


@dataclass(frozen=True, slots=True)
class End:
    """The end of a process, from ``ca_end``.

    ``backwards`` counts those that hit, were captured, and whose capture failed;
    ``unique_graphs`` is Dynamo's count of the graphs it compiled, forward ones included.
    ``error`` is the type of an uncaught exception, ``error_text`` type and text, and
    ``error_stack`` the user's frames that it came through; ``error_origin`` is where it came from,
    and ``error_cause`` the exception that did, where the program raised another one because of it.
    ``aot_cache`` are torch's
    counters of AOTAutogradCache (``hit``, ``miss``, ``bypass``, ``saved``), ``fx_cache`` those of
    FxGraphCache (``write_error``). ``devices`` are the GPUs that it used, with their names.
    ``recompile_limit`` is that of the main thread by then.
    """

    time: float | None = read_by(moment)
    backwards: int | None = read_by(integer)
    captures: int | None = read_by(integer)
    failed_captures: int | None = read_by(integer)
    hits: int | None = read_by(integer)
    unique_graphs: int | None = read_by(integer)
    error: str | None = read_by(text)
    error_text: str | None = read_by(message)
    error_stack: tuple[Frame, ...] = read_by(own_frames)
    error_origin: Stage | None = read_by(_stage)
    error_cause: str | None = read_by(message)
    aot_cache: Mapping[str, int] = read_by(counts)
    fx_cache: Mapping[str, int] = read_by(counts)
    devices: tuple[str, ...] = read_by(texts)
    recompile_limit: int | None = read_by(integer)


@dataclass(frozen=True, slots=True)
class JobGroup:
    """``schema.GroupRecord``: the group of ranks that a process is in."""

    backend: str | None = read_by(text)
    ranks: int | None = read_by(integer)
    timeout: float | None = read_by(duration)
    shares_sizes: bool | None = read_by(truth)


@dataclass(frozen=True, slots=True)
class TensorSum:
    """A sum over ``tensors`` of absolute values, and one of their bits: ``schema.TrialRecord``."""

    tensors: int
    magnitude: float | str
    bits: int


@dataclass(frozen=True, slots=True)
class TrialCalls:
    """How the outermost calls of compiled functions ran: ``schema.TrialCallsRecord``."""

    compiled: int = 0
    eager: int = 0
    compiled_seconds: float | None = None
    eager_seconds: float | None = None

    @property
    def all(self) -> int:
        """Return the number of all of them."""
        return self.compiled + self.eager


# Steps without a compile of which one is likely to have run undisturbed.
FEWEST_STEPS = 3


@dataclass(frozen=True, slots=True)
class Trial:
    """A short run of ``ca try``: ``schema.TrialRecord``."""

    starts: tuple[float, ...]
    losses: tuple[float | str, ...]
    stopped: bool
    gradients: tuple[TensorSum, ...] = ()
    weights: tuple[TensorSum, ...] = ()
    buffers: tuple[TensorSum, ...] = ()
    asking: tuple[int, ...] = ()
    asking_names: tuple[str, ...] = ()
    compiles: tuple[int, ...] = ()
    skipped: int = 0
    calls: TrialCalls = TrialCalls()
    results: tuple[TensorSum, ...] = ()
    call_seconds: tuple[float, ...] = ()
    call_compiles: tuple[int, ...] = ()

    def ordinary_seconds(self) -> float | None:
        """Return the shortest time of steps in which nothing was compiled; None of too few.

        On a busy machine the median of a few tells how busy it was. What the trial itself took is
        left out of the times: a step of which nothing remains was not measured.
        """
        moments = list(zip(self.starts, self.compiles, strict=False))
        steps = [
            after - before
            for (before, compiled), (after, since) in pairwise(moments)
            if compiled == since and after > before
        ]
        return min(steps) if len(steps) >= FEWEST_STEPS else None


@dataclass(frozen=True, slots=True)
class Process:
    """One process of a run: its trace file and all that was in it.

    ``recorded`` says whether our own ``ca_run`` record was there; without it the log is
    torch's own, and hits and most reasons cannot be known. ``environment`` are the variables at its
    start that caches depend on. ``from_text`` says that all of
    it is TORCH_LOGS text, which has no times and no stacks; ``holds`` are the kinds of which it has
    every record: of the others a warning may tell some, and none does not mean none. ``last`` is
    the last moment that anything is known of, such as the end of a compile. ``backwards`` and
    ``end`` are None if no such record was read. ``step_starts`` says when each backward began that
    compiled autograd had no part in, or each step that was named. ``calls`` are some of the calls
    of compiled functions before and after each recompile, ``graph_sizes`` the sizes in all calls of
    each compiled graph, ``late_hooks`` the hooks of modules that a graph ran without.
    ``background`` has the graphs that inductor was to compile in another process.
    ``noted_forwards`` are the steps whose
    forward's lines were noted with ``--forward-stacks``. ``flag`` says that
    ``torch._dynamo.config.compiled_autograd`` was set during a compile. ``gpu_waits`` are the
    seconds for which ``gpus`` had nothing to do during a capture (``!3``) or a compile (``3/0``),
    ``core_waits`` those for which either had no core.
    ``cache_lookups`` are those of torch's caches of compiled graphs, ``kernels`` the Triton
    kernels that their code loaded, ``profiles`` what PGO loaded and kept; ``cache_file`` what
    `ca run --cache FILE` did. ``is_running`` says that it had not ended when its file was read,
    as far as this machine can tell; ``cells`` are those of the notebook that it is the kernel
    of, in the order in which they ran. ``group`` is the group of ranks that it is in, None
    outside of one. ``raised`` are exceptions out of a compile that only a traceback in a text
    tells of.
    """

    index: int
    file: str
    rank: int | None
    pid: int | None
    records: int
    recorded: bool = False
    from_text: bool = False
    holds: frozenset[LogKind] = ALL_KINDS
    start: float | None = None
    last: float | None = None
    engine: str | None = read_by(text)
    engine_needs: str | None = read_by(text)
    enabled: bool | None = read_by(truth)
    flag: bool = False
    backend: str | None = read_by(text)
    dynamic: bool | None = read_by(truth)
    argv: tuple[str, ...] = read_by(arguments)
    cwd: str | None = read_by(text)
    host: str | None = read_by(text)
    # Before `versions`, which hides the reader of its name.
    environment: Mapping[str, str] = read_by(versions)
    versions: Mapping[str, str] = read_by(versions)
    captures: tuple[Capture, ...] = ()
    compiles: tuple[Compile, ...] = ()
    graph_breaks: tuple[GraphBreak, ...] = ()
    graph_breaks_left_out: int = 0
    cuda_graphs: tuple[CudaGraph, ...] = ()
    cuda_graph_skips: tuple[CudaGraphSkip, ...] = ()
    cache_lookups: tuple[CacheLookup, ...] = ()
    kernels: tuple[TritonKernel, ...] = ()
    profiles: tuple[Profile, ...] = ()
    cache_file: CacheFileUse | None = None
    is_running: bool = False
    cells: tuple[Cell, ...] = ()
    group: JobGroup | None = None
    backwards: Backwards | None = None
    hazards: tuple[Hazard, ...] = ()
    late_hooks: tuple[LateHook, ...] = ()
    gpu_waits: Mapping[str, float] = field(default_factory=dict)
    core_waits: Mapping[str, float] = field(default_factory=dict)
    gpus: tuple[str, ...] = ()
    step_starts: array[float] | None = None
    calls: tuple[CompiledCall, ...] = ()
    graph_sizes: tuple[GraphSizes, ...] = ()
    background: tuple[BackgroundGraph, ...] = ()
    noted_forwards: tuple[int, ...] = ()
    trial: Trial | None = None
    raised: tuple[Failure, ...] = ()
    end: End | None = None

    @property
    def label(self) -> str:
        """Return ``rank 3``, else ``pid 4711``, else the process's number in this run."""
        if self.rank is not None:
            return f"rank {self.rank}"
        if self.pid is not None:
            return f"pid {self.pid}"
        return f"process {self.index}"

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all that may have cost time: captures, compiles, breaks, CUDA graphs."""
        return (*self.captures, *self.compiles, *self.graph_breaks, *self.cuda_graphs)

    @property
    def devices(self) -> tuple[str, ...]:
        """Return where its captured backwards ran, and the GPUs that it used; empty if unknown."""
        captured = [found.device for found in self.captures if found.device]
        used = self.end.devices if self.end is not None else ()
        return tuple(dict.fromkeys([*captured, *self.gpus, *used]))

    @property
    def seconds(self) -> float | None:
        """From its start to the last moment that anything is known of; None if unknown."""
        if self.start is None or self.last is None or self.last <= self.start:
            return None
        return self.last - self.start

    @property
    def trains(self) -> bool:
        """Return whether it ran backwards."""
        return bool(self.step_starts) or self.backwards is not None

    @property
    def has_compiled_autograd(self) -> bool:
        """Return whether compiled autograd was asked for, or ran."""
        end = self.end
        return bool(
            self.enabled
            or self.flag
            or self.captures
            or (self.backwards is not None and self.backwards.count)
            or self.hazards
            or (end is not None and (end.backwards or end.failed_captures))
        )

    @property
    def idle(self) -> bool:
        """Return whether it ran no backward, compiled nothing, and ended without an error."""
        end = self.end
        return self.has_compiled_nothing and not (
            self.backwards
            or self.hazards
            or self.trial
            or self.raised
            or (end is not None and (end.backwards or end.error))
        )

    @property
    def has_compiled_nothing(self) -> bool:
        """Return whether nothing was captured or compiled, and no graph broke."""
        return not (
            self.captures or self.compiles or self.graph_breaks or self.graph_breaks_left_out
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """``run.json``: what was started, and how it ended. ``folder`` is the run folder.

    ``script_folder`` is where the script lies, if that is not below ``cwd``.
    """

    folder: str
    command: tuple[str, ...] = read_by(arguments)
    script: str | None = read_by(message)
    script_folder: str | None = read_by(text)
    cwd: str | None = read_by(text)
    host: str | None = read_by(text)
    executable: str | None = read_by(text)
    versions: Mapping[str, str] = read_by(versions)
    engine: str | None = read_by(text)
    start: float | None = read_by(moment)
    end: float | None = read_by(moment)
    exit_code: int | None = None
    traces: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that was read, of one process or of many.

    ``paths`` are as the user named them; ``files`` those that were opened;
    ``recorded`` has one entry per run folder. ``damage`` is all that was lost, ``unread`` the
    number of places in it where compiles, captures or breaks may have been. ``helpers`` ran
    beside ``processes`` and have nothing to tell: the workers of a data loader, a launcher, a
    program that only imported torch. Only below ``source_roots`` may files be read that the logs
    name (``program.files``). ``source`` is what the runs have kept of it, by the file's name.
    ``is_shared`` says that this is `sharing.shared` of the run.
    """

    paths: tuple[str, ...]
    files: tuple[str, ...]
    processes: tuple[Process, ...]
    recorded: tuple[Recorded, ...] = ()
    damage: tuple[Damage, ...] = ()
    unread: int = 0
    helpers: tuple[Process, ...] = ()
    source_roots: tuple[str, ...] = ()
    source: Mapping[str, RecordedSource] = field(default_factory=dict)
    is_shared: bool = False

    @property
    def forward_only(self) -> bool:
        """Return whether compiled autograd was neither used nor asked for.

        Then compiles, recompiles and graph breaks are what a run is about.
        """
        return any(process.compiles or process.graph_breaks for process in self.processes) and (
            not any(process.has_compiled_autograd for process in self.processes)
        )

    @property
    def missing(self) -> frozenset[LogKind]:
        """Return the kinds of records of which a log of this run has not all."""
        return frozenset(kind for process in self.processes for kind in ALL_KINDS - process.holds)

    @property
    def internal_compiles(self) -> tuple[Compile, ...]:
        """Compile of what torch called around captured graphs, which are in no other count."""
        return tuple(found for found in self.compiles if found.internal and not found.is_refused)

    @property
    def forward_compiles(self) -> tuple[Compile, ...]:
        """Compile of user code, which is not a captured backward, without the refused ones."""
        return tuple(
            compiled
            for compiled in self.compiles
            if compiled.is_forward and not compiled.is_refused
        )

    @property
    def captures(self) -> tuple[Capture, ...]:
        """Return all captures, process by process, in the order of their ids."""
        return tuple(capture for process in self.processes for capture in process.captures)

    @property
    def compiles(self) -> tuple[Compile, ...]:
        """Return all of Dynamo's compiles, process by process, in the order of the log."""
        return tuple(compiled for process in self.processes for compiled in process.compiles)

    @property
    def recompiles(self) -> tuple[Compile, ...]:
        """Return the compiles that happened because guards of an earlier one failed."""
        return tuple(compiled for compiled in self.compiles if compiled.is_recompile)

    @property
    def graph_breaks(self) -> tuple[GraphBreak, ...]:
        """Return all graph breaks of user code."""
        return tuple(found for process in self.processes for found in process.graph_breaks)

    @property
    def recompiled_captures(self) -> tuple[Compile, ...]:
        """Return recompiles of captured graphs: cache hits that still recompiled."""
        return tuple(compiled for compiled in self.recompiles if compiled.capture is not None)

    @property
    def forward_recompiles(self) -> tuple[Compile, ...]:
        """Return recompiles of user code, which is not a captured backward."""
        return tuple(compiled for compiled in self.recompiles if compiled.is_forward)

    def compile_ids(self) -> frozenset[str]:
        """Return every capture (``!5``) and every compile (``!5/7/1``, ``3/0``) the log names."""
        return frozenset(self._ids())

    def _ids(self) -> Iterator[str]:
        for process in self.processes:
            yield from (capture.label for capture in process.captures)
            yield from (compiled.compile_id for compiled in process.compiles)
