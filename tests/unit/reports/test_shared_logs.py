"""Logs that other programs wrote, where they are at hand; tlparse as a second reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.errors import NothingReadable
from ca_reports.output import html
from ca_reports.output import json as json_output
from tests.unit.tlparse_ids import tlparse_ids

if TYPE_CHECKING:
    from ca_reports.run.model import Run

LOGS = Path(__file__).parents[4] / "shared" / "logs"
FILES = sorted(path for path in LOGS.rglob("*") if path.suffix in (".log", ".txt"))

pytestmark = pytest.mark.skipif(not FILES, reason="the shared logs are not here")


def test_no_finding_is_unexplained() -> None:
    # A log without torch's reasons says so by a code of its own.
    codes = []
    for path in FILES:
        run, _ = loaded(path)
        if run is not None:
            codes += [found.code for found in analyze(run).diagnosis.findings]
    assert len(codes) > 8
    assert "CA000" not in codes
    assert codes.count("CA001") == 3


def name(path: Path) -> str:
    return str(path.relative_to(LOGS))


def loaded(path: Path) -> tuple[Run | None, str]:
    """The run in ``path``, or the message that says why there is none."""
    try:
        return ca_reports.load([path]), ""
    except NothingReadable as error:
        return None, str(error)


@pytest.mark.parametrize("folder", ["plain", "verbose"])
def test_the_recompile_script(folder: str) -> None:
    run = ca_reports.load([LOGS / "stock" / folder])
    captures = run.captures
    assert [capture.label for capture in captures] == ["!0", "!1", "!2", "!3", "!4", "!5"]
    assert captures[0].kind == "first"
    assert [compiled.compile_id for compiled in run.recompiles] == ["!5/7/1"]
    assert run.recompiles[0].capture == 5
    assert run.recompiles[0].recompile_reason == (
        "!5/7/0: tensor 'sizes[0]' size mismatch at index 1. expected 100, actual 10"
    )
    assert not run.damage
    assert not run.graph_breaks
    assert run.processes[0].graph_breaks_left_out == 2
    assert [call.line for capture in captures if (call := capture.backward_call)] == (
        [8, 8, 8, 8, 14, 14]
    )
    summary = analyze(run).summary
    assert (summary.captures, summary.recaptures, summary.dynamo_recompiles) == (6, 5, 1)
    assert (summary.backwards, summary.hits) == (None, None)
    assert all(
        capture.seconds.capture is not None and capture.seconds.compile is not None
        for capture in captures
    )


def test_the_reasons_of_the_recompile_script() -> None:
    captures = ca_reports.load([LOGS / "stock" / "verbose"]).captures
    told = [
        (capture.kind, capture.node.name if capture.node else None, capture.sizes_changed)
        for capture in captures
    ]
    assert told == [
        ("first", "torch::autograd::GraphRoot", ()),
        ("new_autograd_node", "SubBackward0", ()),
        ("new_autograd_node", "MulBackward0", ()),
        ("new_autograd_node", "DivBackward0", ()),
        ("new_autograd_node", "SumBackward0", ()),
        ("changed_shapes", None, (0, 1, 2, 3)),
    ]
    plain = ca_reports.load([LOGS / "stock" / "plain"]).captures
    assert {capture.reason for capture in plain} == {None}
    assert [capture.kind for capture in plain[1:]] == ["unknown"] * 5


def test_equal_backwards_are_one_capture() -> None:
    assert len(ca_reports.load([LOGS / "stock" / "hits"]).captures) == 1


def test_reasons_without_torch_logs() -> None:
    captures = ca_reports.load([LOGS / "stock" / "null"]).captures
    assert [capture.reason is not None for capture in captures] == [True, True]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_log_is_read_or_named(path: Path) -> None:
    run, error = loaded(path)
    if run is None:
        assert path.name in error
        return
    document = json.loads(json_output.render(analyze(run)))
    assert len(document["captures"]) == len(run.captures)
    assert html.render(analyze(run)).rstrip().endswith("</html>")


@pytest.mark.parametrize(
    ("file", "kinds"),
    [
        ("ansi", []),
        ("artifact_badenc", []),
        ("crlf", []),
        ("garbage", ["not_a_record"]),  # the traceback is text of a kind that is read
        ("good", []),
        ("missingpayload", ["missing_payload"]),
        ("orphanpayload", ["orphan_payload"]),
        ("prefix", []),
        ("strid", ["bad_record"]),
        ("truncjson", ["bad_json"]),
    ],
)
def test_each_kind_of_damage(file: str, kinds: list[str]) -> None:
    run = ca_reports.load([LOGS / "damaged" / f"{file}.log"])
    assert [damage.kind for damage in run.damage] == kinds
    if file != "strid":
        graphs = {capture.graph.text for capture in run.captures if capture.graph is not None}
        assert graphs == {"abc"}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_tlparse_finds_the_same_compile_ids(path: Path, tmp_path: Path) -> None:
    run, _ = loaded(path)
    if run is None:
        pytest.skip("no trace")
    if all(process.from_text for process in run.processes):
        pytest.skip("TORCH_LOGS text: nothing that tlparse reads")
    theirs = tlparse_ids(path, tmp_path / "out")
    if theirs is None:
        pytest.skip("tlparse fails on this log")
    assert theirs == run.compile_ids()
