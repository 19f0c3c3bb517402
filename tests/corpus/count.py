"""Run a script and count, by torch's own counters, what was captured and compiled.

    python tests/corpus/count.py OUTPUT [--enable BACKEND] train.py …

Writes `Counts` as JSON to OUTPUT. Nothing of `ca` takes part in it.
"""

from __future__ import annotations

import contextlib
import json
import runpy
import sys
from pathlib import Path

import torch
from torch._dynamo import compiled_autograd
from torch._dynamo import utils as dynamo_utils


def counts() -> dict[str, int]:
    """What torch counted in this process so far.

    `captures`: backwards that compiled autograd captured. `recompiles`: compiles of the program's
    own functions because a guard failed; `captured_recompiles`: the same, of captured graphs.
    `breaks`: graph breaks in the program's own functions; `skipped`:
    functions that torch gave up to compile.
    """
    own = captured = 0
    for metrics in dynamo_utils.get_compilation_metrics():
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
        "skipped": counters["frames"]["total"] - counters["frames"]["ok"],
    }


def main() -> None:
    output, *rest = sys.argv[1:]
    engaged: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
    if rest[0] == "--enable":
        engaged = compiled_autograd._enable(torch.compile(backend=rest[1]))
        rest = rest[2:]
    dynamo_utils.set_compilation_metrics_limit(10_000)
    sys.argv = rest
    sys.path[0] = str(Path(rest[0]).absolute().parent)
    with engaged:
        runpy.run_path(rest[0], run_name="__main__")
    Path(output).write_text(json.dumps(counts()))


if __name__ == "__main__":
    main()
