"""What objects are made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.program.constructions import field_values
from tests.unit.reports.program.walked import flow_of

if TYPE_CHECKING:
    from pathlib import Path

CLASSES = """\
from abc import ABC
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import pydantic
from torch import nn


class Base(ABC):
    pass


@dataclass
class Options(Base):
    known: ClassVar[int] = 3
    made: int = field(init=False, default=2)
    heat: float = 1.0

    @classmethod
    def warm(cls):
        return cls(0.9)


@dataclass
class Later(Options):
    top: int = 3


@dataclass(kw_only=True)
class Named:
    heat: float = 1.0


class Pair(NamedTuple):
    heat: float = 1.0


class Model(pydantic.BaseModel):
    heat: float = 1.0


@dataclass
class Own:
    heat: float = 1.0

    def __init__(self, given, **more):
        self.heat = given


class Plain:
    heat = 1.0


class Layer(nn.Linear):
    heat: float = 1.0


"""
OF_OPTIONS = ["0.9"]


@pytest.mark.parametrize(
    ("owner", "code", "values", "unseen"),
    [
        ("Options", "Options(0.7)", [*OF_OPTIONS, "0.7"], []),
        ("Options", "Later(0.7, 2)", [*OF_OPTIONS, "0.7"], []),
        ("Options", "Later(*given, heat=0.7)", [*OF_OPTIONS, "0.7"], []),
        ("Options", "Options(**given)", OF_OPTIONS, ["Options(**given)"]),
        ("Options", "replace(other, heat=0.5)", [*OF_OPTIONS, "0.5"], []),
        ("Options", "replace(other, **given)", OF_OPTIONS, ["replace(other, **given)"]),
        ("Options", "map(Options, given)", OF_OPTIONS, ["Options"]),
        ("Options", "isinstance(x, Options)", OF_OPTIONS, []),
        ("Options", "every: list[Options] = []", OF_OPTIONS, []),
        ("Options", "def f(x: Options | None) -> Options: pass", OF_OPTIONS, []),
        ("Named", "Named(heat=0.7)", ["0.7"], []),
        ("Pair", "Pair(0.7)._replace(heat=0.2)", ["0.7", "0.2"], []),
        ("Model", "Model(heat=0.7)", ["0.7"], []),
        ("Model", "Model(0.7)", [], ["Model(0.7)"]),
        # These assign the field themselves, or have no constructor that takes it.
        ("Own", "Own(0.7)", [], []),
        ("Plain", "Plain()", [], []),
        ("Layer", "Layer(4, 4)", [], []),
    ],
)
def test_the_values_that_a_field_is_given(
    tmp_path: Path, owner: str, code: str, values: list[str], unseen: list[str]
) -> None:
    program = flow_of(tmp_path, CLASSES + code + "\n").program
    found = field_values(program, "heat", {owner})
    told = [[one.module.code(one.node) for one in group] for group in (found.values, found.unseen)]
    assert [sorted(told[0]), told[1]] == [sorted(values), unseen]
