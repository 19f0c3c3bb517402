"""Random trainings whose backwards are captured: what they compute, leave behind, call and raise.

A training is made of pieces of a model, of hooks on what the pieces give and keep, and of steps:
how large the batch is, what stands in ``.grad``, how the backward is called and under which state.
It is a `Program` of `tests.engine.conftest`, so each engine runs the same one; what it returns are
plain values, to be compared by ``==``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from hypothesis import strategies as st
from torch import nn
from torch.autograd import Variable

from tests.engine.conftest import Backward
from tests.engine.random_pieces import EAGER, MODULES, WIDTH

# What a step leaves behind, by subject; each is compared by itself.
Observation = dict[str, Any]


@dataclass(frozen=True)
class Hook:
    """A hook of ``kind`` that ``does`` something, at the piece or parameter number ``place``."""

    kind: str
    does: str
    place: int = 0


@dataclass(frozen=True)
class Step:
    """One backward: ``rows`` of its batch, ``grads`` before it, how it is called, and the state."""

    rows: int = 3
    grads: str = "kept"
    call: str = "squares"
    state: str = "plain"


@dataclass(frozen=True)
class RandomTraining:
    """A training of these pieces, hooks and steps; call it with a `Backward`."""

    pieces: tuple[str, ...]
    hooks: tuple[Hook, ...] = ()
    steps: tuple[Step, ...] = (Step(), Step())

    def __call__(self, backward: Backward) -> list[Observation]:
        """Run all steps under ``backward``; return what each leaves behind."""
        return Run(self, backward).observations()


class Model(nn.Module):
    """A layer and the pieces; keeps what stands before each piece."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, WIDTH)
        self.pieces = nn.ModuleList(
            self.first if name == SHARED else PIECES[name]() for name in names
        )
        self.unused = nn.Parameter(torch.zeros(2))

    def forward(self, x: torch.Tensor) -> list[torch.Tensor]:
        """Return the results of all layers, the first one's at first."""
        results = [self.first(x)]
        for piece in self.pieces:
            results.append(piece(results[-1]))
        return results


# The first layer once more
SHARED = "first layer"
PIECES: dict[str, Callable[[], nn.Module]] = {**MODULES, **EAGER}


class Run:
    """One run of a training under one engine."""

    def __init__(self, training: RandomTraining, backward: Backward) -> None:
        torch.manual_seed(0)
        self.training = training
        self.backward = backward
        self.model = Model(training.pieces)
        self.parameters = list(self.model.parameters())
        self.events: list[str] = []
        self.kept: list[torch.Tensor] = []
        self.step = 0
        for number, hook in enumerate(training.hooks):
            if hook.kind in OF_MODEL:
                OF_MODEL[hook.kind](self, hook, f"{number}")

    def observations(self) -> list[Observation]:
        return [self.observe(number, step) for number, step in enumerate(self.training.steps)]

    def observe(self, number: int, step: Step) -> Observation:
        """Run one step; return what can be seen of it afterwards."""
        torch.manual_seed(1 + number)
        self.step = number
        self.events.clear()
        self.kept.clear()
        before = [each.grad for each in self.parameters]
        error = None
        given: list[torch.Tensor | None] = []
        results: list[torch.Tensor] = []
        try:
            GRADS[step.grads](self.parameters)
            before = [each.grad for each in self.parameters]
            x = torch.randn(step.rows, WIDTH, requires_grad=number % 2 == 0)
            results += [x, *self.model(x)]
            for place, hook in enumerate(self.training.hooks):
                if hook.kind in OF_RESULTS:
                    OF_RESULTS[hook.kind](self, hook, f"{place}", results)
            with STATES[step.state]():
                given += CALLS[step.call](self, results)
        except Exception as raised:
            error = (type(raised).__name__, text_of(raised))
        after = [each.grad for each in self.parameters]
        retained = [each.grad if each.retains_grad or each.is_leaf else None for each in results]
        groups: dict[str, Sequence[torch.Tensor | None]] = {
            "results": results,
            "grads": after,
            "given": given,
            "retained": retained,
            "parameters": self.parameters,
            "buffers": list(self.model.buffers()),
            "kept": self.kept,
        }
        # What a hook got within `vmap` can't be looked at.
        is_batched = torch._C._functorch.is_legacy_batchedtensor
        for name, tensors in groups.items():
            groups[name] = [None if each is None or is_batched(each) else each for each in tensors]
        storages: dict[int, int] = {}
        observation: Observation = {"error": error, "events": list(self.events)}
        for name, tensors in groups.items():
            observation[name] = [values(each) for each in tensors]
            observation[f"geometry of {name}"] = [geometry(each) for each in tensors]
            observation[f"versions of {name}"] = [version(each) for each in tensors]
            observation[f"memory of {name}"] = [memory(each, storages) for each in tensors]
        observation["identities"] = [one is other for one, other in zip(before, after, strict=True)]
        observation["random state"] = bytes(torch.get_rng_state().numpy())
        return observation


