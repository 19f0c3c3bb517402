"""Which calls torch can move behind a graph."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import pytest

from ca_reports.program.quoted import statement
from ca_reports.program.reordering import objects_written, written_as_texts

CALLS = {
    "warnings.warn('old')": (0, 0),
    "warnings.warn(f'{x.shape}', stacklevel=2)": (0, 0),
    "warnings.warn('old', None, 2)": (0, 0),
    "warnings.warn('old', FutureWarning)": (1, 0),
    "warnings.warn('old', category=FutureWarning)": (1, 0),
    "warnings.warn(FutureWarning('old'))": (1, 0),
    "print(x, x.dtype, x.shape[0])": (0, 0),
    "print(x.shape)": (0, 1),
    "print([x, x])": (0, 1),
    "print(tuple(x.size()), {'a': x})": (0, 2),
    "print('a', file=sys.stderr)": (1, 0),
    "print('a', 'b', sep='-')": (0, 0),
    "note(FutureWarning)": (0, 0),
    "note.warn('old', FutureWarning)": (0, 0),
    "warn('old', FutureWarning)": (1, 0),
}


@pytest.mark.parametrize("code", CALLS)
def test_what_keeps_a_call_where_it_is(code: str) -> None:
    site = statement(code)
    assert site is not None
    calls = [one for one in ast.walk(site.node) if isinstance(one, ast.Call)]
    texts = [given for call in calls for given in written_as_texts(call)]
    assert (len(objects_written(site)), len(texts)) == CALLS[code]


@pytest.mark.long
@pytest.mark.parametrize("code", [one for one in CALLS if one[:5] in ("print", "warni")])
def test_torch_moves_the_others(code: str) -> None:
    torch: Any = pytest.importorskip("torch")
    settings, counters = torch._dynamo.config, torch._dynamo.utils.counters
    space: dict[str, Any] = {}
    exec(f"import sys, warnings\ndef f(x):\n    y = x * 2\n    {code}\n    return y", space)
    torch._dynamo.reset()
    counters.clear()
    with (
        settings.patch(reorderable_logging_functions={print, warnings.warn}),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        torch.compile(space["f"], backend="eager")(torch.ones(3))

    assert bool(counters["graph_break"]) is (CALLS[code] != (0, 0))
