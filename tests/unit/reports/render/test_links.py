"""What leads out of the page: Perfetto's trace, tlparse's pages, the user's source."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

import ca_reports
from ca_reports import tlparse
from ca_reports.analysis import analyze
from ca_reports.model import Frame, RecordedSource
from ca_reports.render import html, tlparse_index
from ca_reports.render.formats import perfetto
from ca_reports.render.source import Pointer, sources
from ca_reports.render.timeline import MAX_BACKWARDS, timeline
from ca_reports.source.files import SourceFiles
from tests.unit.logwriter import START, LogWriter, sample_run
from tests.unit.reports.render.test_output import hostile_log

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.model import Run


def loaded(log: LogWriter, folder: Path) -> Run:
    return ca_reports.load([log.write(folder / "trace.log")])


def slices(run: Run, thread: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(perfetto.render(analyze(run)))["traceEvents"]
    return [event for event in events if event["ph"] == "X" and event["cat"] == thread]


# ---- Perfetto


def test_backwards_captures_and_compiles_are_slices(tmp_path: Path) -> None:
    log = sample_run()
    log.compiled("!2/3/2", 0.5, start_time=START + 30, backend_compile_time_s=0.2)
    run = loaded(log, tmp_path)
    backwards = slices(run, "backwards")
    assert [event["name"] for event in backwards] == [
        "miss", "hit", "miss", "hit", "miss", "hit", "hit", "hit", "hit", "hit",
    ]  # fmt: skip
    assert backwards[0]["ts"] == (START + 1) * 1e6
    assert backwards[0]["dur"] == 250_000
    captures = slices(run, "captures")
    assert [event["name"] for event in captures] == ["capture !0", "capture !1", "capture !2"]
    # The record is written when the graph stands: the capture began before it.
    assert captures[0]["ts"] == (START + 0.5) * 1e6
    assert "exponent: 2 → 3" in captures[1]["args"]["what changed"]
    inner = [event["name"] for event in slices(run, "compiles") if event["ts"] >= START * 1e6 + 3e7]
    assert inner == ["compile !2/3/2", "Dynamo", "backend"]


def check_trace(text: str) -> list[dict[str, Any]]:
    """The rules of Chrome's trace event format that the importers hold a file to."""
    trace = json.loads(text)
    assert isinstance(trace["traceEvents"], list)
    events: list[dict[str, Any]] = trace["traceEvents"]
    named: dict[tuple[str, int, int], str] = {}
    threads: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for event in events:
        assert {"name", "ph", "pid", "tid", "cat", "args"} <= event.keys()
        assert isinstance(event["name"], str)
        assert type(event["pid"]) is int
        assert event["pid"] > 0
        assert type(event["tid"]) is int
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            tid = event["tid"] if event["name"] == "thread_name" else 0
            assert named.setdefault((event["name"], event["pid"], tid), event["args"]["name"])
            continue
        assert event["ph"] == "X"
        assert type(event["ts"]) is type(event["dur"]) is int
        assert event["dur"] >= 0
        threads.setdefault((event["pid"], event["tid"]), []).append(event)
    for (pid, tid), found in threads.items():
        assert ("process_name", pid, 0) in named
        assert ("thread_name", pid, tid) in named
        ends: list[int] = []
        for event in sorted(found, key=lambda event: (event["ts"], -event["dur"])):
            while ends and ends[-1] <= event["ts"]:
                ends.pop()
            assert not ends or event["ts"] + event["dur"] <= ends[-1], event
            ends.append(event["ts"] + event["dur"])
    return events


def test_the_trace_is_one_that_the_importers_take(tmp_path: Path) -> None:
    log = sample_run()
    log.compiled("!2/3/2", 0.5, start_time=START + 30, backend_compile_time_s=0.2)
    assert len(check_trace(perfetto.render(analyze(loaded(log, tmp_path))))) > 20
    check_trace(perfetto.render(analyze(loaded(hostile_log(), tmp_path))))


@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 2)),
        min_size=1,
        max_size=30,
    )
)
def test_whatever_overlaps_nests_afterwards(rows: list[tuple[int, int, int]]) -> None:
    slices = [
        {"name": "s", "ph": "X", "pid": 1, "cat": "c", "args": {}, "ts": ts, "dur": dur, "tid": tid}
        for ts, dur, tid in rows
    ]
    names = [
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": tid, "cat": "c", "args": {"name": "t"}}
        for tid in (1, 2)
    ]
    process = {**names[0], "name": "process_name"}
    before = sorted((event["tid"], event["ts"]) for event in slices)
    found = perfetto._nested([dict(event) for event in slices])
    check_trace(json.dumps({"traceEvents": [process, *names, *found]}))
    assert sorted((event["tid"], event["ts"]) for event in found) == before
    lone = perfetto._nested([dict(slices[0])])
    assert lone == [slices[0]]


def test_findings_are_slices_over_their_captures(tmp_path: Path) -> None:
    found = slices(loaded(sample_run(), tmp_path), "findings")
    assert found
    assert all(event["name"].startswith("CA") and event["args"]["fix"] for event in found)
    json.loads(perfetto.render(analyze(loaded(hostile_log(), tmp_path))))


# ---- timeline


