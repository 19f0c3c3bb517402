"""Parameters and buffers, by the expressions that guards have for them."""

from __future__ import annotations

import re

_GIVEN = re.compile(
    r"\A(?!(?:self|fn|G)\b)(?P<module>[A-Za-z_]\w*(?:\.(?!_)\w+){0,9})"
    r"\._(?:modules|parameters|buffers)\["
)
_INNER = re.compile(r"\._modules\[[^\]]{1,255}\]\._(?:parameters|buffers)\[")
_COMPUTED_WEIGHT = re.compile(r"self\.(?:weight|bias)")


def is_of_module(source: str) -> bool:
    """Return whether a tensor is a parameter or buffer: another size is that of another module.

    A weight that is computed before each call, as by `weight_norm`, is a plain attribute.
    """
    is_held = "._parameters[" in source or "._buffers[" in source
    return is_held or _COMPUTED_WEIGHT.fullmatch(source) is not None


def is_of_inner_module(source: str) -> bool:
    """Return whether a guard's ``source`` is a parameter or buffer of a module within a module.

    That may be one of torch's own, whose properties are static by a setting of their own.
    """
    return _INNER.search(source) is not None


def given_module(source: str) -> str:
    """Return the argument that is, or holds as an attribute, the module of a parameter or buffer.

    ``head`` and ``job.head``; empty if it is another.
    """
    found = _GIVEN.match(source)
    return "" if found is None else found["module"]
