"""Run a script and count, by torch's own counters, what was captured and compiled.

    python tests/corpus/count.py OUTPUT [--enable BACKEND] train.py …

Writes the counts as JSON to OUTPUT, with ``losses``: the sum of what each backward began at, and
``failed``: 1 if the script ended with an exception, which is this process's as well. Nothing of
`ca` takes part in it.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo import compiled_autograd, eval_frame, output_graph
from torch._dynamo import utils as dynamo_utils

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    for metrics in dynamo_utils.get_compilation_metrics():
        if str(metrics.fail_reason).startswith(_REFUSED):
            limits += 1
            continue
        compiles += not str(metrics.compile_id).startswith("!")
        if metrics.recompile_reason is None:
            continue
        if str(metrics.compile_id).startswith("!"):
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


def losses() -> list[float]:
    """Sums of the roots of each backward, added as the backwards run.

    A backward within another, as a reentrant checkpoint runs it, is none of the program's.
    """
    found: list[float] = []
    running = 0
    genuine = vars(torch.autograd)["_engine_run_backward"]

    def noted(roots: Sequence[torch.Tensor], *arguments: Any, **options: Any) -> Any:
        nonlocal running
        # AOT autograd traces backwards of its own, with tensors that have no values.
        if not torch._C._len_torch_dispatch_stack() and not running:
            found.append(sum(float(root.detach().sum()) for root in roots))
        running += 1
        try:
            return genuine(roots, *arguments, **options)
        finally:
            running -= 1

    vars(torch.autograd)["_engine_run_backward"] = noted
    return found


def main() -> None:
    output, *rest = sys.argv[1:]
    engaged: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
    if rest[0] == "--enable":
        engaged = compiled_autograd._enable(torch.compile(backend=rest[1]))
        rest = rest[2:]
    dynamo_utils.set_compilation_metrics_limit(10_000)
    sys.argv = rest
    sys.path[0] = str(Path(rest[0]).absolute().parent)
    count_calls()
    began_at = losses()
    failed = 1
    try:
        with engaged:
            runpy.run_path(rest[0], run_name="__main__")
        failed = 0
    finally:
        Path(output).write_text(json.dumps({**counts(), "losses": began_at, "failed": failed}))


if __name__ == "__main__":
    main()
