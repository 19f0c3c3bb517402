"""Words about dimensions that became dynamic."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

from ca_reports.output import html, terminal
from ca_reports.sentences.dynamic import in_words
from tests.unit.reports.dimensions import LENGTHS, analysis_of, told

if TYPE_CHECKING:
    from pathlib import Path


def test_a_batch_of_one_is_not_made_dynamic(tmp_path: Path) -> None:
    short = "0/0: tensor 'x' size mismatch at index 0. expected 4, actual {}"
    for size, is_told in ((1, False), (2, True)):
        folder = tmp_path / str(size)
        folder.mkdir()
        analysis = analysis_of(
            folder, ({"l_x_": [4, 8]}, None), ({"l_x_": [size, 8]}, short.format(size))
        )
        out = io.StringIO()
        terminal.render(analysis, Console(file=out, width=160))
        assert ("to make x[0] dynamic" in out.getvalue()) is is_told


def test_what_no_mark_makes_dynamic_is_not_to_be_marked(tmp_path: Path) -> None:
    failed = "0/0: tensor 'x' size mismatch at index 0. expected {}, actual 8"
    on_parameter = failed.format(4) + ". Guard failed on a parameter, consider using that"
    # A size of 1 that comes first is a constant of its graph, as is a parameter's size.
    for name, first, guard in (
        ("one", 1, failed.format(1)),
        ("parameter", 4, on_parameter),
        ("other", 4, failed.format(4)),
    ):
        folder = tmp_path / name
        folder.mkdir()
        analysis = analysis_of(folder, ({"l_x_": [first, 8]}, None), ({"l_x_": ["s0", 8]}, guard))
        (found,) = analysis.dynamic_dimensions
        assert bool(found.to_mark) is (name == "other")
        assert ("mark_dynamic(x, 0)" in html.render(analysis)) is (name == "other")


def test_sizes_that_stay_are_in_no_table(tmp_path: Path) -> None:
    analysis = analysis_of(
        tmp_path,
        ({"l_x_": [4, 8]}, None),
        ({"l_x_": [4, 8]}, "0/0: n == 1"),
    )
    assert told(analysis) == []
    assert "Dynamic shapes" not in html.render(analysis)


def test_every_output_has_the_table(tmp_path: Path) -> None:
    analysis = analysis_of(tmp_path, *LENGTHS)
    out = io.StringIO()
    terminal.render(analysis, Console(file=out, width=160))
    printed = out.getvalue()
    assert "ids[1], mask[1]" in printed
    assert "`torch._dynamo.mark_dynamic(ids, 1)` and `torch._dynamo.mark_dynamic(mask" in printed
    page = html.render(analysis)
    assert "ids[1], mask[1]" in page
    assert "0/2: <code>2 &lt;= ids.size()[1] &lt;= 16</code>, line 9" in page


def test_what_a_break_left_on_the_stack_has_no_name() -> None:
    assert in_words("L['ids']") == "`ids`"
    assert in_words("___stack0") == "what was computed before the graph break"
