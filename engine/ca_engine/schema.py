"""The records that `ca_engine` writes into torch's structured trace.

Standard library only: the engine writes these records inside the user's process,
`ca_reports` reads them anywhere else, and both take the names from here.

Each record is an ``artifact`` of torch's trace (``torch._logging.trace_structured``)
with ``"encoding": "json"`` and one of the names below, so every reader of that format
keeps working on our logs. Every payload carries ``schema_version``. Readers must accept
missing and additional keys: only what is listed as required in a class may be relied on,
and only for records of the same major version.

Times called ``time`` are seconds since the epoch (float); all durations are seconds.
A *step* is the zero-based number, in one process, of a backward that reached
compiled autograd, counting hits and misses alike. What the user's own loop calls a step
(``ca_engine.step``, the callbacks for Lightning and Transformers) is a *loop position*.
"""

from __future__ import annotations

from typing import Literal, TypedDict

SCHEMA_VERSION = 1

RUN_RECORD = "ca_run"
CAPTURE_RECORD = "ca_capture"
BACKWARDS_RECORD = "ca_backwards"
HAZARD_RECORD = "ca_hazard"
FORWARD_RECORD = "ca_forward"
GROUP_RECORD = "ca_group"
END_RECORD = "ca_end"
GUARDS_RECORD = "ca_guards"
TRIAL_RECORD = "ca_trial"
CACHE_FILE_RECORD = "ca_cache_file"
LOWERING_RECORD = "ca_lowering"
GPU_WAITS_RECORD = "ca_gpu_waits"
CORE_WAITS_RECORD = "ca_core_waits"
STEPS_RECORD = "ca_steps"
CALLS_RECORD = "ca_calls"
SIZES_RECORD = "ca_sizes"
BACKGROUND_RECORD = "ca_background"
CELLS_RECORD = "ca_cells"
LATE_HOOK_RECORD = "ca_late_hook"
CUDAGRAPH_SKIP_RECORD = "ca_cudagraph_skip"

# In torch's text about the guards of a captured graph (``dynamo_cpp_guards_str``), a line at its
# end counts those that our traces leave out: "Left out by ca: 745 DIMENSION_DYNAMIC_MARKING_GUARD".
LEFT_OUT = "Left out by ca: "
# Stands in a long text of a cache's key for its middle.
CUT = "\N{HORIZONTAL ELLIPSIS}"
MARKING_GUARD = "DIMENSION_DYNAMIC_MARKING_GUARD"

# In torch's records of its caches' look-ups (``fx_graph_cache_miss``, …) our traces have this in
# place of ``components``: Base85 of zlib's of the JSON of `PackedComponents`.
PACKED_COMPONENTS = "ca_components"

CaptureKind = Literal["first", "new_autograd_node", "changed_shapes", "unknown"]


class _PackedComponents(TypedDict):
    first: bool
    changed: list[list[str]]
    gone: list[str]


class PackedComponents(_PackedComponents, total=False):
    """Parts of a cache's key, as ``[name, hash, text]``; without the text where an earlier record
    of the process has it for that hash. ``first``: ``changed`` has all of them. Else they are those
    of the process's first look-up, less those that are ``gone``, with those that ``changed``. The
    first also has the ``folder`` of inductor's caches and the variables of the ``environment`` that
    these depend on.
    """

    folder: str
    environment: dict[str, str]


class FrameRecord(TypedDict):
    """One Python frame; ``code`` is the source line, stripped, or empty if unreadable."""

    file: str
    line: int
    function: str
    code: str


class LoopPositionRecord(TypedDict):
    """Name of a backward in the user's loop; None for each part that it did not give."""

    step: int | None
    epoch: int | None
    phase: str | None


class NodeRef(TypedDict):
    """An autograd node by its C++ NodeCall index and name, as torch's texts number it."""

    index: int
    name: str


class LiftedValue(TypedDict):
    """A size or scalar that became an input of the captured graph.

    ``index`` counts in the list of lifted sizes (or scalars) of the capture; ``value`` is
    what it was at this capture; ``node`` is the autograd node that owns it, if known.
    """

    index: int
    value: float
    node: NodeRef | None


class _SavedTensor(TypedDict):
    shape: list[int]
    dtype: str
    alias: int


class SavedTensor(_SavedTensor, total=False):
    """A tensor that an autograd node saved. ``alias`` is equal for the same tensor object.

    ``layout`` is there of one that is not strided: ``sparse_coo``.
    """

    layout: str


