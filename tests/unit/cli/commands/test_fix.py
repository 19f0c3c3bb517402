"""Which patches are offered, and how they are proven together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from ca_reports.trial import TrialOutcome
from tests.unit.cli.programs import program_at, run_of


def test_a_run_that_was_not_recorded_here_gets_no_patch(tmp_path: Path) -> None:
    from ca_reports.fixes.patches import RefusedError
    from ca_reports.fixes.program import EditableProgram
    from ca_reports.source.files import SourceFiles

    run = run_of(tmp_path, "ca", "run", "train.py")
    with pytest.raises(RefusedError, match="not recorded here"):
        EditableProgram(run, SourceFiles.of(run))


TOGETHER = "a = 1\nb = 1\n"


class Runs:
    """A command that ends as it is told to, whatever the patches."""

    def __init__(self, outcome: TrialOutcome) -> None:
        self.outcome = outcome
        self.texts: list[str] = []

    def run(self, *_: object) -> TrialOutcome:
        (changed,) = cast("tuple[dict[Path, str]]", _[-1:])
        self.texts += changed.values()
        return self.outcome


@pytest.mark.parametrize(
    ("starts", "error", "words", "offered"),
    [
        ((4, 10), None, "captures 3 → 1, recompiles 0 → 0; losses of 2 backwards equal", 2),
        ((4, 10), "KeyError: 1", "ended with: KeyError: 1; only the first is offered", 1),
        ((4, 4), None, "change the same lines of train.py", 1),
    ],
)
def test_patches_are_proven_together(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    starts: tuple[int, int],
    error: str | None,
    words: str,
    offered: int,
) -> None:
    from ca_cli.commands.fix import _together
    from ca_reports.findings import Finding
    from ca_reports.fixes.patches import Patch, Replacement
    from ca_reports.fixes.result import Fix, Fixes
    from ca_reports.rules import find_rule
    from ca_reports.trial import AS_IS
    from ca_reports.trial import TrialOutcome as Outcome

    program = program_at(tmp_path, TOGETHER)
    findings = []
    for code in ("CA101", "CA202"):
        rule = find_rule(code)
        assert rule is not None
        findings.append(Finding(rule.about(), "warning", "m", "f"))
    patches = [
        Patch("what", (Replacement("train.py", at, at + 1, str(number)),))
        for number, at in enumerate(starts, 4)
    ]
    before = Outcome(AS_IS, 2, 3, 0, 3.0, 0.1, (4.0, 3.0), 0, None, tuple(findings))
    after = replace(before, captures=1, findings=(), error=error)
    fixes = Fixes(
        {"train.py": TOGETHER},
        tuple(Fix(*one) for one in zip(findings, patches, strict=True)),
    )
    command = Runs(after)

    found, _ = _together(cast("Any", command), fixes, program, 9, before, tmp_path / "place")

    assert words in capsys.readouterr().err
    assert [one.finding.code for one in found.offered] == ["CA101", "CA202"][:offered]
    assert [one.finding.code for one in found.refused] == ["CA101", "CA202"][offered:]
    assert command.texts == (["a = 4\nb = 5\n"] if starts[1] != starts[0] else [])


@pytest.mark.parametrize(
    ("left", "offered", "failed"),
    [((), ["CA801", "CA803"], []), (("CA803",), ["CA801"], ["CA803"])],
)
def test_what_saves_nothing_alone_is_tried_beside_what_is_proven(
    tmp_path: Path, left: tuple[str, ...], offered: list[str], failed: list[str]
) -> None:
    from ca_cli.commands.fix import _beside
    from ca_reports.findings import Finding
    from ca_reports.fixes.patches import Patch, Replacement
    from ca_reports.fixes.proof import prove
    from ca_reports.fixes.result import Fix, Fixes
    from ca_reports.rules import find_rule
    from ca_reports.trial import AS_IS
    from ca_reports.trial import TrialOutcome as Outcome

    program = program_at(tmp_path, TOGETHER)
    findings = {}
    for code in ("CA801", "CA803"):
        rule = find_rule(code)
        assert rule is not None
        findings[code] = Finding(rule.about(), "warning", "m", "f")
    first, second = findings.values()
    before = Outcome(AS_IS, 2, 0, 0, 3.0, 0.1, (4.0, 3.0), 0, None, (first, second), graph_breaks=2)
    one_less = replace(before, graph_breaks=1, findings=(second,))
    both = [Patch("what", (Replacement("train.py", at, at + 1, "9"),)) for at in (4, 10)]
    fixes = Fixes(
        {"train.py": TOGETHER},
        (Fix(first, both[0], prove(first, both[0], 9, before, one_less)),),
        failed=(Fix(second, both[1], prove(second, both[1], 9, before, before)),),
    )
    still = tuple(findings[code] for code in left)
    command = Runs(replace(one_less, graph_breaks=len(left), findings=still))

    found = _beside(cast("Any", command), fixes, program, 9, one_less, tmp_path / "beside")

    assert command.texts == ["a = 9\nb = 9\n"]
    assert [one.finding.code for one in found.offered] == offered
    assert [one.finding.code for one in found.failed] == failed
    if not left:
        assert found.offered[1].proof is not None
        assert "graph breaks 1 → 0" in found.offered[1].proof.counts
        assert "beside the patch for CA801" in found.offered[1].patch.note
