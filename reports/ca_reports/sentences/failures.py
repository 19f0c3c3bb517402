"""An exception that came out of a compile, in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.words.clean import one_line

if TYPE_CHECKING:
    from ca_reports.run.model import Failure

_LONGEST = 160
# What torch found wrong with an operation, which it tries before it compiles it.
_OF_FAKE = expression(r"^ *Explanation: [^\n]{1,4096}: got (?P<said>[A-Z]\w{0,80}\([^\n]*)$", re.M)


def raised(failure: Failure) -> str:
    """Return ``compiling `step` raised BackendCompilerFailed``."""
    return f"{_doing(failure)} raised {failure.type}"


def in_one_line(failure: Failure) -> str:
    """Return torch's message, up to where it goes on with hints and frames."""
    text = failure.text.partition(":")[2].strip()
    found = _OF_FAKE.search(text)
    if found is not None:
        return one_line(found["said"], _LONGEST)
    # "backend='inductor' raised:" goes on with what was raised.
    lines = [line.strip() for line in text.split("\n")]
    end = next((at for at, line in enumerate(lines) if not line.endswith(":")), len(lines))
    return one_line(" ".join(lines[: end + 1]), _LONGEST).rstrip(".")


def went_on(failure: Failure) -> str:
    """Return what became of it where it ended nothing; empty where it did, or may have."""
    if failure.outcome == "caught":
        return "the program caught it"
    if failure.outcome == "suppressed":
        function = f"`{failure.function}`" if failure.function else "the function"
        return f"suppress_errors leaves {function} uncompiled"
    return ""


def in_full(failure: Failure) -> str:
    """Return ``BackendCompilerFailed: backend='picky' raised …; it ended the run``."""
    became = {
        "ended": "it ended the run",
        "unknown": "the log does not say whether the run went on",
    }.get(failure.outcome) or went_on(failure)
    return f"{failure.type}: {in_one_line(failure)}; {became}"


def _doing(failure: Failure) -> str:
    label = "" if failure.capture is None else f" !{failure.capture}"
    if failure.stage == "capture":
        return f"capturing backward{label}" if label else "capturing a backward"
    if failure.stage == "graph":
        backward = f"captured backward{label}" if label else "a compiled backward"
        return f"running {backward}" if failure.in_backward else "compiled code"
    if failure.capture is not None:
        return f"compiling captured backward{label}"
    function = f"`{failure.function}`"
    if failure.in_backward:
        return "compiling " + (f"the backward of {function}" if failure.function else "a backward")
    return f"compiling {function}" if failure.function else "a compile"
