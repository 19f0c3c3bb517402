"""The sizes of a forward's inputs that made Dynamo recompile it, each dimension for itself.

For processes in which no backward was captured; where one was, a size changes the forward and the
backward at once (``size_changes``). A dimension that is dynamic fails no guard, so what sizes came
later is known only from the arguments noted at other recompiles.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ca_reports.facts.guarded import code_of, compiled_line, is_of_module
from ca_reports.facts.size_changes import is_layout_guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.facts.events import RecompileFacts


@dataclass(frozen=True)
class InputSize:
    """One dimension of one argument, whose sizes made these recompiles; never empty.

    The parts of a function that graph breaks make of it, and the functions of a library below one
    call of the user's, are recompiled for the same sizes and belong together. ``dimension`` is
    None for a stride.
    ``values`` are the sizes in the order in which they were seen.
    """

    recompiles: tuple[RecompileFacts, ...]
    source: str
    dimension: int | None
    values: tuple[int, ...]

    @property
    def first(self) -> RecompileFacts:
        """The first of them."""
        return self.recompiles[0]

    @property
    def is_short_batch(self) -> bool:
        """Whether the first dimension had two sizes, of which the smaller one came second."""
        return self.dimension == 0 and len(self.values) == 2 and self.values[1] < self.values[0]

    @property
    def is_dynamic_now(self) -> bool:
        """Whether each function was recompiled once for it, after which any size would do."""
        codes = Counter(code_of(found.compiled) for found in self.recompiles)
        return max(codes.values()) == 1


def input_sizes(recompiles: Sequence[RecompileFacts]) -> tuple[InputSize, ...]:
    """All dimensions for which user code was recompiled, in the order of the first time."""
    own: dict[tuple[str, str, int | None], list[RecompileFacts]] = {}
    for recompile in recompiles:
        guard = recompile.guard
        if guard.kind not in ("size", "stride") or is_of_module(guard.source):
            continue
        if guard.expected is None or guard.actual is None:
            continue
        if guard.kind == "stride" and is_layout_guard(guard, frozenset()):
            continue
        dimension = guard.index if guard.kind == "size" else None
        key = (code_of(recompile.compiled), guard.source, dimension)
        own.setdefault(key, []).append(recompile)
    by_code: dict[str, list[RecompileFacts]] = {}
    for recompile in recompiles:
        by_code.setdefault(code_of(recompile.compiled), []).append(recompile)
    together: dict[tuple[object, ...], list[tuple[str, list[RecompileFacts]]]] = {}
    for (_, source, dimension), group in own.items():
        first = group[0].guard
        line = compiled_line(group[0].compiled)
        place = None if line is None else (line.file, line.function)
        alike = (place, dimension == 0, first.expected, first.actual)
        together.setdefault(alike, []).append((source, group))
    return tuple(
        InputSize(
            tuple(found for _, group in parts for found in group),
            parts[0][0],
            parts[0][1][0].guard.index if parts[0][1][0].guard.kind == "size" else None,
            _values(parts[0][1], by_code[code_of(parts[0][1][0].compiled)]),
        )
        for parts in together.values()
    )


def _values(group: Sequence[RecompileFacts], of_code: Iterable[RecompileFacts]) -> tuple[int, ...]:
    """The sizes of one dimension: of its guards, and where other guards failed meanwhile."""
    own = {found.compiled.key for found in group}
    guard = group[0].guard
    values: list[int] = []
    for recompile in of_code:
        if recompile.compiled.key in own:
            values += [int(recompile.guard.expected or 0), int(recompile.guard.actual or 0)]
        elif guard.kind == "size" and recompile.compiled.held is not None and values:
            found = dict(recompile.compiled.held.arguments).get(guard.source)
            shape = found.shape if found is not None else None
            if shape is not None and guard.index is not None and guard.index < len(shape):
                size = shape[guard.index]
                values += [] if size is None else [size]
    return tuple(dict.fromkeys(values))
