"""Reads the present value behind a failed guard, without running the user's code.

Torch's reason names what a guard expected. What came instead only the frame knows whose locals
the guard reads: a new number at every call and two values by turns have the same reasons, and
want different advice.

A guard's source is an expression over the frame's variables. It is followed by looking into
instance dictionaries, slots, cells and the items of built-in containers; a property, a
``__getattr__``, a container with methods of its own or a tensor subclass ends the way.
"""

from __future__ import annotations

import ast
import functools
import types
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from inspect import getattr_static
from typing import Any

import torch

from ca_engine import guards, schema
from ca_engine.recorder.identity import ByIdentity
from ca_engine.recorder.variables import is_leaf
from ca_engine.watch.paths import DICT_OF_TYPE, mro

# What is written of one thing.
MAX_TEXT = 80
MAX_KEYS = 16
# Reasons of one recompile that are looked up: torch writes one for each earlier compile.
MAX_GUARDS = 8
# Arguments of the frame that are described, those within containers included.
MAX_ARGUMENTS = 32
# Numbers that are attributes of an object of a tensor's subclass.
MAX_ATTRIBUTES = 16

# The variable of torch's function that calls a compiled model of a class of torch's, in guards too.
COMPILED = "fn"

_PLAIN_TENSORS = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
_NUMBERS = (bool, int, float)
_MAX_NAME = 200
_MAX_INT = 2**63
# Attributes that are C's on objects of exactly these types.
_SAFE_ATTRIBUTES: dict[type, frozenset[str]] = {
    types.FunctionType: frozenset(
        ("__closure__", "__defaults__", "__kwdefaults__", "__code__", "__dict__", "__globals__")
    ),
    types.MethodType: frozenset(("__func__", "__self__")),
    types.CellType: frozenset(("cell_contents",)),
    functools.partial: frozenset(("func", "args", "keywords")),
}
_DICTS = (dict, OrderedDict, types.MappingProxyType)
_SEQUENCES = (list, tuple)


class UnreadableError(Exception):
    """The way to a guarded thing leads through code of the user's, or nowhere."""