class HookRef(TypedDict):
    """A hook of a node. ``kind`` is the compiler's method that C++ calls for it
    (``tensor_pre_hook``, ``post_acc_grad_hook``, …; ``cpp_tensor_pre_hook`` for
    ``retain_grad``); ``name``, ``file`` and ``line`` are those of the Python function that
    runs, None for C++'s. ``index`` is its number in the ``hooks`` of the captured graph.
    """

    kind: str
    index: int | None
    name: str | None
    file: str | None
    line: int | None


class FunctionRef(TypedDict):
    """A Python `autograd.Function`. ``id`` tells classes of one process apart; ``name`` is
    qualified; ``line`` that of its ``class`` statement, or of its first method.
    """

    id: int
    name: str
    module: str
    file: str | None
    line: int | None


class AutogradNode(TypedDict, total=False):
    """One visited autograd node. ``index`` and ``name`` are always there.

    ``attributes`` holds the node's non-tensor ``_saved_*`` values without the prefix
    (bool, int, float, str, None or lists of them), for an AOT region the dynamic sizes that it
    saved as ``symints``; ``tensors`` its saved tensors (``saved[0]``, … for a Python Function
    and an AOT region, whose hooks are not run for this);
    ``parameter`` the qualified name of an AccumulateGrad's parameter where a live
    ``nn.Module`` owns it; ``grad_defined`` whether its ``.grad`` was defined before the
    backward; ``shape`` the parameter's shape; ``aot_id`` the AOT region it belongs to.
    ``next`` holds the indices of the nodes that its gradients go to, in the order of its
    edges, -1 for one that this backward does not visit. ``hook_list`` says what ``hooks``
    counts. ``variables`` are names in the frames that called backward: of the root tensors
    (at the GraphRoot), of a leaf that is no parameter (at its AccumulateGrad), of all that hold
    what the node computed in the forward, an attribute of an object or module (``self.state``)
    and an entry of a container (``memory[0]``) among them; None where no variable holds it.
    ``carried`` is there and true if the node was made before the capture before this one ran.
    ``function`` is the class of a Python Function's node. ``forward_lines`` are the user's lines
    that an AOT region was traced from, by file and line, the first few.
    """

    index: int
    name: str
    attributes: dict[str, object]
    tensors: dict[str, SavedTensor | None]
    hooks: int
    parameter: str | None
    grad_defined: bool
    shape: list[int]
    aot_id: int
    next: list[int]
    hook_list: list[HookRef]
    variables: list[str | None]
    carried: bool
    function: FunctionRef
    forward_lines: list[FrameRecord]


class _ChangedNode(TypedDict, total=False):
    before_index: int | None


class CaptureChange(_ChangedNode):
    """One difference to the closest earlier capture.

    ``index``/``name`` say which autograd node; ``attribute`` what differs (``exponent``,
    ``shape``, ``.grad``, ``node`` for a node present on one side only, ``function`` for
    another class of that name, ``self is`` for another partner that is the same tensor,
    ``next`` for other wiring …); ``before``/``after`` are JSON values, None for "was not
    there". Where ``index`` is None and ``attribute`` is ``training``, ``p``,
    ``requires_grad`` or ``is`` (tied to), ``name`` is the path of a module or parameter that
    was switched; where it is ``input requires_grad``, a variable of the backward's caller.
    ``before_index`` is the node's number in that capture, None or left out if it has none.
    """

    index: int | None
    name: str
    attribute: str
    before: object
    after: object


class RunRecord(TypedDict):
    """``ca_run``: once per process, when the engine is installed.

    ``started`` is when its interpreter began, before it imported torch; None for a part of a
    process, and for one that was forked. ``engine_needs`` are the versions of torch that ours is
    tested with, where torch's own ran in its place because this is none of them; else None.
    ``environment`` are the variables that torch's caches depend on.
    ``incarnation`` tells the process from a later one of its ``pid`` (``ca_engine.incarnation``).
    """

    schema_version: int
    time: float
    started: float | None
    pid: int
    incarnation: str | None
    ppid: int
    rank: int | None
    argv: list[str]
    cwd: str
    executable: str
    host: str
    platform: str
    versions: dict[str, str]
    environment: dict[str, str]
    engine: Literal["ca", "torch"]
    engine_needs: str | None
    enabled: bool
    backend: str | None
    dynamic: bool | None


class CellRecord(TypedDict):
    """A notebook's cell: what Python calls its file, ``In[3]``, and its text without secrets.

    The text is that which ran: IPython has put calls in the place of its magics, line by line.
    """

    file: str
    name: str
    text: str


