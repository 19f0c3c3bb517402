"""The picture of a histogram with the buckets in it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from ca_reports.facts.sizes.examined import examine
from ca_reports.output import sizes_svg
from tests.unit.reports.facts.sizes.made import automatic
from tests.unit.reports.written import loaded

if TYPE_CHECKING:
    from pathlib import Path

_NAMESPACE = "{http://www.w3.org/2000/svg}"


def test_each_size_has_a_bar_and_each_bucket_a_line(tmp_path: Path) -> None:
    run = loaded(automatic({60: 40, 64: 30, 250: 5}), tmp_path)
    found = examine(run, 10**6)
    (series,) = sizes_svg.histograms(found)
    assert sum(bar.calls for bar in series.bars) == 76
    assert series.buckets
    assert series.buckets[-1] == 250
    root = ET.fromstring(sizes_svg.render(found))
    titles = [one.text for one in root.iter(f"{_NAMESPACE}title")]
    assert "250–252: 5 times" in titles
    assert _classes(root, "line").count("bucket") == len(series.buckets)
    # 60 has no room beside 64, whose line stands a few pixels further.
    assert series.buckets == (60, 64, 250)
    assert _numbers(root) == ["64", "250"]


def test_of_buckets_too_close_to_one_another_the_larger_keeps_its_number(tmp_path: Path) -> None:
    run = loaded(automatic({200: 40, 240: 30, 245: 20, 250: 5}), tmp_path)
    (series,) = sizes_svg.histograms(examine(run, 10**6))
    numbers = _numbers(ET.fromstring(sizes_svg.part(series)))
    assert numbers[-1] == "250"
    assert "245" not in numbers
    assert "200" in numbers


def test_without_buckets_each_bar_with_room_has_its_number() -> None:
    bars = tuple(sizes_svg.Bar(size, size, 5) for size in (3, 7, 8))
    series = sizes_svg.Histogram("ids[0]", "", bars, (), 8, 5)
    assert _numbers(ET.fromstring(sizes_svg.part(series))) == ["3", "7", "8"]


def _classes(root: ET.Element, name: str) -> list[str]:
    return [one.get("class", "") for one in root.iter(f"{_NAMESPACE}{name}")]


def _numbers(root: ET.Element) -> list[str]:
    every = root.iter(f"{_NAMESPACE}text")
    return [one.text or "" for one in every if one.get("class") == "number"]


def test_a_run_without_sizes_is_an_empty_picture(tmp_path: Path) -> None:
    found = examine(loaded(automatic({32: 3}), tmp_path))
    assert not sizes_svg.histograms(found)
    ET.fromstring(sizes_svg.render(found))
