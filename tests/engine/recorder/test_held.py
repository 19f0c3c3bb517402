"""What a guarded thing holds is read as it lies there: nothing of the user's runs."""

from __future__ import annotations

import enum
import functools
import types
from collections import OrderedDict
from typing import Any

import pytest
import torch

from ca_engine.recorder.held import (
    HeldValues,
    UnreadableError,
    follow,
    is_training,
    modules_read,
)


class Trap:
    """Every way to ask it something fails the test."""

    __slots__ = ("__dict__", "slot")

    def __init__(self) -> None:
        self.steps = 3
        self.slot = "in a slot"

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"__getattr__({name})")

    @property
    def computed(self) -> int:
        raise AssertionError("a property ran")

    def __repr__(self) -> str:
        raise AssertionError("__repr__ ran")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("__eq__ ran")

    def __hash__(self) -> int:
        raise AssertionError("__hash__ ran")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise AssertionError("__class__ was asked")


class TrapDict(dict):  # type: ignore[type-arg]
    def __getitem__(self, key: object) -> Any:
        raise AssertionError("__getitem__ ran")

    def __missing__(self, key: object) -> Any:
        raise AssertionError("__missing__ ran")

    def __len__(self) -> int:
        raise AssertionError("__len__ ran")


class TrapType(type):
    def __getattribute__(cls, name: str) -> Any:
        raise AssertionError(f"the metaclass was asked for {name}")


class Descriptor:
    def __get__(self, owner: Any, kind: Any) -> Any:
        raise AssertionError("__get__ ran")


class Mode(enum.Enum):
    TRAIN = 1


def closure_over(value: object) -> Any:
    def function() -> object:
        return value

    return function


MODULE = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
VARIABLES: dict[str, Any] = {
    "k": 4,
    "trap": Trap(),
    "traps": TrapDict(a=1),
    "xs": [1, (2.5, None)],
    "d": OrderedDict(image="x", y=1),
    "self": MODULE,
    "f": closure_over(7),
    "g": functools.partial(max, 1, key=len),
    "x": torch.zeros(2, 3, requires_grad=True),
}
GLOBALS: dict[str, Any] = {"SEED": 5, "CFG": {"s": [1]}, "module": types.ModuleType("m")}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("k", 4),
        ("L['k']", 4),
        ("G['SEED']", 5),
        ("G['CFG']['s'][0]", 1),
        ("trap.steps", 3),
        ("trap.slot", "in a slot"),
        ("trap.__dict__['steps']", 3),
        ("traps['a']", 1),
        ("xs[1][0]", 2.5),
        ("d['image']", "x"),
        ("self._modules['1'].training", True),
        ("self._modules['1'].p", 0.5),
        ("f.__closure__[0].cell_contents", 7),
        ("g.keywords['key']", len),
        ("g.args[0]", 1),
        ("type(xs)", list),
    ],
)
def test_a_source_is_followed(source: str, expected: object) -> None:
    assert follow(source, VARIABLES, GLOBALS) == expected


@pytest.mark.parametrize(
    "source",
    [
        "nothing",
        "trap.computed",
        "trap.absent",
        "traps['b']",
        "trap[0]",
        "trap()",
        "xs[7]",
        "xs[0:1]",
        "x.grad_fn",
        "k +",
        "__import__('os').system('true')",
        "(" * 500 + "k" + ")" * 500,
        "x" * 3_000,
    ],
)
def test_what_cannot_be_read_safely_is_not_read(source: str) -> None:
    with pytest.raises(UnreadableError):
        follow(source, VARIABLES, GLOBALS)


def test_a_descriptor_of_the_users_is_not_run() -> None:
    class Owner:
        field = Descriptor()

    with pytest.raises(UnreadableError):
        follow("o.field", {"o": Owner()}, {})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, {"type": "NoneType", "value": None}),
        (True, {"type": "bool", "value": True}),
        (2**70, {"type": "int", "value": str(2**70)}),
        (float("nan"), {"type": "float", "value": "nan"}),
        ("a" * 100, {"type": "str", "value": "a" * 80}),
        (Mode.TRAIN, {"value": "TRAIN"}),
        (torch.nn.Linear, {"type": "type", "value": "torch.nn.modules.linear.Linear"}),
        ([1, 2], {"type": "list", "length": 2}),
        ({"b": 1, 2: 3, (): 4}, {"type": "dict", "length": 3, "keys": ["b", 2]}),
        (TrapDict(a=1), {"length": 1, "keys": ["a"]}),
    ],
)
def test_a_thing_is_described(value: object, expected: dict[str, object]) -> None:
    held = HeldValues().describe(value)
    assert expected.items() <= dict(held).items()


