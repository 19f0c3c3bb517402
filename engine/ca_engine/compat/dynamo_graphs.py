"""Compiles a graph of Dynamo's: as ``aot_eager`` does, later as ``inductor`` does, or elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from threading import local
from typing import Any, NamedTuple

import torch
from torch import fx
from torch._C._autograd import _get_current_graph_task_keep_graph
from torch._dynamo.utils import counters, dynamo_timed, get_metrics_context, preserve_rng_state
from torch._functorch import config as functorch_config
from torch._functorch import partitioners
from torch._functorch._aot_autograd import graph_compile
from torch._functorch._aot_autograd.autograd_cache import AOTAutogradCache
from torch._guards import (
    CompileContext,
    CompileId,
    TracingContext,
    compile_context,
    tracing,
)
from torch._inductor import compile_fx as torch_inductor
from torch._inductor import config
from torch._inductor.virtualized import V
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx._graph_pickler import GraphPickler, _SymNodePickleData
from torch.fx._lazy_graph_module import (
    _LazyGraphModule,
    _make_graph_module,
    _use_lazy_graph_module,
)
from torch.fx.experimental.symbolic_shapes import (
    SYMPY_INTERP,
    ShapeEnv,
    guarding_hint_or_throw,
)

from ca_engine.compat import cpp_kernels, fake_graphs
from ca_engine.compat import tracing as tracing_state

Undo = Callable[[], None]
Compiled = Callable[..., Any]


class GraphRequest(NamedTuple):
    """What Dynamo asks inductor for: a graph, its inputs, settings and a name for the region."""

    module: fx.GraphModule
    inputs: Sequence[Any]
    options: dict[str, Any]
    region_name: str | None


class NoKeyError(Exception):
    """AOTAutogradCache does not take a graph; the text says why."""


# Settings of inductor's with which it does more than compile what AOTAutograd gives it, or looks
# at the inputs' values.
_MORE = ("freezing", "cpp_wrapper", "fx_wrapper", "selective_decompose")

# AOTAutogradCache finds nothing outside of an event of Dynamo's.
_EVENT = "ca_background_compile"

_stock: Compiled = torch_inductor.compile_fx
_thread = local()


def replace_inductor(compile_graph: Callable[[GraphRequest], Compiled]) -> Undo:
    """Dynamo has its graphs compiled by ``compile_graph`` in place of inductor.

    Calls of inductor's that are not Dynamo's go to inductor. Returns the way back.
    """
    owner: Any = torch_inductor
    stock = owner.compile_fx

    def compile_fx(
        model_: fx.GraphModule,
        example_inputs_: Sequence[Any],
        *rest: Any,
        config_patches: dict[str, Any] | None = None,
        compile_region_name: str | None = None,
        **others: Any,
    ) -> Compiled:
        if rest or others or getattr(_thread, "is_inside", False) or not _is_dynamos(model_):
            return stock(  # type: ignore[no-any-return]
                model_,
                example_inputs_,
                *rest,
                config_patches=config_patches,
                compile_region_name=compile_region_name,
                **others,
            )
        asked = GraphRequest(
            model_, example_inputs_, dict(config_patches or {}), compile_region_name
        )
        return compile_graph(asked)

    def undo() -> None:
        if owner.compile_fx is compile_fx:
            owner.compile_fx = stock

    owner.compile_fx = compile_fx
    return undo


def _is_dynamos(module: object) -> bool:
    """Return whether Dynamo asks, and not a part of a graph that somebody took apart."""
    return (
        isinstance(module, fx.GraphModule)
        and "dynamo_compile_id" in module.meta
        and not V.aot_compilation
        and CompileContext.try_get() is not None
        and TracingContext.try_get() is not None
    )


def inductor_now(asked: GraphRequest) -> Compiled:
    """Compile as inductor does."""
    before = getattr(_thread, "is_inside", False)
    _thread.is_inside = True
    try:
        compiled: Compiled = _stock(
            asked.module,
            asked.inputs,
            config_patches=asked.options,
            compile_region_name=asked.region_name,
        )
    finally:
        _thread.is_inside = before
    return compiled


def setting_in_the_way(options: dict[str, Any]) -> str | None:
    """Return what inductor must compile a graph at once for, None if nothing is in the way."""
    context = TracingContext.get()
    if context.fakify_first_call or context.ddp_optimizer_ctx is not None:
        return "a part of a graph that DDP takes apart"
    with config.patch(options):
        for name in _MORE:
            if getattr(config, name, False):
                return name
        if functorch_config.functionalize_rng_ops:
            return "functionalize_rng_ops"
        if not config.fx_graph_cache or config.force_disable_caches:
            return "FxGraphCache is off"
    return None


class EagerPair(NamedTuple):
    """What ``aot_eager`` makes of a graph.

    ``has_backward`` is whether it is one of a forward and its backward.
    """

    compiled: Compiled
    has_backward: bool


def aot_eager(asked: GraphRequest, backward_compiled: Callable[[bool | None], None]) -> EagerPair:
    """Compile as ``aot_eager`` does.

    ``backward_compiled`` is called when the backward is about to run for the first time, with
    whether it keeps the graph; with None if it was compiled together with the forward.
    """
    # Not at the top: see `torch_compile.known_backend`.
    from torch._dynamo.backends.common import aot_autograd
    from torch._dynamo.backends.debugging import boxed_nop

    has_backward = False

    def forward(module: fx.GraphModule, inputs: list[torch.Tensor]) -> Compiled:
        nonlocal has_backward
        has_backward = True
        return boxed_nop(module, inputs)

    def backward(module: fx.GraphModule, inputs: list[torch.Tensor]) -> Compiled:
        runs = torch._C._current_graph_task_id() != -1
        backward_compiled(_get_current_graph_task_keep_graph() if runs else None)
        return boxed_nop(module, inputs)

    compiled: Compiled = aot_autograd(
        fw_compiler=forward,
        bw_compiler=backward,
        inference_compiler=boxed_nop,
        partition_fn=partitioners.min_cut_rematerialization_partition,
        keep_inference_input_mutations=True,
    )(asked.module, asked.inputs)
    return EagerPair(compiled, has_backward)


def compile_id() -> str:
    """Of the graph that Dynamo compiles."""
    return str(CompileContext.current_compile_id())


def thread_state() -> tuple[Any, ...]:
    """Return what a compile looks at beside graph and settings, in the thread that runs it."""
    return (
        *tracing_state.modes_of_tracing(),
        torch.is_inference_mode_enabled(),
        torch._C._len_torch_dispatch_stack(),
        torch._C._functorch.peek_interpreter_stack() is None,
    )


class Moment:
    """The state in which Dynamo asked for a graph, to compile it once more later."""

    def __init__(self) -> None:
        found = TracingContext.get()
        self._tracing = found
        self._compile = CompileContext.get()
        # Dynamo puts its own back.
        self._fake_mode = found.fake_mode
        self._guards = list(_guards_of_inputs(found))

    def fakes(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the fake tensors that AOTAutograd makes for ``inputs``. Numbers stay numbers."""
        mode = self._fake_mode
        assert mode is not None
        return [
            _fake(each, mode, self._tracing) if isinstance(each, torch.Tensor) else each
            for each in inputs
        ]

    @contextmanager
    def again(self, inputs: Sequence[Any], fakes: Sequence[Any]) -> Iterator[None]:
        """Let compiles within be part of what Dynamo asked for then.

        AOTAutograd makes ``fakes`` of ``inputs``, which are like those of then.
        """
        context, mode = self._tracing, self._fake_mode
        assert mode is not None
        stand_for(inputs, fakes, mode)
        before = context.fake_mode, context.fw_metadata
        with (
            tracing(context),
            compile_context(self._compile),
            get_metrics_context(),
            dynamo_timed(_EVENT, log_pt2_compile_event=True),
            preserve_rng_state(),
            nullcontext() if mode.shape_env is None else mode.shape_env.suppress_guards(),
        ):
            context.fake_mode = mode
            try:
                yield
            finally:
                context.fake_mode, context.fw_metadata = before

    @contextmanager
    def noting_sizes(self, fakes: Sequence[Any]) -> Iterator[SizeGuards]:
        """Yield what caches within ask of the sizes of ``fakes``, for which they hold a graph."""
        found = SizeGuards(fakes)
        mode = self._fake_mode
        shape_env: Any = None if mode is None else mode.shape_env
        if shape_env is None or not found.positions:
            yield found
            return
        stock = shape_env.evaluate_guards_expression

        def evaluate(code: str, args: Sequence[Any]) -> bool:
            found.note(code, args)
            return stock(code, args)  # type: ignore[no-any-return]

        shape_env.evaluate_guards_expression = evaluate
        try:
            yield found
        finally:
            del shape_env.evaluate_guards_expression

    def has_new_guards(self) -> bool:
        """Return whether a compile within `again` found a condition that is not checked."""
        return any(each not in self._guards for each in _guards_of_inputs(self._tracing))


