"""The marker's arguments → the settings of the gate, the same as those of ``ca check``."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from ca_reports.gates.budgets import BUDGETS
from ca_reports.gates.config import GateSettings, override
from ca_reports.gates.files import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

_WARMUP, _IGNORE = "warmup_steps", "ignore"
ARGUMENTS = (*(kind.argument for kind in BUDGETS), _WARMUP, _IGNORE)


class MarkerError(Exception):
    """Arguments of ``@pytest.mark.ca`` that cannot be meant. The message is for the user."""


def settings_of(markers: Sequence[pytest.Mark]) -> GateSettings:
    """Return what the markers of one test allow, closest first.

    Each argument is taken from the closest marker that has it. Without a limit no finding of
    severity warning or error is allowed, as for ``ca check``. Raises ``MarkerError``.
    """
    given: dict[str, object] = {}
    for marker in markers:
        if marker.args:
            raise MarkerError(
                f"@pytest.mark.ca takes keyword arguments only, such as max_recaptures=0; "
                f"not {', '.join(map(repr, marker.args))}"
            )
        for name, value in marker.kwargs.items():
            if name not in ARGUMENTS:
                raise MarkerError(
                    f"@pytest.mark.ca has no argument {name}{_suggestion(name)} "
                    f"(it has {', '.join(ARGUMENTS)})"
                )
            given.setdefault(name, value)
    warmup, ignore = given.pop(_WARMUP, 0), given.pop(_IGNORE, ())
    if isinstance(ignore, str):
        ignore = [ignore]
    if not isinstance(ignore, (list, tuple)) or not all(isinstance(code, str) for code in ignore):
        raise MarkerError(f"@pytest.mark.ca: ignore is a list of codes, not {ignore!r}")
    if type(warmup) is not int or warmup < 0:
        raise MarkerError(
            f"@pytest.mark.ca: warmup_steps is a whole number of at least 0, not {warmup!r}"
        )
    budgets = {name.replace("_", "-"): value for name, value in given.items()}
    try:
        return override(GateSettings(), budgets, warmup_steps=warmup, ignore=ignore)  # type: ignore[arg-type]
    except ConfigError as error:
        text = str(error)
        for name in given:
            text = text.replace(f"--{name.replace('_', '-')}", name)
        raise MarkerError(f"@pytest.mark.ca: {text}") from None


def _suggestion(name: str) -> str:
    close = difflib.get_close_matches(name, ARGUMENTS, n=1, cutoff=0.5)
    return f": did you mean {close[0]}?" if close else ""
