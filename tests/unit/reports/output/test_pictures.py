"""The graphs that a page holds: how many, and which are left out."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.facts.graphs.document import picture
from ca_reports.output import html, pictures
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

from tests.unit.reports.output.shown import flat, page
from tests.unit.reports.written import loaded

GRAPH_HEAD = """\
class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
"""


def test_graphs_beyond_what_a_page_holds_are_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_PACKED", 20_000)
    log = LogWriter()
    for id in range(3):
        names = [hashlib.md5(f"{id} {number}".encode()).hexdigest() for number in range(200)]
        body = "".join(f"        x_{number} = f{name}(1)\n" for number, name in enumerate(names))
        log.torch_capture(id, code=GRAPH_HEAD + body)
    text = html.render(analyze(loaded(log, tmp_path)))
    said = flat(" ".join(page(text).text))
    left_out = said.count("Its graph is left out")
    assert 1 <= left_out < 3
    assert "ca graph --capture 0/2 shows it" in said
    assert text.count('id="block-') >= 3 - left_out


@pytest.mark.parametrize(
    ("limit", "value", "left"),
    [
        ("MAX_FRESH", 350, {(0, 2), (0, 3), (0, 4)}),
        ("MAX_READ", 20_000, {(0, 3)}),
        ("MAX_CODE", 4_000, {(0, 0), (0, 1), (0, 2), (0, 3)}),
    ],
)
def test_no_more_graphs_are_drawn_than_one_waits_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    value: int,
    left: set[tuple[int, int]],
) -> None:
    monkeypatch.setattr(pictures, limit, value)
    log = LogWriter()
    # Four graphs of 200 nodes and about 5,000 characters, none like another, and a small one.
    for id, length in enumerate((200, 200, 200, 200, 50)):
        body = "".join(f"        x_{number} = f_{id}_{number}(1)\n" for number in range(length))
        log.torch_capture(id, code=GRAPH_HEAD + body)
    found = pictures.pictures(loaded(log, tmp_path).captures, lambda capture: (), None)
    assert found.left_out == left
    assert set(found.graph) == {(0, id) for id in range(5)} - left


def test_after_graphs_that_found_no_room_smaller_ones_are_still_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_PACKED", 3_000)
    tried = []

    def noting(read: Any) -> Any:
        tried.append(read)
        return picture(read)

    monkeypatch.setattr(pictures, "picture", noting)
    log = LogWriter()
    for id, length in enumerate((200, 200, 200, 200, 20)):
        names = [hashlib.md5(f"{id} {number}".encode()).hexdigest() for number in range(length)]
        body = "".join(f"        x_{number} = f{name}(1)\n" for number, name in enumerate(names))
        log.torch_capture(id, code=GRAPH_HEAD + body)
    found = pictures.pictures(loaded(log, tmp_path).captures, lambda capture: (), None)
    assert set(found.graph) == {(0, 4)}
    assert len(found.left_out) == 4
    assert len(tried) == 3  # two that found no room, and the small one
