from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.facts.graphs.counts import node_counts
from tests.unit.logwriter import GRAPH_CODE


@pytest.mark.long
@given(st.text(max_size=200) | st.text("Cache missduetonw:()[],!0123456789 ", max_size=200))
def test_no_text_breaks_the_counting(text: str) -> None:
    assert all(number > 0 for number in node_counts(text).values())


def test_nodes_are_counted_from_the_code() -> None:
    assert node_counts(GRAPH_CODE) == {"getitem": 2, "SumBackward0": 1}
    assert node_counts("    mul = sym_size_int * sym_size_int_1;  mul = None\n") == {"operator": 1}
