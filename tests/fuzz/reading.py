"""Coverage-guided fuzzing of everything between a log's bytes and the outputs, by atheris.

    python -m tests.fuzz.reading -max_total_time=600

An input is either the bytes of a log, or (by its first byte) a recipe: records whose payloads
have their right md5, so that the fuzzer gets behind the checks, the lines of a stderr under
TORCH_LOGS, a few pieces of either, each over and over, or compiles (`tests.fuzz.compiles`).
Whatever comes in, nothing may raise,
the outputs must be whole, and time and memory stay bounded: time by what was read. What fails is
left as ``crash-…`` in the current folder; give that file as argument to see it again.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["ca_reports"]):
    import ca_reports
    from ca_reports.diagnosis.analysis import analyze
    from ca_reports.errors import CaError
    from ca_reports.output import json as json_output
    from ca_reports.output import terminal

import rich.console

from tests.fuzz import compiles
from tests.unit.logwriter import LogWriter, sample_run

_FOLDER = Path(
    tempfile.mkdtemp(prefix="ca-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
)
_LOG = _FOLDER / "trace.log"
_RUN = _FOLDER / "run"
# CPU time under the coverage of atheris, some ten times what reading takes without.
_SECONDS = 1.0
_SECONDS_A_BYTE = 5e-6

_KINDS = (
    "artifact", "chromium_event", "compilation_metrics", "compiled_autograd_graph",
    "dynamo_start", "dynamo_output_graph", "str", "stack",
)  # fmt: skip
_ARTIFACTS = (
    "compiled_autograd_compile_reasons", "compiled_autograd_graph_pre_reordering",
    "dynamo_graph_break_reason", "recompile_reasons", "ca_run", "ca_capture", "ca_backwards",
    "ca_end", "ca_hazard", "ca_late_hook", "ca_cudagraph_skip", "ca_trial", "ca_forward",
)  # fmt: skip


def one(data: bytes) -> None:
    """Read one input and render it."""
    choice = data[0] % 8 if data else 0
    if choice >= 6:
        provider = atheris.FuzzedDataProvider(data[1:])
        path, size = _RUN, compiles.write(_RUN, provider, lambda: _json(provider, 2))
    else:
        recipe = {1: _recipe, 3: _texts, 5: _repeated}.get(choice, bytes)
        path, size = _LOG, _LOG.write_bytes(recipe(data[1:]))
    start = time.process_time()
    _read(path)
    took = time.process_time() - start
    budget = _SECONDS + size * _SECONDS_A_BYTE
    if took > budget:
        raise TimeoutError(f"{took:.1f} s for {size} bytes, which may take {budget:.1f} s")


def _read(path: Path) -> None:
    try:
        run = ca_reports.load([path], jobs=1)
    except CaError:
        return
    json.loads(json_output.render(analyze(run)))
    terminal.render(analyze(run), rich.console.Console(file=io.StringIO(), width=100))


def _recipe(data: bytes) -> bytes:
    provider = atheris.FuzzedDataProvider(data)
    log = LogWriter()
    while provider.remaining_bytes() and len(log.records) < 40:
        kind = provider.PickValueInList(list(_KINDS))
        name = provider.PickValueInList(list(_ARTIFACTS))
        context = {
            key: provider.ConsumeIntInRange(-1, 1 << 33)
            for key in ("compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "rank")
            if provider.ConsumeBool()
        }
        body: object = (
            {"name": name, "encoding": "json"} if kind == "artifact" else _json(provider, 3)
        )
        payload: bytes | None = None
        if provider.ConsumeBool():
            payload = json.dumps(_json(provider, 4)).encode()
        elif provider.ConsumeBool():
            payload = provider.ConsumeBytes(provider.ConsumeIntInRange(0, 200))
        log.record(kind, body, payload, **context)
    return log.data


_HEADS = (
    "V1121 06:36:26.019000 20 torch/a.py:979] ", "[rank1]:V1121 06:36:26.019000 21 torch/b.py:9] ",
    "W0229 23:59:59.999999 20 torch/c.py:1] ", "\r 30%|###   |", "\x1b[36m", "", "\t",
)  # fmt: skip
_CONTEXTS = ("", "[!0] ", "[!7] ", "[0/1] ", "[!3/6/1_2] ", "[!99999999999999999/1/1] ", "[] ")
_TEXT_ARTIFACTS = (
    "", "[__compiled_autograd_verbose] ", "[__compiled_autograd] ", "[__recompiles] ",
    "[__recompiles_verbose] ", "[__graph_breaks] ", "[__other] ",
)  # fmt: skip
_MESSAGES = (
    "Cache miss due to new autograd node: Sub (NodeCall 2) with key size 5, previous key sizes=[]",
    "Cache miss due to 2 changed tensor shapes (total of 6): sizes[0], sizes[4]",
    "Cache miss due to changed shapes: marking size idx 1 of Sub (NodeCall 1) as dynamic",
    "TRACED GRAPH", "class CompiledAutograd0(torch.nn.Module):", "class CompiledAutograd(x):",
    "skipping cudagraphs due to mutated inputs (2 instances). Found from : ",
    '["0/1: n == 3", "0/0: n == 2"]', "[", '  "0/1: n == 3",', '  "0/0: n == 2"', "]",
    "DEBUG:torch._dynamo.guards.__recompiles:Recompiling function f in a.py:3",
    "2026-11-28 02:14:38,123 - a - DEBUG - Recompiling function f in a.py:3#012    function: '",
    "Recompiling function f in a.py:3", "    - 0/0: tensor 'x' size mismatch at index 0. expected",
    "    - User stack trace:", "torch._dynamo hit config.recompile_limit (8)",
    "   function: 'f' (a.py:3)", "   last reason: 0/0: n == 1", "To log all recompilation",
    "torch._dynamo.exc.Unsupported: x", "Graph break in user code at a.py:7",
    "Graph Break Reason: Unsupported Tensor.backward() call",
    "User code traceback:", '  File "a.py", line 7, in f', "    loss.backward()",
)  # fmt: skip


def _texts(data: bytes) -> bytes:
    provider = atheris.FuzzedDataProvider(data)
    lines: list[bytes] = []
    while provider.remaining_bytes() and len(lines) < 60:
        parts = [provider.PickValueInList(list(part))
                 for part in (_HEADS, _CONTEXTS, _TEXT_ARTIFACTS, _MESSAGES)]  # fmt: skip
        more = provider.ConsumeBytes(provider.ConsumeIntInRange(0, 8))
        lines.append("".join(parts).encode() + more)
    return b"\n".join(lines)


_PIECES = (
    *_HEADS, *_CONTEXTS, *_TEXT_ARTIFACTS, *_MESSAGES,
    " in ", ":1", "' (", "function: '", "] {", "] [", "\x1b[", "\x1b[0", "\n", "\n\t", " - ",
    "1", " ", ': "', "{", "[", "\\u0061", 'File "', "Cache miss due to ", "(NodeCall ",
    "tensor '", "' ",
)  # fmt: skip
_MOST_TIMES = 4_000


def _repeated(data: bytes) -> bytes:
    """A few pieces, each many times: what an expression that is not linear would choke on."""
    provider = atheris.FuzzedDataProvider(data)
    parts: list[bytes] = []
    while provider.remaining_bytes() and len(parts) < 8:
        unit = "".join(
            provider.PickValueInList(list(_PIECES)) for _ in range(provider.ConsumeIntInRange(1, 3))
        )
        times = provider.ConsumeIntInRange(1, _MOST_TIMES) if provider.ConsumeBool() else 1
        parts.append(unit.encode("utf-8", "replace") * times)
    return b"".join(parts)


_NAMES = (
    "name", "time", "id", "step", "kind", "reason", "node", "index", "stack", "file", "line",
    "changes", "attribute", "before", "after", "seconds", "capture", "start", "miss", "failed",
    "autograd_graph", "sizes", "modes", "compile_id", "recompile_reason", "filename", "ts", "ph",
    "args", "graph_id", "pid", "rank", "versions", "schema_version", "fx_nodes", "parameter",
    "hazards", "closest_capture", "tensors", "hooks", "attributes",
)  # fmt: skip


_EXTREME = (1.0, 0.5, 1e3, 1e18, 1e300, -1e300, 1e-300, float(2**63), float(2**53), 1.7e308)


def _json(provider: atheris.FuzzedDataProvider, depth: int) -> object:
    kind = provider.ConsumeIntInRange(0, 8 if depth else 5)
    if kind == 0:
        return None
    if kind == 1:
        return provider.ConsumeBool()
    if kind == 2:
        return provider.ConsumeIntInRange(-(1 << 63), (1 << 63) - 1)
    if kind == 3:
        return provider.PickValueInList(list(_EXTREME)) * provider.ConsumeIntInRange(-1, 1)
    if kind in (4, 5):
        return provider.ConsumeUnicodeNoSurrogates(provider.ConsumeIntInRange(0, 30))
    size = provider.ConsumeIntInRange(0, 6)
    if kind == 6:
        return [_json(provider, depth - 1) for _ in range(size)]
    return {provider.PickValueInList(list(_NAMES)): _json(provider, depth - 1) for _ in range(size)}


def _seeds(folder: Path) -> None:
    """What the fuzzer begins with: a log of ours, one of torch's, and a job's stderr."""
    folder.mkdir(parents=True, exist_ok=True)
    text = (
        b"[rank0]:V1121 06:36:26.019000 20 torch/autograd/graph.py:979] "
        b"[__compiled_autograd_verbose] Cache miss due to new autograd node: Sub (NodeCall 2) "
        b"with key size 56, previous key sizes=[1,]\n"
        b"V1121 06:36:26.029000 20 torch/_dynamo/guards.py:5396] [!3/6/1] [__recompiles] "
        b"Recompiling function f in a.py:3\n"
        b"V1121 06:36:26.029000 20 torch/_dynamo/guards.py:5396] [!3/6/1] [__recompiles]     "
        b"- 4/0: tensor 'x' size mismatch\n"
    )
    for number, seed in enumerate((sample_run().data, text, sample_run().data[:4000])):
        (folder / f"seed-{number}").write_bytes(b"\0" + seed)
    for recipe in (b"\1", b"\3", b"\5", b"\6"):
        (folder / f"recipe-{recipe[0]}").write_bytes(recipe + bytes(range(256)) * 4)


def main() -> None:
    """Run the fuzzer with libFuzzer's arguments; corpus in a temporary folder."""
    corpus = _FOLDER / "corpus"
    _seeds(corpus)
    arguments = [sys.argv[0], *sys.argv[1:]]
    if not any(Path(argument).exists() for argument in sys.argv[1:]):
        arguments += [str(corpus), "-max_len=8192", "-timeout=20", "-rss_limit_mb=1024"]
    atheris.Setup(arguments, one)
    atheris.Fuzz()


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main()