class SizeGuards:
    """What must hold of sizes that change, so that a graph serves them.

    ``positions`` are those of the inputs that are such sizes. One that Dynamo found to be the same
    always is none of them: its guard is Dynamo's.
    """

    def __init__(self, fakes: Sequence[Any]) -> None:
        self.positions = [
            index
            for index, each in enumerate(fakes)
            if isinstance(each, torch.SymInt) and not each.node.expr.is_number
        ]
        self._symbols = [fakes[index].node.expr for index in self.positions]
        self._guards: list[tuple[Any, list[Any]]] = []
        self._known: dict[tuple[int, ...], bool] = {}

    def note(self, code: str, args: Sequence[Any]) -> None:
        if any(isinstance(each, torch.SymInt) for each in args):
            terms = [each.node.expr if isinstance(each, torch.SymInt) else each for each in args]
            self._guards.append((compile(code, "<guard of sizes>", "eval"), terms))

    def can_be_checked(self, *, is_hit: bool) -> bool:
        """Return whether each size that is asked for is an input, or computed from some.

        What a graph asks that was no hit of a cache is not known.
        """
        symbols = set(self._symbols)
        if symbols and not is_hit:
            return False
        return all(symbol.is_Symbol for symbol in symbols) and all(
            getattr(term, "free_symbols", set()) <= symbols
            for _, terms in self._guards
            for term in terms
        )

    def hold(self, inputs: Sequence[Any]) -> bool:
        sizes = tuple(inputs[position] for position in self.positions)
        found = self._known.get(sizes)
        if found is None:
            found = self._known[sizes] = self._evaluate(sizes)
        return found

    def _evaluate(self, sizes: tuple[int, ...]) -> bool:
        values = dict(zip(self._symbols, sizes, strict=True))
        for code, terms in self._guards:
            given = {
                f"t{index}": int(term.xreplace(values)) if hasattr(term, "xreplace") else term
                for index, term in enumerate(terms)
            }
            if not eval(code, SYMPY_INTERP, {"L": given}):
                return False
        return True


