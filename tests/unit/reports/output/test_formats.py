"""Each format, from an ordinary run and from one that wants to break it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import ca_reports
from ca_reports.causes.findings import About, Diagnosis, Finding
from ca_reports.causes.remedies import Remedy
from ca_reports.diagnosis.analysis import analyze
from ca_reports.gates.baseline import entries
from ca_reports.gates.config import GateSettings
from ca_reports.gates.gate import findings_to_know
from ca_reports.output import check, check_json, markdown, reported
from ca_reports.output.formats import github, junit, sarif
from ca_reports.output.reported import Report
from ca_reports.run.model import Frame, Run
from ca_reports.words.places import Places
from tests.unit.logwriter import LogWriter
from tests.unit.reports.gates.made import crashed, judged, recapturing, sample
from tests.unit.reports.output.reported import BUDGETS, REPORTS, Page, checked, explained
from tests.unit.reports.written import run_folder

SCHEMA = Path(__file__).parents[3] / "fixtures" / "schemas" / "sarif-2.1.0.json"


@pytest.mark.parametrize("make", REPORTS)
def test_sarif_is_valid(run: Run, make: Callable[[Run], Report]) -> None:
    text = sarif.render(make(run))

    document = json.loads(text)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    [found] = document["runs"]
    rules = found["tool"]["driver"]["rules"]
    assert found["results"]
    for result in found["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_the_schema_refuses_what_is_wrong(tmp_path: Path) -> None:
    document = sarif.document(checked(sample(tmp_path)))
    document["runs"][0]["results"][0]["level"] = "dreadful"

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, json.loads(SCHEMA.read_text()))


def results(report: Report) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sarif.document(report)["runs"][0]["results"]
    return found


def test_sarif_says_where(tmp_path: Path) -> None:
    found = {result["ruleId"]: result for result in results(explained(sample(tmp_path)))}

    place = found["CA206"]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 11, "snippet": {"text": "loss.backward()"}}
    # A finding without a place of its own belongs to the script.
    nowhere = [one for one in explained(sample(tmp_path)).findings if not one.found.file]
    assert nowhere
    assert all(result["locations"] for result in results(explained(sample(tmp_path))))


def test_sarif_rules_have_their_documentation(tmp_path: Path) -> None:
    document = sarif.document(explained(sample(tmp_path)))
    rules = {rule["id"]: rule for rule in document["runs"][0]["tool"]["driver"]["rules"]}

    assert "## What to do" in rules["CA206"]["help"]["markdown"]
    assert "WHAT TO DO" in rules["CA206"]["help"]["text"]
    assert rules["CA206"]["name"] == "ScalarBaked"
    budgets = sarif.document(checked(sample(tmp_path)))["runs"][0]["tool"]["driver"]
    for rule in budgets["rules"]:
        assert len(rule["help"]["text"]) > 100
        assert "`" not in rule["help"]["text"] or rule["id"].startswith("CA")


def test_sarif_states_against_a_baseline(tmp_path: Path) -> None:
    run = sample(tmp_path)
    known = entries(findings_to_know(judged(run, GateSettings()))[1:])
    extra = entries(findings_to_know(judged(run, GateSettings()))[:1])[0]
    settings = GateSettings()
    verdict = judged(run, settings, (*known, type(extra)("CA101", "last-batch", "x.py", "f", "m")))

    states = [result["baselineState"] for result in results(reported.of_verdict(verdict))]

    assert sorted(states) == ["absent", "new", "unchanged", "unchanged", "unchanged"]


def test_fingerprints_survive_a_shift_of_lines(tmp_path: Path) -> None:
    prints = []
    for line in (11, 99):
        folder = run_folder(tmp_path / str(line), recapturing([3], line=line))
        [result] = results(explained(ca_reports.load([folder])))
        prints.append(result["partialFingerprints"])

    assert prints[0] == prints[1]


@pytest.mark.parametrize("make", REPORTS)
def test_junit_is_xml_with_the_right_numbers(run: Run, make: Callable[[Run], Report]) -> None:
    report = make(run)

    root = ElementTree.fromstring(junit.render(report).encode())

    [suite] = root.findall("testsuite")
    cases = suite.findall("testcase")
    assert suite.get("tests") == str(len(cases))
    assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    assert int(suite.get("failures") or 0) > 0
    assert len(cases) == len(report.findings) + len(report.exceeded) + len(report.held)


def test_junit_of_a_green_gate(tmp_path: Path) -> None:
    run = sample(tmp_path)
    everything = frozenset({"CA000", "CA202", "CA206", "CA702"})

    root = ElementTree.fromstring(junit.render(checked(run, GateSettings(ignore=everything))))

    assert [case.get("name") for case in root.iter("testcase")] == ["no finding"]
    assert root.get("failures") == "0"


@pytest.mark.parametrize("make", REPORTS)
def test_annotations_are_one_line_each(run: Run, make: Callable[[Run], Report]) -> None:
    report = make(run)

    lines = github.render(report).split("\n")

    assert lines.pop() == ""
    assert lines.pop().startswith(f"{report.command}: ")
    assert len(lines) == len(report.exceeded) + sum(one.standing != "known" for one in report.shown)
    for line in lines:
        assert re.fullmatch(
            r"::(error|warning|notice) (file=[^,:]*(,line=\d+)?,)?title=[^,:]*::[^\r\x00-\x08]*",
            line,
        )


def test_annotation() -> None:
    assert (
        github.command("error", "50 %\r\nlost", title="a:b,c", file="x,y:z.py", line=3)
        == "::error file=x%2Cy%3Az.py,line=3,title=a%3Ab%2Cc::50 %25%0Alost"
    )


def test_annotations_of_a_gate_are_errors_where_it_fails(tmp_path: Path) -> None:
    run = sample(tmp_path)

    lines = github.render(checked(run)).splitlines()

    assert lines[0].startswith("::error file=train.py,line=11,title=max-recaptures::2 recaptures")
    levels = {line.split("title=")[1][:5]: line[2:7] for line in lines[1:-1]}
    assert levels == {"CA206": "error", "CA202": "error", "CA702": "warni", "CA000": "warni"}


def test_what_nobody_can_tell_is_green_in_no_format(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run(enabled=False)
    run = ca_reports.load([run_folder(tmp_path, log)])
    verdict = judged(run, GateSettings(BUDGETS))
    report = checked(run)

    suite = ElementTree.fromstring(junit.render(report))
    invocation = sarif.document(report)["runs"][0]["invocations"][0]
    document = json.loads(check_json.render(verdict))
    stream = io.StringIO()
    check.render(verdict, Console(file=stream, width=100))

    assert "nothing to check" in (report.inconclusive_reason or "")
    assert suite.get("errors") == "1"
    assert suite.find("testsuite/testcase/error") is not None
    jsonschema.validate(sarif.document(report), json.loads(SCHEMA.read_text()))
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["level"] == "error"
    assert document["ok"] is None
    assert github.render(report).startswith(
        "::error file=train.py,title=ca check::nothing to check"
    )
    assert "**Not judged: nothing to check" in markdown.render(report)
    assert "Fine" not in stream.getvalue()


TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("`|<>&@#:%\r\n\x00\x1b\ud800\u2028]")), max_size=60
)


@given(TEXT, TEXT, TEXT, st.integers(-5, 5))
@settings(max_examples=150, deadline=None)
def test_any_text_in_any_format(message: str, function: str, file: str, line: int) -> None:
    finding = Finding(
        About("CA206", "scalar-baked"),
        "warning",
        message,
        remedy=Remedy(function),
        location=Frame(file, line, function, message),
        captures=(message,),
        chain=file,
    )
    run = Run((), (), ())
    found = Places(Path("/nowhere"))
    report = reported.of_analysis(
        replace(analyze(run), diagnosis=Diagnosis((finding,)), places=found)
    )
    report = replace(report, headline=message, totals=function, notes=(file,), script=file)

    annotations = github.render(report).split("\n")
    text = markdown.render(report)

    document = json.loads(sarif.render(report))
    assert len(document["runs"][0]["results"]) == 1
    ElementTree.fromstring(junit.render(report))
    assert annotations[0].startswith("::warning ")
    outside_code = re.sub(r"(`+).*?\1", "", text)
    page = Page()
    page.feed(outside_code)
    assert set(page.tags) <= {"details", "summary"}
    assert not re.search(r"[@#]\w", outside_code)
    text.encode()


def test_an_exception_out_of_a_compile_is_a_field_of_each_format(tmp_path: Path) -> None:
    # GIVEN a run that a compile ended, and a gate with a budget that holds
    report = checked(crashed(tmp_path), GateSettings({"max-recompiles": 3}))

    # THEN each format says what raised, and that it ended the run
    (result,) = json.loads(sarif.render(report))["runs"][0]["results"]
    assert result["level"] == "error"
    assert result["properties"]["failure"] == {
        "stage": "compile",
        "outcome": "ended",
        "exception": "BackendCompilerFailed",
        "message": "no compiler",
    }
    case = ElementTree.fromstring(junit.render(report)).find("testsuite/testcase[properties]")
    assert case is not None
    told = {one.get("name"): one.get("value") for one in case.iter("property")}
    assert told == {
        "ca.failure.stage": "compile",
        "ca.failure.outcome": "ended",
        "ca.failure.exception": "BackendCompilerFailed",
    }
    assert case.find("failure") is not None
    text = markdown.render(report)
    assert "- exception: BackendCompilerFailed: no compiler; it ended the run" in text
    assert "Failed: compiling `step` raised BackendCompilerFailed" in text
