"""Dataclasses that cost next to nothing until there are instances of them.

A command of ``ca`` imports 250 of them and makes instances of 90. The standard library compiles six
methods for each class when it is defined, a millisecond in all.
"""

from __future__ import annotations

import dataclasses
import operator
from operator import attrgetter
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from dataclasses import Field
    from dataclasses import dataclass as dataclass

    Methods = dict[str, Callable[..., Any]]
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """Make a class what `dataclasses.dataclass` makes of it; has no `InitVar`.

        Its methods are shared by all classes, and `__init__` is compiled at the first instance.
        """

        def make(cls: type) -> type:
            return _make(cls, **options)

        return make if cls is None else make(cls)


_ORDER = {f"__{name}__": getattr(operator, name) for name in ("lt", "le", "gt", "ge")}


def _make(
    cls: type,
    *,
    eq: bool = True,
    order: bool = False,
    frozen: bool = False,
    kw_only: bool = False,
    slots: bool = False,
) -> type:
    own = dict(vars(cls))
    cls.__doc__ = cls.__doc__ or cls.__name__  # else it is made of the signature, which takes long
    made = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only, slots=slots)
    cls = made(cls)
    fields = dataclasses.fields(cast("Any", cls))
    compared = _values(each.name for each in fields if each.compare)
    methods: Methods = {
        "__init__": _compiled_at_first_use(cls, fields, frozen=frozen, slots=slots),
        "__repr__": _representing([each.name for each in fields if each.repr]),
    }
    if frozen:
        methods |= _refusing(cls, frozenset(each.name for each in fields))
        if slots:
            methods |= {"__getstate__": _get_state, "__setstate__": _set_state}
    if eq:
        methods["__eq__"] = _comparing(operator.eq, compared)
    if order:
        methods |= {name: _comparing(compare, compared) for name, compare in _ORDER.items()}
    for name, method in methods.items():
        if name not in own:
            method.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, method)
    # Python itself writes None for a class with an `__eq__`.
    if eq and own.get("__hash__") is None:
        setattr(cls, "__hash__", _hashing(compared) if frozen else None)  # noqa: B010
    return cls


def _values(names: Iterable[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function that returns the values of these attributes."""
    names = tuple(names)
    if len(names) > 1:
        return cast("Callable[[Any], tuple[Any, ...]]", attrgetter(*names))
    return lambda self: tuple(getattr(self, name) for name in names)


def _comparing(
    compare: Callable[[Any, Any], bool], values: Callable[[Any], tuple[Any, ...]]
) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compare(values(self), values(other))

    return method


def _hashing(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    return lambda self: hash(values(self))


def _representing(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def method(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return method


def _refusing(cls: Any, names: frozenset[str]) -> Methods:
    def set_attribute(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": set_attribute, "__delattr__": delete_attribute}


# What the standard library gives frozen classes with slots, whose attributes nobody may set.
def _get_state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)


def _compiled_at_first_use(
    cls: Any, fields: tuple[Field[Any], ...], *, frozen: bool, slots: bool
) -> Callable[..., None]:
    def initialize(self: Any, *args: Any, **keywords: Any) -> None:
        compiled = _compiled(cls, fields, frozen=frozen, slots=slots)
        cls.__init__ = compiled
        compiled(self, *args, **keywords)

    return initialize


def _compiled(
    cls: Any, fields: tuple[Field[Any], ...], *, frozen: bool, slots: bool
) -> Callable[..., None]:
    """Return ``__init__`` as the standard library writes it, but faster for slots."""
    names: dict[str, Any] = {"UNSET": dataclasses.MISSING, "SET": object.__setattr__}
    positional = ["self"]
    keyword: list[str] = []
    body: list[str] = []
    for field in fields:
        name, value = field.name, field.name
        has_default = field.default is not dataclasses.MISSING
        if field.default_factory is not dataclasses.MISSING:
            names[f"{name}__make"] = field.default_factory
            value = f"{name}__make()"
            if field.init:
                value = f"{value} if {name} is UNSET else {name}"
            parameter = f"{name}=UNSET"
        elif has_default:
            names[f"{name}__default"] = field.default
            parameter = f"{name}={name}__default"
            value = name if field.init else f"{name}__default"
        else:
            parameter = name
        if field.init:
            (keyword if field.kw_only else positional).append(parameter)
        elif value == name or (has_default and not slots):
            continue  # the class has it, or whoever comes later sets it
        member = getattr(cls, name, None)
        if not frozen:
            body.append(f"self.{name} = {value}")
        elif isinstance(member, MemberDescriptorType):
            names[f"{name}__set"] = member.__set__
            body.append(f"{name}__set(self, {value})")
        else:
            body.append(f"SET(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *keyword] if keyword else [])])
    exec("\n ".join([f"def __init__({parameters}):", *body, "pass"]), names)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made
