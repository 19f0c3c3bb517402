"""Links that open a line of source in an editor, in a terminal and in the page."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import ca_reports
from ca_reports.diagnosis.analysis import Analysis, analyze
from ca_reports.errors import CaError
from ca_reports.output import html, terminal
from ca_reports.run.sharing import shared
from ca_reports.words.editors import EDITORS, PLAIN, Editor, find_editor
from tests.unit.logwriter import sample_run


@pytest.mark.parametrize(
    ("wanted", "address"),
    [
        ("vscode", "vscode://file/src/a%20b.py:3"),
        ("Cursor", "cursor://file/src/a%20b.py:3"),
        ("pycharm", "pycharm://open?file=/src/a%20b.py&line=3"),
        ("idea", "idea://open?file=/src/a%20b.py&line=3"),
        ("emacs://open?url=file://{file}&line={line}", "emacs://open?url=file:///src/a%20b.py&line=3"),
        ("https://code.example/blob/main{file}", "https://code.example/blob/main/src/a%20b.py"),
    ],
)  # fmt: skip
def test_an_editor_is_a_name_or_a_template(wanted: str, address: str) -> None:
    assert find_editor(wanted, "--editor").link("/src/a b.py", 3) == address


@pytest.mark.parametrize(
    "wanted",
    [
        "emacs", "", "{file}:{line}", "vscode://file:{line}", "x://{file}:{column}",
        "javascript://{file}%0aalert(1)", "DATA://{file}", 'x://"{file}', "x://{file}\x1b]8;;",
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_what_is_allowed(wanted: str) -> None:
    with pytest.raises(CaError, match=r"^--editor must be vscode, .* or a template such as"):
        find_editor(wanted, "--editor")


def test_a_path_steers_nothing_and_must_be_absolute() -> None:
    assert PLAIN.link("/x/\x1b]8;; a.py", 3) == "file:///x/%1B%5D8%3B%3B%20a.py#3"
    for editor in (PLAIN, *EDITORS.values()):
        assert editor.link("train.py", 3) is None
        assert editor.link("<stdin>", 3) is None


def sample(tmp_path: Path, editor: Editor | None) -> Analysis:
    log = sample_run().write(tmp_path / "trace.log")
    return analyze(ca_reports.load([log]), editor=editor)


def addresses(analysis: Analysis) -> list[str]:
    stream = io.StringIO()
    terminal.render(analysis, Console(file=stream, force_terminal=True, width=100))
    return re.findall(r"\x1b\]8;[^;]*;([^\x1b]+)\x1b", stream.getvalue())


def test_the_terminal_links_the_line_to_change(tmp_path: Path) -> None:
    analysis = sample(tmp_path, EDITORS["vscode"])
    (finding, *_) = analysis.diagnosis.findings
    assert finding.location is not None
    expected = f"vscode://file{finding.location.file}:{finding.location.line}"
    assert addresses(analysis)[0] == expected
    assert addresses(sample(tmp_path, None))[0] == (
        f"file://{finding.location.file}#{finding.location.line}"
    )


def test_the_page_links_it_if_an_editor_is_named_and_a_shared_page_never(tmp_path: Path) -> None:
    analysis = sample(tmp_path, EDITORS["cursor"])
    place = analysis.diagnosis.findings[0].location
    assert place is not None
    link = f'<a class="edit" href="cursor://file{place.file}:{place.line}">Open in Cursor</a>'
    assert link in html.render(analysis)
    assert "://file" not in html.render(replace(analysis, editor=None))
    others = analyze(shared(analysis.run), editor=EDITORS["cursor"])
    assert f"cursor://file{Path.home()}" not in html.render(others)