class CellsRecord(TypedDict):
    """``ca_cells``: cells that ran since the last such record, before what they compiled.

    One that ran again has its last number.
    """

    schema_version: int
    cells: list[CellRecord]


class CaptureSecondsRecord(TypedDict, total=False):
    """Seconds of one capture, by phase.

    ``capture``: from begin_capture to the finished graph module; ``compile``: what the
    compiler function took then (`torch.compile` does nearly all of its work only when the
    graph first runs); ``snapshot``: what the recorder itself took, not part of the others.
    """

    capture: float
    compile: float
    snapshot: float


class Miss(TypedDict):
    """Parts of torch's reason for a miss (``ca_engine.reasons``); None or empty if it lacks them.

    ``node`` is the diverging node of a "new autograd node", ``key_size`` its part of C++'s cache
    key in bytes and ``previous_key_sizes`` those of the nodes of its type that were known at that
    place. ``sizes_changed`` are the indices of a "changed shapes", ``sizes_total`` how many
    dynamic sizes there were.
    """

    kind: CaptureKind
    node: NodeRef | None
    key_size: int | None
    previous_key_sizes: list[int]
    sizes_changed: list[int]
    sizes_total: int | None


class LoaderRecord(TypedDict):
    """A data loader that ``variable`` held in the user's frame at ``line`` of ``file``.

    One loader has one ``id`` in a record, whatever holds it. ``samples`` is how many its dataset
    has, None where only the dataset's own code would tell.
    """

    id: int
    variable: str
    file: str
    line: int
    batch_size: int | None
    drop_last: bool
    samples: int | None


class CaptureRecord(Miss):
    """``ca_capture``: once per capture, written when the graph stands, before it is run.

    ``id`` is the compiled-autograd id (the ``0`` of ``!0``); ``reason`` torch's own text of
    this capture's miss without the ``!id: `` prefix, None if torch gave none; ``stack`` the
    user's frames of the backward call, outermost first;
    ``error`` is set if the capture failed (type and text of the exception).
    ``autograd_graph`` is bounded: ``autograd_truncated`` says how many nodes were left out.
    ``changes`` are the differences to capture ``closest_capture`` of the same process.
    ``carried_nodes`` counts the autograd nodes, leaves aside, that were made before the
    capture before this one ran: a graph that was not detached. None at the first capture.
    ``data`` are the sizes of tensors that no forward made, by the variable that held them in the
    frames that called backward (``words``, ``batch['input_ids']``): a batch and its labels.
    ``loaders`` are those that variables of these frames held, innermost frames first.
    ``loop`` is None if the user's loop named nothing. ``device`` is the first that is not the
    CPU among those of the inputs, with its name: ``cuda:0 NVIDIA H200``; else ``cpu``.
    """

    schema_version: int
    time: float
    id: int
    step: int
    loop: LoopPositionRecord | None
    device: str
    reason: str | None
    stack: list[FrameRecord]
    data: dict[str, list[int]]
    loaders: list[LoaderRecord]
    inputs: int
    sizes: list[LiftedValue]
    scalars: list[LiftedValue]
    accumulate_grad: bool
    modes: dict[str, object]
    seconds: CaptureSecondsRecord
    fx_nodes: dict[str, int]
    autograd_nodes: int
    autograd_graph: list[AutogradNode]
    autograd_truncated: int
    closest_capture: int | None
    changes: list[CaptureChange]
    carried_nodes: int | None
    error: str | None


class _LoopColumns(TypedDict, total=False):
    loop_step: list[int | None]
    loop_epoch: list[int | None]
    loop_phase: list[str | None]


class BackwardsRecord(_LoopColumns):
    """``ca_backwards``: a batch of backwards, one column each, all of equal length.

    ``step`` is the backward's number, ``capture`` the id of the capture that ran,
    ``start`` its begin in seconds since ``time``, ``seconds`` how long the compiled backward
    ran (for a miss and for a hit that Dynamo recompiled this includes compiling it),
    ``miss`` 1 where the backward was captured, else 0; ``failed`` 1 where it raised.
    ``loop_step``, ``loop_epoch`` and ``loop_phase`` are there if the user's loop named one of
    them: a `LoopPositionRecord` in three columns.
    """

    schema_version: int
    time: float
    step: list[int]
    capture: list[int]
    start: list[float]
    seconds: list[float]
    miss: list[int]
    failed: list[int]


