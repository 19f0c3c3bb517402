"""Baselines: the same finding is recognised, another one is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ca_reports
from ca_reports.analysis import analyze
from ca_reports.gates.baseline import (
    BaselineError,
    Entry,
    entries,
    identify,
    is_baseline,
    match,
    normalise,
    read,
    render,
    single,
)
from ca_reports.places import Places
from tests.unit.reports.gates.made import NASTY, recapturing, run_folder, sample


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("the batch shrank from 8 to 3 at step 9", "the batch shrank from # to # at step #"),
        ("sizes[12] takes the values 10, 17, 9 and 12 more", "sizes[#] takes the values #"),
        ("!1 is !0 with 3/1 and !5/7/1", "# is # with #"),
        ("<hook at 0x7f3a12bc>", "<hook at #>"),
        ("in /home/me/job/train.py", "in train.py"),
        (r"in C:\job\train.py", "in train.py"),
        ("AddmmBackward0 of fc1 and conv2d", "AddmmBackward0 of fc1 and conv2d"),
        ("blocks.1.weight and blocks.12.weight", "blocks.#.weight and blocks.#.weight"),
        ("1 parameter", "# parameter"),
        ("2 parameters", "# parameter"),
        ("waited 31 ms", "waited # s"),
        ("waited < 1 ms", "waited # s"),
        ("waited 1,234.5 s", "waited # s"),
        ("from -2 to 1e-5", "from # to #"),
        ("n == 1.0 and/or 'x'", "n == # and/or 'x'"),
        ("exponent 2 → 3: one for each", "exponent #: one for each"),
        ("exponent 2 → 3 → 4 → …: one for each", "exponent #: one for each"),
        ("a graph break in f", "# graph break in f"),
        ("3 graph breaks in f", "# graph break in f"),
        ("compiled 3 times again", "compiled again"),
        ("a\n  b", "a b"),
    ],
)
def test_messages_without_what_differs_between_runs(message: str, expected: str) -> None:
    assert normalise(message) == expected


@given(st.text(max_size=200))
def test_normalising_ends_and_holds_no_digit_by_itself(text: str) -> None:
    found = normalise(text)

    assert " ".join(found.split()) == found
    assert not any(word.isascii() and word.isdigit() for word in found.split())


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
            "message": "PowBackward0 exponent #: one capture for each value",
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
    assert [found.key[1] for found in matching.new] == ["validate"]


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
        ("[]", "is no baseline"),
        ('{"findings": []}', "is no baseline"),
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
