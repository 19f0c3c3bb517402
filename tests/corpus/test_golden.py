"""What is said of the frozen recordings stays what it is, and as often right."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.run.loading import load
from tests.corpus import frozen, golden, packed, score, truth

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = golden.programs()
ABOUT = {program.name: program for program in PROGRAMS}
# A small one.
RECORDED = "min01_layer_inputs"


def some_long() -> Iterator[Any]:
    """Each program; those that run through no line of the reports' that others don't are long."""
    for program in PROGRAMS:
        is_packed = program.folder.is_relative_to(packed.UNPACKED)
        marks = [pytest.mark.long] if is_packed else []
        yield pytest.param(program, id=program.name, marks=marks)


@pytest.mark.parametrize("program", some_long())
def test_what_is_said_of_it_has_not_changed(program: truth.Program) -> None:
    found = golden.differences(program.name, golden.read(program.name), golden.replayed(program))
    assert not found, f"mend it, or accept it with a reason:\n{golden.table(found)}"


def test_no_rate_is_lower_than_it_was() -> None:
    # The test above holds that the golden files say what is said now.
    now = golden.rates(golden.judged(one, golden.read(one.name)) for one in PROGRAMS)
    assert golden.fallen(golden.read_rates(), now) == []
    assert golden.read_rates() == now, "write them with --accept or --pack"


def test_a_recording_and_what_is_said_of_it_belong_together() -> None:
    kept = {path.name for path in frozen.FOLDER.iterdir()}
    names = {one.name for one in PROGRAMS}
    files = {path.name for name in names for path in map_files(name)}
    assert files == kept - {"dictionary", "rates.json", "accepted.md", "variants"}


def map_files(name: str) -> list[Path]:
    return [golden.recording_of(name), golden.golden_of(name)]


# ---- a recording


RUN = {
    "cwd": "/jobs/7/lm", "executable": "/jobs/venv/bin/python", "host": "node4",
    "command": ["ca", "run", "train.py"], "script": "train.py",
    "processes": [{"pid": 7, "rank": None, "trace": "trace/dedicated_log_torch_trace_x7f.log"}],
}  # fmt: skip
HEAD = "V1126 13:34:23.166000 7 torch/_dynamo/utils.py:2350] "
TRACE = (
    f'{HEAD}{{"artifact": {{"name": "ca_run", "encoding": "json"}}, "has_payload": "00"}}\n'
    '\t{"argv": ["/jobs/venv/bin/ca"], "cwd": "/jobs/7/lm", "file": "/jobs/7/lm2"}\n'
    f'{HEAD}{{"str": ["/jobs/venv/lib/python3.11/site-packages/torch/nn/linear.py", 0]}}\n'
    f'{HEAD}{{"dump_file": {{"name": "x"}}, "frame_id": 0, "frame_compile_id": 0}}\n'
    f'{HEAD}{{"dump_file": {{"name": "y"}}, "frame_id": 0, "frame_compile_id": 0}}\n'
)


def recorded(folder: Path, trace: str = TRACE, run: dict[str, Any] = RUN) -> Path:
    (folder / "trace").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "trace" / "dedicated_log_torch_trace_x7f.log").write_text(trace)
    return folder


def test_a_recording_keeps_what_is_read_and_no_path_of_its_machine(tmp_path: Path) -> None:
    trace = TRACE.replace("/jobs/7/lm2", "train.py").replace(
        '"cwd": "/jobs/7/lm"', '"cwd": "/jobs/7/lm", "caches": "/jobs/tmp3x/inductor"'
    )
    kept = frozen.freeze(recorded(tmp_path / "run", trace), "told")
    (text,) = kept.traces.values()
    assert "/jobs" not in text
    assert f'"cwd": "{frozen.HERE}"' in text
    assert f'"caches": "{frozen.CACHES}"' in text
    assert f"{frozen.ENVIRONMENT}/lib/python3.11/site-packages/torch/nn/linear.py" in text
    # Of what is not read one record for each compile, which says that there is one.
    assert text.count('"quiet"') == 1
    assert "dump_file" not in text
    assert kept.run["host"] == "host"


def test_a_recording_that_still_names_its_machine_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a path of this machine is left: /jobs/7/lm2"):
        frozen.freeze(recorded(tmp_path / "run"), "told")


def test_a_torn_trace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no record"):
        frozen.freeze(recorded(tmp_path / "run", TRACE[30:]), "told")


def test_the_same_recording_has_the_same_bytes() -> None:
    data = golden.recording_of(RECORDED).read_bytes()
    assert frozen.pack(frozen.unpack(data)) == data


def test_a_recording_is_read_without_damage(tmp_path: Path) -> None:
    program = ABOUT[RECORDED]
    kept = frozen.unpack(golden.recording_of(RECORDED).read_bytes())
    frozen.thaw(kept, program.folder, program.sources, tmp_path / "run")
    found = load([tmp_path / "run"], jobs=1)
    assert not found.damage
    assert found.recompiles
    assert [one.cwd for one in found.recorded] == [str(program.folder)]


def test_a_program_that_is_not_what_was_recorded_is_not_replayed() -> None:
    other = replace(ABOUT[RECORDED], options=["--enable"])
    with pytest.raises(ValueError, match="record and pack it again"):
        golden.replayed(other)


# ---- differences


def said(code: str, place: str = "train.py:3", **more: Any) -> dict[str, Any]:
    told = {"severity": "warning", "location": place, "noticed_at": "", "message": "…"}
    return {"code": code, **told, "fix": "pad it", "refusal": "no", **more}


def changed(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [(one.field, one.before, one.after) for one in golden.differences("a", before, after)]


def test_a_difference_names_the_field_of_the_finding() -> None:
    before = [said("CA101"), said("CA206"), said("CA206", "train.py:9")]
    assert changed(before, before) == []
    after = [said("CA101"), said("CA206", "train.py:9", fix="a tensor"), said("CA206")]
    assert changed(before, after) == [
        ("CA206 fix", "pad it", "a tensor"),
        ("order", "CA101, CA206, CA206", "CA101, CA206, CA206"),
    ]
    assert changed([said("CA101")], []) == [("CA101", "warning at train.py:3: …", "")]
    assert changed([], [said("CA101", "")]) == [("CA101", "", "warning at no line: …")]


def test_a_difference_names_the_patch() -> None:
    patches = [{"what": "x", "diff": ["-a", "+b"]}, {"what": "y", "diff": ["-a", "+c"]}]
    before = [said("CA101", patches=patches)]
    after = [said("CA101", patches=[patches[0], {**patches[1], "diff": ["-a", "+d"]}])]
    assert changed(before, after) == [("CA101 patch 2 diff", "-a\n+c", "-a\n+d")]
    assert ("CA101 patch 2 what", "y", "") in changed(before, [said("CA101", patches=patches[:1])])


def test_a_table_shows_where_texts_part() -> None:
    long = "the same words at the beginning of both " * 3
    row = golden.table([golden.Difference("a", "CA101 fix", f"{long}1 | 2", f"{long}3")])
    assert (
        row.splitlines()[-1]
        == "| a | CA101 fix | …e beginning of both 1 \\| 2 | …e beginning of both 3 |"
    )


def test_rates_fall_or_rise() -> None:
    stored = {"seen, forward": {"first": [9, 10]}}
    assert golden.fallen(stored, {"seen, forward": {"first": [18, 20]}}) == []
    assert golden.fallen(stored, {"seen, forward": {"first": [8, 10]}})
    assert golden.fallen(stored, {})
    assert golden.fallen({}, stored) == []


# ---- accepting


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of frozen recordings with one program, of which something else was said."""
    for name in (*map_files(RECORDED),):
        (tmp_path / name.name).write_bytes(name.read_bytes())
    monkeypatch.setattr(frozen, "FOLDER", tmp_path)
    monkeypatch.setattr(golden, "RATES", tmp_path / "rates.json")
    monkeypatch.setattr(golden, "ACCEPTED", tmp_path / "accepted.md")
    golden.write(RECORDED, [{**one, "fix": "wait"} for one in golden.read(RECORDED)])
    return tmp_path