class StepsRecord(TypedDict):
    """``ca_steps``: when steps began of which ``ca_backwards`` has no row; a batch of them.

    ``of`` is ``backward`` for backwards that compiled autograd was not turned on for, ``named``
    for calls of ``ca_engine.step``. ``start`` is in seconds since ``time``.
    """

    schema_version: int
    time: float
    of: Literal["backward", "named"]
    start: list[float]


class CallsRecord(TypedDict):
    """``ca_calls``: calls of what `torch.compile` returned, made from Python; a batch in columns.

    ``callable`` tells apart what was called, ``start`` is in seconds since ``time``, and
    ``seconds`` lasts until the call returned, compiles included: on a GPU kernels may still run.
    ``place`` is which of ``places`` made the call, a file and line of the user, -1 if unknown.
    There are some before and after each recompile, from the first one on, not all.
    """

    schema_version: int
    time: float
    callable: list[int]
    start: list[float]
    seconds: list[float]
    place: list[int]
    places: list[tuple[str, int]]


# What stands for the number of a graph in `SizesRecord.graph` where Python ran the calls.
EAGER_GRAPH = "eager"


class SizesRecord(TypedDict):
    """``ca_sizes``: the sizes of a compiled graph's inputs in its calls so far, and its times.

    A later record of a graph replaces an earlier one. ``graph`` is the id of its compile (``3/0``),
    ``inputs`` the shapes of the tensors that the program gives it, by the names that guards have
    for them, a dynamic size as its symbol. The rest are columns, one entry for each different set
    of sizes: ``sizes`` the values of the ``symbols`` (none of a static graph), ``calls`` how often
    it was called with them, ``steps`` the median seconds from the begin of such a call until the
    next one of the same function, ``seconds`` those until the graph returned: on a GPU kernels may
    still run. Neither counts while no core was free. Both are without the first call, and ``steps``
    without those in which something was compiled; None if there are no others. ``digits`` is None
    where each set was counted for itself. Of a graph with more than 4,096 of them sizes are rounded
    up to so many leading binary digits, and where that is 1, ``left_out`` counts calls with still
    others. ``3/eager`` are the calls of that function that ran no graph: those that a recompile
    limit left to Python. Of those of the function that ran a graph, counted from 1, ``first_call``
    and ``last_call`` are the first and the latest of this one; None where no graph ran.
    """

    schema_version: int
    time: float
    graph: str
    inputs: dict[str, list[int | str]]
    symbols: list[str]
    sizes: list[list[int]]
    calls: list[int]
    steps: list[float | None]
    seconds: list[float | None]
    digits: int | None
    left_out: int
    first_call: int | None
    last_call: int | None


class TriedSizesSetting(TypedDict):
    """A plan that ``ca sizes --measure`` tries: no record, but a setting of that run.

    ``file`` and ``function`` name the compiled code, ``arguments`` the dimensions that vary, those
    of one size together. ``how`` is ``pad``, to the next of ``sizes``, ``mark``, ``unbacked``,
    ``dynamic`` or ``none``. ``calls``: the program runs no backwards, so its calls are the steps.
    """

    file: str
    function: str
    arguments: list[list[tuple[str, int]]]
    how: Literal["pad", "mark", "unbacked", "dynamic", "none"]
    sizes: list[list[int]]
    calls: bool


# Where an exception came from: out of torch's compilers, or of a capture; out of the code of a
# compiled graph; or neither, of the program's own code or of a library's.
ErrorOrigin = Literal["compile", "capture", "graph", "program"]

HazardKind = Literal["autocast", "anomaly", "not_captured", "backward_failed"]


class HazardRecord(TypedDict):
    """``ca_hazard``: a backward that is not what it looks like; once per kind and place.

    ``id`` counts in the process from 0. ``kind`` is

    * ``autocast``: the compiled forward assumed another autocast for its backward. ``then``
      is what it assumed and ``now`` what was on, each ``{device: dtype}``, empty for off;
      ``option`` is ``torch._functorch.config.backward_pass_autocast`` at the capture. ``lines``
      are those of the forward that kept another precision, by an autocast of their own, and are
      cast in the backward: where ``now`` is empty (``option`` is the default then) as AOTAutograd
      traced it, where ``then`` and ``now`` are equal because compiled autograd runs under autocast
      what a checkpoint recomputes without;
    * ``anomaly``: ``then`` says whether anomaly mode looked for NaNs at the capture, ``now``
      whether it does;
    * ``not_captured``: compiled autograd is configured to be on, and this backward ran
      outside of every compiled function;
    * ``backward_failed``: the captured graph raised, or torch refused to capture the backward
      and the program ran another one while it handled that; ``error`` is type and text, cut,
      and ``error_origin`` where it came from.

    ``step`` and ``capture`` say which backward was the first such (``capture`` None if none
    ran), ``stack`` where it was called, outermost first. How often it happened is in
    ``ca_end``.
    """

    schema_version: int
    time: float
    id: int
    kind: HazardKind
    step: int
    capture: int | None
    then: object
    now: object
    option: object
    error: str | None
    error_origin: ErrorOrigin | None
    lines: list[FrameRecord]
    stack: list[FrameRecord]


