"""Parameters and buffers, by the expressions that guards have for them."""

from __future__ import annotations

import re

_COMPUTED_WEIGHT = re.compile(r"self\.(?:weight|bias)")


def is_of_module(source: str) -> bool:
    """Return whether a tensor is a parameter or buffer: another size is that of another module.

    A weight that is computed before each call, as by `weight_norm`, is a plain attribute.
    """
    is_held = "._parameters[" in source or "._buffers[" in source
    return is_held or _COMPUTED_WEIGHT.fullmatch(source) is not None
