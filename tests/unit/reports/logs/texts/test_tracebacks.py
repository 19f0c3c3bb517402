"""Tracebacks in what a job prints: of compiles, alone and in the middle of other text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.errors import NothingReadable
from ca_reports.output.runs import headline
from tests.unit.logwriter import LogWriter
from tests.unit.reports.run.build.test_errors import BACKWARD, FORWARD, GRAPH

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Failure, Run

OWN = """Traceback (most recent call last):
  File "/t/train.py", line 17, in main
    rows[5]
IndexError: list index out of range
"""
CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
LIMIT = (
    "W1126 13:40:05.066000 77 torch/_dynamo/convert_frame.py:1676] [0/8] torch._dynamo hit "
    "config.recompile_limit (8)\n"
    "W1126 13:40:05.066000 77 torch/_dynamo/convert_frame.py:1676] [0/8]    function: 'step' "
    "(/t/train.py:4)\n"
    "W1126 13:40:05.066000 77 torch/_dynamo/convert_frame.py:1676] [0/8]    last reason: 0/7: "
    "k == 7\n"
)


def load(folder: Path, text: str) -> Run:
    path = folder / "err.txt"
    path.write_text(text)
    return ca_reports.load([str(path)])


def raised(folder: Path, text: str) -> list[Failure]:
    return [one for process in load(folder, text).processes for one in process.raised]


@pytest.mark.parametrize("traceback", [FORWARD, BACKWARD, GRAPH])
@pytest.mark.parametrize("prefix", ["", "[rank3]: ", "job-7 | "])
def test_a_traceback_behind_a_prefix(tmp_path: Path, traceback: str, prefix: str) -> None:
    text = "".join(f"{prefix}{line}\n" for line in traceback.splitlines())
    (found,) = raised(tmp_path, f"epoch 1\n{text}")

    assert found.line == 2
    run = load(tmp_path, f"epoch 1\n{text}")
    assert run.processes[0].rank == (3 if "rank" in prefix else None)
    assert run.processes[0].from_text


def test_an_exception_of_the_programs_own_is_nothing_that_can_be_read(tmp_path: Path) -> None:
    with pytest.raises(NothingReadable, match="of no exception that came out of a compile"):
        load(tmp_path, OWN)


COMPILED_BACKWARD = """Traceback (most recent call last):
  File "/t/forces.py", line 26, in main
    loss.backward()
  File "/v/site-packages/torch/autograd/graph.py", line 979, in _engine_run_backward
    return Variable._execution_engine.run_backward(
  File "/v/site-packages/torch/autograd/function.py", line 325, in apply
    return user_fn(self, *args)
  File "/v/site-packages/torch/_functorch/_aot_autograd/runtime_wrappers.py", line 3501, in {}
    raise RuntimeError(
RuntimeError: torch.compile with aot_autograd does not currently support double backward
"""


def test_the_backward_of_a_compiled_forward_is_of_compiled_code(tmp_path: Path) -> None:
    text = COMPILED_BACKWARD.format("backward")
    (found,) = raised(tmp_path, text)

    assert (found.stage, found.in_backward) == ("graph", True)
    analysis = analyze(load(tmp_path, text))
    told = headline(analysis.run, analysis.summary, analysis.diagnosis.findings)
    assert told.text == "Running a compiled backward raised RuntimeError."
    assert [one.code for one in analysis.diagnosis.findings] == ["CA603"]
    # Other functions of that file run where nothing is compiled.
    with pytest.raises(NothingReadable, match="of no exception that came out of a compile"):
        load(tmp_path, COMPILED_BACKWARD.format("other"))


def test_of_a_chain_the_last_out_of_a_compile_counts(tmp_path: Path) -> None:
    own = OWN.replace("IndexError: list index", "SystemError: the model")
    limit = FORWARD.replace("torch._dynamo.exc.BackendCompilerFailed", "torch._dynamo.exc.Other")

    assert [one.type for one in raised(tmp_path, FORWARD + CAUSE + own)] == [
        "BackendCompilerFailed"
    ]
    assert [one.type for one in raised(tmp_path, FORWARD + CAUSE + limit)] == ["Other"]
    assert [one.type for one in raised(tmp_path, FORWARD + "\n" + limit)] == [
        "BackendCompilerFailed",
        "Other",
    ]


@pytest.mark.parametrize("prefix", ["job-7 | ", "2026-11-28T02:14:38.0%Z [trainer-0|0]: "])
def test_a_chain_whose_empty_lines_have_a_prefix_is_one_exception(
    tmp_path: Path, prefix: str
) -> None:
    limit = FORWARD.replace("torch._dynamo.exc.BackendCompilerFailed", "torch._dynamo.exc.Other")
    lines = (FORWARD + CAUSE + limit + "\nepoch 2\n").splitlines()
    text = "".join(f"{prefix.replace('%', str(at))}{line}\n" for at, line in enumerate(lines))
    (found,) = raised(tmp_path, text)

    assert found.type == "Other"
    assert "epoch 2" not in found.text


def test_a_text_with_empty_lines_is_whole_and_ends(tmp_path: Path) -> None:
    more = '\nfrom user code:\n   File "/t/train.py", line 6, in step\n    x.view(6)\n\nepoch 2\n'
    (found,) = raised(tmp_path, FORWARD + more)

    assert "line 6, in step" in found.text
    assert "epoch 2" not in found.text


def test_a_process_that_wrote_other_lines_owns_it(tmp_path: Path) -> None:
    for text in (LIMIT + FORWARD, FORWARD + LIMIT):
        (process,) = load(tmp_path, text).processes
        assert (process.pid, len(process.compiles), len(process.raised)) == (77, 1, 1)


def test_what_dynamo_logs_as_suppressed_did_not_end_the_run(tmp_path: Path) -> None:
    prefix = "W1126 13:39:04.476000 17801 torch/_dynamo/convert_frame.py:2415] "
    text = "".join(f"{prefix}{line}\n" for line in FORWARD.splitlines())
    analysis = analyze(load(tmp_path, text))

    assert [one.outcome for one in analysis.summary.failures] == ["suppressed"]
    assert analysis.diagnosis.findings[0].severity == "warning"


def test_the_headline_of_a_pasted_traceback(tmp_path: Path) -> None:
    analysis = analyze(load(tmp_path, FORWARD))

    told = headline(analysis.run, analysis.summary, analysis.diagnosis.findings)
    assert told.text == "A compile raised BackendCompilerFailed."
    assert analysis.diagnosis.findings[0].severity == "error"


def test_lines_of_a_trace_before_it_do_not_hide_it(tmp_path: Path) -> None:
    log = LogWriter(pid=77)
    log.ca_run()
    (found,) = raised(tmp_path, log.data.decode() + "noise\n" * 50_000 + FORWARD + "noise\n" * 9)

    assert found.called_from is not None
    assert found.called_from.code == "fast(x)"


@pytest.mark.parametrize("cut", range(0, len(FORWARD), 40))
def test_a_cut_one_breaks_nothing(tmp_path: Path, cut: int) -> None:
    log = LogWriter()
    log.ca_run()
    load(tmp_path, log.data.decode() + FORWARD[:cut] + "\n" + FORWARD[cut:])


@pytest.mark.parametrize(
    "cut",
    [
        # The first lines up to the middle of a frame; some frames in the middle.
        lambda lines: [lines[0], 'ite-packages/torch/_dynamo/x.py", line 5, in go', *lines[4:]],
        lambda lines: [*lines[:3], "...", *lines[5:]],
        lambda lines: [*lines[:3], "[snip]", *lines[3:]],
    ],
)
def test_a_traceback_with_lines_cut_out_is_read(tmp_path: Path, cut: Any) -> None:
    lines = FORWARD.splitlines()
    assert lines[3].startswith('  File "')
    assert lines[5].startswith('  File "')

    (found,) = raised(tmp_path, "\n".join(cut(lines)) + "\n")

    (whole,) = raised(tmp_path, FORWARD)
    assert (found.type, found.text) == (whole.type, whole.text)


WARNED = """Traceback (most recent call last):
  File "/home/ci/serve/run_one.py", line 52, in main
    out = compiled(pixels)
  File "/opt/lib/python3.10/site-packages/torch/_dynamo/exc.py", line 221, in unimplemented
    raise Unsupported(msg)
torch._dynamo.exc.Unsupported: Graph break due to unsupported Python builtin _warnings.warn. \
Please file an issue on GitHub so the PyTorch team can add support for it.

from user code:
   File "/home/ci/serve/backbone.py", line 203, in forward
    feats = self.stages(self.patchify(x, legacy_order=True))
  File "/home/ci/serve/patch.py", line 31, in patchify
    warnings.warn("legacy_order will go in 0.9", DeprecationWarning)
"""


def test_a_break_that_was_an_error_is_a_finding_of_its_kind(tmp_path: Path) -> None:
    # GIVEN the traceback of torch 2.4, whose kinds of breaks have no numbers
    run = load(tmp_path, WARNED)
    (finding,) = analyze(run).diagnosis.findings
    assert finding.code == "CA803"
    assert finding.message.startswith("`warnings.warn` in `patchify` ends the compile of `forward`")
    assert finding.location is not None
    assert (finding.location.file, finding.location.line) == ("/home/ci/serve/patch.py", 31)
    assert finding.failure is not None
    (broken,) = run.graph_breaks
    assert (broken.is_error, broken.count) == (True, 1)


def test_another_exception_beside_it_is_not_the_breaks(tmp_path: Path) -> None:
    other = WARNED.replace("Graph break due to unsupported", "Dynamo recompile limit exceeded:")
    found = analyze(load(tmp_path, other)).diagnosis.findings
    assert [one.code for one in found] == ["CA610"]