def _fake(tensor: torch.Tensor, mode: FakeTensorMode, context: TracingContext) -> torch.Tensor:
    if isinstance(tensor, FakeTensor):
        return tensor
    contexts: Any = context.tensor_to_context
    symbolic = contexts.get(tensor)
    return mode.from_tensor(
        tensor,
        static_shapes=False,
        symbolic_context=symbolic,
        source=None if symbolic is None else symbolic.tensor_source,
        trace=symbolic is None,
    )


def stand_for(inputs: Sequence[Any], fakes: Sequence[Any], mode: FakeTensorMode) -> None:
    """AOTAutograd makes ``fakes`` of ``inputs`` where it traces in ``mode``."""
    for tensor, fake in zip(inputs, fakes, strict=True):
        if isinstance(tensor, torch.Tensor) and tensor is not fake:
            mode.fake_tensor_converter.set_tensor_memo(tensor, fake)


def _guards_of_inputs(context: TracingContext) -> list[Any]:
    return context.guards_context.aotautograd_guards


def key_of(asked: GraphRequest) -> str:
    """Return the key under which AOTAutogradCache keeps what inductor makes of a graph.

    To be called where Dynamo asks, or within `Moment.again`. Raises `NoKeyError`.
    """
    if not functorch_config.enable_autograd_cache:
        raise NoKeyError("AOTAutogradCache is off")
    try:
        with config.patch(asked.options):
            key, _ = torch_inductor.autograd_cache_key(
                asked.module, asked.inputs, ignore_shape_env=False
            )
    except Exception as error:
        # As AOTAutogradCache itself does: whatever it is, it is not cached.
        raise NoKeyError(" ".join(str(error).split())) from None
    found: str = key
    return found


def hits() -> int:
    """Return how many graphs AOTAutogradCache has given so far."""
    return counters["aot_autograd"]["autograd_cache_hit"]


def is_kept(key: str) -> bool:
    """Return whether AOTAutogradCache has entries under ``key``."""
    return Path(AOTAutogradCache._get_tmp_dir_for_key(key)).is_dir()


# What Dynamo tells AOTAutograd beside a graph: where guards find an input, whether its memory stays
# where it is, and where they find a parameter that a module holds.
_SOURCE, _STATIC = "_dynamo_source", "_dynamo_static_input_type"


def source_of(node: fx.Node) -> Any:
    return getattr(node, _SOURCE, None)


