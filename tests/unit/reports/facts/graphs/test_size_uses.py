"""Which operation takes a lifted size by itself."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ca_reports.facts.graphs.parse import parse
from ca_reports.facts.graphs.size_uses import taken_as_a_number

GRAPH = dedent(
    """
    class CompiledAutograd0(torch.nn.Module):
        def forward(self, inputs, sizes, scalars, hooks, packed_data):
            getitem = inputs[0]
            getitem_1 = sizes[0]
            getitem_2 = sizes[1]
            getitem_3 = sizes[2];  sizes = None
            int_1 = torch__dynamo_external_utils_unwrap_maybe_dynamic_int(getitem_1);  getitem_1 = None
            int_2 = torch__dynamo_external_utils_unwrap_maybe_dynamic_int(getitem_2);  getitem_2 = None
            int_3 = torch__dynamo_external_utils_unwrap_maybe_dynamic_int(getitem_3);  getitem_3 = None
            validate_outputs = torch__dynamo_compiled_autograd_ops_validate_outputs([getitem], [([int_2], int_1)])
            # File: /x/compiler.py:142 in set_node_origin, code: SelectBackward0 (NodeCall 4)
            select = torch__dynamo_compiled_autograd_ops_SelectBackward0([getitem], [True], 0, int_1, [int_2, int_3])
            return []
    """  # noqa: E501
)


def test_an_int_by_itself_is_a_number_of_the_users() -> None:
    node = taken_as_a_number(parse(GRAPH), "sizes[0]")

    assert node is not None
    assert node.target == "SelectBackward0"
    assert node.origin is not None
    assert node.origin.index == 4


@pytest.mark.parametrize("source", ["sizes[1]", "sizes[2]", "sizes[9]", "inputs[0]", "sizes[a]"])
def test_what_is_a_dimension_of_a_shape_or_nothing_is_none(source: str) -> None:
    assert taken_as_a_number(parse(GRAPH), source) is None
