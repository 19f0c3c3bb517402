"""Where a guarded thing is changed, by the path that a guard names it with."""

from __future__ import annotations

import ast

import pytest

from ca_reports.causes.located.changes import path_of


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("L['self']._modules['attn'].scale", ["self", "attn", "scale"]),
        ("L['self']._modules['attn']._parameters['weight']", ["self", "attn", "weight"]),
        ("L['self']._buffers['mask']", ["self", "mask"]),
        ("L['self'].__dict__['rate']", ["self", "rate"]),
        ("G['LIMITS']['train']", ["LIMITS", "train"]),
        ("L['xs'][0].rate", ["xs", "rate"]),
        ("L['f']().rate", []),
    ],
)
def test_a_path_has_the_names_that_the_source_has(source: str, path: list[str]) -> None:
    assert path_of(ast.parse(source, mode="eval").body) == path
