"""The page that leads from findings to tlparse's files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from markupsafe import escape

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html, tlparse, tlparse_index
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path


needs_tlparse = pytest.mark.skipif(
    not tlparse.installed(), reason="tlparse is not installed in this environment"
)


@needs_tlparse
def test_its_pages_are_linked_both_ways(tmp_path: Path) -> None:
    # Twice the same rank, where `tlparse DIR` gives up.
    for number, rank in enumerate((0, 0, 1)):
        log = LogWriter(pid=100 + number, rank=rank)
        log.torch_capture(0)
        log.compiled("!0/1/0")
        log.write(tmp_path / "trace" / f"{number}_rank_{rank}.log")
    run = ca_reports.load([tmp_path / "trace"])
    pages = tlparse.run_on(run, tmp_path / "pages", "report.html")
    assert pages.failed == ()
    assert sorted(pages.processes) == [0, 1, 2]
    for url in [*pages.processes.values(), *pages.compiles.values()]:
        assert (tmp_path / url).is_file()
    assert (0, "!0/1/0") in pages.compiles
    index = (tmp_path / pages.processes[0]).read_text()
    assert '<a href="../../report.html">' in index
    text = html.render(analyze(run), tlparse=html.Tlparse(pages.processes, pages.compiles))
    assert f'href="{pages.compiles[0, "!0/1/0"]}"' in text
    # A second time is no error, and somebody else's folder is.
    tlparse.run_on(run, tmp_path / "pages")
    with pytest.raises(tlparse.TlparseError, match="was not written by ca"):
        tlparse.run_on(run, tmp_path / "trace")
    assert list((tmp_path / "trace").glob("*.log"))


@needs_tlparse
def test_the_first_page_leads_from_findings_and_captures_to_files(tmp_path: Path) -> None:
    log = sample_run()
    analysis = analyze(ca_reports.load([log.write(tmp_path / "trace.log")]))
    pages = tlparse.run_on(analysis.run, tmp_path / "pages")
    text = tlparse_index.render(analysis, pages, "../report.html")

    assert "Lost 21.9 s of the 40.0 s it ran (55%) to 4 causes." in text
    for found in analysis.diagnosis.findings:
        assert str(escape(found.fix)).partition("`")[0] in text
    # From a finding to its captures on this page, from each to the files of its compiles.
    anchors = set(re.findall(r'id="([^"]+)"', text))
    assert {f"0-{capture.id}" for capture in analysis.run.captures} <= anchors
    assert set(re.findall(r'href="#([^"]+)"', text)) <= anchors
    assert 'href="#0-1"' in text
    files = re.findall(r'href="([^"#.][^"#]*)"', text)
    assert len(files) > len(analysis.run.captures)
    for file in files:
        assert (tmp_path / "pages" / unquote(file)).is_file(), file
    assert ">compilation metrics</a>" in text
    assert '<a href="../report.html">ca report</a>' in text
