"""Run a script and count, by torch's own counters, what was captured and compiled.

    python tests/corpus/count.py OUTPUT [--enable BACKEND] train.py …

Writes the counts as JSON to OUTPUT, with ``losses``: the sum of what each backward began at,
``trained``: what each backward left in the weights, and ``failed``: 1 if the script ended with an
exception, which is this process's as well. Nothing of `ca` takes part in it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import runpy
import sys
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch._dynamo import compiled_autograd, eval_frame, output_graph, trace_rules
from torch._dynamo import utils as dynamo_utils

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


# What torch 2.13 says of a compile that it refuses because the function has as many as it may have.
_REFUSED = ("Dynamo recompile limit exceeded", "Dynamo cache limit exceeded")


def counts() -> dict[str, float]:
    """What torch counted in this process so far.

    `captures`: backwards that compiled autograd captured. `recompiles`: compiles of the program's
    own functions because a guard failed; `captured_recompiles`: the same, of captured graphs.
    `breaks`: graph breaks in the program's own functions; `skipped`: functions that torch gave up
    to compile. `limits`: compiles refused because a function had as many as the limit allows, which
    count nowhere else. `compiles`: all compiles of its own functions, also the first of each: of a
    function that is compiled in a loop, and of what comes after a break, each is a first one.
    `calls`: calls from Python of what was compiled, and `compiled_calls` those in which a compiled
    graph ran: the others ran eagerly. `seconds`: what the process and its compilers computed for,
    which on a busy machine tells more than the time that passed.
    """
    own = captured = compiles = limits = 0
    programs: set[str] = set()  # numbers of code that was compiled outside of captured backwards
    for metrics in dynamo_utils.get_compilation_metrics():
        if str(metrics.fail_reason).startswith(_REFUSED):
            limits += 1
            continue
        *capture, code, _ = str(metrics.compile_id).split("/")
        if not capture:
            programs.add(code)
        # A captured backward runs code of the program's again where a checkpoint is reentrant.
        is_captured = code not in programs
        compiles += not is_captured
        if metrics.recompile_reason is None:
            continue
        if is_captured:
            captured += 1
        else:
            own += 1
    counters = dynamo_utils.counters
    return {
        "captures": counters["compiled_autograd"]["captures"],
        "recompiles": own,
        "captured_recompiles": captured,
        "breaks": sum(counters["graph_break"].values()),
        "compiles": compiles,
        "limits": limits,
        "skipped": counters["frames"]["total"] - counters["frames"]["ok"],
        **_calls,
        "seconds": sum(os.times()[:4]),
    }


_calls = {"calls": 0, "compiled_calls": 0}


def count_calls() -> None:
    """Count calls of what `torch.compile` returned, and those that ran one of its graphs.

    Torch switches its callback twice in such a call, by this function of the module. A call within
    another one is a part of that.
    """
    running: list[int] = []
    has_run = False
    switch = eval_frame._maybe_set_eval_frame
    compile_graph = output_graph.OutputGraph.call_user_compiler

    def switched(callback: Any) -> Any:
        nonlocal has_run
        caller = sys._getframe(1)
        if caller.f_code.co_name == "compile_wrapper":
            if running and running[-1] == id(caller):
                running.pop()
                if not running:
                    _calls["calls"] += 1
                    _calls["compiled_calls"] += has_run
            else:
                has_run = has_run and bool(running)
                running.append(id(caller))
        return switch(callback)

    def compiled(graph: Any, *arguments: Any) -> Any:
        function = compile_graph(graph, *arguments)

        @functools.wraps(function)
        def run(*inputs: Any, **options: Any) -> Any:
            nonlocal has_run
            has_run = True
            return function(*inputs, **options)

        return run

    vars(eval_frame)["_maybe_set_eval_frame"] = switched
    vars(output_graph)["OutputGraph"].call_user_compiler = compiled


class Weights:
    """Tensors that a program trains: of its modules and optimizers, else those it asks for."""

    def __init__(self) -> None:
        """Begin to note what is registered."""
        self._registered: dict[int, weakref.ref[torch.Tensor]] = {}
        self._optimizers = weakref.WeakSet[torch.optim.Optimizer]()
        nn.modules.module.register_module_parameter_registration_hook(self._note)
        genuine = torch.optim.Optimizer.add_param_group

        @functools.wraps(genuine)
        def add(optimizer: torch.optim.Optimizer, group: dict[str, Any]) -> None:
            self._optimizers.add(optimizer)
            genuine(optimizer, group)

        vars(torch.optim)["Optimizer"].add_param_group = add

    def _note(self, module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        if parameter is not None and not torch._C._len_torch_dispatch_stack():
            self._registered[id(parameter)] = weakref.ref(parameter)

    def reached_from(self, roots: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return all of them; where none is registered, what a backward of ``roots`` reaches."""
        alive = [one() for one in self._registered.values()]
        found = {id(one): one for one in alive if one is not None}
        for optimizer in self._optimizers:
            for group in optimizer.param_groups:
                found.update((id(one), one) for one in group["params"])
        return list(found.values()) or _leaves(roots)


