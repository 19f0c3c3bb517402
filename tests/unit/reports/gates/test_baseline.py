"""Baselines: the same finding is recognised, another one is not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ca_reports
from ca_reports.analysis import analyze
from ca_reports.gates.baseline import (
    BaselineError,
    Entry,
    entries,
    identify,
    is_baseline,
    match,
    read,
    render,
    single,
)
from ca_reports.gates.config import GateSettings
from ca_reports.model import Run
from ca_reports.places import Places
from tests.unit.logwriter import LogWriter, frame
from tests.unit.reports.gates.made import NASTY, judged, recapturing, sample
from tests.unit.reports.written import run_folder


def fingerprints(run: Run) -> list[str]:
    found = identify(analyze(run).diagnosis.findings, Places(Path("/nowhere")))
    return sorted(one.fingerprint for one in found)


def short_batches(folder: Path, full: int, short: int) -> Run:
    """Two short last batches, each of which has Dynamo compile the captured graph again."""
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0, stack=[frame("/home/user/train.py", 11, "main", "loss.backward()")])
    log.torch_capture(0)
    for number, (before, after) in enumerate(((full, short), (short, full), (full, short)), 1):
        log.compiled(
            f"!0/0/{number}",
            1.0,
            [("/home/user/train.py", 11, "main", "loss.backward()")],
            recompile_reason=f"!0/0/0: tensor 'inputs[1]' size mismatch at index 0. "
            f"expected {before}, actual {after}",
        )
    return ca_reports.load([run_folder(folder, log)])


def test_runs_of_other_sizes_have_the_same_fingerprints(tmp_path: Path) -> None:
    few, many = (
        ca_reports.load([run_folder(tmp_path / str(len(values)), recapturing(values))])
        for values in ([3, 4], [5, 60, 700, 8000])
    )
    assert [found.message for found in analyze(few).diagnosis.findings] != [
        found.message for found in analyze(many).diagnosis.findings
    ]
    assert fingerprints(few) == fingerprints(many) != []


def test_batches_of_other_sizes_have_the_same_fingerprints(tmp_path: Path) -> None:
    small, large = short_batches(tmp_path / "a", 8, 3), short_batches(tmp_path / "b", 512, 17)
    assert analyze(small).diagnosis.findings
    assert fingerprints(small) == fingerprints(large)


@pytest.mark.parametrize(
    "guard",
    [
        "G['___unnamed_scope_{}_c0/0']['rate'] == 2",  # a global of a module without a name
        "G['__optimizer_key_{}_c1_1']().rate == 2",
        "G['__builtins_dict___{}']['rate'] == 2",
    ],
)
def test_addresses_of_other_processes_have_the_same_fingerprints(
    guard: str, tmp_path: Path
) -> None:
    found = []
    for number in (140234, 93021):
        log = LogWriter()
        log.ca_run(enabled=False)
        log.compiled("0/0", 1.0)
        log.compiled("0/1", 1.0, recompile_reason=f"0/0: {guard.format(number)}")
        found.append(ca_reports.load([run_folder(tmp_path / str(number), log)]))
    assert fingerprints(found[0]) == fingerprints(found[1]) != []


def test_a_message_may_be_worded_otherwise(tmp_path: Path) -> None:
    (finding, *_) = analyze(sample(tmp_path)).diagnosis.findings
    places = Places(tmp_path)
    (before,) = identify([finding], places)
    (after,) = identify([replace(finding, message="in quite other words, 12 of them")], places)
    assert before.fingerprint == after.fingerprint
    assert match(entries([before]), [after]).pairs


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


def test_another_function_or_code_is_new(tmp_path: Path) -> None:
    before = ca_reports.load([run_folder(tmp_path / "a", recapturing([3]))])
    after = ca_reports.load([run_folder(tmp_path / "b", recapturing([3], function="validate"))])
    places = Places(tmp_path, "/home/user")
    known = single(entries(identify(analyze(before).diagnosis.findings, places)))

    matching = match(known, identify(analyze(after).diagnosis.findings, places))

    assert not matching.pairs
    assert [entry.function for entry in matching.gone] == ["main"]
    assert [found.function for found in matching.new] == ["validate"]


def test_of_several_alike_only_as_many_as_known(tmp_path: Path) -> None:
    run = sample(tmp_path)
    one = identify(analyze(run).diagnosis.findings, Places(tmp_path, "/home/user"))[0]
    known = entries([one])

    matching = match(single(known), [one, one])

    assert len(matching.pairs) == 1
    assert len(matching.new) == 1
    twice = entries([one, one])
    assert twice[0].times == 2
    assert not match(single(twice), [one, one]).new


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