def kind_of_static_input(node: fx.Node) -> str | None:
    found: str | None = node.meta.get("tensor_dict", {}).get(_STATIC)
    return found


def sources_of_parameters(module: fx.GraphModule) -> dict[str, Any] | None:
    """None of a graph that is part of another."""
    return getattr(module, "_param_name_to_source", None)


# What each graph module has
_PLAIN = frozenset(vars(fx.GraphModule(torch.nn.Module(), fx.Graph()))) | {
    "_backend_id",
    "_lineno_map",
    "_param_name_to_source",
    "_prologue_start",
    "_source_to_user_stacks",
    "compile_subgraph_reason",
    "shape_env",
}


def marks(module: fx.GraphModule) -> dict[str, Any]:
    """Return what Dynamo notes on a graph that is part of another, ``meta`` among it."""
    found = {name: value for name, value in vars(module).items() if name not in _PLAIN}
    if sources_of_parameters(module) is None and module.meta:
        found["meta"] = dict(module.meta)
    return found


def is_lazy(module: fx.GraphModule) -> bool:
    """Return whether a graph module writes its code when it is first needed."""
    return isinstance(module, _LazyGraphModule)


def has_symbols(value: Any) -> bool:
    """Return whether a value is a size that changes, or a tensor with one or of one number."""
    return isinstance(value, torch.SymInt) or (
        isinstance(value, torch.Tensor)
        and (_has_symbolic_sizes(value) or symbolic_item(value) is not None)
    )


def _has_symbolic_sizes(tensor: torch.Tensor) -> bool:
    return any(
        isinstance(each, torch.SymInt)
        for each in (*tensor.shape, *tensor.stride(), tensor.storage_offset())
    )


def symbolic_item(tensor: torch.Tensor) -> Any:
    """Return the symbol of a fake tensor's only item, a number that changes; None without one.

    Dynamo gives a graph such a tensor for a ``float`` of the program, and takes its item there.
    """
    found = tensor.item_memo if isinstance(tensor, FakeTensor) else None
    return found if isinstance(found, (torch.SymInt, torch.SymFloat)) else None


class _SymbolPickler(GraphPickler):
    """Writes symbols of ``float``s, too."""

    def reducer_override(self, obj: object) -> Any:
        if isinstance(obj, torch.SymFloat):
            return _symbolic_float, (_SymNodePickleData(obj.node), self._unpickle_state)
        return super().reducer_override(obj)


def _symbolic_float(written: Any, _: object) -> torch.SymFloat:
    found: torch.SymFloat = torch.SymFloat(written._to_sym_node())  # type: ignore[no-untyped-call]
    return found


def with_symbols(fakes: Sequence[Any]) -> bytes:
    """Write inputs whose sizes change, with what is known of the sizes. Raises what pickle does."""
    items = [symbolic_item(each) if isinstance(each, torch.Tensor) else None for each in fakes]
    return _SymbolPickler.dumps((list(fakes), items))


def with_hints(fake: torch.Tensor) -> torch.Tensor:
    """Return ``fake``, or one like it that has the sizes of the input that it stands for."""
    if not _has_symbolic_sizes(fake):
        return fake
    sizes, strides, (offset,) = (
        [guarding_hint_or_throw(each) for each in several]
        for several in (fake.shape, fake.stride(), (fake.storage_offset(),))
    )
    extent = 1 + offset + sum((n - 1) * k for n, k in zip(sizes, strides, strict=True))
    elements = torch.empty(max(extent, 0), dtype=fake.dtype, device="meta")
    return FakeTensor(
        FakeTensorMode(), elements.as_strided(sizes, strides, offset), fake.device
    ).requires_grad_(fake.requires_grad)


def is_parameter(fake: torch.Tensor) -> bool:
    return isinstance(fake, torch.nn.Parameter)


# --- in the other process -----------------------------------------------------------------


def fake_input(
    metadata: tuple[Any, ...], *, parameter: bool, leaf: bool, mode: FakeTensorMode
) -> torch.Tensor:
    """Return a fake tensor like an input of a graph of Dynamo's."""
    fake: Any = fake_graphs.fake_of(metadata, mode)
    if not leaf:
        with torch.enable_grad(), mode:
            clone: Any = torch._prims_common.clone_preserve_strides
            fake = clone(fake)
    if parameter:
        fake._is_param = True
    found: torch.Tensor = fake
    return found