def test_a_timeline_thins_hits_out_and_never_a_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ca_reports.render.timeline.MAX_BACKWARDS", 100)
    log = LogWriter()
    log.ca_run()
    log.ca_backwards([(0, int(row % 37 == 5)) for row in range(1_000)])
    found = timeline(loaded(log, tmp_path))
    assert found is not None
    lane = found.head["lanes"][0]
    assert sum(lane["weight"]) == 27
    assert found.left_out == 1_000 - len(lane["start"])
    assert len(lane["start"]) <= 100 + 27
    assert MAX_BACKWARDS >= 100_000


def test_a_log_without_times_has_no_timeline(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    assert timeline(loaded(log, tmp_path)) is None


# ---- source


def test_a_file_is_shown_where_the_recorded_line_stands(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import torch\n" * 40 + "loss.backward()  # <b>\n")
    frame = Frame(str(script), 41, "main", "loss.backward()  # <b>")
    files = SourceFiles([tmp_path])
    (file,) = sources([Pointer(frame, "CA201 <i>", "#finding-0")], str(tmp_path), files)
    assert file.name == "train.py"
    assert [line.number for line in file.lines] == list(range(29, 43))
    assert file.lines[0].gap
    (marked,) = [line for line in file.lines if line.notes]
    assert marked.number == 41
    assert "&lt;b&gt;" in marked.html


@pytest.mark.parametrize(
    ("line", "function", "shown"),
    [
        (1, "forward", True),  # Dynamo's line of a decorated function is its decorator's
        (2, "forward", True),
        (2, "other", False),
        (3, "forward", False),
        (1, "for|.*", False),
    ],
)
def test_a_file_is_shown_where_the_function_begins(
    tmp_path: Path, line: int, function: str, shown: bool
) -> None:
    script = tmp_path / "train.py"
    script.write_text("@torch.compile\nasync def forward(x):\n    return x\n")
    pointer = Pointer(Frame(str(script), line, function, ""), "CA101", "#x")
    found = sources([pointer], None, SourceFiles([tmp_path]))
    assert bool(found) == shown
    assert [marked.number for file in found for marked in file.lines if marked.notes] == (
        [line] if shown else []
    )


@pytest.mark.parametrize(
    ("name", "line", "code"),
    [
        ("train.py", 2, "other()"),  # another version of the file
        ("train.py", 1, ""),  # a log that names a line and not what stands there
        ("train.py", 99, "secret = 1"),
        ("secret.txt", 1, "secret = 1"),
        ("missing.py", 1, "secret = 1"),
    ],
)
def test_a_log_cannot_pull_a_file_into_the_page(
    tmp_path: Path, name: str, line: int, code: str
) -> None:
    for existing in ("train.py", "secret.txt"):
        (tmp_path / existing).write_text("secret = 1\nstep()\n")
    pointer = Pointer(Frame(str(tmp_path / name), line, "f", code), "x", "#x")
    assert sources([pointer], None, SourceFiles([tmp_path])) == []


def test_a_page_shows_source_below_the_named_folder_only(tmp_path: Path) -> None:
    script = tmp_path / "project" / "train.py"
    script.parent.mkdir()
    script.write_text("SECRET_KEY = 'hunter2'\n" + "#\n" * 9 + "loss.backward()\n")
    # Recorded elsewhere, as /home/user/train.py.
    trace = sample_run().write(tmp_path / "trace.log")
    assert "SECRET_KEY" not in html.render(analyze(ca_reports.load([trace])))
    assert "--source-root" in html.render(analyze(ca_reports.load([trace])))
    named = ca_reports.load([trace], source_roots=[script.parent])
    assert "SECRET_KEY" in html.render(analyze(named))


# ---- tlparse

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

    assert "Lost 21.9 s of 40.0 s (55%) to 4 causes." in text
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


@pytest.mark.parametrize("unit", ["\t\n", "\n ", "x = 1\n", '"""', "@a\n", "\\N{"])
def test_a_text_that_came_with_a_log_is_coloured_in_bounded_time(unit: str) -> None:
    """Some 300 KB of blank lines take Pygments half an hour."""
    text = "def g(x):\n    return x\n" + unit * (300_000 // len(unit)) + "\ndef f(x):\n    <x>\n"
    last = text.count("\n")
    frames = [Frame("/j/a.py", 2, "g", "return x"), Frame("/j/a.py", last, "f", "<x>")]
    files = SourceFiles([], {"/j/a.py": RecordedSource("", text)})
    begin = time.process_time()

    (file,) = sources([Pointer(frame, "CA1", "#x") for frame in frames], None, files)

    assert time.process_time() - begin < 20
    marked = {line.number: line.html for line in file.lines if line.notes}
    assert list(marked) == [2, last]
    assert "&lt;" in marked[last]


def test_a_long_file_is_coloured_as_a_short_one() -> None:
    line = "    total = sum(1 for _ in range(7))  # of all\n"
    code = "def f(x):\n" + line * 12
    frame = Frame("/j/a.py", 9, "f", line.strip())

    def shown(text: str, add: int) -> list[tuple[int, str]]:
        files = SourceFiles([], {"/j/a.py": RecordedSource("", text)})
        moved = Frame(frame.file, frame.line + add, frame.function, frame.code)
        (file,) = sources([Pointer(moved, "CA1", "#x")], None, files)
        found = [(one.number - add, str(one.html)) for one in file.lines]
        return [one for one in found if 1 <= one[0] <= 13]

    assert shown(code, 0) == shown("import torch\n" * 4_000 + code, 4_000)
