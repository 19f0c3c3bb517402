"""Source on the page: which, and how it is coloured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from ca_reports.output.source import Pointer, sources
from ca_reports.program.files import RecordedSource, SourceFiles
from ca_reports.run.model import Frame
from tests import slopes
from tests.unit.logwriter import sample_run

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize("unit", ["\t\n", "\n ", "x = 1\n", '"""', "@a\n", "\\N{"])
def test_a_text_that_came_with_a_log_is_coloured_in_bounded_time(unit: str) -> None:
    """Some 300 KB of blank lines take Pygments half an hour."""
    text = "def g(x):\n    return x\n" + unit * (300_000 // len(unit)) + "\ndef f(x):\n    <x>\n"
    last = text.count("\n")
    frames = [Frame("/j/a.py", 2, "g", "return x"), Frame("/j/a.py", last, "f", "<x>")]
    files = SourceFiles([], {"/j/a.py": RecordedSource("", text)})
    pointers = [Pointer(frame, "CA1", "#x") for frame in frames]

    assert slopes.is_within(20, lambda: sources(pointers, None, files))

    (file,) = sources(pointers, None, files)
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
