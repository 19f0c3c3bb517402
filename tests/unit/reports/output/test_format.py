"""The formats: each is a module, and offered where it has something to write."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from ca_reports.output import formats
from ca_reports.output.format import Kind

if TYPE_CHECKING:
    from pathlib import Path

KINDS: tuple[Kind, ...] = get_args(Kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_offered_has_a_name_a_suffix_and_help(kind: Kind) -> None:
    found = formats.offered(kind)
    assert found
    for each in found:
        assert formats.find(each.name, kind) is each
        assert each.suffix.startswith(".")
        assert each.help


def test_every_format_is_offered_somewhere() -> None:
    assert {each.name for kind in KINDS for each in formats.offered(kind)} == set(formats.names())


def test_a_module_is_all_that_a_format_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shouted.py").write_text(
        "from ca_reports.output.format import Format\n"
        'FORMAT = Format(name="shouted", suffix=".txt", help="loud", '
        "report=lambda report: report.headline.upper())\n"
    )
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(tmp_path)])
    for kind in ("analysis", "verdict", "outcome"):
        assert "shouted" in {each.name for each in formats.offered(kind)}
    assert formats.find("shouted", "page") is None