class LateHookRecord(TypedDict):
    """``ca_late_hook``: a graph of a forward ran beside a module's hook that it does not have.

    The hook was registered after ``graph`` (``3/0``) was compiled, and is not called. ``module`` is
    the part of the model, by the name that guards have for it. The ``kind`` of ``hook`` is
    ``forward``, ``forward_pre``, ``backward`` or ``backward_pre``. ``stack`` are the user's frames
    that called the graph, outermost first, without their ``code``.
    """

    schema_version: int
    time: float
    graph: str
    module: str
    hook: HookRef
    stack: list[FrameRecord]


class ForwardRecord(TypedDict):
    """``ca_forward``: a forward whose lines were noted.

    ``step`` is the backward that followed and ``capture`` the graph that it ran. The node with
    NodeCall index ``nodes[i]`` was made by the user's line ``frames[positions[i]]``; a node
    that is not listed by none that is known. Lists are empty where an earlier record has told
    of this capture's nodes. ``asked_for``: with ``ca run --forward-stacks``, which has a record
    for every such forward; else only those are written that tell of new nodes.
    """

    schema_version: int
    time: float
    step: int
    capture: int
    frames: list[FrameRecord]
    nodes: list[int]
    positions: list[int]
    asked_for: bool


class HeldRecord(TypedDict, total=False):
    """Value that a variable, an attribute or an item held when read; only ``type`` is sure.

    ``value`` is there for None, bool, int, float and str, cut; the name of an enum's member, of a
    class or of a function. ``file`` and ``line`` say where a function is defined. ``identity``
    is equal for the same object, for as long as it lives, in one process. ``leaf`` says of a tensor
    that no operation made it, or none that gradients pass. ``attributes`` are the numbers that an
    object of a subclass of `torch.Tensor` has as attributes, the first few.
    """

    type: str
    value: bool | int | float | str | None
    shape: list[int | None]
    stride: list[int]
    dtype: str
    device: str
    requires_grad: bool
    leaf: bool
    attributes: dict[str, bool | int | float]
    length: int
    keys: list[int | str]
    file: str
    line: int
    identity: int


class ChangedRecord(TypedDict):
    """Line of the user's after which a watched value was another, and what it was before and after.

    What a library changed has the line that called it; with ``compiled`` what Dynamo had made of
    ``function`` changed it, which begins at ``line``. None: the value was not there.
    """

    file: str
    line: int
    function: str
    compiled: bool
    before: HeldRecord | None
    after: HeldRecord | None


class BesideRecord(TypedDict):
    """A guard that also fails: ``text`` is torch's, ``held`` as in `FailedGuardRecord`."""

    text: str
    held: HeldRecord | None


class _FailedGuardRecord(TypedDict):
    failed: str | None
    source: str
    held: HeldRecord | None


class FailedGuardRecord(_FailedGuardRecord, total=False):
    """A failed guard of the compile ``failed`` (``0/0``): its source, and what that holds now.

    ``held`` is None where it could not be read without running code of the user's. ``changed`` is
    there where the value was watched when it last changed: since an earlier failure of the guard.
    ``beside``, of the newest of these compiles, are the next of its guards that also fail, a few.
    """

    changed: ChangedRecord
    beside: list[BesideRecord]


