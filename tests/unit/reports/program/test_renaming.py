"""Names that are imported under others."""

from __future__ import annotations

import ast

import pytest

from ca_reports.program.files import parsed
from ca_reports.program.syntax import last_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from torch.utils.data import DataLoader as Loader\nLoader(rows)", "DataLoader"),
        ("from torch.utils.data import DataLoader\nDataLoader(rows)", "DataLoader"),
        ("import numpy as np\nnp(rows)", "np"),
        # What is something else as well is not known.
        ("from data import made as make\ndef make(rows): ...\nmake(rows)", "make"),
        ("from data import made as make\nfor make in makers:\n    pass\nmake(rows)", "make"),
    ],
)
def test_the_last_name_is_the_one_where_it_comes_from(text: str, name: str) -> None:
    tree = parsed(text)
    assert tree is not None
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call))
    assert last_name(call.func) == name
    assert ast.unparse(tree) == ast.unparse(ast.parse(text)), "what is written stays"
