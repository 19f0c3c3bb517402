"""Patches as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.reports.output.fixed import shown


def test_json_has_every_patch(tmp_path: Path) -> None:
    document = json.loads(shown("json"))
    first, second = document["fixes"]
    assert first["files"] == ["a/b.py"]
    assert first["alternatives"][0]["what"] == "more"
    assert second["intention"] == "adds"
    assert "-two\n+2\n" in first["diff"]
    assert document["refused"][0]["reason"] == "two calls"
