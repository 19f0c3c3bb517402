"""A lazy dataclass is what the standard library makes of the same class."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
import subprocess
import sys
from abc import ABC, abstractmethod
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import pytest

from ca_engine import lazy_classes

T = TypeVar("T")


def classes(dataclass: Any) -> dict[str, Any]:
    """One class of each kind that the code has."""

    @dataclass(frozen=True, slots=True)
    class Place:
        """A place."""

        file: str
        line: int = 0
        names: tuple[str, ...] = ()
        note: str | None = field(default=None, compare=False)
        seen: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

        @property
        def text(self) -> str:
            return f"{self.file}:{self.line}"

    @dataclass(frozen=True, slots=True)
    class Frame(Place):
        line: int = 7
        function: str = "f"

    @dataclass(frozen=True)
    class Cached:
        values: tuple[int, ...]

        @cached_property
        def total(self) -> int:
            return sum(self.values)

    @dataclass
    class Growing:
        names: list[str] = field(default_factory=list)
        count: int = field(init=False, default=3)

        def __post_init__(self) -> None:
            self.count += len(self.names)

    @dataclass(slots=True)
    class Slotted:
        name: str
        parts: list[int] = field(init=False, default_factory=list)
        kind: str = field(init=False, default="slotted")

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Keywords:
        first: int
        second: int = 2

    @dataclass(frozen=True, slots=True, order=True)
    class Version:
        major: int
        minor: int = 0

    @dataclass(frozen=True, slots=True, eq=False)
    class Same:
        name: str

    @dataclass(frozen=True)
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.name.lower() == other.name.lower()

        def __hash__(self) -> int:
            return hash(self.name.lower())

        def __repr__(self) -> str:
            return f"<{self.name}>"

    @dataclass(frozen=True, slots=True)
    class Nothing:
        pass

    @dataclass(frozen=True)
    class Base(ABC):
        name: str

        @abstractmethod
        def say(self) -> str: ...

    @dataclass(frozen=True)
    class Derived(Base):
        loud: bool = False

        def say(self) -> str:
            return self.name

    @dataclass(frozen=True, slots=True)
    class Of(Generic[T]):
        value: T

    return {key: value for key, value in locals().items() if isinstance(value, type)}


LAZY, STANDARD = classes(lazy_classes.dataclass), classes(dataclasses.dataclass)
# What pickle looks up by its name.
for _class in LAZY.values():
    _class.__qualname__ = _class.__name__
    globals()[_class.__name__] = _class

INSTANCES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Place", ("a.py",), {}),
    ("Place", ("a.py", 3), {"names": ("x",), "note": "n"}),
    ("Frame", ("a.py",), {"function": "g", "seen": {"x": 1}}),
    ("Cached", ((1, 2, 3),), {}),
    ("Growing", (), {}),
    ("Growing", (["a", "b"],), {}),
    ("Slotted", ("s",), {}),
    ("Keywords", (), {"first": 1}),
    ("Version", (2,), {"minor": 13}),
    ("Same", ("x",), {}),
    ("Own", ("Name",), {}),
    ("Nothing", (), {}),
    ("Derived", ("d",), {"loud": True}),
    ("Of", ([1],), {}),
]
CALLS = [(*one, index) for index, one in enumerate(INSTANCES)]


@pytest.mark.parametrize(("name", "args", "values", "index"), CALLS)
def test_an_instance_is_that_of_the_standard_library(
    name: str, args: tuple[Any, ...], values: dict[str, Any], index: int
) -> None:
    lazy, standard = (kinds[name](*args, **values) for kinds in (LAZY, STANDARD))

    assert repr(lazy) == repr(standard).replace("classes.<locals>.", "")
    assert dataclasses.asdict(lazy) == dataclasses.asdict(standard)
    names = [each.name for each in dataclasses.fields(lazy)]
    assert names == [each.name for each in dataclasses.fields(standard)]
    assert type(lazy).__match_args__ == type(standard).__match_args__
    assert hasattr(lazy, "__dict__") == hasattr(standard, "__dict__")
    assert type(lazy).__doc__
    for kinds, made in ((LAZY, lazy), (STANDARD, standard)):
        again = kinds[name](*args, **values)
        assert (made == again) is (name != "Same")
        assert made == made
        assert made != object()
        assert copy.copy(made) == made or name == "Same"
    assert _hashed(lazy) == _hashed(standard)


def _hashed(value: Any) -> Any:
    """Its hash, or that it has none; by identity hashes differ."""
    try:
        found = hash(value)
    except TypeError as error:
        return str(error).replace("classes.<locals>.", "")
    return "identity" if type(value).__name__ == "Same" else found


@pytest.mark.parametrize(("name", "args", "values", "index"), CALLS)
def test_pickle_and_replace_keep_it(
    name: str, args: tuple[Any, ...], values: dict[str, Any], index: int
) -> None:
    made = LAZY[name](*args, **values)

    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(made, protocol))
        assert dataclasses.asdict(back) == dataclasses.asdict(made)
    assert dataclasses.asdict(dataclasses.replace(made)) == dataclasses.asdict(made)


@pytest.mark.parametrize("name", LAZY)
def test_a_wrong_call_fails_as_with_the_standard_library(name: str) -> None:
    if name == "Base":
        with pytest.raises(TypeError, match="abstract"):
            LAZY[name]("x")
        return
    for args, values in (((), {}), ((1, 2, 3, 4, 5, 6, 7), {}), ((), {"no_such": 1})):
        lazy, standard = (_refusal(kinds[name], args, values) for kinds in (LAZY, STANDARD))
        assert lazy == standard


def _refusal(kind: Any, args: tuple[Any, ...], values: dict[str, Any]) -> str:
    try:
        kind(*args, **values)
    except TypeError as error:
        return str(error).replace("classes.<locals>.", "")
    return ""


@pytest.mark.parametrize("name", ["Place", "Frame", "Cached", "Keywords", "Nothing", "Derived"])
def test_a_frozen_instance_cannot_be_changed(name: str) -> None:
    args, values = next((args, values) for found, args, values in INSTANCES if found == name)
    made = LAZY[name](*args, **values)

    for attribute in (*(each.name for each in dataclasses.fields(made)), "another"):
        with pytest.raises(dataclasses.FrozenInstanceError, match=attribute):
            setattr(made, attribute, 1)
        with pytest.raises(dataclasses.FrozenInstanceError, match=attribute):
            delattr(made, attribute)


def test_a_subclass_may_have_attributes_of_its_own() -> None:
    made = type("Named", (LAZY["Cached"],), {})((1, 2))
    made.label = "x"

    assert made.label == "x"
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.values = ()
    del made.label


def test_values_that_are_cached_stay() -> None:
    made = LAZY["Cached"]((1, 2))

    assert (made.total, vars(made)["total"]) == (3, 3)


def test_the_order_is_that_of_the_fields() -> None:
    older, newer = LAZY["Version"](2, 9), LAZY["Version"](2, 13)

    assert older < newer <= newer
    assert newer > older >= older
    with pytest.raises(TypeError):
        older < (3, 0)  # noqa: B015


def test_one_that_holds_itself_can_be_printed() -> None:
    made = LAZY["Growing"]()
    made.names.append(made)

    assert "..." in repr(made)


def test_a_class_compiles_nothing_before_its_first_instance() -> None:
    """A million classes of the standard library would take a quarter of an hour."""
    code = """
import builtins, dataclasses
from ca_engine.lazy_classes import dataclass
compiled = []
real = builtins.exec
def counted(*given):
    compiled.append(given[0])
    real(*given)
builtins.exec = counted
@dataclass(frozen=True, slots=True)
class Place:
    file: str
    line: int = 0
assert compiled == [], compiled
assert hash(Place("a")) == hash(Place("a", 0)) and repr(Place("a")) == "Place(file='a', line=0)"
assert len(compiled) == 1, compiled
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_every_command_imports_makes_its_dataclasses_so() -> None:
    """`ca_cli` has two with a signature that Typer reads: groups of options."""
    root = Path(lazy_classes.__file__).parents[2]
    eager = [
        path.name
        for path in (root / "reports").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module == "dataclasses"
        and any(each.name == "dataclass" for each in node.names)
    ]

    assert not eager