class GuardsRecord(TypedDict):
    """``ca_guards``: Dynamo compiles a frame; the record's own compile id says which.

    ``guards`` are in the order of torch's ``recompile_reasons``, the newest compile first,
    the first few; none where it is the first compile of its code. ``arguments`` are those of the
    frame, by the names that guards have for them, with the tensors in containers and among an
    object's attributes; of texts only the type.
    ``data`` is as in ``CaptureRecord``, empty outside of a backward. ``stack`` are the user's
    frames that called the function, outermost first: torch's own record of a compile lacks the
    innermost of them. Their ``code`` is empty. ``modules[i]`` is the ``identity`` of the module
    whose method ``stack[i]`` runs, None where it is none. ``loaders`` are as in ``CaptureRecord``;
    ``gradients`` says whether they were recorded, as they are not in an evaluation, nor where
    ``optimizer`` says that one was making its step, and ``inference`` whether inference mode was
    on, whose tensors are of another kind than those of ``no_grad``. ``training`` is the mode of the
    outermost of these modules, else of the frame's own, else that of all which it gets as arguments
    or reads by a variable around it; None where there is none, or they differ. ``thread`` is the
    name of the thread that compiles, None for the main one: Dynamo's settings are of each since
    torch 2.12. ``dropped``: the user's line that called does nothing with what comes of it.
    """

    schema_version: int
    time: float
    guards: list[FailedGuardRecord]
    arguments: dict[str, HeldRecord]
    data: dict[str, list[int]]
    stack: list[FrameRecord]
    modules: list[int | None]
    loaders: list[LoaderRecord]
    gradients: bool
    inference: bool
    optimizer: bool
    training: bool | None
    thread: str | None
    dropped: bool


class GroupRecord(TypedDict):
    """``ca_group``: the default group of `torch.distributed`, before the first compile in it.

    ``ranks`` are its members. A collective fails that waits for more than ``timeout`` seconds, None
    if unknown. ``shares_sizes``: Dynamo asks all ranks for their sizes where it compiles
    (``enable_compiler_collectives``). A later record says that it was another one from then on.
    """

    schema_version: int
    time: float
    backend: str
    ranks: int
    timeout: float | None
    shares_sizes: bool


class EndRecord(TypedDict):
    """``ca_end``: at interpreter exit.

    ``backwards`` counts all that reached compiled autograd: hits, captures and failed
    captures. ``unique_graphs`` is Dynamo's count of graphs that it compiled. ``error`` is
    the type of an uncaught exception, ``error_text`` its text, cut, and ``error_stack`` the
    user's frames that it came through, outermost first; ``error_origin`` says where it came from,
    and ``error_cause`` type and text of the exception that did, where the program raised this one
    because of it. ``hazards`` says how often each
    ``ca_hazard`` happened, by its ``id``; ``hazards_left_out`` counts those at other places
    than are recorded. ``aot_cache`` are torch's counters of AOTAutogradCache, ``fx_cache`` those
    of FxGraphCache. ``devices`` are the GPUs on which the process allocated memory, with their
    names: ``cuda:0 NVIDIA H200``.
    ``recompile_limit`` is that of the main thread by then.
    """

    schema_version: int
    time: float
    backwards: int
    captures: int
    failed_captures: int
    hits: int
    unique_graphs: int | None
    error: str | None
    error_text: str | None
    error_stack: list[FrameRecord]
    error_origin: ErrorOrigin | None
    error_cause: str | None
    hazards: list[int]
    hazards_left_out: int
    aot_cache: dict[str, int]
    fx_cache: dict[str, int]
    devices: list[str]
    recompile_limit: int | None


class CudaGraphSkipRecord(TypedDict):
    """``ca_cudagraph_skip``: a CUDA graph was skipped for this ``reason``, in torch's words."""

    schema_version: int
    time: float
    reason: str


class GpuWaitsRecord(TypedDict):
    """``ca_gpu_waits``: stalls of the host and how long the GPU waited in them, in columns.

    ``event`` is the capture (``!3``) or Dynamo's compile id (``3/0``, ``!3/5/0``) that the host
    was busy with, ``seconds`` how long, and ``waited`` how much of that the GPU had nothing to do
    on the current stream of ``device``, from CUDA events. An event may come again.
    """

    schema_version: int
    time: float
    device: str
    event: list[str]
    seconds: list[float]
    waited: list[float]


class CoreWaitsRecord(TypedDict):
    """``ca_core_waits``: seconds for which a capture or compile was ready to run with no core free.

    ``event`` is a capture (``!3``), without the compiles in it, or Dynamo's compile id (``3/0``);
    either may come again. There is none where that was
    less than a millisecond, or where the system does not count it.
    """

    schema_version: int
    time: float
    event: str
    waited: float


class TrialCallsRecord(TypedDict):
    """How the outermost calls of compiled functions ran.

    ``compiled`` are those in which a compiled graph ran, ``eager`` the others. The seconds are
    medians of calls in which nothing was compiled, None without any.
    """

    compiled: int
    eager: int
    compiled_seconds: float | None
    eager_seconds: float | None


