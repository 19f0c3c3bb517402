"""The rules on CUDA graphs, on records and texts as torch 2.13.0 writes them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from tests.unit.logwriter import START, LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding

STACK = [("/home/user/train.py", 20, "main", "loss = compiled(words).sum()")]


def findings(log: LogWriter, folder: Path) -> list[Finding]:
    run = ca_reports.load([log.write(folder / "trace.log")])
    assert not run.damage
    return [found for found in analyze(run).diagnosis.findings if found.code == "CA901"]


def test_each_graph_once_is_what_is_wanted(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0, STACK)
    log.cuda_graph_recorded("0/0", 2.0, 0.5)
    log.cuda_graph_recorded("!0/1/0", 3.0, 0.5, is_backward=True)
    assert findings(log, tmp_path) == []


def test_recordings_beyond_the_first_are_lost_time(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0, STACK)
    for number in range(4):
        log.cuda_graph_recorded("0/0", 2.0 + number, 0.5)
    (found,) = findings(log, tmp_path)
    assert found.count == 3
    assert found.seconds == pytest.approx(1.5)
    assert found.compile_ids == ("0/0",)
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/home/user/train.py", 7)
    assert "cudagraph_skip_dynamic_graphs" in found.fix
    assert found.confidence == "medium"
    assert found.evidence[0].text == "0/0: recording 2, 0.50 s"


def test_twice_may_be_two_ways_to_reach_it(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.cuda_graph_recorded("0/0", 2.0, 0.5)
    log.cuda_graph_recorded("0/0", 3.0, 0.25)
    (found,) = findings(log, tmp_path)
    assert (found.count, found.confidence) == (1, "low")
    assert found.location is None


def test_a_recording_without_its_begin_or_its_graph_is_none(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.cuda_graph_recorded("0/0", 2.0, 0.5)
    log.cuda_graph_recorded("None", 3.0, 0.5)
    event = {"name": "CUDAGraphNode.record", "ts": START * 1e6, "ph": "E", "args": []}
    log.record("chromium_event", {}, json.dumps(event))
    log.record("chromium_event", {}, json.dumps({**event, "ts": "soon"}))
    assert findings(log, tmp_path) == []


FRAMES = """ Found from :
   File "/home/user/track.py", line 31, in update
    self.mean.mul_(0.9).add_(feats)
"""
SKIPPED = "skipping cudagraphs due to "
# A reason of torch's, and a part of what to do.
REASONS = {
    "mutated inputs (2 instances).": "mark_static_address",
    "input storage mutation (1 instances).": "`set_`",
    "disabling cudagraphs due to incompatible op aten.nonzero.default": "torch.topk",
    "disabling cudagraphs due to incompatible op aten._unique2.default": "torch.topk",
    "disabling cudagraphs due to incompatible op mine.scan.default": "call `mine.scan.default`",
    "skipping cudagraphs due to cpu device (arg1_1).": "make this tensor on the GPU",
    "multiple devices: device(type='cuda', index=0), device(type='cuda', index=1)": "one GPU",
    "graph with symbolic shapes inputs and config.triton.cudagraph_skip_dynamic_graphs=True.": (
        "pad to one size"
    ),
    "something new": "move this line out",
}


def skipped(folder: Path, text: str) -> list[Finding]:
    path = folder / "stderr.txt"
    path.write_text(text)
    return [*analyze(ca_reports.load([path])).diagnosis.findings]


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize(
    "head",
    [
        "W0325 14:02:58.402000 22 torch/_inductor/utils.py:17] [0/0] [__perf_hints] ",
        "W0325 14:02:58.402000 22 torch/_inductor/utils.py:17] [0/0] [__cudagraphs] ",
        "WARNING:torch._inductor.cudagraph_utils.__cudagraphs:",
        "",
    ],
)
@pytest.mark.parametrize("is_repeated", [False, True])
def test_a_skipped_cuda_graph_is_read_from_text(
    tmp_path: Path, reason: str, head: str, is_repeated: bool
) -> None:
    message = f"{SKIPPED}{reason}{FRAMES}"
    between = f"\n{head}" if is_repeated and head.startswith("W0") else "\n"
    text = head + between.join(message.splitlines())
    (found,) = skipped(tmp_path, f"epoch 1\n{text}\nepoch 2\n")
    assert (found.code, found.count) == ("CA902", 1)
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/home/user/track.py", 31)
    assert REASONS[reason] in found.fix
    assert "cudagraphs due to" not in found.message
    assert ("0/0" in found.message) == ("[0/0]" in head)


def test_a_skip_without_a_stack_is_said(tmp_path: Path) -> None:
    head = "V0325 14:02:58.402000 22 torch/_inductor/utils.py:17] [2/1] [__cudagraphs] "
    text = f"{head}recording cudagraph tree\n{head}{SKIPPED}cpu device (arg1_1)\n" * 2
    (found,) = skipped(tmp_path, text)
    assert (found.code, found.location, found.count) == ("CA902", None, 2)


def test_a_skip_is_read_from_the_metrics_of_a_compile(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.compiled("0/0", 1.0, STACK, cudagraph_skip_reason=f"{SKIPPED}cpu device (x)")
    log.compiled("1/0", 2.0, STACK, cudagraph_skip_reason=None)
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    (found,) = analyze(run).diagnosis.findings
    assert found.code == "CA902"
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/home/user/train.py", 7)


def test_what_was_skipped_while_code_ran_is_read_from_our_own_record(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for reason in (f"{SKIPPED}mutated inputs (4 instances){FRAMES}", f"{SKIPPED}cpu device (x)"):
        log.own("ca_cudagraph_skip", reason=reason, time=START)
    # What the metrics of a compile have as well is that compile's.
    log.compiled("0/0", 1.0, STACK, cudagraph_skip_reason=f"{SKIPPED}cpu device (x)")
    run = ca_reports.load([log.write(tmp_path / "trace.log")])
    found = {one.message: one for one in analyze(run).diagnosis.findings}
    assert set(found) == {
        "CUDA graphs were skipped: mutated inputs (4 instances)",
        "CUDA graphs of 0/0 were skipped: cpu device (x)",
    }
    place = found["CUDA graphs were skipped: mutated inputs (4 instances)"].location
    assert place is not None
    assert (place.file, place.line) == ("/home/user/track.py", 31)
