"""Run by tests with a CPython and a way of watching, ``tracing`` or not; prints what was seen."""

from __future__ import annotations

import json
import os
import sys
import threading
from types import CodeType, SimpleNamespace
from typing import Any

from ca_engine.watch.monitoring import LineEvents
from ca_engine.watch.tracing import TracedLines
from ca_engine.watch.watchpoints import Watchpoints


class Model(SimpleNamespace):
    """Can be referred to weakly."""


model = Model(scale=1.0, table={"a": [1, 2]})
found: dict[str, Any] = {}


def guarded() -> None: ...


CODE: CodeType = guarded.__code__
watched = Watchpoints(repr)
for source in ("self.scale", "self.table['a'][0]"):
    watched.add(CODE, source, {"self": model}, {})
is_traced = sys.argv[1:] == ["tracing"]
events: LineEvents | TracedLines = (TracedLines if is_traced else LineEvents)(
    watched,
    lambda code: code.co_filename == __file__ and code.co_name != "of_a_library",
    lambda code: code.co_name == "made_by_dynamo",
)


def line_of(text: str) -> int:
    with open(__file__) as file:  # noqa: PTH123
        return next(number for number, line in enumerate(file, 1) if line.rstrip().endswith(text))


def note(name: str, mark: str, source: str = "self.scale", *, compiled: bool = False) -> None:
    last = watched.last_change(CODE, source, {"self": model}, {})
    found[name] = last is not None and (
        (last.place.line, last.place.compiled) == (line_of(mark), compiled)
    )


def halved(value: float) -> float:
    half = value / 2
    return half + 0.0


def stores_a_result() -> None:
    before = 1
    model.scale = halved(model.scale)  # the store
    del before


def stores_an_item() -> None:
    model.table["a"][0] = 7  # the item


def of_a_library() -> None:
    model.scale = 40.0


def calls_a_library() -> None:
    first = 1
    of_a_library()  # the call
    del first


def made_by_dynamo() -> None:  # the compiled code
    model.scale = 50.0


def calls_compiled_code() -> None:
    made_by_dynamo()


def yields() -> Any:
    for number in range(3):
        model.scale = number * 10.0  # the generator's
        yield number


def catches() -> None:
    try:
        model.scale = 60.0  # before it raises
        raise ValueError
    except ValueError:
        return


found["starts"] = events.start()
stores_a_result()
note("a result that is stored", "# the store")
stores_an_item()
note("an item", "# the item", "self.table['a'][0]")
calls_a_library()
note("a library", "# the call")
calls_compiled_code()
note("compiled code", "# the compiled code", compiled=True)
for _ in yields():
    pass
note("a generator", "# the generator's")
catches()
note("a caught error", "# before it raises")


def other_thread() -> None:
    model.scale = 70.0
    model.table["a"][0] = 8  # in a thread
    model.scale = 71.0


thread = threading.Thread(target=other_thread)
thread.start()
thread.join()
note("a thread", "# in a thread", "self.table['a'][0]")

events.stop()
stores_a_result()
found["nothing while it is stopped"] = (
    watched.last_change(CODE, "self.scale", {"self": model}, {}) is None
)
found["starts again"] = events.start()
stores_a_result()
note("after it started again", "# the store")

read_end, write_end = os.pipe()
if child := os.fork():
    os.waitpid(child, 0)
    found["a child watches nothing"] = os.read(read_end, 1) == b"y"
else:
    os.write(write_end, b"n" if events.is_on or len(watched) else b"y")
    os._exit(0)


def long_loop() -> int:
    total = 0
    for number in range(400_000):
        total += number
    return total


long_loop()
if isinstance(events, TracedLines):
    found["it goes on whatever it costs"] = events.is_on
    events.pause()
    stores_a_result()
    found["nothing in a pause"] = (
        watched.last_change(CODE, "self.scale", {"self": model}, {}) is None
    )
    events.go_on()
    stores_a_result()
    note("after a pause", "# the store")
    begins, stopped = threading.Event(), threading.Event()

    def outlives() -> None:
        begins.set()
        stopped.wait()
        halved(1.0)
        found["a thread that outlives it has no tracer"] = sys.gettrace() is None

    thread = threading.Thread(target=outlives)
    thread.start()
    begins.wait()
    events.stop()
    stopped.set()
    thread.join()
    sys.settrace(lambda *_: None)
    found["not beside another tracer"] = not events.start() and not events.is_on
else:
    found["it ends where it costs more than a hundredth"] = not events.is_on
json.dump(found, sys.stdout)
