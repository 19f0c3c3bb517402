"""The same finding is recognised in another run; another one is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.diagnosis.identities import identify, match
from ca_reports.gates.baseline import entries, single
from ca_reports.run.model import Run
from ca_reports.words.places import Places
from tests.unit.logwriter import LogWriter, frame
from tests.unit.reports.gates.made import recapturing, sample
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
