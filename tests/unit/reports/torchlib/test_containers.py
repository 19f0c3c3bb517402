"""The tables of containers' methods, against the containers."""

from __future__ import annotations

import collections
import dataclasses
import typing
from collections import deque
from typing import Any

import pytest

from ca_reports.torchlib import containers

EMPTY: tuple[Any, ...] = ([], {}, set(), deque())
FULL: tuple[Any, ...] = ([2, 1], {2: 0, 1: 0}, {2, 1}, deque((2, 1)))
# What each method is called with, on those that take it.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "insert": (0, 7),
    "extend": ([7],),
    "extendleft": ([7],),
    "update": ({7: 7},),
    "setdefault": (7, 7),
    **dict.fromkeys(containers.APPENDS, (7,)),
}


def having(name: str, kinds: tuple[Any, ...]) -> list[Any]:
    found = [kind.copy() for kind in kinds if hasattr(kind, name)]
    assert found, f"no container has {name}"
    return found


@pytest.mark.parametrize("name", containers.PUTS_IN)
def test_what_puts_in_makes_an_empty_one_longer(name: str) -> None:
    for container in having(name, EMPTY):
        getattr(container, name)(*ARGUMENTS[name])
        assert len(container) == 1


@pytest.mark.parametrize("name", containers.MAKES_CLASSES)
def test_what_makes_classes_makes_another_one_each_time(name: str) -> None:
    module = next(one for one in (collections, typing, dataclasses) if hasattr(one, name))
    fields = [("x", int)]
    first, second = (
        getattr(module, name)("Batch", ["x"] if name == "namedtuple" else fields) for _ in range(2)
    )
    assert isinstance(first, type)
    assert first is not second


@pytest.mark.parametrize("name", containers.TAKES_OUT)
def test_what_takes_out_makes_a_full_one_shorter(name: str) -> None:
    for container in having(name, FULL):
        takes_one = name in ("remove", "discard") or (name == "pop" and isinstance(container, dict))
        getattr(container, name)(*((1,) if takes_one else ()))
        assert len(container) < 2


@pytest.mark.parametrize("name", containers.REORDERS)
def test_what_reorders_keeps_the_elements(name: str) -> None:
    for container in having(name, FULL):
        getattr(container, name)()
        assert list(container) == [1, 2]


@pytest.mark.parametrize("name", [*containers.LOOKS_UP, *containers.OF_ONE_KEY])
def test_what_looks_up_takes_a_key(name: str) -> None:
    assert getattr({"a": 1}, name)("a", 2) == 1


def test_every_public_method_that_changes_a_container_is_in_the_tables() -> None:
    """Those of sets alone apart, which torch's programs hold no tensors in."""
    of_sets = {"difference_update", "intersection_update", "symmetric_difference_update"}
    reading = {"copy", "count", "index", "get", "fromkeys", "maxlen", *containers.VIEWS}
    giving_sets = {"union", "intersection", "difference", "symmetric_difference"}
    asking = {"isdisjoint", "issubset", "issuperset"}
    methods = {name for kind in EMPTY for name in dir(kind) if not name.startswith("_")}
    assert methods - of_sets - reading - giving_sets - asking == set(containers.CHANGES)


def test_a_tensor_has_none_of_those_that_keep() -> None:
    torch = pytest.importorskip("torch")
    assert not [name for name in containers.KEEPS if hasattr(torch.Tensor, name)]
    assert hasattr(torch.Tensor, "add")
