"""Inputs for `tests.fuzz.reading`: functions that Dynamo compiles again and again.

With the guards that failed, what these held then, graph breaks, compile bills, the forward's
lines, lowering, and the source that the run has kept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Protocol

from tests.unit.logwriter import START, LogWriter, frame, run_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Provider(Protocol):
    """What is used of ``atheris.FuzzedDataProvider``."""

    def remaining_bytes(self) -> int:
        """How much of the input is left."""
        ...

    def ConsumeBool(self) -> bool:  # noqa: N802
        """Either."""
        ...

    def ConsumeIntInRange(self, least: int, most: int, /) -> int:  # noqa: N802
        """One of these, both ends included."""
        ...

    def PickValueInList(self, values: list[Any], /) -> Any:  # noqa: N802
        """One of ``values``."""
        ...


# Which parts a guard, a graph break or a line of source is put together from.
_SOURCES = (
    "self.temperature", "L['x']", "L['self']._modules['attn'].processor", "G['CONFIG'].mode",
    "xs[0]", "kwargs['batch']", "___stack0", "self.blocks[1].__defaults__[0]", "fn.keywords['k']",
    "len(xs)", "x.size()[1]", "x.stride()[0]", "dict.keys(batch)", "___check_obj_id(self.f, 7)",
    "", "(", "not ", "é", "a" * 90,
)  # fmt: skip
_GUARDS = (
    "{source} == {value}", "tensor '{source}' size mismatch at index {number}. expected {number}, "
    "actual {number}", "tensor '{source}' dtype mismatch. expected Float, actual Half",
    "tensor '{source}' rank mismatch. expected {number}, actual {number}", "not {source}",
    "tensor '{source}' requires_grad mismatch. expected requires_grad=1", "{number} <= {source}",
    "expected type of '{source}' to be a tensor type, but found {value}", "Duplicate tensor found",
    "GLOBAL_STATE changed: grad_mode", "Cache line invalidated because {source} got deallocated",
    "___check_type_id({source}, {number}), type=<class '{value}'>", "{source} is {source}",
    "list(dict.keys({source})) == ['a', 'b']", "{value} in {source}", "hasattr({source}, {value})",
    "Eq({source}, {source})", "BACKEND_MATCH", "{source}", "set.__contains__({source}, {value})",
)  # fmt: skip
_COMMENTS = (
    "", "  # loss.backward()  # train.py:{number} in step", "  # (HINT: {value})",
    "  # duck sizing added this", "  # x  # torch/_dynamo/guards.py:{number} in build ({value})",
)  # fmt: skip
_VALUES = ("1.0", "'sin'", "None", "True", "[1, 2]", "2**70", "-0.0", "'" * 40, "{", "x" * 300)
_BREAKS = (
    "Graph break in user code at train.py:{number}\n", "Graph Break Reason: {value}\n",
    "Graph Break Reason: Encountered graph break when attempting to trace CALL\n{value}\n",
    "  Explanation: {value}\n", "  Hint: {value}\n", "  Developer debug context: {source}\n",
    " For more details about this graph break, please visit: https://x.org/gb{number}.html\n",
    "User code traceback:\n", '  File "train.py", line {number}, in step\n    {source}\n',
    "\nTraceback (most recent call last):\n", "torch._dynamo.exc.Unsupported: {value}\n",
    "Skipping the function and falling back to eager\n", "Tensor.item()\n", "module: logging\n",
    "The graph break occurred in the following user code:\n",
    "detected a graph break in a for/while loop\n",
)  # fmt: skip
_PROGRAM = (
    "import torch\n", "for step in range({number}):\n", "    if step % {number} == 0:\n",
    "def f(x):\n", "        self.temperature = {value}\n", "    loss.backward()\n",
    "class A(torch.nn.Module):\n", "    x = x.item()\n", "# ca: ignore\n", "    print(x)\n",
    "    for batch in DataLoader(data):\n", "\t", "(" * 99, "    with torch.no_grad():\n",
    '"' * 3, "\\\n", "    CONFIG.mode = {value}\n",
)  # fmt: skip
_METRICS = (
    "entire_frame_compile_time_s", "backend_compile_time_s", "start_time",
    "aot_autograd_cumulative_compile_time_us", "inductor_cumulative_compile_time_us",
    "inductor_fx_local_cache_hit_count", "inductor_fx_local_cache_miss_count",
    "aotautograd_local_cache_miss_count", "remote_cache_time_saved_s", "co_firstlineno",
    "restart_reasons", "fail_type", "fail_reason", "co_name", "dynamo_config",
)  # fmt: skip
_HELD = (
    "value", "shape", "stride", "dtype", "device", "requires_grad", "length", "keys", "file",
    "line", "identity",
)  # fmt: skip
_MOST_COMPILES = 12
_MOST_TIMES = 400


def write(folder: Path, provider: Provider, anything: Callable[[], object]) -> int:
    """Write a run into ``folder``, over the one before; returns how many bytes it has.

    ``anything`` returns some JSON, for where a hostile log may hold what it likes.
    """
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    for number in range(_MOST_COMPILES):
        if not provider.remaining_bytes():
            break
        _compile(log, number, provider, anything)
    log.ca_backwards([(0, 1), (0, 0)])
    log.ca_end(START + 9, 2, 1)
    lines = (_filled(provider, _PROGRAM) for _ in range(provider.ConsumeIntInRange(0, 40)))
    kept: object = [{"file": "train.py", "hash": "0", "text": "".join(lines)}]
    if _seldom(provider):
        kept = anything()
    log.write(folder / "trace" / "dedicated_log_torch_trace_a.log")
    (folder / "run.json").write_text(json.dumps(run_file()))
    source = json.dumps({"schema_version": 1, "files": kept})
    (folder / "source.json").write_text(source)
    return len(log.data) + len(source)


def _compile(
    log: LogWriter, number: int, provider: Provider, anything: Callable[[], object]
) -> None:
    name = f"{provider.ConsumeIntInRange(0, 2)}/{number}"
    name = provider.PickValueInList([name, f"!0/{name}"])
    context = log.context(name)
    failed = "".join(
        f"{earlier}: {_filled(provider, _GUARDS)}{_filled(provider, _COMMENTS)}\n"
        for earlier in (name, "0/0", "1/0")[: provider.ConsumeIntInRange(0, 3)]
    )
    if provider.ConsumeBool():
        log.artifact("recompile_reasons", [failed], **context)
    if provider.ConsumeBool():
        texts = (_filled(provider, _BREAKS) for _ in range(provider.ConsumeIntInRange(1, 8)))
        log.artifact("dynamo_graph_break_reason", "".join(texts), "string", **context)
    if provider.ConsumeBool():
        guards = [
            {
                "failed": provider.PickValueInList(["0/0", name, None]),
                "source": _filled(provider, _SOURCES),
                "held": _held(provider, anything) if provider.ConsumeBool() else None,
            }
            for _ in range(provider.ConsumeIntInRange(0, 3))
        ]
        arguments = {
            _filled(provider, _SOURCES): _held(provider, anything)
            for _ in range(provider.ConsumeIntInRange(0, 3))
        }
        body = {"time": START + number, "guards": guards, "arguments": arguments, "data": {}}
        log.artifact("ca_guards", {"schema_version": 1, **body}, **context)
    metrics: dict[str, Any] = {"seconds": 0.5, "recompile_reason": failed or None}
    metrics |= {key: anything() for key in _METRICS if not provider.ConsumeIntInRange(0, 4)}
    stack = [("train.py", provider.ConsumeIntInRange(0, 12), "step", "f(x)")]
    log.compiled(name, stack=stack, **metrics)
    if provider.ConsumeBool():
        log.own(
            "ca_forward", time=START, step=number, capture=0, asked_for=provider.ConsumeBool(),
            frames=[frame("train.py", 3, "step", "f(x)")] * provider.ConsumeIntInRange(0, 3),
            nodes=anything(), positions=anything(),
        )  # fmt: skip
        log.own(
            "ca_lowering", time=START, capture=0, seconds=0.1, backend="inductor", line=3,
            way=provider.PickValueInList(["direct", "l2", "l1", "no", "x"]), cache=None,
            reason=provider.PickValueInList(["fullgraph", "guard", "x", None]), file="train.py",
            detail=_filled(provider, _GUARDS),
        )  # fmt: skip


def _filled(provider: Provider, parts: tuple[str, ...]) -> str:
    """One of ``parts`` with sources, values and numbers in it; seldom over and over."""
    found: str = provider.PickValueInList(list(parts))
    found = (
        found.replace("{source}", provider.PickValueInList(list(_SOURCES)))
        .replace("{value}", provider.PickValueInList(list(_VALUES)))
        .replace("{number}", str(provider.ConsumeIntInRange(0, 12)))
    )
    return found * provider.ConsumeIntInRange(1, _MOST_TIMES) if _seldom(provider) else found


def _held(provider: Provider, anything: Callable[[], object]) -> dict[str, object]:
    held: dict[str, object] = {"type": provider.PickValueInList(["int", "float", "Tensor", "list"])}
    return held | {key: anything() for key in _HELD if provider.ConsumeBool()}


def _seldom(provider: Provider) -> bool:
    return provider.ConsumeIntInRange(0, 40) == 1
