"""A guard's source as a way from a living object to a value, which is read without running code."""

from __future__ import annotations

import ast
import types
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_EXPRESSION = 500


class _Gone:
    """Stands for a value that is not there: its key or attribute is gone, or an owner of it."""


GONE: Final = _Gone()

Step = tuple[Callable[[Any, Any], Any], Any]
# Whether it is an item, else an attribute, and its key or name.
Key = tuple[bool, Any]

# What a metaclass says of a class is the user's; what `type` says of it is not.
DICT_OF_TYPE = type.__dict__["__dict__"].__get__
_MRO_OF_TYPE = type.__dict__["__mro__"].__get__
_DICT_OF_OBJECT = object.__getattribute__
_DICTS = (dict, OrderedDict)
_SEQUENCES = (list, tuple)
_KEYS = (str, int, bool)
_DESCRIBES = ("__get__", "__set__", "__delete__")


@dataclass(frozen=True, slots=True)
class Path:
    """A way to a value; ``root`` answers with the object where it begins, None once it is gone.

    ``read`` returns the present value; `GONE` where the way ends before it.
    """

    root: Callable[[], Any]
    read: Callable[[], Any]


def _reader(root: Callable[[], Any], steps: tuple[Step, ...]) -> Callable[[], Any]:
    """Return what reads along ``steps``, after every line: the first is not looped to."""
    (first, first_key), *rest = steps

    def read_one() -> Any:
        value = root()
        return GONE if value is None else first(value, first_key)

    def read() -> Any:
        value = read_one()
        for step, key in rest:
            if value is GONE:
                return GONE
            value = step(value, key)
        return value

    return read if rest else read_one


def find(source: str, variables: Mapping[str, Any], module: dict[str, Any]) -> Path | None:
    """Return the way that ``source`` takes, from a variable's object or the module's globals.

    ``variables`` are those of the frame that the guard reads, by name. None where it begins at an
    object that cannot be referred to weakly, has no step, or leads through code of the user's:
    properties, `__getattr__`, containers with methods of their own.
    """
    begin = begins(source, variables, module)
    if begin is None:
        return None
    value, keys = begin
    if value is module:
        return _from(lambda: module, module, keys)
    try:
        return _from(weakref.ref(value), value, keys)
    except TypeError:
        return None


def begins(
    source: str, variables: Mapping[str, Any], module: dict[str, Any]
) -> tuple[Any, list[Key]] | None:
    """Return the object where the way of ``source`` begins, and its steps; None if it is no way."""
    if len(source) > MAX_EXPRESSION:
        return None
    try:
        tree = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    keys: list[Key] = []
    while not isinstance(tree, ast.Name):
        if isinstance(tree, ast.Attribute):
            keys.append((False, tree.attr))
        elif isinstance(tree, ast.Subscript) and isinstance(tree.slice, ast.Constant):
            keys.append((True, tree.slice.value))
        else:
            return None
        tree = tree.value
    keys.reverse()
    name = tree.id
    if name == "G" and name not in variables:
        return module, keys
    if name == "L" and name not in variables and keys and keys[0][0]:
        name = keys.pop(0)[1]
    value = variables.get(name)
    return None if value is None else (value, keys)


def _from(root: Callable[[], Any], value: Any, keys: list[Key]) -> Path | None:
    steps: list[Step] = []
    for is_item, key in keys:
        step = _item_of(value, key) if is_item else _attribute_of(value, key)
        if step is None:
            return None
        steps.append((step, key))
        value = step(value, key)
        if value is GONE:
            return None
    return Path(root, _reader(root, tuple(steps))) if steps else None


def _item_of(owner: Any, key: Any) -> Callable[[Any, Any], Any] | None:
    kind = type(owner)
    if type(key) not in _KEYS:
        return None
    if kind in _DICTS:
        return _dict_item
    return _sequence_item if kind in _SEQUENCES and type(key) is int else None


def _attribute_of(owner: Any, name: str) -> Callable[[Any, Any], Any] | None:
    if type(owner) is types.ModuleType or not isinstance(owner, (type, types.ModuleType)):
        found = _of_class(type(owner), name)
        if type(found) is types.MemberDescriptorType:
            return _slot
        if found is GONE or not _is_descriptor(found) or type(found) is types.FunctionType:
            return _attribute
    return None


def mro(kind: type) -> tuple[type, ...]:
    """Return the bases of a class in the order in which names are looked up, without asking it."""
    found: tuple[type, ...] = _MRO_OF_TYPE(kind)
    return found


def _is_descriptor(value: Any) -> bool:
    return any(name in DICT_OF_TYPE(base) for base in mro(type(value)) for name in _DESCRIBES)


def _of_class(kind: type, name: str) -> Any:
    for base in mro(kind):
        own = DICT_OF_TYPE(base)
        if name in own:
            return own[name]
    return GONE


def _dict_item(owner: Any, key: Any) -> Any:
    return owner.get(key, GONE) if type(owner) in _DICTS else GONE


def _sequence_item(owner: Any, key: int) -> Any:
    kind = type(owner)
    return owner[key] if kind in _SEQUENCES and -len(owner) <= key < len(owner) else GONE


def _attribute(owner: Any, name: str) -> Any:
    try:
        own = _DICT_OF_OBJECT(owner, "__dict__")
    except AttributeError:
        own = None
    if type(own) is dict and name in own:
        return own[name]
    found = _of_class(type(owner), name)
    return GONE if type(found) is not types.FunctionType and _is_descriptor(found) else found


def _slot(owner: Any, name: str) -> Any:
    found = _of_class(type(owner), name)
    if type(found) is not types.MemberDescriptorType:
        return GONE
    try:
        return found.__get__(owner)
    except AttributeError:  # nothing was put into it
        return GONE
