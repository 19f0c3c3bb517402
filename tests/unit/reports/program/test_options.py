"""The origin of a call's option, up to the expression that a person would edit."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.options import OptionOrigins
from ca_reports.program.origins import Origins
from tests.unit.reports.program.walked import flow_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.program.options import OptionSetting


def options_of(folder: Path, text: str) -> list[OptionSetting]:
    """Where `asked(…)` has its option ``dynamic`` from, its second argument."""
    flow = flow_of(folder, text)
    (call,) = [*flow.program.calls("asked"), *flow.program.calls("bound")]
    return OptionOrigins(Origins(flow)).of(call, "dynamic", 1)


FROM_FAR = [
    ("asked(net, dynamic=False)\n", "False"),
    ("asked(net, False)\n", "False"),
    ("static = False\nasked(net, dynamic=static)\n", "False"),
    # A default argument, of a function and of a constructor.
    ("def make(net, dynamic=False):\n    return asked(net, dynamic=dynamic)\n\nmake(n)\n", "False"),
    (
        "class C:\n    def __init__(self, dynamic=False):\n        self.dynamic = dynamic\n"
        "\n    def go(self):\n        asked(net, dynamic=self.dynamic)\n\nC().go()\n",
        "False",
    ),
    # Fields of dataclasses, and the bodies of other classes.
    (
        "@dataclass\nclass C:\n    dynamic: bool = False\n\nasked(net, dynamic=C().dynamic)\n",
        "False",
    ),
    (
        "@dataclass\nclass C:\n    dynamic: bool = field(default=False)\n\n"
        "asked(net, dynamic=C().dynamic)\n",
        "False",
    ),
    (
        "@dataclass\nclass C:\n    dynamic: bool = field(default_factory=lambda: False)\n\n"
        "asked(net, dynamic=C().dynamic)\n",
        "False",
    ),
    ("class C:\n    dynamic = False\n\nasked(net, dynamic=C.dynamic)\n", "False"),
    # Dictionaries, whole, merged, and handed on as options.
    ("options = {'dynamic': False}\nasked(net, **options)\n", "False"),
    ("CONFIG = {'compile': {'dynamic': False}}\nasked(net, **CONFIG['compile'])\n", "False"),
    ("options = dict(dynamic=False)\nasked(net, **options)\n", "False"),
    ("base = {'a': 1}\nasked(net, **{**base, 'dynamic': False})\n", "False"),
    ("base = {'dynamic': False}\nasked(net, **{**base, 'a': 1})\n", "False"),
    ("base = {'dynamic': False}\nasked(net, **dict(base, a=1))\n", "False"),
    ("base = {'a': 1}\nasked(net, **(base | {'dynamic': False}))\n", "False"),
    ("base = {'dynamic': False}\nasked(net, **(base | {'a': 1}))\n", "False"),
    ("def make(net, **options):\n    asked(net, **options)\n\nmake(n, dynamic=False)\n", "False"),
    (
        "class C:\n    def options(self):\n        return {'dynamic': False}\n\n"
        "asked(net, **C().options())\n",
        "False",
    ),
    # A namespace, and an option of the command line.
    ("args = SimpleNamespace(dynamic=False)\nasked(net, dynamic=args.dynamic)\n", "False"),
    (
        "parser.add_argument('--dynamic', default=False)\nargs = parser.parse_args()\n"
        "asked(net, dynamic=args.dynamic)\n",
        "False",
    ),
    ("bound = partial(made, dynamic=False)\nbound(net)\n", "False"),
]


@pytest.mark.parametrize(("text", "expected"), FROM_FAR)
def test_an_option_is_followed_to_where_it_is_written(
    tmp_path: Path, text: str, expected: str
) -> None:
    (found,) = options_of(tmp_path, text)
    assert ast.unparse(found.site.node) == expected
    assert found.is_known
    assert found.is_off


def test_an_option_that_is_left_to_its_default_has_no_line(tmp_path: Path) -> None:
    assert options_of(tmp_path, "asked(net, **{'a': 1})\n") == []
    assert options_of(tmp_path, "asked(net)\n") == []


def test_a_switch_that_is_only_turned_on_is_edited_where_it_is_declared(tmp_path: Path) -> None:
    (found,) = options_of(
        tmp_path,
        "parser.add_argument('--use-it', dest='dynamic', action='store_true')\n"
        "args = parser.parse_args()\nasked(net, dynamic=args.dynamic)\n",
    )
    assert found.site.line == 1
    assert not found.is_known


def test_what_a_function_works_out_is_edited_where_it_is_called_with_literals(
    tmp_path: Path,
) -> None:
    (found,) = options_of(
        tmp_path,
        "def flag(name, default):\n    return os.environ.get(name, default) in ('1', 'yes')\n\n"
        "@dataclass\nclass C:\n    dynamic: bool = field(default_factory=lambda: flag('D', '0'))\n"
        "\n    def options(self):\n        return {'dynamic': self.dynamic}\n"
        "\nasked(net, **C().options())\n",
    )
    assert ast.unparse(found.site.node) == "flag('D', '0')"
    assert found.may_be_off
    assert not found.is_off


def test_what_is_worked_out_of_variables_stays_where_it_is(tmp_path: Path) -> None:
    (found,) = options_of(
        tmp_path,
        "def chosen(n):\n    return n > 3\n\nasked(net, dynamic=chosen(size))\n",
    )
    assert ast.unparse(found.site.node) == "n > 3"


@pytest.mark.parametrize(
    ("options", "expected"), [("dynamic=on", False), ("dynamic=on, shuffle=on", True)]
)
def test_a_parameter_that_decides_about_more_is_shared(
    tmp_path: Path, options: str, expected: bool
) -> None:
    (found,) = options_of(
        tmp_path, f"def make(net, on):\n    return asked(net, {options})\n\nmake(n, on=False)\n"
    )
    assert found.is_shared is expected
