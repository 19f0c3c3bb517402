"""Guarded things and what they held, as users write them."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from ca_reports.words.clean import shorten
from ca_reports.words.values import first_few

if TYPE_CHECKING:
    from collections.abc import Sequence

_VALUES_TOLD = 5
_VALUE_WIDTH = 40
# How Dynamo reaches submodules, parameters and buffers; the inputs of a function and globals.
_MEMBER = re.compile(r"\._(?:modules|parameters|buffers)\['([^']*)'\]")
_SCOPE = re.compile(r"\b[LG]\['([^']*)'\]")
_PARTIAL = re.compile(r"\.keywords\['([^']*)'\]")
_CELL = re.compile(r"\.__closure__\[(\d+)\]\.cell_contents")
# Hooks are in a dictionary by numbers: the first is that of `list(dict.keys(hooks))[0]`.
_HOOK = re.compile(
    r"([A-Za-z_][\w.]{0,200})\._\w{1,30}_hooks\[(?:list\(dict\.keys\([\w.]{1,240}\)\)\[)?\d{1,9}\]{1,2}"
)
# An entry of an optimizer's parameter group; a number of NumPy's that Dynamo takes as a tensor; the
# object of a bound method that is a hook.
_GROUP = re.compile(r"(?:[A-Za-z_][\w.]{0,200}\.)?param_groups\[\d{1,4}\]\['(\w{1,80})'\]")
_OF_NUMPY = re.compile(r"\b___from_numpy\(([\w.]{1,200})\)")
_OF_HOOK = re.compile(r"\bhooks\[\d{1,6}\](?:\.func)?\.__self__\b")
# A global of another module: ``__import_einops_dot__backends.kinds``.
_IMPORTED = re.compile(r"\b__import_(\w+)")
_CLASS = re.compile(r"<(?:class|enum) '([^']*)'>")


def readable(source: str) -> str:
    """``L['model']._modules['0'].training`` as ``model.0.training``."""
    told = _MEMBER.sub(r".\1", _SCOPE.sub(r"\1", source))
    told = _IMPORTED.sub(lambda found: found[1].replace("_dot_", "."), told)
    told = _HOOK.sub(r"a hook of \1", told)
    told = _OF_NUMPY.sub(r"\1", _GROUP.sub(r'group["\1"]', told))
    told = of_hook(told)
    return _CELL.sub(r"'s closure", _PARTIAL.sub(r"(\1=…)", told))


def of_hook(text: str) -> str:
    """``self.norms`` for ``hooks[0].__self__.norms``: as the method that is the hook says it."""
    return _OF_HOOK.sub("self", text)


# What Dynamo names by an object's address and the compile: ``___unnamed_scope_1402_c3/0``, or
# counts: ``__builtins_dict___4``.
_IDS = re.compile(r"_\d{4,}_c\d+(?:[/_]\d+)*|(?<=__builtins_dict__)_\d+", re.ASCII)


def without_ids(text: str) -> str:
    """Leave out of a name what is another in each process."""
    return _IDS.sub("", text)


# The commonest values, which need no parser.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})|-?(?:0|[1-9]\d{0,17})\.\d{1,20}", re.ASCII)


def class_name(text: str) -> str:
    """``Net`` for ``<class '__main__.main.<locals>.Net'>`` and for ``__main__.Net``."""
    found = _CLASS.search(text)
    return (found[1] if found else text).rpartition(".")[2]


def literal(text: str) -> bool | int | float | str | None:
    """The value that a guard compares with. Raises ``ValueError`` if it is no plain literal."""
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
    """A value as Python writes it; floats without the noise of their last digits."""
    if isinstance(value, float):
        told = f"{value:.4g}"
        return told if any(sign in told for sign in ".einf") else f"{told}.0"
    return shorten(repr(value), _VALUE_WIDTH)


def in_order(values: Sequence[str], separator: str = " → ") -> str:
    """``1.0 → 0.9 → 0.8 → 4 more``."""
    return first_few(values, _VALUES_TOLD, separator, separator)
