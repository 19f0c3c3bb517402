"""Tries a plan for the sizes of a function's inputs: pads or marks them in each of its calls.

For time only: padding is zeros, whatever the program makes of them, and what comes out is cut back
to the sizes that went in. A program that computes with it otherwise may fail.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from math import prod
from typing import Any

import torch

from ca_engine import schema
from ca_engine.compat import dynamo, patches, tensors
from ca_engine.recorder.arguments import Path, arguments, code_of, names_of, path_of, value_at
from ca_engine.recorder.core_waits import clock


@dataclass(frozen=True)
class TriedSizes:
    """``schema.TriedSizesSetting``, read: which function, which dimensions, and what to do."""

    file: str
    function: str
    arguments: tuple[tuple[tuple[str, int], ...], ...]
    how: str
    sizes: tuple[tuple[int, ...], ...]
    calls: bool = False

    @classmethod
    def read(cls, text: str) -> TriedSizes:
        raw: schema.TriedSizesSetting = json.loads(text)
        arguments = tuple(
            tuple((name, index) for name, index in argument) for argument in raw["arguments"]
        )
        sizes = tuple(tuple(one) for one in raw["sizes"])
        return cls(
            raw["file"], raw["function"], arguments, raw["how"], sizes, raw.get("calls") is True
        )


class CallLimit:
    """Times calls of the function, and has ``ended`` end the program after ``most`` of them.

    ``graphs`` counts what was compiled so far.
    """

    def __init__(self, most: int, graphs: Callable[[], int], ended: Callable[[], None]) -> None:
        self._most = most
        self._graphs = graphs
        self._ended = ended
        self.seconds: list[float] = []
        self.compiles: list[int] = []

    def timed(self, compiled: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Any:
        """Return what the call gives, and note how long it took."""
        if len(self.seconds) >= self._most:
            self._ended()
        begin = clock()
        result = compiled(*args, **kwargs)
        self.seconds.append(clock() - begin)
        self.compiles.append(self._graphs())
        return result


def apply(text: str, calls: CallLimit) -> None:
    """Treat sizes as ``text``, a `schema.TriedSizesSetting`, says. Not to be undone.

    ``calls`` times the calls of the function, if ``text`` asks for it.
    """
    tried = TriedSizes.read(text)
    if tried.how == "pad":
        patches.compile_with(dynamic=False)
        patches.allow_recompiles(len(tried.sizes) + 1)
    elif tried.how == "dynamic":
        patches.compile_with(dynamic=True)
    if tried.how in ("dynamic", "none") and not tried.calls:
        return
    timed = calls.timed if tried.calls else _called
    patches.replace_compiled(lambda function, compiled: _treated(tried, function, compiled, timed))


def _called(compiled: Callable[..., Any], args: Sequence[Any], kwargs: Any) -> Any:
    return compiled(*args, **kwargs)


def _treated(
    tried: TriedSizes, function: Any, compiled: Callable[..., Any], timed: Callable[..., Any]
) -> Callable[..., Any] | None:
    code, is_bound = code_of(function)
    if code is None or (code.co_filename, code.co_name) != (tried.file, tried.function):
        return None
    names = names_of(code, is_bound=is_bound)

    @wraps(compiled)
    def call(*args: Any, **kwargs: Any) -> Any:
        changed, cuts = treat(tried, arguments(names, args, kwargs))
        positional = [changed.pop(name) for name in names[: len(args)]]
        result = timed(compiled, (*positional, *args[len(positional) :]), changed)
        return cut(result, cuts) if cuts else result

    return call


def treat(
    tried: TriedSizes, given: Mapping[str, Any]
) -> tuple[dict[str, Any], list[tuple[int, int]]]:
    """Return the arguments as tried, and which sizes became which."""
    changed = dict(given)
    sizes = [_size(changed, argument[0]) for argument in tried.arguments]
    if None in sizes:
        return changed, []
    now = tuple(size for size in sizes if size is not None)
    if tried.how in ("dynamic", "none"):
        return changed, []
    if tried.how != "pad":
        for argument in tried.arguments:
            for name, index in argument:
                _mark(changed, name, index, tried.how)
        return changed, []
    target = next_size(now, tried.sizes)
    if target is None:
        return changed, []
    cuts = []
    for argument, size, new in zip(tried.arguments, now, target, strict=True):
        if size == new:
            continue
        cuts.append((size, new))
        for name, index in argument:
            _pad(changed, name, index, size, new)
    return changed, cuts


def next_size(now: tuple[int, ...], sizes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return the smallest of ``sizes`` that ``now`` fits into; None if it fits into none."""
    fitting = [one for one in sizes if all(own <= size for own, size in zip(now, one, strict=True))]
    return min(fitting, key=prod, default=None)


def cut(result: Any, cuts: Sequence[tuple[int, int]]) -> Any:
    """Return ``result`` with the first dimension of each new size cut to the one that went in.

    Another dimension of that size is one of the model's own: a number of features.
    """

    def one(value: Any) -> Any:
        for size, new in cuts if isinstance(value, torch.Tensor) else ():
            if new in value.shape:
                value = value.narrow(tuple(value.shape).index(new), 0, size)
        return value

    return tensors.tree_map(one, result)


def _size(given: Mapping[str, Any], dimension: tuple[str, int]) -> int | None:
    name, index = dimension
    found = value_at(given, path_of(name))
    is_one = isinstance(found, torch.Tensor) and index < found.dim()
    return int(found.shape[index]) if is_one else None


def _mark(given: Mapping[str, Any], name: str, index: int, how: str) -> None:
    found = value_at(given, path_of(name))
    if isinstance(found, torch.Tensor) and index < found.dim():
        mark = patches.mark_unbacked if how == "unbacked" else dynamo.maybe_mark_dynamic
        mark(found, index)


def _pad(given: dict[str, Any], name: str, index: int, size: int, new: int) -> None:
    root, *rest = path_of(name)
    found = value_at(given, (root, *rest))
    if not isinstance(found, torch.Tensor) or index >= found.dim() or found.shape[index] != size:
        return
    behind = found.dim() - 1 - index
    padded = torch.nn.functional.pad(found, (0, 0) * behind + (0, new - size))
    given[root] = _with(given[root], tuple(rest), padded)


def _with(owner: Any, path: Path, value: Any) -> Any:
    """Return a copy of ``owner`` that holds ``value`` at ``path``."""
    if not path:
        return value
    step, *rest = path
    if step.startswith("."):
        changed = copy.copy(owner)
        setattr(changed, step[1:], _with(getattr(owner, step[1:]), tuple(rest), value))
        return changed
    key = ast.literal_eval(step[1:-1])
    inner = _with(owner[key], tuple(rest), value)
    if isinstance(owner, tuple):
        return (*owner[:key], inner, *owner[key + 1 :])
    changed = copy.copy(owner)
    changed[key] = inner
    return changed