def test_a_difference_is_accepted_with_its_reason(folder: Path) -> None:
    _, found, _ = golden.check()
    assert {one.field.partition(" ")[2] for one in found} == {"fix"}
    assert golden.accept([RECORDED], "waiting helps nobody") == found
    assert golden.check()[1] == []
    told = golden.ACCEPTED.read_text()
    assert f"\n- waiting helps nobody\n  - {RECORDED}: {found[0].field}" in told
    assert golden.accept([RECORDED], "nothing to accept") == []
    assert golden.ACCEPTED.read_text() == told


def test_rates_are_raised_and_never_lowered(folder: Path) -> None:
    assert golden.settle([]) == []  # it is new
    assert golden.read_rates()["seen, reports"]["advice"] == [0, 1]
    golden.accept([RECORDED], "it is right again")
    assert golden.settle([RECORDED]) == []
    stored = golden.read_rates()
    assert stored["seen, reports"]["advice"] == [1, 1]
    golden.write(RECORDED, [])
    assert len(golden.settle([RECORDED])) == len(stored["seen, reports"])
    assert golden.read_rates() == stored


def test_a_recording_is_packed_once(folder: Path, tmp_path: Path) -> None:
    program = ABOUT[RECORDED]
    kept = frozen.unpack(golden.recording_of(RECORDED).read_bytes())
    work = tmp_path / "recorded" / RECORDED
    frozen.thaw(kept, work, program.sources, work / "run")
    assert list(golden.pack(tmp_path / "recorded", [RECORDED])) == [
        f"{RECORDED}: recorded from other sources"
    ]
    score.stamp(program, work)
    assert list(golden.pack(tmp_path / "recorded", [])) == []
    golden.recording_of(RECORDED).unlink()
    (line,) = golden.pack(tmp_path / "recorded", [])
    assert line.startswith(f"{RECORDED}: 1 findings")
    assert golden.replayed(program)