def text_of(error: BaseException) -> str:
    """Return the first line of what ``error`` says."""
    return (str(error).splitlines() or [""])[0]


# What is seen of a tensor


def values(tensor: torch.Tensor | None) -> Any:
    """Return dtype, sizes and bits of ``tensor``, and whether it has a graph."""
    if tensor is None:
        return None
    plain = tensor.detach()
    kind = (str(plain.dtype), tuple(plain.shape), tensor.requires_grad, tensor.grad_fn is not None)
    if plain.layout is not torch.strided:
        dense = plain.coalesce()
        return (*kind, values(dense.indices()), values(dense.values()))
    row = plain.new_empty(plain.numel()).copy_(plain.reshape(-1))
    return (*kind, bytes(row.view(torch.uint8).numpy()))


def geometry(tensor: torch.Tensor | None) -> Any:
    if tensor is None:
        return None
    if tensor.layout is not torch.strided:
        return str(tensor.layout), tensor.is_coalesced()
    return tensor.stride(), tensor.storage_offset(), tensor.is_conj(), tensor.is_neg()


def version(tensor: torch.Tensor | None) -> int | None:
    return None if tensor is None else tensor._version


def memory(tensor: torch.Tensor | None, storages: dict[int, int]) -> int | None:
    """Return a number that tensors of one step have in common if they share memory."""
    if tensor is None or tensor.layout is not torch.strided:
        return None
    return storages.setdefault(tensor.untyped_storage()._cdata, len(storages))


# Hooks


def tensor_hook(run: Run, hook: Hook, name: str) -> Callable[[torch.Tensor], Any]:
    """Return a hook that gets one gradient and may give another."""
    events, kept = run.events, run.kept

    def note(grad: torch.Tensor) -> None:
        events.append(name)

    def scale(grad: torch.Tensor) -> torch.Tensor:
        events.append(name)
        return grad * 2

    def keep(grad: torch.Tensor) -> None:
        kept.append(grad.clone())

    def write(grad: torch.Tensor) -> None:
        grad.mul_(2)

    def refuse(grad: torch.Tensor) -> None:
        events.append(name)
        raise ValueError("no")

    def queue(grad: torch.Tensor) -> None:
        events.append(name)
        engine: Any = Variable._execution_engine
        engine.queue_callback(lambda: events.append(f"{name}, queued"))

    def widen(grad: torch.Tensor) -> torch.Tensor:
        return grad.double()

    def repeat(grad: torch.Tensor) -> torch.Tensor:
        return torch.cat([grad, grad])

    def detour(grad: torch.Tensor) -> torch.Tensor:
        events.append(f"{name} {tuple(grad.shape)}")
        return torch.where(grad > 0, grad, torch.zeros_like(grad))

    return {
        "note": note,
        "scale": scale,
        "keep": keep,
        "write": write,
        "refuse": refuse,
        "queue": queue,
        "widen": widen,
        "repeat": repeat,
        "detour": detour,
    }[hook.does]


def on_a_result(run: Run, hook: Hook, name: str, results: Sequence[torch.Tensor]) -> None:
    result = results[hook.place % len(results)]
    if result.requires_grad:
        result.register_hook(tensor_hook(run, hook, name))


def on_a_node(run: Run, hook: Hook, name: str, results: Sequence[torch.Tensor]) -> None:
    node: Any = results[1 + hook.place % (len(results) - 1)].grad_fn
    if node is None:
        return
    change = tensor_hook(run, hook, name)

    def before(grads: Any) -> Any:
        changed = change(grads[0])
        return None if changed is None else (changed, *grads[1:])

    def after(given: Any, taken: Any) -> Any:
        changed = None if given[0] is None else change(given[0])
        return None if changed is None else (changed, *given[1:])

    if hook.place % 2:
        node.register_prehook(before)
    else:
        node.register_hook(after)