def test_a_tensor_is_described_by_its_metadata() -> None:
    assert HeldValues().describe(torch.zeros(2, 3).t().double()) == {
        "type": "torch.Tensor",
        "shape": [3, 2],
        "stride": [1, 3],
        "dtype": "float64",
        "device": "cpu",
        "requires_grad": False,
        "leaf": True,
        "identity": 0,
    }


def test_the_numbers_of_a_subclass_of_tensor_are_told() -> None:
    class Scaled(torch.Tensor):
        scale = 3.0  # the class's own

        @classmethod
        def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any:
            raise AssertionError

    value = torch.zeros(2).as_subclass(Scaled)
    value.__dict__.update(scale=0.5, bits=8, packed=True, name="x", inner=torch.zeros(2), far=2**70)
    held = HeldValues().describe(value)
    assert held["attributes"] == {"scale": 0.5, "bits": 8, "packed": True}
    assert "shape" not in held
    many = torch.zeros(2).as_subclass(Scaled)
    many.__dict__.update({f"n{number}": number for number in range(99)})
    assert len(HeldValues().describe(many)["attributes"]) == 16


def test_the_mode_is_that_of_the_first_module() -> None:
    outer, inner = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1).eval()
    assert is_training((None, outer, inner)) is True
    assert is_training((inner, outer)) is False
    assert is_training((None,)) is None
    # Without one, what the function reads says it, if that agrees.
    assert is_training((None, outer), [inner]) is True
    assert is_training((None,), [inner, inner]) is False
    assert is_training((None,), [inner, outer]) is None
    # What `__init__` did not make yet has no mode.
    assert is_training((object.__new__(torch.nn.Linear),)) is None


def test_a_trap_is_described_without_touching_it() -> None:
    class Typed(metaclass=TrapType):
        pass

    held = HeldValues()
    assert held.describe(Trap())["type"].endswith("Trap")
    assert held.describe(object.__new__(Typed))["type"].endswith("Typed")
    assert held.describe(Typed)["value"].endswith("Typed")  # type: ignore[union-attr]


def test_objects_are_told_apart_also_where_one_took_the_others_place() -> None:
    held = HeldValues()

    class Thing:
        pass

    kept = Thing()
    first = held.describe(kept)["identity"]
    assert held.describe(kept)["identity"] == first
    others = {held.describe(Thing())["identity"] for _ in range(5)}
    assert len(others) == 5
    assert first not in others


def test_arguments_are_named_as_guards_name_them_and_texts_stay_private() -> None:
    def frame(a: Any, *rest: Any, flag: bool = True, **kwargs: Any) -> None:
        local = a
        del local

    told = HeldValues().of_arguments(
        frame.__code__,
        {
            "a": [torch.zeros(4), 2],
            "rest": (1.5,),
            "flag": False,
            "kwargs": {"input_ids": torch.zeros(4, 8), "token": "secret"},
            "local": 1,
        },
    )
    assert list(told) == [
        "a[0]",
        "a[1]",
        "flag",
        "rest[0]",
        "kwargs['input_ids']",
        "kwargs['token']",
    ]
    assert told["kwargs['input_ids']"]["shape"] == [4, 8]
    assert told["kwargs['token']"] == {"type": "str"}


def test_tensors_of_an_object_are_told_after_all_other_arguments() -> None:
    class Slotted:
        __slots__ = ("empty", "mask")
        empty: torch.Tensor
        mask: torch.Tensor

    class Batch:
        def __init__(self) -> None:
            self.tensors, self.note = torch.zeros(4, 3), "secret"
            self.slotted = Slotted()

        @property
        def computed(self) -> torch.Tensor:
            raise AssertionError("the user's code is not run")

    def frame(batch: Batch, slotted: Slotted, net: torch.nn.Module, factor: int) -> None: ...

    slotted = Slotted()
    slotted.mask = torch.zeros(4, dtype=torch.bool)
    variables = {"batch": Batch(), "slotted": slotted, "net": torch.nn.Linear(2, 2), "factor": 2}
    told = HeldValues().of_arguments(frame.__code__, variables)
    assert list(told) == ["batch", "slotted", "net", "factor", "batch.tensors", "slotted.mask"]
    assert told["batch.tensors"]["shape"] == [4, 3]
    assert told["slotted.mask"]["dtype"] == "bool"


def test_a_function_reads_modules_that_it_is_given_or_finds_around_it() -> None:
    given, around, of_module, local = (torch.nn.Linear(1, 1) for _ in range(4))

    def step(x: torch.Tensor, head: torch.nn.Module) -> torch.Tensor:
        own = local_of(x)
        result: torch.Tensor = head(around(GLOBAL(own)))
        return result

    variables = {"x": torch.ones(1), "head": given, "around": around, "own": local}
    found = modules_read(step.__code__, variables, {"GLOBAL": of_module, "unread": local})
    assert found == [given, around, of_module]


def local_of(x: torch.Tensor) -> torch.Tensor:
    return x


GLOBAL = torch.nn.Identity()
