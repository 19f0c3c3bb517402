"""Names of the functions in which Dynamo goes on after a graph break."""

from __future__ import annotations

import re

_RESUMED = re.compile(r"\Atorch_dynamo_resume_in_(?P<function>.+)_at_\d+\Z", re.ASCII)


def resumed(name: str) -> str | None:
    """Return the function that ``name`` goes on with; None if it is no such name."""
    found = _RESUMED.match(name)
    return None if found is None else found["function"]