def retained(_: Run, hook: Hook, name: str, results: Sequence[torch.Tensor]) -> None:
    result = results[hook.place % len(results)]
    if result.requires_grad:
        result.retain_grad()


def on_several_results(run: Run, hook: Hook, name: str, results: Sequence[torch.Tensor]) -> None:
    events = run.events
    wanted = tuple(each for each in results if each.requires_grad)
    if not wanted:
        return

    def all_of(grads: Sequence[Any]) -> None:
        events.append(f"{name} {[each is not None for each in grads]}")

    def any_of(grad: torch.Tensor) -> None:
        events.append(name)

    hooked: Callable[..., Any] = torch.autograd.graph.register_multi_grad_hook
    if hook.place % 2:
        hooked(wanted, all_of)
    else:
        hooked(wanted, any_of, mode="any")


def on_a_parameter(run: Run, hook: Hook, name: str) -> None:
    parameter = run.parameters[hook.place % len(run.parameters)]
    if parameter.requires_grad:
        parameter.register_hook(tensor_hook(run, hook, name))


def after_accumulation(run: Run, hook: Hook, name: str) -> None:
    parameter = run.parameters[hook.place % len(run.parameters)]
    if not parameter.requires_grad:
        return
    events = run.events

    def note(updated: torch.Tensor) -> None:
        events.append(f"{name} {updated.grad is not None}")

    def step(updated: torch.Tensor) -> None:
        assert updated.grad is not None
        if updated.grad.layout is torch.strided:
            with torch.no_grad():
                updated.sub_(updated.grad, alpha=0.1)
        updated.grad = None

    def halve(updated: torch.Tensor) -> None:
        assert updated.grad is not None
        updated.grad.mul_(0.5)

    def refuse(_: torch.Tensor) -> None:
        raise ValueError("no")

    def queue(_: torch.Tensor) -> None:
        engine: Any = Variable._execution_engine
        engine.queue_callback(lambda: events.append(f"{name}, queued"))

    does: dict[str, Callable[[torch.Tensor], None]] = {
        "scale": halve,
        "write": step,
        "refuse": refuse,
        "queue": queue,
    }
    parameter.register_post_accumulate_grad_hook(does.get(hook.does, note))


def on_a_module(run: Run, hook: Hook, name: str) -> None:
    modules = [run.model.first, *run.model.pieces]
    module = modules[hook.place % len(modules)]
    change = tensor_hook(run, hook, name)

    def before(_: nn.Module, grads: Any) -> Any:
        changed = None if grads[0] is None else change(grads[0])
        return None if changed is None else (changed,)

    def after(_: nn.Module, given: Any, taken: Any) -> Any:
        changed = None if given[0] is None else change(given[0])
        return None if changed is None else (changed,)

    if hook.place % 2:
        module.register_full_backward_pre_hook(before)
    else:
        module.register_full_backward_hook(after)


OF_RESULTS: dict[str, Callable[[Run, Hook, str, Sequence[torch.Tensor]], None]] = {
    "result": on_a_result,
    "node": on_a_node,
    "retain": retained,
    "several results": on_several_results,
}
OF_MODEL: dict[str, Callable[[Run, Hook, str], None]] = {
    "parameter": on_a_parameter,
    "after accumulation": after_accumulation,
    "module": on_a_module,
}
DOES = ("note", "scale", "keep", "detour", "write", "queue", "refuse", "widen", "repeat")


# What stands in ``.grad`` before a step


def set_grads(
    make: Callable[[torch.Tensor], torch.Tensor | None], parameters: Sequence[torch.Tensor]
) -> None:
    for each in parameters:
        if each.requires_grad:
            each.grad = make(each)


def kept_grads(_: Sequence[torch.Tensor]) -> None:
    pass


def zeroed(parameters: Sequence[torch.Tensor]) -> None:
    for each in parameters:
        if each.grad is not None:
            each.grad.zero_()


def of_some(parameters: Sequence[torch.Tensor]) -> None:
    for each in parameters[::2]:
        each.grad = None


