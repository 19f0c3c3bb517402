"""Lines of cells read as they were typed."""

from __future__ import annotations

import pytest

from ca_reports.words.magics import as_typed


@pytest.mark.parametrize(
    ("ran", "typed"),
    [
        ("get_ipython().run_line_magic('time', 'step(x)')\n", "%time step(x)\n"),
        ("get_ipython().run_line_magic('matplotlib', 'inline')", "%matplotlib inline"),
        ("get_ipython().run_line_magic('pwd', '')", "%pwd"),
        ("    get_ipython().system('ls -l')\n", "    !ls -l\n"),
        ("x = get_ipython().getoutput('ls')\n", "x = !ls\n"),
        ("größe = get_ipython().getoutput('ls')", "größe = !ls"),
        ("x = get_ipython().run_line_magic('time', 'f()')", "x = %time f()"),
        ("# %%ca loop --enable\n", "%%ca loop --enable\n"),
        ("# %%ca", "%%ca"),
    ],
)
def test_a_magic_is_shown_as_it_was_typed(ran: str, typed: str) -> None:
    assert as_typed(ran) == typed


@pytest.mark.parametrize(
    "line",
    [
        "x = 1  # %%ca\n",
        "# %%capture",
        "get_ipython().user_ns",
        "get_ipython().system(command)",
        "get_ipython().run_cell_magic('x', 'y', 'z')",
        "print(get_ipython().system",
        "",
    ],
)
def test_other_lines_stay(line: str) -> None:
    assert as_typed(line) == line
