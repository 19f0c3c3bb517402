"""Logs that grow in one respect: each is what was slow once, or what could be.

`GROWING` is used by the tests of the readers' speed, by ``make bench`` and by the fuzzer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.unit.logwriter import START, LogWriter, frame

if TYPE_CHECKING:
    from collections.abc import Callable

_TEXT = b"V1121 06:36:26.029000 20 torch/_dynamo/guards.py:5396] "
_TRACE = b"V1121 06:36:26.029000 20 torch/_dynamo/guards.py:5396] {"


def _lines(head: bytes, *messages: bytes) -> bytes:
    return b"".join(_TEXT + head + line + b"\n" for line in messages)


def _log(fill: Callable[[LogWriter], None]) -> bytes:
    log = LogWriter()
    log.ca_run()
    fill(log)
    return log.data


def _captures(number: int) -> bytes:
    def fill(log: LogWriter) -> None:
        for id in range(number):
            log.ca_capture(
                id,
                "new_autograd_node" if id else "first",
                node={"index": 3, "name": "PowBackward0"},
                reason="Cache miss due to new autograd node: PowBackward0 (NodeCall 3)",
                changes=[_change(id)],
                closest_capture=id - 1 if id else None,
            )

    return _log(fill)


def _each_capture(more: Callable[[int], dict[str, Any]]) -> Callable[[int], bytes]:
    """Captures of which each differs from the one before as ``more`` says of its number."""

    def made(number: int) -> bytes:
        def fill(log: LogWriter) -> None:
            for id in range(number):
                kind = "new_autograd_node" if id else "first"
                log.ca_capture(id, kind, **{"closest_capture": id - 1 if id else None, **more(id)})
                log.ca_backwards([(id, 1)], id)

        return _log(fill)

    return made


def _hooked(_id: int) -> dict[str, Any]:
    """One more hook than before, and as many as any before."""
    change = {"index": 1, "name": "MulBackward0", "attribute": "hooks", "before": 1, "after": 2}
    nodes = [{"index": 1, "name": "MulBackward0", "hooks": 2}]
    return {"autograd_graph": nodes, "changes": [change]}


def _carrying(id: int) -> dict[str, Any]:
    """Through the forward of the backward before, from another loss."""
    root = {"name": "torch::autograd::GraphRoot", "attributes": {"outputs": [f"A{id}"]}}
    nodes = [{"index": 0, **root}, {"index": 1, "name": "SinBackward0", "carried": True}]
    change = {"index": 1, "name": "SinBackward0", "attribute": "node", "before": "A", "after": "B"}
    return {"autograd_graph": nodes, "changes": [change], "carried_nodes": 1}


def _unrolled(id: int) -> dict[str, Any]:
    """A loop of up to forty rounds."""
    nodes = [{"index": index, "name": "MulBackward0"} for index in range(1, 3 + id % 40)]
    change = {"index": 1, "name": "MulBackward0", "attribute": "node"}
    return {
        "autograd_graph": nodes,
        "changes": [{**change, "before": None, "after": "MulBackward0"}],
    }


def _called(id: int) -> dict[str, Any]:
    """From a line of its own, so that each is a cause of its own."""
    change = {"index": 1, "name": "MulBackward0", "attribute": "node", "before": "A", "after": "B"}
    stack = [frame("/home/user/train.py", id + 1, "main", "loss.backward()")]
    return {"changes": [change], "stack": stack}


def _change(id: int) -> dict[str, Any]:
    return {
        "index": 3, "name": "PowBackward0", "attribute": "exponent", "before": id, "after": id + 1
    }  # fmt: skip


def _compiles(number: int) -> bytes:
    def fill(log: LogWriter) -> None:
        for id in range(number):
            reason = f"4/{id - 1}: tensor 'x' size mismatch at index 0. expected {id}, actual 7"
            log.compiled(f"4/{id}", 1.0, recompile_reason=reason if id else None)

    return _log(fill)


def _lengths(number: int) -> bytes:
    """Every capture is for sizes that are in no ratio to any before."""

    def fill(log: LogWriter) -> None:
        for id in range(number):
            sizes = {"before": 1_000_003 + 2 * id, "after": 2_000_003 + 4 * id + id % 2}
            change = {"index": 3, "name": "SumBackward0", "attribute": "sizes", **sizes}
            kind = "changed_shapes" if id else "first"
            closest = id - 1 if id else None
            log.ca_capture(id, kind, changes=[change], closest_capture=closest)

    return _log(fill)


def _strides(number: int) -> bytes:
    """Every other recompile is for a size, the others for a stride."""

    def fill(log: LogWriter) -> None:
        for id in range(number):
            what = "stride" if id % 2 else "size"
            numbers = f"expected {1_000_003 + 2 * id}, actual {2_000_003 + 4 * id + id % 3}"
            reason = f"4/{id - 1}: tensor 'x' {what} mismatch at index 0. {numbers}"
            log.compiled(f"4/{id}", 1.0, recompile_reason=reason if id else None)

    return _log(fill)


def _backwards(number: int) -> bytes:
    def fill(log: LogWriter) -> None:
        log.ca_capture(0)
        for first in range(0, number, 1_000):
            log.ca_backwards([(0, 0)] * min(1_000, number - first), first)

    return _log(fill)


def _breaks(number: int) -> bytes:
    def fill(log: LogWriter) -> None:
        for line in range(number):
            text = f"Graph break in user code at /home/a.py:{line}\nReason: print\n"
            log.artifact("dynamo_graph_break_reason", text, "string", frame_id=0)

    return _log(fill)


def _hazards(number: int) -> bytes:
    def fill(log: LogWriter) -> None:
        for id in range(number):
            log.own("ca_hazard", kind="uncaptured", time=START, id=id)

    return _log(fill)


def _late_hooks(number: int) -> bytes:
    def fill(log: LogWriter) -> None:
        for id in range(number):
            log.own("ca_late_hook", graph=f"{id}/0", module=f"self.{id}", time=START)

    return _log(fill)


def _strings(number: int) -> bytes:
    def fill(log: LogWriter) -> None:
        for id in range(number):
            log.string(str(id))

    return _log(fill)


def _frames(number: int) -> bytes:
    def fill(log: LogWriter) -> None:
        stack = [frame("/home/user/train.py", line, "main", "f()") for line in range(number)]
        log.ca_capture(0, stack=stack)

    return _log(fill)


def _payload(piece: str, name: str = "dynamo_graph_break_reason") -> Callable[[int], bytes]:
    def made(number: int) -> bytes:
        return _log(lambda log: log.artifact(name, piece * number, "string", frame_id=0))

    return made


def _reason(number: int) -> bytes:
    text = "Cache miss due to new autograd node: " * number
    return _log(lambda log: log.ca_capture(0, "unknown", reason=text))


def _prefixed(number: int) -> bytes:
    log = LogWriter()
    log.record("dynamo_output_graph", {}, "line\n" * number)
    return b"".join(b"[job 1] " + line + b"\n" for line in log.data.splitlines())


def _deep(number: int) -> bytes:
    return _TRACE + b'"artifact": ' + b'[{"a":' * number + b"\n"


# ``f(n)``: bytes whose length is in proportion to n.
GROWING: dict[str, Callable[[int], bytes]] = {
    "a recompile's places": lambda n: _lines(
        b"[3/1] [__recompiles] ", b"Recompiling function a" + b" in :1 " * n
    ),
    "pasted messages": lambda n: (
        b"Graph break in user code at a.py:3\nGraph Break Reason: x\n" * n
        + b"16:2" * n
        + b" Recompiling function f in a.py:3\n"
        + b"16:2" * n
        + b"     - 0/0: x\n"
    ),
    "lists of reasons": lambda n: b'["0/1: n == 3",\n  "0/0: n == 2"\n]\n' * n,
    "a list's reasons": lambda n: b"[\n" + b'  "0/1: n == 3",\n' * n,
    "quotes in a list": lambda n: b"[\n" + b'"0/1: ' + b'" ' * n + b"x\n" + b'["0/1: ' * n,
    "spaces in a list": lambda n: b"[\n" + b'"0/1: "' + b" " * n + b"x\n[" + b" " * n + b"x\n",
    "lines of Python's logging": lambda n: (
        b"DEBUG:torch._dynamo.guards.__recompiles:Recompiling function f in a.py:3\n"
        + b"    - 0/0: n == 2\n" * n
        + b"DEBUG:torch._dynamo.guards.__recompiles:Recompiling function f in a.py:3\n" * n
    ),
    "heads of a program's loggers": lambda n: (
        b"12:3 " * n
        + b"DEBUG - Recompiling function f in a.py:3\n"
        + b"12:3 " * n
        + b"    - 0/0: n == 2\n"
        + b"12:30 DEBUG - Recompiling function f in a.py:3\n    - 0/0: n == 2\n" * n
    ),
    "lines of syslog": lambda n: b"Recompiling function f in a.py:3#012    - 0/0: x" * n + b"\n",
    "a skipped CUDA graph's frames": lambda n: (
        _TEXT
        + b"[0/0] [__cudagraphs] skipping cudagraphs due to x Found from : \n"
        + b'  File "a.py", line 7, in f\n    f()\n' * n
    ),
    "reasons of skipped CUDA graphs": lambda n: (
        b"skipping cudagraphs due to " * n + b"\n" + b"skipping cudagraphs due to Found from\n" * n
    ),
    "a limit's functions": lambda n: _lines(
        b"[3/1] ",
        b"torch._dynamo hit config.recompile_limit (8)",
        b"   function: '" + b"' (:1)" * n,
        b"   last reason: x",
    ),
    "a limit's lines": lambda n: _lines(
        b"[3/1] ",
        b"torch._dynamo hit config.recompile_limit (8)",
        b"   function: 'f' (a.py:1)",
        b"   last reason: " + b"0/0: n == 1",
        *[b" "] * n,
    ),
    "heads without an end": lambda n: b"V1121 06:36:26.029000 20 a" * n + b"] [\n",
    "tracebacks": lambda n: (
        (
            b"Traceback (most recent call last):\n"
            b'  File "train.py", line 12, in <module>\n    fast(x)\n'
            b"torch._dynamo.exc.Unsupported: Data-dependent branching\n  Explanation: no\n\n"
        )
        * n
    ),
    "a traceback's frames": lambda n: (
        b"Traceback (most recent call last):\n"
        + b'  File "train.py", line 12, in f\n    fast(x)\n' * n
        + b"torch._dynamo.exc.Unsupported: Data-dependent branching\n"
    ),
    "tracebacks of one chain": lambda n: (
        (
            b"Traceback (most recent call last):\n"
            b'  File "train.py", line 12, in f\n    fast(x)\n'
            b"torch._dynamo.exc.Unsupported: Data-dependent branching\n\n"
            b"The above exception was the direct cause of the following exception:\n\n"
        )
        * n
    ),
    "torn texts": lambda n: (_TEXT + b"[3/1] [__recompiles] Recompiling ") * n + b"\n",
    "torn records": lambda n: _TRACE * n + b"\n",
    "torn records, whole at last": lambda n: _TRACE * n + b'"dynamo_start": {}}\n',
    "lines of nobody, each spoiling a run": lambda n: (
        (_TRACE + b'"describe_source": {"source": "] {"}}\n') * n
    ),
    "braces in a line of nobody": lambda n: (
        _TRACE + b'"describe_source": {' + b'}, "a": 1' * n + b"\n"
    ),
    "events of nobody without an end": lambda n: (
        _TRACE + b'"chromium_event": {}, "has_payload": "%032d"}\n\t' % 0 + b"x\n\t" * n
    ),
    "text between brackets": lambda n: _TEXT + b"] [" * n + b"\n",
    "colours": lambda n: _TEXT + b"] [\x1b[0" * n + b"\n",
    "a colour without an end": lambda n: _TEXT + b"] [\x1b[" + b"0" * n + b"\n",
    "a place of digits": lambda n: b"V1121 06:36:26.029000 20 a:" + b"1" * n + b"] [\n",
    "misses": lambda n: _lines(
        b"[__compiled_autograd_verbose] ",
        *[b"Cache miss due to changed shapes: marking size idx 1 of Sub (NodeCall 1)"] * n,
    ),
    "processes in text": lambda n: b"".join(
        b"V1121 06:36:26.029000 %d a.py:1] [0/1] [__recompiles] Recompiling function f in a.py:3\n"
        % pid
        for pid in range(n)
    ),
    "processes in a trace": lambda n: b"".join(
        b'V1121 06:36:26.029000 %d a.py:1] {"dynamo_start": {}}\n' % pid for pid in range(n)
    ),
    "a reason's beginnings": _reason,
    "frames in a break": _payload('  File "a.py", line 7, in f\n    f()\n'),
    "spaces in a break": _payload("Graph break in user code at a.py:7\nReason:" + " " * 100),
    "colons in a break": _payload("Graph break in user code at :1"),
    "exceptions in a break": _payload("A.A"),
    "code of a graph": lambda n: _log(
        lambda log: log.torch_capture(0, code="    a: " + " " * n + "\n" + "    a = f(b)\n" * n)
    ),
    "guards that failed": lambda n: _log(
        lambda log: log.compiled("4/1", recompile_reason="4/0: tensor 'x' size mismatch\n" * n)
    ),
    "payload lines with a prefix": _prefixed,
    "empty lines": lambda n: b"\n" * n,
    "payloads of nobody": lambda n: b"x\n\ty\n" * n,
    "nested JSON": _deep,
    "strings": _strings,
    "captures": _captures,
    "captures of hooks": _each_capture(_hooked),
    "captures of what is carried": _each_capture(_carrying),
    "captures of loops": _each_capture(_unrolled),
    "captures of calls": _each_capture(_called),
    "compiles": _compiles,
    "lengths": _lengths,
    "strides": _strides,
    "backwards": _backwards,
    "graph breaks": _breaks,
    "frames": _frames,
    "hazards": _hazards,
    "late hooks": _late_hooks,
    "nodes": lambda n: _log(
        lambda log: log.ca_capture(
            0, autograd_graph=[{"index": id, "name": "SumBackward0"} for id in range(n)]
        )
    ),
    "changes": lambda n: _log(
        lambda log: log.ca_capture(0, changes=[_change(id) for id in range(n)])
    ),
}