class TrialRecord(TypedDict):
    """``ca_trial``: what ``ca try`` and ``ca fix --verify`` compare, once, when the trial ends.

    One entry for each backward: ``starts`` in seconds since the first one, without what reading
    tensors took, and without those for which no core was free, with that of the backward at which
    the program was stopped at the end, if it was (``stopped``); ``losses`` the sum over all
    elements of the root tensors, texts for what JSON has no number for; ``gradients`` what the
    backward left in the ``.grad`` of its leaves: the number of tensors, but for those of zeros, the
    sum of the absolute values, that of the bits.
    At each start: ``weights`` and ``buffers`` the same of the parameters of live modules and
    optimizers and of the modules' buffers; ``asking`` how many of the former have
    ``requires_grad``, ``compiles`` how many graphs were compiled so far. ``asking_names`` are
    those of ``asking`` at the last start.
    ``skipped`` counts the functions that Dynamo began to compile and left to Python. ``results``
    are the same sums over what the last graph of each outermost compiled call gave, of no tensor
    where none ran; empty once a backward ran. ``call_seconds`` are those of each call of the
    function whose sizes are tried, ``call_compiles`` how many graphs were compiled by its end;
    empty where `TriedSizesSetting` does not ask for ``calls``.
    """

    schema_version: int
    time: float
    starts: list[float]
    losses: list[float | str]
    gradients: list[list[float | str]]
    weights: list[list[float | str]]
    buffers: list[list[float | str]]
    asking: list[int]
    asking_names: list[str]
    compiles: list[int]
    skipped: int
    calls: TrialCallsRecord
    results: list[list[float | str]]
    call_seconds: list[float]
    call_compiles: list[int]
    stopped: bool


LoweringWay = Literal["direct", "l1", "l2", "no"]
LoweringCache = Literal["hit", "miss", "bypass"]
# So many sets of sizes a graph is lowered for, by backend. Measured (docs/engine.md): Dynamo's
# graph for all sizes costs as much as 46 to 65 of ours with aot_eager, as 8 with inductor.
MOST_LOWERED_SIZES = {"aot_eager": 32, "inductor": 8}

LoweringReason = Literal[
    "unknown_compiler",
    "unknown_backend",
    "compiler_option",
    "fullgraph",
    "python_hook",
    "python_function",
    "cpp_hook",
    "cpp_function",
    "module_call",
    "not_asked_for",
    "dynamic_sizes",
    "many_sizes",
    "lifted_number",
    "mode",
    "config",
    "device",
    "tensor_kind",
    "grad_form",
    "grad_overlaps",
    "grad_is_read",
    "undefined_gradient",
    "accumulates_twice",
    "output_alias",
    "changes_a_tensor",
    "changes_metadata",
    "constant",
    "result",
    "higher_order_operator",
    "late_view",
    "untraceable",
    "guard",
    "error",
]


BackgroundState = Literal["compiling", "ready", "failed", "guard"]


class LoweringBackground(TypedDict):
    """A graph that inductor compiles in another process while the training goes on.

    ``compiling``: the graph runs as it was captured. A later record of the same capture says that
    the compiled one took over (``ready``), that it never will (``failed``, with the ``reason``),
    or that it took over and a guard of it failed (``guard``), from when on it runs as captured
    where the guard does. Without a later record the process ended before. ``backwards`` ran as
    captured in between, in which ``waited`` seconds passed; ``own_seconds`` of them this process
    spent on it, ``compile_seconds`` the other one; None of a graph that is ``ready`` because an
    earlier start had compiled it.
    """

    state: BackgroundState
    backwards: int
    waited: float
    own_seconds: float
    compile_seconds: float | None
    reason: str | None


