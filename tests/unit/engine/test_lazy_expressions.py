"""A lazy expression is what `re.compile` returns."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ca_engine.lazy_expressions import Expression, expression

TEXT = "A12 b34, a5"


@pytest.mark.parametrize("flags", [0, re.I])
@pytest.mark.parametrize("pattern", [r"(?P<letter>a)(\d+)", r"b", r"nothing"])
def test_every_method_and_attribute_is_that_of_the_real_one(pattern: str, flags: int) -> None:
    def results(made: re.Pattern[str]) -> list[Any]:
        return [
            *(
                bool(found)
                for found in (made.match(TEXT), made.search(TEXT, 1), made.fullmatch(""))
            ),
            *(made.findall(TEXT), [found.span() for found in made.finditer(TEXT)]),
            *(made.split(TEXT), made.sub("-", TEXT), made.subn("-", TEXT, count=1)),
            *(made.pattern, made.flags, made.groups, dict(made.groupindex)),
        ]

    assert results(expression(pattern, flags)) == results(re.compile(pattern, flags))


def test_bytes_are_searched_in_bytes() -> None:
    found = expression(rb"\d+").search(b"a 12")

    assert found is not None
    assert found[0] == b"12"


def test_it_is_compiled_once_and_not_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    genuine = Expression.compiled

    def counted(self: Expression) -> re.Pattern[Any]:
        compiled.append(self.pattern)
        return genuine(self)

    monkeypatch.setattr(Expression, "compiled", counted)
    made = expression(r"(")
    assert (made.pattern, compiled) == ("(", [])
    with pytest.raises(re.error):
        made.match("x")

    made = expression(r"x+")
    assert made.search("axx")
    assert made.groups == 0
    assert made.sub("", "axx") == "a"
    assert compiled == ["(", "x+"]


def test_it_has_nothing_else() -> None:
    with pytest.raises(AttributeError, match="'mach'"):
        expression("x").mach("x")  # type: ignore[attr-defined]
