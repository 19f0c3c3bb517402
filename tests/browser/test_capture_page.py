"""A capture's own page in a real browser: the finding first, and nodes side by side in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.chromium import open_page
from tests.browser.conftest import write_report
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser


def nodes(*names: str) -> list[dict[str, object]]:
    return [{"index": index, "name": name} for index, name in enumerate(names)]


def test_equal_nodes_stand_in_one_row_and_a_new_one_beside_nothing(
    chromium: Any, tmp_path: Path
) -> None:
    # GIVEN a capture with one node more than the closest earlier one, in the middle
    log = LogWriter()
    log.ca_run()
    log.ca_capture(
        0, autograd_graph=nodes("SumBackward0", "MulBackward0", "TanhBackward0", "AddmmBackward0")
    )
    log.ca_capture(
        1,
        "new_autograd_node",
        closest_capture=0,
        reason="Cache miss due to new autograd node: AddmmBackward0 (NodeCall 4) with key size 9, "
        "previous key sizes=[9]",
        node={"index": 4, "name": "AddmmBackward0"},
        changes=[{"index": 2, "name": "ReluBackward0", "attribute": "node", "after": "x"}],
        autograd_graph=nodes(
            "SumBackward0", "MulBackward0", "ReluBackward0", "TanhBackward0", "AddmmBackward0"
        ),
    )
    log.ca_backwards([(0, 1), (1, 1)])
    page, _ = open_page(chromium, write_report(log, tmp_path), "#capture=0/1")
    page.wait_for_selector("#capture-0-1:visible")

    # THEN the finding comes first, and torch's reason under Details, with why it is another node
    section = page.locator("#capture-0-1")
    assert section.locator(".lead").inner_text()
    details = section.locator("details.details")
    assert "AddmmBackward0" not in section.locator(".lead").inner_text()
    details.locator("summary").first.click()
    said = details.inner_text()
    assert "the first node where no earlier capture matches" in said
    assert "the first difference is ReluBackward0 (NodeCall 2)" in said
    # Of each row both cells begin at one height, and hold one node, or one and none.
    rows = section.locator("table.beside tbody tr:not(.skipped)")
    rows.first.wait_for()
    pairs = []
    for row in rows.all():
        left, right = row.locator("td").all()
        boxes = left.bounding_box(), right.bounding_box()
        assert boxes[0] is not None
        assert boxes[1] is not None
        assert boxes[0]["y"] == boxes[1]["y"]
        assert boxes[0]["height"] == boxes[1]["height"]
        pairs.append(tuple("Relu" in cell.inner_text() for cell in (left, right)))
        if pairs[-1] == (False, False):
            assert left.inner_text().split()[0] == right.inner_text().split()[0]
    assert pairs.count((False, True)) == 1
