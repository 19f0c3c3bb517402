"""Baselines: the same finding is recognised, another one is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.diagnosis.identities import identify
from ca_reports.gates.baseline import (
    BaselineError,
    Entry,
    entries,
    is_baseline,
    read,
    render,
)
from ca_reports.gates.config import GateSettings
from ca_reports.words.places import Places
from tests.unit.reports.gates.made import NASTY, judged, recapturing, sample
from tests.unit.reports.written import run_folder


def test_an_older_baseline_is_read_by_code_and_function_and_said_so(tmp_path: Path) -> None:
    run = sample(tmp_path / "run")
    known = [
        {"code": one.code, "name": one.finding.name, "file": one.file, "function": one.function,
         "message": "as it was worded then", "times": 1}
        for one in identify(analyze(run).diagnosis.findings, Places(tmp_path, "/home/user"))
    ]  # fmt: skip
    path = tmp_path / "ca-baseline.json"
    document = {"schema_version": 1, "generator": "ca baseline", "findings": known}
    path.write_text(json.dumps(document))
    verdict = judged(run, GateSettings(baseline=path), read(path))
    assert verdict.ok
    assert any("ca baseline --update" in note for note in verdict.notes)


def test_line_and_machine_do_not_matter(tmp_path: Path) -> None:
    here = ca_reports.load([run_folder(tmp_path / "a", recapturing([3], line=11))])
    elsewhere = recapturing([3], line=99, seconds=0.1, file="/builds/job/train.py")
    there = ca_reports.load([run_folder(tmp_path / "b", elsewhere, cwd="/builds/job", host="ci")])
    texts = [
        render(entries(identify(analyze(run).diagnosis.findings, Places(tmp_path, cwd))))
        for run, cwd in ((here, "/home/user"), (there, "/builds/job"))
    ]

    assert texts[0] == texts[1]
    assert json.loads(texts[0])["findings"] == [
        {
            "code": "CA206",
            "name": "scalar-baked",
            "file": "train.py",
            "function": "main",
            "key": "PowBackward0 exponent",
            "times": 1,
        }
    ]


def test_reading_back(tmp_path: Path) -> None:
    known = entries(
        identify(analyze(sample(tmp_path)).diagnosis.findings, Places(tmp_path, "/home/user"))
    )
    path = tmp_path / "b.json"
    path.write_text(render(known))

    assert read(path) == known
    assert is_baseline(path)
    assert list(known) == sorted(known, key=lambda one: (one.code, one.file, one.function))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a ca baseline"),
        ('{"findings": []}', "is not a ca baseline"),
        ('{"generator": "ca baseline", "schema_version": 9}', "schema_version 9"),
        ('{"generator": "ca baseline", "schema_version": 1, "findings": 3}', "must be a list"),
        ('{"generator": "ca baseline", "schema_version": 1, "findings": [3]}', "finding 1 is"),
    ],
)
def test_what_is_no_baseline(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(text)

    with pytest.raises(BaselineError, match=message):
        read(path)


@pytest.mark.parametrize("times", [0, -1, True, "1", 10**9])
def test_a_number_that_is_none(tmp_path: Path, times: object) -> None:
    path = tmp_path / "b.json"
    row = {"code": "CA1", "name": "", "file": "", "function": "", "message": "", "times": times}
    document = {"generator": "ca baseline", "schema_version": 1, "findings": [row]}
    path.write_text(json.dumps(document))

    with pytest.raises(BaselineError, match="finding 1 is damaged"):
        read(path)


def test_missing_baseline_says_what_writes_one(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="No such file or directory: `ca baseline` writes one"):
        read(tmp_path / "b.json")


def test_hostile_texts_are_written_and_read(tmp_path: Path) -> None:
    run = ca_reports.load([run_folder(tmp_path / "a", recapturing([3], function=NASTY))])
    known = entries(identify(analyze(run).diagnosis.findings, Places(tmp_path, "/home/user")))
    path = tmp_path / "b.json"
    path.write_text(render(known))

    assert read(path) == known
    assert known[0] == Entry(**vars_of(known[0]))


def vars_of(entry: Entry) -> dict[str, Any]:
    return {name: getattr(entry, name) for name in Entry.__slots__}
