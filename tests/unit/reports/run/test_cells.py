"""Cells as their record has them."""

from __future__ import annotations

import pytest

from ca_reports.run.cells import Cell, read_cells


@pytest.mark.parametrize(
    "entry",
    [
        None,
        {"file": "/tmp/1.py", "name": "In[1]"},
        {"file": "/tmp/1.py", "name": "../../etc/passwd", "text": "x"},
        {"file": 1, "name": "In[1]", "text": "x"},
    ],
)
def test_what_is_no_whole_cell_is_left_out(entry: object) -> None:
    whole = {"file": "/tmp/2.py", "name": "In[2]", "text": "x"}
    assert read_cells({"cells": [entry, whole]}) == [Cell("/tmp/2.py", "In[2]", "x")]
    assert read_cells({"cells": "In[1]"}) == []
