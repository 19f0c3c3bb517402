"""What is made of a finding by the search, the remedy and the adoption that rules give."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from ca_reports.causes.findings import Finding
from ca_reports.causes.remedies import Remedy
from ca_reports.causes.rules.base import Match, Rule
from ca_reports.diagnosis.locating import locate
from ca_reports.program.files import SourceFiles
from ca_reports.run.model import Frame, Process

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ca_reports.causes.located.trail import Search, Trail
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site

SOURCE = "x = 1\nfor step in range(3):\n    y = x + step\n    z = 2 * y\n"


class _Searching(Rule):
    """Finds the lines that it is told."""

    code = "CA902"
    name = "searching"
    lines: ClassVar[tuple[int, ...]] = ()

    def matches(self, facts: ProcessFacts) -> Iterable[Match]:
        return ()

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        return cls._found

    @classmethod
    def _found(cls, trail: Trail) -> list[Site]:
        (module,) = trail.program.modules.values()
        sites = (trail.program.at(Frame(module.file, line, "<module>", "")) for line in cls.lines)
        return [site for site in sites if site is not None]


class _Remedying(_Searching):
    """Knows what to do at its line, and without one."""

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        at = "somewhere" if site is None else f"line {site.line}"
        return trail.finding.remedy.instead(f"edit {at}")


class _Failing(_Remedying):
    """A search that a program of some kind makes fail."""

    @classmethod
    def _found(cls, trail: Trail) -> list[Site]:
        raise ValueError("no such program")


def found_by(
    rule: type[_Searching], folder: Path, *lines: int, others: Iterable[type[Rule]] = ()
) -> tuple[Finding, dict[str, None]]:
    (folder / "train.py").write_text(SOURCE)
    rule.lines = lines
    seen = Frame(str(folder / "train.py"), 4, "<module>", "z = 2 * y")
    finding = Finding(
        rule.about(), "info", "told", Remedy("do"), location=seen, noticed_at=seen, is_note=True
    )
    failed: dict[str, None] = {}
    process = Process(0, "log", None, 1, 2)
    (found,) = locate([finding], [process], SourceFiles([folder]), failed, [rule, *others])
    return found, failed


def test_one_line_is_the_answer_and_what_to_do_there_is_no_note(tmp_path: Path) -> None:
    found, failed = found_by(_Remedying, tmp_path, 3)
    assert not failed
    assert found.is_located
    assert found.location is not None
    assert (found.location.line, found.fix, found.is_note) == (3, "edit line 3", False)


def test_of_several_lines_none_is_taken(tmp_path: Path) -> None:
    found, _ = found_by(_Remedying, tmp_path, 1, 3)
    assert not found.is_located
    assert [frame.line for frame in found.candidates] == [1, 3]
    assert found.fix == "edit somewhere"


def test_a_rule_without_another_remedy_keeps_its_own(tmp_path: Path) -> None:
    found, _ = found_by(_Searching, tmp_path, 3)
    assert (found.known_by, found.fix, found.is_note) == ("read", "do", True)


def test_what_raises_is_noted_and_the_finding_stands(tmp_path: Path) -> None:
    found, failed = found_by(_Failing, tmp_path, 3)
    assert list(failed) == ["CA902: ValueError: no such program"]
    assert (found.is_located, found.fix) == (False, "do")


@pytest.mark.parametrize("lines", [(3,), ()])
def test_a_finding_goes_to_the_rule_that_the_source_shows(
    tmp_path: Path, lines: tuple[int, ...]
) -> None:
    class Adopting(_Searching):
        code = "CA903"

        @classmethod
        def adopt(cls, trail: Trail, site: Site | None) -> Finding | None:
            if site is None:
                return None
            return Finding(cls.about(), "warning", "its own", Remedy("another"), known_by="read")

    found, _ = found_by(_Remedying, tmp_path, *lines, others=[Adopting])
    assert found.code == ("CA903" if lines else "CA902")