class HeldValues:
    """Describes guarded things; objects are told apart for as long as they live."""

    def __init__(self) -> None:
        self._numbers: ByIdentity[Any, int] = ByIdentity()
        self._next = 0

    def of_reasons(
        self, reasons: list[str], variables: Mapping[str, Any], module: Mapping[str, Any]
    ) -> list[schema.FailedGuardRecord]:
        """Read what each failed guard of a recompile is about, and what that holds now.

        ``variables`` are the locals of the frame that is compiled again, ``module`` its globals.
        """
        found: list[schema.FailedGuardRecord] = []
        for reason in reasons[:MAX_GUARDS]:
            guard = guards.parse(reason)[0]
            held = None
            if guard.source and guard.kind != "global_state":
                try:
                    held = self.describe(follow(guard.source, variables, module))
                except UnreadableError:
                    held = None
            found.append({"failed": guard.failed, "source": guard.source, "held": held})
        return found

    def of_arguments(
        self, code: types.CodeType, variables: Mapping[str, Any]
    ) -> dict[str, schema.HeldRecord]:
        """Return the arguments of a frame, by the names that guards have for them.

        Tensors and numbers in lists, tuples and dictionaries are told by their path, and so are
        tensors that are attributes of an object, as a batch's are (`nn.Module` left out). A model
        of torch's own class is compiled through a function of torch's, which keeps it as ``fn``.
        """
        number = code.co_argcount + code.co_kwonlyargcount
        number += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
        told: dict[str, schema.HeldRecord] = {}
        for name in code.co_varnames[:number]:
            if name in variables:
                self._add(told, name, variables[name], depth=2)
        module = compiled_module(code, variables)
        if module is not None:
            self._add(told, COMPILED, module, depth=0)
        # After all others: an object may have more tensors than are told.
        for name in list(told):
            if name in variables:
                for attribute, value in _tensors_of(variables[name]):
                    self._add(told, f"{name}.{attribute}", value, depth=0)
        return told

    def _add(self, told: dict[str, schema.HeldRecord], name: str, value: Any, depth: int) -> None:
        if len(told) >= MAX_ARGUMENTS:
            return
        if depth and type(value) in _SEQUENCES:
            for index, item in enumerate(value):
                self._add(told, f"{name}[{index}]", item, depth - 1)
        elif depth and type(value) in _DICTS:
            for key, item in value.items():
                if type(key) is str:
                    self._add(told, f"{name}[{key!r}]", item, depth - 1)
        else:
            held = self.describe(value)
            if type(value) is str:
                del held["value"]  # a path, a prompt, a password: no guard asked for it
            told[name] = held

    def describe(self, value: Any) -> schema.HeldRecord:
        """Describe one thing, by its type and what can be said of it without asking it."""
        kind = type(value)
        held: schema.HeldRecord = {"type": _type_name(kind)}
        if value is None or kind in _NUMBERS:
            # An int may be too large for JSON's readers; inf and nan have no JSON.
            is_small = kind is not int or -_MAX_INT <= value < _MAX_INT
            is_finite = kind is not float or value - value == 0
            held["value"] = value if is_small and is_finite else str(value)[:MAX_TEXT]
        elif kind is str:
            held["value"] = value[:MAX_TEXT]
        elif kind in _PLAIN_TENSORS:
            held.update(_tensor(value))
        elif issubclass(kind, torch.Tensor):
            held["attributes"] = _numbers_of(value)
        elif issubclass(kind, Enum):
            name = object.__getattribute__(value, "__dict__").get("_name_")
            held["value"] = name if type(name) is str else None
        elif issubclass(kind, type):
            held["value"] = _type_name(value)
        elif kind is types.FunctionType:
            code = value.__code__
            held["value"] = value.__qualname__[:MAX_TEXT]
            held["file"], held["line"] = code.co_filename, code.co_firstlineno
        elif issubclass(kind, dict):
            held["length"] = dict.__len__(value)
            keys = [key for key in dict.keys(value) if type(key) in (str, int)]
            held["keys"] = [key if type(key) is int else key[:MAX_TEXT] for key in keys[:MAX_KEYS]]
        elif issubclass(kind, (list, tuple, set, frozenset)):
            base = next(known for known in (list, tuple, set, frozenset) if issubclass(kind, known))
            held["length"] = base.__len__(value)
        number = self.number(value)
        if number is not None:
            held["identity"] = number
        return held

    def number(self, value: Any) -> int | None:
        """Return a number for this very object: a later one in its place in memory gets another."""
        if value is None or type(value) in (*_NUMBERS, str, tuple, list, dict, set):
            return None
        try:
            number = self._numbers.get(value)
            if number is None:
                number = self._numbers[value] = self._next
                self._next += 1
        except TypeError:  # it cannot be referred to weakly
            return None
        return number