class LoweringRecord(TypedDict):
    """``ca_lowering``: how a captured graph reached its backend, when it first ran.

    Only where lowering is on. ``way`` is ``direct`` where the captured code itself runs, ``l2``
    where the backend got an ATen graph without Dynamo and AOTAutograd, ``l1`` where AOTAutograd
    traced the captured code without Dynamo, ``no`` where Dynamo compiles the graph as without
    lowering. ``backend`` is None if the compiler function is not one
    of torch's own. ``seconds`` is what lowering took, the backend included; ``sizes`` are those
    that it was done for, where sizes are inputs of the graph: there is a record for each set.
    ``cache`` says what FxGraphCache made of it, where inductor was asked, ``cache_reason`` why it
    was bypassed.
    ``reason`` says why the way is ``no``, or why it is ``l1`` and not ``l2``, ``detail`` what
    exactly stood there, and ``file`` and ``line`` where, if that is Python code:

    * ``unknown_compiler``, ``unknown_backend``: the user's own, which must see the graph as it is;
    * ``compiler_option``, ``config``: a setting of ``torch.compile``, or of torch, under which more
      is done than lowering does;
    * ``fullgraph``: a graph break would be an error, and Python code may be one;
    * ``python_hook``, ``python_function``, ``cpp_hook``, ``cpp_function``, ``module_call``: the
      graph calls code that the backend can't be given;
    * ``dynamic_sizes``: one graph for all sizes was asked for; ``lifted_number``: a number that is
      no size is an input of the graph;
    * ``many_sizes``: a later record, of a graph that was lowered for as many sets of sizes as pay,
      and which Dynamo compiles for the others;
    * ``mode``: autocast, ``create_graph``, or a mode of torch's around the backward;
    * ``device``, ``tensor_kind``: tensors that lowering was not compared on, sparse ones or
      subclasses, for instance;
    * ``grad_form``, ``grad_is_read``, ``accumulates_twice``, ``undefined_gradient``: a ``.grad``
      that shares memory or is more than the target of one addition; ``grad_overlaps``: one that is
      expanded, to which nothing can be added, as eager mode says;
    * ``output_alias``: a gradient that is returned twice or is a view of an input;
    * ``changes_a_tensor``, ``changes_metadata``, ``constant``, ``result``,
      ``higher_order_operator``, ``late_view``, ``untraceable``: a call that can't be traced apart
      from the others;
    * ``guard``: a later record, of a graph that was lowered and met other inputs, which Dynamo
      compiles it for; ``detail`` is what did not hold;
    * ``error``: lowering failed unexpectedly; ``detail`` is type and text.

    ``background`` is None unless inductor was to compile in another process.
    """

    schema_version: int
    time: float
    capture: int
    way: LoweringWay
    backend: str | None
    seconds: float
    sizes: list[int]
    cache: LoweringCache | None
    cache_reason: str | None
    reason: LoweringReason | None
    detail: str | None
    file: str | None
    line: int | None
    background: LoweringBackground | None


GraphState = Literal["compiling", "known", "refused", "ready", "waited", "failed"]


class BackgroundRecord(TypedDict):
    """``ca_background``: a graph of Dynamo's that inductor was to compile in another process.

    ``graph`` is the id of its compile. ``compiling``: it runs as ``aot_eager`` does. A later record
    says that inductor's took over (``ready``), that it had to be compiled here after all, where the
    training waited for it (``waited``, with the ``reason``), or that it will run as it does
    (``failed``). Without a later record the process ended before. ``known`` is a graph that an
    earlier start had compiled, ``refused`` one that was compiled here at once, for ``reason``.
    ``calls`` ran as ``aot_eager`` in between, in which ``waited`` seconds passed; ``own_seconds``
    this process spent on it, ``compile_seconds`` the other one, ``cache`` says what FxGraphCache
    there made of it.
    """

    schema_version: int
    time: float
    graph: str
    state: GraphState
    calls: int
    waited: float
    own_seconds: float
    compile_seconds: float | None
    cache: LoweringCache | None
    reason: str | None


class ProcessRow(TypedDict):
    """One process of a run, as ``run.json`` lists it; ``trace`` is relative to the run folder."""

    pid: int
    rank: int | None
    trace: str


class RunFile(TypedDict):
    """``run.json``. Written when the run starts; ``end`` and ``processes`` when it ended.

    ``exit_code`` is None while the run goes on and after a death that the process could not
    note (a signal, ``os._exit``); the file ``exit_code`` beside it, one byte, overrides it.
    ``script_folder`` is the folder of a script that lies outside of ``cwd``, else None.
    """

    schema_version: int
    command: list[str]
    script: str
    script_folder: str | None
    cwd: str
    host: str
    executable: str
    versions: dict[str, str]
    engine: Literal["ca", "torch"]
    start: float
    end: float | None
    exit_code: int | None
    processes: list[ProcessRow]


class CacheFileRecord(TypedDict):
    """``ca_cache_file``: what `ca run --cache FILE` did with its file in this process.

    ``loaded`` are the keys that it held by torch's name of the cache (``inductor``,
    ``aot_autograd``, ``pgo``), none if there was no file or a ``problem`` with it. ``saved_bytes``
    is its size if it was written, ``new`` how many keys were added, ``gone`` how many entries were
    left out as long unused.
    """

    schema_version: int
    time: float
    file: str
    loaded: dict[str, list[str]]
    load_seconds: float
    problem: str | None
    saved_bytes: int | None
    new: int | None
    gone: int | None
