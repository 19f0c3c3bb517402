"""The picture of a capture's way in docs/design.md names what there is."""

from __future__ import annotations

import re

import pytest

from tests.docs.guide import ROOT

STATION = re.compile(r"^    (?P<file>[a-z_/]+\.py) +(?P<name>[A-Z]\w+) ", re.M)
STATIONS = STATION.findall((ROOT / "docs" / "design.md").read_text("utf-8"))
PACKAGES = (ROOT / "engine" / "ca_engine", ROOT / "reports" / "ca_reports")


def test_the_way_leads_from_the_engine_to_the_page() -> None:
    names = [name for _, name in STATIONS]
    assert (names[0], names[-1]) == ("ObservedCompiler", "CaptureView")
    assert len(set(names)) == len(names) > 10


@pytest.mark.parametrize(("file", "name"), STATIONS)
def test_a_station_is_where_the_picture_says(file: str, name: str) -> None:
    (path,) = (found for package in PACKAGES if (found := package / file).is_file())
    assert re.search(rf"^class {name}\b", path.read_text("utf-8"), re.M)