def in_one_buffer(parameters: Sequence[torch.Tensor]) -> None:
    wanted = [each for each in parameters if each.requires_grad]
    flat = torch.zeros(sum(each.numel() for each in wanted))
    parts = flat.split([each.numel() for each in wanted])
    for each, part in zip(wanted, parts, strict=True):
        each.grad = part.view(each.shape)


def overlapping(parameters: Sequence[torch.Tensor]) -> None:
    wanted = [each for each in parameters if each.requires_grad]
    flat = torch.zeros(max(each.numel() for each in wanted))
    for each in wanted:
        each.grad = flat[: each.numel()].view(each.shape)


def after_a_step(parameters: Sequence[torch.Tensor]) -> None:
    with torch.no_grad():
        for each in parameters:
            if each.grad is not None and each.grad.layout is torch.strided:
                each.sub_(each.grad, alpha=0.1)


def of_other_strides(each: torch.Tensor) -> torch.Tensor:
    turned = torch.ones(each.shape[::-1])
    return turned.permute(*reversed(range(each.dim())))


GRADS: dict[str, Callable[[Sequence[torch.Tensor]], None]] = {
    "kept": kept_grads,
    "none": partial(set_grads, lambda _: None),
    "zeroed": zeroed,
    "of some": of_some,
    "ones": partial(set_grads, torch.ones_like),
    "of other strides": partial(set_grads, of_other_strides),
    "expanded": partial(set_grads, lambda each: torch.zeros(()).expand(each.shape)),
    "every other": partial(set_grads, lambda each: torch.zeros(*each.shape, 2)[..., 0]),
    "in one buffer": in_one_buffer,
    "overlapping": overlapping,
    "after a step": after_a_step,
    "differentiable": partial(set_grads, lambda each: torch.ones_like(each).requires_grad_()),
}


# How the backward is called: each returns the gradients that it was given.

Given = Sequence[torch.Tensor | None]
Results = list[torch.Tensor]


def loss_of(results: Results) -> torch.Tensor:
    return results[-1].square().mean()


def wanted_of(run: Run) -> list[torch.Tensor]:
    return [each for each in run.parameters if each.requires_grad]


def squares(run: Run, results: Results) -> Given:
    run.backward(loss_of(results))
    return ()


def retained_twice(run: Run, results: Results) -> Given:
    loss = loss_of(results)
    run.backward(loss, retain_graph=True)
    run.backward(loss)
    return ()


def freed(run: Run, results: Results) -> Given:
    loss = loss_of(results)
    run.backward(loss)
    run.backward(loss)
    return ()


