"""Values that guards compare with, as users write them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.words.clean import shorten
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Sequence

_VALUES_TOLD = 5
_VALUE_WIDTH = 40
_CLASS = expression(r"<(?:class|enum) '([^']*)'>")


# The commonest values, which need no parser.
_NUMBER = expression(r"-?(?:0|[1-9]\d{0,17})|-?(?:0|[1-9]\d{0,17})\.\d{1,20}", re.ASCII)


def is_local(qualified: str) -> bool:
    """Return whether a function defines what has this qualified name: each call makes another."""
    return ".<locals>." in qualified


def class_name(text: str) -> str:
    """Return ``Net`` for ``<class '__main__.main.<locals>.Net'>`` and for ``__main__.Net``."""
    found = _CLASS.search(text)
    return (found[1] if found else text).rpartition(".")[2]


def literal(text: str) -> bool | int | float | str | None:
    """Return the value that a guard compares with; raises ``ValueError`` if it isn't written."""
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(text[:_VALUE_WIDTH]) from error
    if found is None or isinstance(found, (bool, int, float, str)):
        return found
    raise ValueError(text[:_VALUE_WIDTH])


def shown(value: object) -> str:
    """Return a value as Python writes it; floats without the noise of their last digits."""
    if isinstance(value, float):
        told = f"{value:.4g}"
        return told if any(sign in told for sign in ".einf") else f"{told}.0"
    return shorten(repr(value), _VALUE_WIDTH)


def in_order(values: Sequence[str], separator: str = " → ") -> str:
    """Return ``1.0 → 0.9 → 0.8 → 4 more``."""
    return first_few(values, _VALUES_TOLD, separator, separator)
