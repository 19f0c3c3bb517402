"""Where the page of a run goes."""

from __future__ import annotations

from pathlib import Path

from ca_cli import formats
from ca_cli.commands.report import default_output


def test_report_goes_into_one_run_only(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")

    page = formats.find("html", "page")
    trace = formats.find("perfetto", "page")

    assert default_output([str(tmp_path)], page) == tmp_path / "report.html"
    assert default_output([str(tmp_path)], trace) == tmp_path / "perfetto.json"
    assert default_output([str(tmp_path), str(tmp_path)], page) == Path("report.html")
    assert default_output(["https://example.org/run"], page) == Path("report.html")
