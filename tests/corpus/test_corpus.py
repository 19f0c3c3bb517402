"""The harness of the corpus is honest: `make truth` runs the whole."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.corpus import score, truth

PROGRAMS = truth.programs()
ABOUT = {program.name: program for program in PROGRAMS}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_every_quote_and_every_edit_is_there_once(program: truth.Program) -> None:
    assert program.kind in ("backward", "forward")
    for cause in program.causes:
        assert cause.lines
        assert cause.fix
        for quote in [*cause.lines, *cause.noticed]:
            assert quote.lines_in(program.folder)
    for causes in [program.causes, *([cause] for cause in program.causes)]:
        mended = program.mended(causes)
        assert (mended != program.sources) is bool(causes)
        for text in mended.values():
            ast.parse(text)


def test_names_are_unique() -> None:
    assert max(Counter(program.name for program in PROGRAMS).values()) == 1


def test_a_quote_is_every_line_of_its_simple_statement(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("for x in y:\n    f(\n        x,\n    )\n")
    assert truth.Quote("a.py", "for x").lines_in(tmp_path) == range(1, 2)
    assert truth.Quote("a.py", "x,").lines_in(tmp_path) == range(2, 5)
    with pytest.raises(AssertionError):
        truth.Quote("a.py", "f(z").lines_in(tmp_path)


@pytest.mark.long
def test_torch_confirms_a_cause_and_its_fix_and_refutes_a_false_one() -> None:
    program = ABOUT["even_lengths"]
    assert score.contradictions(program) == []
    cause = program.causes[0]
    idle = truth.Edit("train.py", "lr=0.1", "lr=0.2")
    false = truth.Cause("CA712", cause.saves, cause.lines, cause.advice, [idle])
    said = score.contradictions(truth.Program(program.folder, "", "forward", [false]))
    assert any("CA712 saves no recompiles" in text for text in said)


def finding(code: str, line: int, **more: object) -> dict[str, object]:
    place = {"file": "/somewhere/model.py", "line": line}
    told = {"code": code, "severity": "warning", "message": "…", "fix": "pad it", "location": place}
    return {**told, **more}


def test_a_finding_counts_for_its_code_its_line_and_its_fix() -> None:
    program = ABOUT["even_lengths"]
    line = program.causes[0].lines[0].lines_in(program.folder)[0]
    good = score.Result(program, [finding("CA712", line)])
    score.judge(good)
    assert good.right == good.of
    assert not good.failures
    bad = score.Result(program, [finding("CA101", 1), finding("CA712", 1, fix="do nothing")])
    score.judge(bad)
    assert not any(bad.right.values())
    assert len(bad.failures) == 4  # first, line, advice, and what else was said


def test_an_inherent_cause_is_told_as_info() -> None:
    program = ABOUT["hf_trainer"]
    (batch, length) = program.causes
    lines = [cause.lines[0].lines_in(program.folder)[0] for cause in program.causes]
    for severity, right in (("info", 2), ("warning", 1)):
        fix = {"file": str(program.folder / "data.py"), "line": lines[1]}
        options = {"file": str(program.folder / "train.py"), "line": lines[0]}
        found = [
            finding(batch.code, lines[0], location=options),
            finding(length.code, lines[1], location=fix, severity=severity),
        ]
        result = score.Result(program, found)
        score.judge(result)
        assert result.right["all"] == right


def test_an_inherent_cause_comes_first_where_there_is_no_other() -> None:
    program = ABOUT["fsdp2_blocks"]
    result = score.Result(program, [finding(program.causes[0].code, 1, severity="info")])
    score.judge(result)
    assert result.right["first"] == 1


def test_the_costliest_cause_comes_first_by_the_seconds_of_torch() -> None:
    program = next(one for one in PROGRAMS if len(one.causes) == 2)
    two = [finding(cause.code, 1) for cause in program.causes]
    for saved, right in (([2.0, 1.0], [1, 0]), ([1.0, 2.0], [0, 1]), ([1.0, 0.9], [1, 1])):
        for findings, first in zip((two, two[::-1]), right, strict=True):
            result = score.Result(program, findings, saved=saved)
            score.judge(result)
            assert result.right["first"] == first


def test_a_clean_program_is_clean_without_warnings() -> None:
    program = ABOUT["cross_validation"]
    for severity, silent in (("warning", False), ("info", True)):
        result = score.Result(program, [finding("CA717", 1, severity=severity)])
        score.judge(result)
        assert bool(result.right["clean"]) is silent
