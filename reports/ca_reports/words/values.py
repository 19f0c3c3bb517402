"""Names, values and lists in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.lazy_expressions import expression
from ca_reports.words.clean import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_VALUE_WIDTH = 60
_MOST = 4  # names of a list, unless the caller says otherwise
_CAPITAL = expression(r"(?<=[a-z])(?=[A-Z])")
NOTHING = "nothing"  # what was not there before, or is not there now


def shown_value(found: Any) -> str:
    """Return a JSON value for reading; None (it was not there) as a word."""
    if found is None:
        return NOTHING
    try:
        written = found if isinstance(found, str) else orjson.dumps(found).decode()
    except TypeError:  # a number of more than 64 bits
        written = str(found)
    return shorten(written, _VALUE_WIDTH)


def in_words(name: str) -> str:
    """Return ``new autograd node`` for ``new_autograd_node``, ``last batch`` for ``last-batch``."""
    return name.replace("_", " ").replace("-", " ")


def short_name(name: str) -> str:
    """Return ``torch::autograd::AccumulateGrad`` → ``AccumulateGrad``."""
    return name.rsplit("::", 1)[-1]


def operation(name: str) -> str:
    """Return ``log_softmax`` for the node ``LogSoftmaxBackward0``; others as they are."""
    short = short_name(name)
    name, _, number = short.rpartition("Backward")
    is_operation = bool(name) and (not number or number.isdecimal())
    return _CAPITAL.sub("_", name).lower() if is_operation else short


def first_line(text: str) -> str:
    """Return the first line that holds anything."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def first_few(
    texts: Sequence[str], number: int = _MOST, separator: str = ", ", last: str = " and "
) -> str:
    """Return ``a, b, c, d and 3 more``."""
    told = separator.join(texts[:number])
    more = len(texts) - number
    return f"{told}{last}{more:,} more" if more > 0 else told


def listed(names: Iterable[str], number: int = _MOST) -> str:
    """Return ``a, b, c, d and 3 more``, each name once."""
    return first_few(list(dict.fromkeys(names)), number)