def partly_freed(run: Run, results: Results) -> Given:
    run.backward(results[len(results) // 2].sum())
    run.backward(loss_of(results))
    return ()


def into_inputs(run: Run, results: Results) -> Given:
    run.backward(loss_of(results), inputs=wanted_of(run)[:2])
    return ()


def into_results(run: Run, results: Results) -> Given:
    inner = results[len(results) // 2]
    run.backward(loss_of(results), inputs=[inner, *wanted_of(run)[-2:]])
    return (inner.grad,)


def of_a_given_gradient(run: Run, results: Results) -> Given:
    run.backward(results[-1], torch.randn(results[-1].shape))
    return ()


def of_an_expanded_gradient(run: Run, results: Results) -> Given:
    run.backward(results[-1], torch.randn(()).expand(results[-1].shape))
    return ()


def of_a_turned_gradient(run: Run, results: Results) -> Given:
    run.backward(results[-1], torch.randn(results[-1].t().shape).t())
    return ()


def of_all_results(run: Run, results: Results) -> Given:
    roots = results[1:]
    with run.backward.enabled():
        torch.autograd.backward(roots, [torch.ones_like(each) for each in roots])
    return ()


def of_two_losses(run: Run, results: Results) -> Given:
    inner = results[len(results) // 2]
    run.backward(inner.sin().mean(), retain_graph=True)
    run.backward(loss_of(results))
    return ()


def returned(run: Run, results: Results, **options: Any) -> Given:
    with_x = results[:1] if results[0].requires_grad else []
    return run.backward.grad(loss_of(results), [*with_x, *wanted_of(run)], **options)


def returned_and_run(run: Run, results: Results) -> Given:
    loss = loss_of(results)
    given = run.backward.grad(loss, wanted_of(run), allow_unused=True, retain_graph=True)
    run.backward(loss)
    return given


def returned_of_results(run: Run, results: Results) -> Given:
    inner = [results[-1], results[len(results) // 2], results[1]]
    return run.backward.grad(loss_of(results), inner, allow_unused=True)


def returned_in_a_batch(run: Run, results: Results) -> Given:
    root = results[-1]
    directions = torch.randn(2, *root.shape)
    return run.backward.grad(
        root, wanted_of(run), directions, is_grads_batched=True, allow_unused=True
    )


def twice(run: Run, results: Results) -> Given:
    """The first backward is eager."""
    (slope,) = torch.autograd.grad(loss_of(results), results[1], create_graph=True)
    run.backward(slope.square().sum())
    return (slope.detach(),)


def differentiable(run: Run, results: Results) -> Given:
    run.backward(loss_of(results), create_graph=True)
    return ()


def twice_captured(run: Run, results: Results) -> Given:
    (slope,) = run.backward.grad(loss_of(results), [results[1]], create_graph=True)
    run.backward(slope.square().sum())
    return (slope.detach(),)


def of_no_scalar(run: Run, results: Results) -> Given:
    run.backward(results[-1])
    return ()


CALLS: dict[str, Callable[[Run, Results], Given]] = {
    "squares": squares,
    "retained": retained_twice,
    "freed": freed,
    "partly freed": partly_freed,
    "into inputs": into_inputs,
    "into results": into_results,
    "a given gradient": of_a_given_gradient,
    "an expanded gradient": of_an_expanded_gradient,
    "a turned gradient": of_a_turned_gradient,
    "all results": of_all_results,
    "two losses": of_two_losses,
    "returned": returned,
    "returned, some unused": partial(returned, allow_unused=True),
    "returned, as zeros": partial(returned, materialize_grads=True),
    "returned and run": returned_and_run,
    "returned of results": returned_of_results,
    "returned in a batch": returned_in_a_batch,
    "twice": twice,
    "differentiable": differentiable,
    "twice, captured": twice_captured,
    "no scalar": of_no_scalar,
}


# The state of the thread around a backward


@contextlib.contextmanager
def deterministically() -> Iterator[None]:
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


class Passing(torch.overrides.TorchFunctionMode):
    """Lets all calls pass."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


STATES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "plain": contextlib.nullcontext,
    "autocast": partial(torch.autocast, "cpu", torch.bfloat16),
    "deterministic": deterministically,
    "anomaly": partial(torch.autograd.detect_anomaly, check_nan=False),
    "NaN check": torch.autograd.detect_anomaly,
    "function mode": Passing,
}


class EagerBackward(Backward):
    """Runs backwards in eager mode."""

    def __init__(self) -> None:
        pass

    @contextlib.contextmanager
    def enabled(self) -> Iterator[None]:
        yield


def mostly(names: Sequence[str], usual: int = 1) -> st.SearchStrategy[str]:
    """Draw one of ``names``; the first ``usual`` ones half of the time."""
    return st.one_of(st.sampled_from(names[:usual]), st.sampled_from(names))


def places() -> st.SearchStrategy[int]:
    return st.integers(0, 9)


def hooks() -> st.SearchStrategy[Hook]:
    kinds = st.sampled_from([*OF_RESULTS, *OF_MODEL])
    return st.builds(Hook, kinds, mostly(DOES, 5), places())


def steps() -> st.SearchStrategy[Step]:
    return st.builds(
        Step,
        mostly_equal_rows(),
        mostly([*GRADS], 2),
        mostly([*CALLS], 1),
        mostly([*STATES], 1),
    )


def mostly_equal_rows() -> st.SearchStrategy[int]:
    return st.one_of(st.just(3), st.integers(0, 5))


@st.composite
def trainings(draw: st.DrawFn) -> RandomTraining:
    """Draw a training; small ones have few pieces, no hooks and plain steps."""
    names = [SHARED, *PIECES]
    pieces = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4))
    drawn = draw(st.one_of(st.just([]), st.lists(hooks(), min_size=1, max_size=4)))
    number = draw(st.lists(steps(), min_size=1, max_size=3))
    return RandomTraining(tuple(pieces), tuple(drawn), tuple(number))