def _leaves(roots: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    found, seen = [], set()
    waiting = [root.grad_fn for root in roots]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        waiting += [one for one, _ in node.next_functions]
    return found


def _size(tensors: Iterable[torch.Tensor | None]) -> float:
    """The sum of all absolute values."""
    return sum(
        float(one.detach().to_dense().double().abs().sum()) for one in tensors if one is not None
    )


def backwards() -> tuple[list[float], list[tuple[int, float]]]:
    """Sums of the roots of each backward, and what it trained, added as the backwards run.

    The latter is how many numbers of weights require gradients, and the size of the gradients, also
    of those that are returned. A backward within another, as a reentrant checkpoint runs it, is
    none of the program's.
    """
    found: list[float] = []
    trained: list[tuple[int, float]] = []
    weights = Weights()
    running = 0
    genuine = vars(torch.autograd)["_engine_run_backward"]

    def noted(roots: Sequence[torch.Tensor], *arguments: Any, **options: Any) -> Any:
        nonlocal running
        # AOT autograd traces backwards of its own, with tensors that have no values.
        is_own = not torch._C._len_torch_dispatch_stack() and not running
        reached: list[torch.Tensor] = []
        if is_own:
            reached = weights.reached_from(roots)
            found.append(sum(float(root.detach().sum()) for root in roots))
        running += 1
        try:
            returned = genuine(roots, *arguments, **options)
        finally:
            running -= 1
        if is_own:
            required = sum(one.numel() for one in reached if one.requires_grad)
            trained.append((required, _size([*(one.grad for one in reached), *(returned or ())])))
        return returned

    vars(torch.autograd)["_engine_run_backward"] = noted
    return found, trained


def keep_out_of_graphs() -> None:
    """Have Dynamo leave the functions of this file to Python, or what counts is counted itself."""
    vars(trace_rules)["SKIP_DIRS"].append(str(Path(__file__).resolve()))
    vars(trace_rules)["_recompile_re"]()


def main() -> None:
    output, *rest = sys.argv[1:]
    engaged: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
    if rest[0] == "--enable":
        engaged = compiled_autograd._enable(torch.compile(backend=rest[1]))
        rest = rest[2:]
    dynamo_utils.set_compilation_metrics_limit(10_000)
    sys.argv = rest
    sys.path[0] = str(Path(rest[0]).absolute().parent)
    keep_out_of_graphs()
    count_calls()
    random.seed(0)
    torch.manual_seed(0)
    losses, trained = backwards()
    failed = 1
    try:
        with engaged:
            runpy.run_path(rest[0], run_name="__main__")
        failed = 0
    finally:
        told = {**counts(), "losses": losses, "trained": trained, "failed": failed}
        Path(output).write_text(json.dumps(told))


if __name__ == "__main__":
    main()
