"""The metadata of tensor subclasses: which tensor a failed guard on it is about, and what changed.

Dynamo asks such an object for its metadata (`__tensor_flatten__`) and compiles for what it answers.
Torch's reason names neither the tensor nor the values, but an address, another one in each compile.
The tree of guards has the tensor; its numbers stand in our own records.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_engine.guards import Guard
    from ca_reports.logs.stored import StoredText
    from ca_reports.run.held import Held
    from ca_reports.run.model import Compile

_MANAGER = expression(
    r"\+- GuardManager: source=L\['(?P<name>\w{1,200})'\](?P<rest>[^\n,]{0,300}), accessed_by="
)
_BEFORE = "+- GuardManager: source="
# From a manager's line to that of its guard on metadata stand a few short lines.
_NEAR = 8_000


def named_metadata(
    reason: tuple[Guard, ...], compiled: Compile, compiles: Mapping[str, Compile]
) -> tuple[Guard, ...]:
    """Return ``reason`` with the tensor in each guard on metadata, and the number that changed.

    Where the records have the numbers of both objects and one of them differs, the guard is on that
    attribute (``x.scale``), with what was expected and what came.
    """
    if all(guard.kind != "metadata" for guard in reason):
        return reason
    return tuple(
        _named(guard, compiled, compiles) if guard.kind == "metadata" else guard for guard in reason
    )


def _named(guard: Guard, compiled: Compile, compiles: Mapping[str, Compile]) -> Guard:
    earlier = compiles.get(guard.failed or "")
    source = "" if earlier is None or earlier.guards is None else _tensor_in(earlier.guards, guard)
    if not source:
        return guard
    before = None if earlier is None else earlier.argument(source)
    now = compiled.argument(source)
    names = [] if before is None or now is None else _differing(before, now)
    if len(names) != 1 or before is None or now is None:
        return replace(guard, source=source)
    (name,) = names
    return replace(
        guard,
        source=f"{source}.{name}",
        expected=repr(before.attributes[name]),
        actual=repr(now.attributes[name]),
    )


def _tensor_in(tree: StoredText, guard: Guard) -> str:
    """Name the tensor below which a tree has that guard; empty if it has none."""
    text = tree.text
    end = text.find(f"LAMBDA_GUARD: {guard.text}")
    begin = text.rfind(_BEFORE, max(0, end - _NEAR), end) if end >= 0 else -1
    found = None if begin < 0 else _MANAGER.match(text, begin)
    return "" if found is None else f"{found['name']}{found['rest']}"


def _differing(before: Held, now: Held) -> list[str]:
    """Return the names of the numbers that both objects have as an attribute, and that differ."""
    return [
        name
        for name, value in before.attributes.items()
        if name in now.attributes and now.attributes[name] != value
    ]