def _tensors_of(owner: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the tensors that are attributes of an object, by name, read without asking it."""
    if isinstance(owner, (torch.nn.Module, torch.Tensor, type)):
        return
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        own = {}
    slots = [
        (name, member)
        for base in mro(type(owner))
        for name, member in DICT_OF_TYPE(base).items()
        if type(member) is types.MemberDescriptorType
    ]
    if type(own) is dict:
        yield from (
            (name, value)
            for name, value in own.items()
            if type(name) is str and type(value) in _PLAIN_TENSORS
        )
    for name, member in slots:
        with suppress(AttributeError):  # a slot that nothing was put into
            value = member.__get__(owner)
            if type(value) in _PLAIN_TENSORS:
                yield name, value


def follow(source: str, variables: Mapping[str, Any], module: Mapping[str, Any]) -> Any:
    """Return what ``source`` names. Raises `UnreadableError` where reading it is not safe."""
    if len(source) > guards.MAX_EXPRESSION:
        raise UnreadableError
    try:
        return _value(ast.parse(source, mode="eval").body, variables, module)
    except (SyntaxError, ValueError, LookupError, AttributeError, RecursionError) as error:
        raise UnreadableError from error


def _value(tree: ast.expr, variables: Mapping[str, Any], module: Mapping[str, Any]) -> Any:
    if isinstance(tree, ast.Name):
        if tree.id in ("L", "G") and tree.id not in variables:
            return dict(variables) if tree.id == "L" else module
        return variables[tree.id]
    if isinstance(tree, ast.Attribute):
        return _attribute(_value(tree.value, variables, module), tree.attr)
    if isinstance(tree, ast.Subscript):
        key = ast.literal_eval(tree.slice)
        return _item(_value(tree.value, variables, module), key)
    if isinstance(tree, ast.Call) and len(tree.args) == 1 and ast.unparse(tree.func) == "type":
        return type(_value(tree.args[0], variables, module))
    raise UnreadableError


def _attribute(owner: Any, name: str) -> Any:
    safe = _SAFE_ATTRIBUTES.get(type(owner))
    if safe is not None and name in safe:
        return getattr(owner, name)
    if type(owner) is types.ModuleType:
        return vars(owner)[name]
    if name == "__dict__":
        found = object.__getattribute__(owner, "__dict__")
        if type(found) is not dict:
            raise UnreadableError
        return found
    if name == "__mro__" and issubclass(type(owner), type):
        return mro(owner)
    found = getattr_static(owner, name)
    if type(found) is types.MemberDescriptorType:  # a slot, which C reads
        return found.__get__(owner)
    if type(found) is staticmethod:
        return found.__func__
    # A function is what a guard on a method is about; any other descriptor would be run.
    if type(found) is not types.FunctionType and any(
        "__get__" in DICT_OF_TYPE(base) for base in mro(type(found))
    ):
        raise UnreadableError
    return found


def _item(owner: Any, key: Any) -> Any:
    kind = type(owner)
    if type(key) not in (str, int, bool, type(None)):
        raise UnreadableError
    # A subclass may have a `__missing__`; the built-in's own method does not go there then.
    if issubclass(kind, dict):
        if not dict.__contains__(owner, key):
            raise UnreadableError
        return dict.__getitem__(owner, key)
    if kind is types.MappingProxyType:
        return owner[key]
    for base in _SEQUENCES:
        if issubclass(kind, base) and type(key) is int:
            return base.__getitem__(owner, key)
    raise UnreadableError


def _tensor(value: torch.Tensor) -> schema.HeldRecord:
    return {
        "shape": [int(size) if type(size) is int else None for size in value.shape],
        "stride": [int(step) for step in value.stride()] if value.layout is torch.strided else [],
        "dtype": str(value.dtype).removeprefix("torch."),
        "device": str(value.device),
        "requires_grad": value.requires_grad,
        "leaf": is_leaf(value),
    }


def _numbers_of(value: torch.Tensor) -> dict[str, bool | int | float]:
    """Return the numbers among the attributes of an object of a tensor's subclass.

    Its metadata, by which Dynamo compiles, is mostly made of them; `__tensor_flatten__` itself is
    the user's code.
    """
    own = object.__getattribute__(value, "__dict__")
    found: dict[str, bool | int | float] = {}
    for name, held in own.items() if type(own) is dict else ():
        if len(found) == MAX_ATTRIBUTES:
            break
        if type(name) is str and type(held) in _NUMBERS and abs(held) < _MAX_INT:
            found[name[:MAX_TEXT]] = held
    return found


def compiled_module(code: types.CodeType, variables: Mapping[str, Any]) -> torch.nn.Module | None:
    """Return the module that a function of torch's calls for `torch.compile`, or None."""
    found = variables.get(COMPILED) if COMPILED in code.co_freevars else None
    return found if isinstance(found, torch.nn.Module) else None


def modules_read(
    code: types.CodeType, variables: Mapping[str, Any], of_module: Mapping[str, Any]
) -> list[torch.nn.Module]:
    """Return the modules that a function gets as arguments, or reads by a variable around it."""
    arguments = code.co_argcount + code.co_kwonlyargcount
    own = (*code.co_varnames[:arguments], *code.co_freevars)
    found: list[Any] = [*map(variables.get, own), *map(of_module.get, code.co_names)]
    return [one for one in found if issubclass(type(one), torch.nn.Module)]


def is_training(
    modules: Iterable[torch.nn.Module | None], read: Iterable[torch.nn.Module] = ()
) -> bool | None:
    """Return the mode of the first module, or without one that all modules of ``read`` have.

    None if there is none, or they differ. No module is asked: it may have a property of that name.
    """
    first = next((module for module in modules if module is not None), None)
    modes = {
        object.__getattribute__(one, "__dict__").get("training")
        for one in ([first] if first is not None else read)
    }
    mode = modes.pop() if len(modes) == 1 else None
    return mode if type(mode) is bool else None


def _type_name(kind: type) -> str:
    """Return ``torch.nn.modules.linear.Linear``; built-in types without their module."""
    module = type.__dict__["__module__"].__get__(kind)
    name: str = type.__dict__["__qualname__"].__get__(kind)
    # A class body may have put anything there.
    is_named = type(module) is str and module != "builtins"
    return f"{module}.{name}"[:_MAX_NAME] if is_named else name[:_MAX_NAME]
