"""A guard's source is read without running code of the user's."""

from __future__ import annotations

import gc
import types
from typing import Any

import pytest

from ca_engine.watch.paths import GONE, find


class Inner:
    limit = 4

    def __init__(self) -> None:
        self.scale = 1.0

    def method(self) -> None: ...

    @property
    def asked(self) -> float:
        raise AssertionError("code of the user's ran")

    def __getattr__(self, name: str) -> float:
        raise AssertionError("code of the user's ran")


class Slotted:
    __slots__ = ("__weakref__", "empty", "held")

    def __init__(self) -> None:
        self.held = 3


class Lists(list[int]):
    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("code of the user's ran")


class Owner:
    def __init__(self) -> None:
        self.inner = Inner()
        self.by_name = {"a": [5, 6], 2: "two"}
        self.slots = Slotted()
        self.lists = Lists([1])


def read(source: str, owner: Any) -> Any:
    path = find(source, {"self": owner, "number": 3}, {"RATE": 0.5, "module": types})
    assert path is not None
    return path.read()


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("self.inner.scale", 1.0),
        ("L['self'].inner.scale", 1.0),
        ("self.inner.limit", 4),
        ("self.by_name['a'][1]", 6),
        ("self.by_name[2]", "two"),
        ("self.slots.held", 3),
        ("G['RATE']", 0.5),
        ("G['module'].ModuleType", types.ModuleType),
    ],
)
def test_a_way_that_runs_nothing_is_read(source: str, value: Any) -> None:
    assert read(source, Owner()) == value


@pytest.mark.parametrize(
    "source",
    [
        "self", "number", "number.real", "self.inner.asked", "self.inner.missing", "self.lists[0]",
        "len(self.by_name)", "self.by_name['b']", "self.by_name[key]", "self.slots.empty",
        "other.x", "G['ABSENT']", "self.", "self.by_name['a'][9]", "self" + ".x" * 400,
    ],
)  # fmt: skip
def test_what_is_no_such_way_is_not_watched(source: str) -> None:
    variables = {"self": Owner(), "number": 3}
    assert find(source, variables, {}) is None


def test_a_way_that_ends_later_answers_so() -> None:
    owner = Owner()
    path = find("self.by_name['a'][1]", {"self": owner}, {})
    slot = find("self.slots.held", {"self": owner}, {})
    scale = find("self.inner.scale", {"self": owner}, {})
    assert path is not None
    assert slot is not None
    assert scale is not None

    del owner.by_name["a"][1], owner.slots.held, owner.inner.scale
    assert (path.read(), slot.read(), scale.read()) == (GONE, GONE, GONE)
    owner.by_name["a"] = Lists([1, 2])
    owner.inner = Slotted()  # type: ignore[assignment]
    assert (path.read(), scale.read()) == (GONE, GONE)


def test_an_object_is_not_kept() -> None:
    owner = Owner()
    path = find("self.inner.scale", {"self": owner}, {})
    assert path is not None
    del owner
    gc.collect()
    assert path.read() is GONE
