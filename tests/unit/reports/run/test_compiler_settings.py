"""Dynamo's settings at a compile, out of torch's metrics."""

from __future__ import annotations

import json

import pytest

from ca_reports.run.compiler_settings import CompilerSettings, compiler_settings


@pytest.mark.parametrize(
    ("automatic", "static", "sizes"),
    [
        (True, True, "automatic"),
        (False, True, "static"),
        (True, False, "dynamic"),
        (False, False, "dynamic"),
    ],
)
def test_how_sizes_are_taken(automatic: bool, static: bool, sizes: str) -> None:
    settings = {
        "accumulated_recompile_limit": 256,
        "automatic_dynamic_shapes": automatic,
        "assume_static_by_default": static,
        "recompile_limit": 32,
    }
    found = compiler_settings(json.dumps(settings, sort_keys=True))
    assert (found.sizes, found.recompile_limit) == (sizes, 32)


@pytest.mark.parametrize("text", ["", "{}", "nonsense", '{"recompile_limit": "many"}'])
def test_what_is_not_there_is_unknown(text: str) -> None:
    assert compiler_settings(text) == CompilerSettings()


def test_an_older_limit_has_another_name() -> None:
    assert compiler_settings('{"cache_size_limit": 8}').recompile_limit == 8