def read_with_symbols(written: bytes, mode: FakeTensorMode) -> list[Any]:
    """Read what `with_symbols` wrote, and fill in the sizes of ``mode``."""
    found: Any = GraphPickler.loads(written, mode)
    fakes, items = found
    for fake, item in zip(fakes, items, strict=True):
        if item is not None:
            fake.item_memo = item
    return list(fakes)


def guards_on_items(fakes: Sequence[Any], mode: FakeTensorMode) -> list[Any]:
    """Return what is asked so far of the numbers that `symbolic_item` finds in ``fakes``.

    A cache checks what a graph asks of sizes, and not this.
    """
    tensors = [each for each in fakes if isinstance(each, torch.Tensor)]
    items = [symbolic_item(each) for each in tensors]
    symbols = {item.node.expr for item in items if item is not None}
    shape_env: Any = mode.shape_env
    return [each.expr for each in shape_env.guards if each.expr.free_symbols & symbols]


def new_fake_mode() -> FakeTensorMode:
    """As Dynamo gives AOTAutograd one."""
    return FakeTensorMode(shape_env=ShapeEnv())


def describe(node: fx.Node, static: str | None, source: Any) -> None:
    """Give an input's node what `kind_of_static_input` and `source_of` read."""
    if node.op == "placeholder":
        node.meta["tensor_dict"] = {} if static is None else {_STATIC: static}
        setattr(node, _SOURCE, source)


def graph_module(
    root: torch.nn.Module,
    graph: fx.Graph,
    sources: dict[str, Any] | None,
    marks: dict[str, Any],
    *,
    is_training: bool,
    is_lazy: bool,
) -> fx.GraphModule:
    """Return a graph module as Dynamo makes it: it holds all that ``root`` does, in that order.

    ``sources`` is what `sources_of_parameters` reads, ``marks`` what `marks` does.
    """
    with _use_lazy_graph_module(is_lazy):
        module = _make_graph_module(root, graph)
    for held in ("_parameters", "_buffers", "_modules"):
        setattr(module, held, dict(getattr(root, held)))
    module.training = is_training
    # In Dynamo's order, which is part of AOTAutogradCache's key
    found: Any = module
    found.shape_env = None
    if sources is not None:
        found.compile_subgraph_reason = None
        found._param_name_to_source = sources
        found._source_to_user_stacks = {}
        found.meta["dynamo_compile_id"] = CompileContext.current_compile_id()
    vars(module).update(marks)
    return module


@contextmanager
def as_if_dynamo_asked(mode: FakeTensorMode) -> Iterator[None]:
    """Let compiles within be those of a graph of Dynamo's."""
    with (
        tracing(TracingContext(mode)),
        compile_context(CompileContext(CompileId(frame_id=0, frame_compile_id=0))),
        get_metrics_context(),
        dynamo_timed(_EVENT, log_pt2_compile_event=True),
    ):
        yield


def compile_whole(asked: GraphRequest, *, frees: bool) -> None:
    """Compile a forward and its backward as inductor does, into its caches.

    ``frees`` is whether the backward frees what the forward saved for it, so that inductor may
    reuse that memory.
    """
    with ExitStack() as stack:
        stack.enter_context(cpp_kernels.compiled_together())
        stack.enter_context(_backward_at_once())
        if not frees:
            stack.enter_context(_nothing_donated())
        inductor_now(asked)


@contextmanager
def _backward_at_once() -> Iterator[None]:
    """AOTAutograd compiles the backward with the forward.

    There is a setting for it, which would be part of the key.
    """
    owner: Any = graph_compile
    stock = owner._aot_stage2b_bw_compile

    def compile_backward(*args: Any, **kwargs: Any) -> Any:
        def at_once(value: Any) -> Any:
            if dataclasses.is_dataclass(value) and hasattr(
                value, "force_non_lazy_backward_lowering"
            ):
                return dataclasses.replace(  # type: ignore[type-var]
                    value, force_non_lazy_backward_lowering=True
                )
            return value

        return stock(
            *(at_once(value) for value in args),
            **{name: at_once(value) for name, value in kwargs.items()},
        )

    owner._aot_stage2b_bw_compile = compile_backward
    try:
        yield
    finally:
        owner._aot_stage2b_bw_compile = stock


@contextmanager
def _nothing_donated() -> Iterator[None]:
    """As for a backward that keeps the graph."""
    owner: Any = graph_compile
    stock = owner.collect_bw_donated_buffer_idxs
    owner.collect_bw_donated_buffer_idxs = lambda *_, **__: []
    try:
        yield
    finally:
        owner.collect_bw_donated_buffer_idxs = stock
