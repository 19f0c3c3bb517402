"""`ca rule` and the ways to silence one, from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.rules import all_rules
from ca_reports.causes.rules.base import SECTIONS
from tests.unit.logwriter import frame, sample_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner


def test_one_rule(ca: Runner) -> None:
    by_code, by_name = ca("rule", "ca201"), ca("rule", "grad-none")

    assert by_code.code == 0
    assert by_code.stdout.startswith("CA201 grad-none\n")
    assert all(heading.upper() in by_code.stdout for heading in SECTIONS)
    assert by_name.stdout == by_code.stdout


def test_all_rules_as_json_and_markdown(ca: Runner) -> None:
    documents = json.loads(ca("rule", "--all", "--format", "json").stdout)
    markdown = ca("rule", "--all", "--format", "markdown").stdout
    listing = ca("rule", "--all").stdout
    assert ca("rule").stdout == listing

    assert [found["code"] for found in documents] == [rule.code for rule in all_rules()]
    for rule in all_rules():
        assert f"# {rule.code}" in markdown
        assert rule.code in listing
        assert rule.name in listing
    assert json.loads(ca("rule", "CA101", "--format", "json").stdout)[0]["name"] == "last-batch"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["ca101x"], "unknown rule ca101x: did you mean CA101 (last-batch)?"),
        (["last-bach"], "unknown rule last-bach: did you mean CA101 (last-batch)?"),
        (["xyz"], "unknown rule xyz (`ca rule` lists them)"),
        (["CA101", "--all"], "name one rule, such as CA101, or --all"),
    ],
)
def test_mistakes(ca: Runner, args: list[str], message: str) -> None:
    outcome = ca("rule", *args)

    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr.count("\n") == 1
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["open"], "unknown command open: did you mean `ca report`?"),
        (["rules"], "unknown command rules: did you mean `ca rule`?"),
        (["chekc"], "unknown command chekc: did you mean `ca check`?"),
        (["explian"], "unknown command explian: did you mean `ca explain`?"),
        (["recompile"], "unknown command recompile: did you mean `ca explain-recompiles`?"),
        (["zzz"], "unknown command zzz: `ca --help` lists them"),
        ([__file__], f"unknown command {__file__}: did you mean `ca run {__file__}`?"),
    ],
)
def test_a_command_of_another_name(ca: Runner, args: list[str], message: str) -> None:
    outcome = ca(*args)

    assert (outcome.code, outcome.stdout, outcome.stderr) == (2, "", f"ca: {message}\n")


def test_explain_is_short_for_explain_recompiles_and_with_a_code_for_rule(ca: Runner) -> None:
    assert ca("explain", "ca101").stdout == ca("rule", "CA101").stdout
    missing = ca("explain", "nowhere")
    assert missing == ca("explain-recompiles", "nowhere")
    assert missing.code == 2


def codes(ca: Runner, *args: str) -> tuple[list[str], dict[str, int]]:
    outcome = ca("explain-recompiles", "trace.log", "--format", "json", *args)
    assert outcome.code == 0, outcome.stderr
    document = json.loads(outcome.stdout)
    return [found["code"] for found in document["findings"]], document["silenced"]


@pytest.mark.parametrize(
    ("args", "silenced"),
    [
        ((), {}),
        (("--ignore", "CA206"), {"CA206": 1}),
        (("--ignore", "ca206"), {"CA206": 1}),
        (("--ignore", "scalar-baked"), {"CA206": 1}),
        (("--ignore", "CA201"), {}),
        (("--ignore", "CA201", "--ignore", "CA206"), {"CA206": 1}),
    ],
)
def test_findings_are_silenced_by_code(
    ca: Runner, work: Path, args: tuple[str, ...], silenced: dict[str, int]
) -> None:
    sample_run().write(work / "trace.log")

    found, quiet = codes(ca, *args)

    assert quiet == silenced
    assert ("CA206" in found) is not bool(silenced)
    terminal = ca("explain-recompiles", "trace.log", *args).stdout
    assert ("CA206 PowBackward0" in terminal) is not bool(silenced)
    assert ("1 finding silenced (CA206)." in terminal) is bool(silenced)


def test_findings_are_silenced_on_their_line(ca: Runner, work: Path) -> None:
    # GIVEN a log whose backward call is a line with such a comment
    log = sample_run()
    log.ca_capture(
        3,
        "new_autograd_node",
        node={"index": 3, "name": "PowBackward0"},
        changes=[
            {"index": 3, "name": "PowBackward0", "attribute": "exponent", "before": 3, "after": 4}
        ],
        closest_capture=1,
        autograd_graph=[
            {"index": 1, "name": "torch::autograd::AccumulateGrad", "parameter": "head.weight"},
            {"index": 3, "name": "PowBackward0"},
            {"index": 4, "name": "torch::autograd::AccumulateGrad", "parameter": "body.2.weight"},
        ],
        stack=[frame(str(work / "train.py"), 2, "main", "loss.backward()  # ca: ignore[CA206]")],
    )
    log.write(work / "trace.log")

    # THEN the finding there is silent, and the one of another line is not
    found, quiet = codes(ca)
    assert quiet == {"CA206": 1}
    assert found.count("CA206") == 1


def test_a_code_that_no_rule_has_cannot_be_ignored(ca: Runner, work: Path) -> None:
    sample_run().write(work / "trace.log")

    outcome = ca("explain-recompiles", "trace.log", "--ignore", "CA999")

    assert (outcome.code, outcome.stdout) == (2, "")
    assert "unknown rule CA999" in outcome.stderr
