"""Causes that were told wrongly once: each is found, at its line, with a fix that works.

A program of ``causes/`` says in comments what is true of it, written before it was first run:
``# finds CA112 /autocast/`` is a cause and what its fix speaks of;
``# <- CA112`` marks a line to edit (any of them will do); ``CA202|CA207`` are codes that say the
same. ``# never /160/`` is what no finding may say. Nothing else may be found, except what is
``info``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ca_reports import load
from ca_reports.diagnosis.analysis import analyze
from tests.integration import causes_run

if TYPE_CHECKING:
    from ca_reports.causes.findings import Finding
    from tests.integration.conftest import Runner

PROGRAMS = sorted(Path(__file__).with_name("causes").glob("[a-z]*.py"))
_CAUSE = re.compile(r"# finds (?P<codes>CA[\w|]+) /(?P<fix>.*)/$", re.MULTILINE)
_NEVER = re.compile(r"# never /(?P<text>.*)/$", re.MULTILINE)


@dataclass(frozen=True)
class Cause:
    """One cause of a program: its codes, what the fix speaks of, and the lines to edit."""

    codes: frozenset[str]
    fix: str
    lines: frozenset[int]


@dataclass(frozen=True)
class Truth:
    """What a program says of itself."""

    causes: list[Cause] = field(default_factory=list)
    never: list[str] = field(default_factory=list)


def truth_of(path: Path) -> Truth:
    text = path.read_text()
    causes = [
        Cause(
            frozenset(found["codes"].split("|")),
            found["fix"],
            frozenset(
                number
                for number, line in enumerate(text.splitlines(), 1)
                if found["codes"] in line.partition("# <- ")[2].split()
            ),
        )
        for found in _CAUSE.finditer(text)
    ]
    assert causes or "# finds nothing\n" in text, f"{path.name} does not say what is in it"
    assert all(cause.lines for cause in causes), f"{path.name} marks no line"
    return Truth(causes, [found["text"] for found in _NEVER.finditer(text)])


@pytest.mark.long
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_is_wrong_and_where_and_what_to_do(
    path: Path, run_folder: Path, warm_ca: Runner
) -> None:
    truth = truth_of(path)
    done = warm_ca("--no-report", causes_run.__file__, path)
    assert done.code == 0, done.stderr[-3000:]
    analysis = analyze(load([run_folder], source_roots=[path.parent]))
    assert not analysis.diagnosis.failed_rules
    left = [one for one in analysis.diagnosis.findings if one.severity != "info"]
    said = "\n".join(map(told, left))

    for cause in truth.causes:
        found = next((one for one in left if one.code in cause.codes), None)
        assert found is not None, f"{sorted(cause.codes)} is not found in:\n{said}"
        left.remove(found)
        assert found.location is not None
        assert found.location.line in cause.lines, said
        assert re.search(cause.fix, found.fix), said
    assert left == [], f"also said:\n{said}"
    for text in truth.never:
        assert not re.search(text, said), said


@pytest.mark.long
def test_a_script_outside_of_the_current_folder_has_its_line(
    work: Path, run_folder: Path, run_ca: Runner
) -> None:
    (program,) = (path for path in PROGRAMS if path.stem == "list_of_slices")
    (line,) = truth_of(program).causes[0].lines

    assert run_ca(program).code == 0

    (found,) = analyze(load([run_folder])).diagnosis.findings
    assert found.location is not None
    assert (found.location.line, found.is_located) == (line, True)


def told(finding: Finding) -> str:
    line = finding.location.line if finding.location else None
    return f"{finding.code} at {line}: {finding.message}; fix: {finding.fix}"
