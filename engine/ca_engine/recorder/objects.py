"""Python objects of the user's that a backward runs, described without running them.

Hooks and `autograd.Function` classes are told by where they are defined. Only plain
attributes of functions and classes are read: no ``__repr__``, no property, no call.
"""

from __future__ import annotations

import functools
import linecache
import re
import types
from typing import Any

from ca_engine import schema
from ca_engine.compat import aot_regions
from ca_engine.recorder.identity import ByIdentity
from ca_engine.recorder.stack import frames_of_texts

# How far above its first method the `class` line of a Function is looked for.
MAX_LINES_UP = 60
# Lines of one AOT region that are told, by file and line.
MAX_REGION_LINES = 16

ACCUMULATE_GRAD = "torch::autograd::AccumulateGrad"


def node_name(node: Any) -> str:
    """Return autograd's name for ``node``; a Python Function may have a ``name`` of its own."""
    name: str = type(node).name(node)
    return name


def is_accumulate_grad(node: Any) -> bool:
    return node_name(node) == ACCUMULATE_GRAD


def describe_hook(kind: str, index: int | None, hook: Any) -> schema.HookRef:
    """Describe ``hook`` by the function that runs, also of a method, a partial or an object."""
    if hook is None:
        return {"kind": kind, "index": index, "name": None, "file": None, "line": None}
    function = _function_of(hook)
    code = _code_of(function)
    named = function if code is not None else type(hook)
    name = getattr(named, "__qualname__", None)
    return {
        "kind": kind,
        "index": index,
        "name": name if isinstance(name, str) else None,
        "file": code.co_filename if code is not None else None,
        "line": code.co_firstlineno if code is not None else None,
    }


def hooks_code(hook: Any) -> types.CodeType | None:
    """Return the code of the function that runs for ``hook``; None of an object without one."""
    return _code_of(_function_of(hook))


def _code_of(function: Any) -> types.CodeType | None:
    try:
        code = getattr(function, "__code__", None)
    except Exception:  # an object that is called in place of a method, with code of its own
        return None
    return code if type(code) is types.CodeType else None


def _function_of(hook: Any) -> Any:
    for _ in range(8):
        # Not `isinstance`, which may ask the object itself for its class.
        if issubclass(type(hook), functools.partial):
            hook = hook.func
        elif type(hook) is types.MethodType:
            hook = hook.__func__
        elif type(hook) is types.FunctionType:
            # `functools.wraps`, as torch's own wrappers of module hooks use it.
            wrapped = hook.__dict__.get("__wrapped__")
            if wrapped is None:
                break
            hook = wrapped
        else:
            # Looked up as Python does for a call: on the type.
            hook = getattr(type(hook), "__call__", None)  # noqa: B004
    return hook


class FunctionClasses:
    """Numbers `autograd.Function` classes: two classes of one name have two numbers."""

    def __init__(self) -> None:
        self._region_lines: ByIdentity[type, list[schema.FrameRecord]] = ByIdentity()
        self._numbers: ByIdentity[type, int] = ByIdentity()
        self._next = 0

    def describe(self, function: type) -> schema.FunctionRef:
        number = self._numbers.get(function)
        if number is None:
            number = self._numbers[function] = self._next
            self._next += 1
        file, line = place_of(function)
        return {
            "id": number,
            "name": function.__qualname__,
            "module": function.__module__,
            "file": file,
            "line": line,
        }

    def region_lines(self, region: Any) -> list[schema.FrameRecord]:
        """Return the user's lines that a region was traced from, the first `MAX_REGION_LINES`."""
        lines = self._region_lines.get(region)
        if lines is None:
            lines = frames_of_texts(aot_regions.stack_traces(region))[:MAX_REGION_LINES]
            self._region_lines[region] = lines
        return lines


def place_of(function: type) -> tuple[str | None, int | None]:
    """File and line of the ``class`` statement; of its first method if that is not found."""
    codes = [
        code
        for name in ("forward", "backward", "setup_context")
        if (code := getattr(getattr(function, name, None), "__code__", None)) is not None
    ]
    if not codes:
        return None, None
    first = min(codes, key=lambda code: code.co_firstlineno)
    file, line = first.co_filename, first.co_firstlineno
    statement = re.compile(rf"\s*class\s+{re.escape(function.__name__)}\b")
    for above in range(line, max(0, line - MAX_LINES_UP), -1):
        if statement.match(linecache.getline(file, above)):
            return file, above
    return file, line
