"""TORCH_LOGS text, alone and in the middle of what else a job prints."""

from __future__ import annotations

import json
import random
import re
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.errors import NothingReadable
from ca_reports.output import json as as_json
from ca_reports.output.runs import graph_totals, run_totals
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ca_reports.facts.summary import Summary
    from ca_reports.run.model import Run

VERBOSE = "compiled_autograd_verbose"
GRAPH = """TRACED GRAPH
 ===== Compiled autograd graph =====
 <eval_with_key>.1 class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        getitem = inputs[0]
        return []
"""
BREAK = """Graph break in user code at /home/user/train.py:9
Graph Break Reason: Data-dependent branching
  Explanation: Detected data-dependent branching.

User code traceback:
  File "/home/user/train.py", line 18, in <module>
    loss = fwd(x).sum()
  File "/home/user/train.py", line 9, in fwd
    if x.sum() > 0:
"""
BREAK_AGAIN = """Graph break (user stack suppressed due to duplicate graph break) in user code at \
/home/user/train.py:9
Graph Break Reason: Data-dependent branching
  Explanation: Detected data-dependent branching.
"""
RECOMPILE = """Recompiling function fwd in /home/user/train.py:7
    triggered by the following guard failure(s):
    - 4/0: tensor 'x' size mismatch at index 0. expected 10, actual 100
    - User stack trace:
    -   File "/home/user/train.py", line 7, in fwd
"""


class TextLog:
    """Writes lines the way torch's log formatter does."""

    def __init__(self, pid: int = 20248, rank: int | None = None) -> None:
        self.lines: list[str] = []
        self._pid = pid
        self._rank = "" if rank is None else f"[rank{rank}]:"
        self._time = 0

    def say(self, place: str, context: str, artifact: str, text: str) -> None:
        self._time += 7
        head = (
            f"{self._rank}V1121 06:36:{self._time // 1000:02d}.{self._time % 1000:03d}000 "
            f"{self._pid} torch/{place}] {context}[__{artifact}] "
        )
        self.lines += [head + line for line in text.split("\n")]

    def miss(self, id: int, reason: str) -> None:
        self.say("autograd/graph.py:979", "", VERBOSE, f"Cache miss due to {reason}")
        self.say("_dynamo/compiled_autograd.py:1083", f"[!{id}] ", VERBOSE, "DCE removed 3 nodes")
        self.say("_dynamo/compiled_autograd.py:1207", f"[!{id}] ", VERBOSE, GRAPH)

    def sample(self) -> TextLog:
        """Three captures, a recompile, a graph break that happens twice."""
        root = "torch::autograd::GraphRoot (NodeCall 0) with key size 39, previous key sizes=[]"
        self.miss(0, f"new autograd node: {root}")
        self.say("_dynamo/symbolic_convert.py:5124", "[4/0] ", "graph_breaks", BREAK)
        self.miss(1, "new autograd node: SubBackward0 (NodeCall 2) with key size 56, previous "
                     "key sizes=[]")  # fmt: skip
        self.say("_dynamo/guards.py:5396", "[4/1] ", "recompiles", RECOMPILE)
        self.say("_dynamo/symbolic_convert.py:5124", "[4/1] ", "graph_breaks", BREAK_AGAIN)
        self.miss(2, "2 changed tensor shapes (total of 6): sizes[0], sizes[4]")
        return self

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def load(tmp_path: Path, text: str, name: str = "stderr.txt") -> Run:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return ca_reports.load([path])


def check_sample(run: Run) -> None:
    assert [capture.label for capture in run.captures] == ["!0", "!1", "!2"]
    assert [capture.kind for capture in run.captures] == [
        "first", "new_autograd_node", "changed_shapes",
    ]  # fmt: skip
    second = run.captures[1]
    assert second.node is not None
    assert (second.node.name, second.key_size) == ("SubBackward0", 56)
    assert run.captures[2].sizes_changed == (0, 4)
    assert all(
        capture.graph is not None and capture.graph.text.startswith("class CompiledAutograd0(")
        for capture in run.captures
    )
    (recompile,) = run.recompiles
    assert recompile.compile_id == "4/1"
    assert recompile.recompile_reason == (
        "4/0: tensor 'x' size mismatch at index 0. expected 10, actual 100\n"
        'User stack trace:\n  File "/home/user/train.py", line 7, in fwd'
    )
    assert recompile.location is not None
    assert (recompile.location.file, recompile.location.line) == ("/home/user/train.py", 7)
    (found,) = run.graph_breaks
    assert (found.reason, found.count) == ("Data-dependent branching", 2)
    assert found.location is not None
    assert (found.location.line, found.location.code) == (9, "if x.sum() > 0:")


def test_a_stderr_of_nothing_else(tmp_path: Path) -> None:
    run = load(tmp_path, TextLog().sample().text)
    check_sample(run)
    assert not run.damage
    (process,) = run.processes
    assert process.from_text
    assert (process.pid, process.rank, process.recorded) == (20248, None, False)


def _progress_bar(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(
        f"\r 30%|███▍      | 3/10 [00:01<00:02, 2.1it/s]{line}" if number % 5 == 0 else line
        for number, line in enumerate(lines)
    )


def _prints_between(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(
        f"step {number} loss 0.3\n\tindented\n{{'a': 1}}\n{line}"
        for number, line in enumerate(lines)
    )


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_prints_between, id="prints between the lines"),
        pytest.param(_progress_bar, id="a progress bar before some"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
        pytest.param(
            lambda text: "".join(
                f"\x1b[36m[default0]:\x1b[0m{line}" for line in text.splitlines(keepends=True)
            ),
            id="a launcher's coloured prefix",
        ),
        pytest.param(
            lambda text: text.replace("Cache miss", "\x1b[31mCache miss\x1b[0m"), id="colours"
        ),
        pytest.param(lambda text: "\udcff\udcfe\x00 binary\n" + text, id="bytes that are no text"),
        pytest.param(lambda text: text[:-1], id="no newline at the end"),
        pytest.param(
            lambda text: text.replace("[4/0] [", "[4/0_1] ["), id="a second attempt"
        ),
    ],
)  # fmt: skip
def test_the_middle_of_a_jobs_stderr(tmp_path: Path, change: Callable[[str], str]) -> None:
    run = load(tmp_path, change(TextLog().sample().text))
    check_sample(run)
    assert not run.damage


def test_heads_of_which_times_and_processes_were_cut_off(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^V1121 [\d:.]+ \d+ ", "", TextLog().sample().text)
    assert text.startswith("torch/autograd/graph.py:979] [__")

    run = load(tmp_path, text)

    assert [found.compile_id for found in run.recompiles] == ["4/1"]
    assert [found.id for found in run.captures] == [0, 1, 2]
    assert [found.count for found in run.graph_breaks] == [2]


def test_a_recompile_whose_guards_were_cut_off_has_no_reason(tmp_path: Path) -> None:
    log = TextLog()
    log.say("_dynamo/guards.py:5396", "[4/1] ", "recompiles", RECOMPILE.partition("\n")[0])
    run = load(tmp_path, log.text)
    (found,) = analyze(run).diagnosis.findings
    assert (found.code, found.compile_ids) == ("CA001", ("4/1",))
    assert "does not hold the guards that failed" in found.message
    assert analyze(run).guard_that_failed(run.recompiles[0]) == "not in this log"


def test_a_stride_that_failed_is_a_layout(tmp_path: Path) -> None:
    """Sizes are compared first, whatever the numbers look like."""
    told = "tensor 'x' stride mismatch at index 0. expected 17, actual 22"
    log = TextLog()
    log.say(
        "_dynamo/guards.py:5396", "[4/1] ", "recompiles",
        f"Recompiling function f in /t/a.py:3\n    triggered by the following\n    - 4/0: {told}",
    )  # fmt: skip
    (found,) = analyze(load(tmp_path, log.text)).diagnosis.findings
    assert (found.code, found.is_note) == ("CA111", False)
    assert "stride 17 → 22" in found.message


def test_ranks_in_one_stderr(tmp_path: Path) -> None:
    lines = [
        (number, rank, line)
        for rank in range(3)
        for number, line in enumerate(TextLog(100 + rank, rank).sample().lines)
    ]
    # Line by line in turn, as three processes write into one pipe.
    run = load(tmp_path, "".join(f"{line}\n" for _, _, line in sorted(lines)))
    assert [(process.rank, process.pid) for process in run.processes] == [
        (0, 100), (1, 101), (2, 102),
    ]  # fmt: skip
    for process in run.processes:
        assert [capture.rank for capture in process.captures] == [process.rank] * 3
        assert len(process.graph_breaks) == 1
        assert [found.compile_id for found in process.compiles] == ["4/0", "4/1"]


def test_a_reason_without_a_capture_is_not_lost(tmp_path: Path) -> None:
    log = TextLog()
    log.miss(0, "new autograd node: torch::autograd::GraphRoot (NodeCall 0) with key size 39, "
                "previous key sizes=[]")  # fmt: skip
    # The capture of this one failed, so no graph of !1 was shown.
    log.say("autograd/graph.py:979", "", VERBOSE, "Cache miss due to new autograd node: "
            "BadBackward (NodeCall 1) with key size 3, previous key sizes=[]")  # fmt: skip
    log.miss(2, "1 changed tensor shapes (total of 6): sizes[3]")
    log.say("autograd/graph.py:979", "", VERBOSE, "Cache miss due to 1 changed tensor shapes "
            "(total of 6): sizes[5]")  # fmt: skip
    run = load(tmp_path, log.text)
    told = [
        (found.id, found.node and found.node.name, found.sizes_changed) for found in run.captures
    ]
    assert told == [
        (0, "torch::autograd::GraphRoot", ()),
        (1, "BadBackward", ()),
        (2, None, (3,)),
        (3, None, (5,)),
    ]


def test_two_lines_torn_into_one(tmp_path: Path) -> None:
    first, second = TextLog(1, 0).sample().lines, TextLog(2, 1).sample().lines
    # Rank 1's line begins where rank 0's newline should have been.
    joined = [a + b for a, b in zip(first, second, strict=True)]
    run = load(tmp_path, "\n".join(joined) + "\n")
    assert [len(process.captures) for process in run.processes] == [3, 3]


def test_the_stderr_adds_reasons_to_the_trace_of_the_same_process(tmp_path: Path) -> None:
    trace = LogWriter(pid=20248)
    for id in range(3):
        trace.torch_capture(id, seconds=0.5)
    trace.write(tmp_path / "trace.log")
    (tmp_path / "stderr.txt").write_text(TextLog().sample().text)
    run = ca_reports.load([tmp_path / "trace.log", tmp_path / "stderr.txt"])
    (process,) = run.processes
    assert not process.from_text
    assert [capture.kind for capture in run.captures] == [
        "first", "new_autograd_node", "changed_shapes",
    ]  # fmt: skip
    assert run.captures[1].seconds.capture == 0.5
    assert len(run.recompiles) == 1


def test_parts_of_a_rotated_stderr_are_one_process(tmp_path: Path) -> None:
    lines = TextLog().sample().lines
    (tmp_path / "err.log.1").write_text("\n".join(lines[:20]) + "\n")
    (tmp_path / "err.log").write_text("\n".join(lines[20:]) + "\n")
    run = ca_reports.load([tmp_path / "err.log.1", tmp_path / "err.log"])
    (process,) = run.processes
    assert [capture.id for capture in process.captures] == [0, 1, 2]


def test_text_of_other_artifacts_only_says_what_to_set(tmp_path: Path) -> None:
    log = TextLog()
    log.say("_dynamo/output_graph.py:1", "[0/0] ", "graph_code", "TRACED GRAPH")
    with pytest.raises(NothingReadable, match="compiled_autograd_verbose"):
        load(tmp_path, log.text)


@given(seed=st.integers(0, 2**32), cuts=st.integers(1, 12), junk=st.binary(max_size=8))
def test_damaged_text_never_raises_and_spares_what_it_did_not_touch(
    tmp_path_factory: pytest.TempPathFactory, seed: int, cuts: int, junk: bytes
) -> None:
    chosen = random.Random(seed)
    lines = TextLog().sample().text.encode().splitlines(keepends=True)
    touched = {chosen.randrange(len(lines)) for _ in range(cuts)}
    damaged = [
        line[: chosen.randrange(len(line))] + junk + b"\n" if number in touched else line
        for number, line in enumerate(lines)
    ]
    path = tmp_path_factory.mktemp("damaged") / "stderr.txt"
    path.write_bytes(b"".join(damaged))
    run = ca_reports.load([path])
    missed = [number for number, line in enumerate(lines) if b"Cache miss due to" in line]
    intact = sum(number not in touched for number in missed)
    reasons = [capture for capture in run.captures if capture.reason is not None]
    assert len(reasons) >= intact
    assert {capture.id for capture in run.captures} <= {0, 1, 2, 3}


ROOT = (
    "new autograd node: torch::autograd::GraphRoot (NodeCall 0) with key size 39, "
    "previous key sizes=[]"
)
LIMIT = """torch._dynamo hit config.{limit} (8)
   function: 'fwd' (/home/user/train.py:7)
   last reason: 4/7: n == 3.0                              # return x * n  # train.py:8 in fwd
User stack trace:
  File "/home/user/train.py", line 8, in fwd
    return x * n
To log all recompilation reasons, use TORCH_LOGS="recompiles".
To diagnose recompilation issues, see https://docs.pytorch.org/docs/main/recompilation.html"""


def test_torch_2_6_tells_a_miss_by_sizes_one_line_a_size(tmp_path: Path) -> None:
    # As `VerboseLogger` of torch 2.6 writes it; a capture's id is only in the graph's name.
    log = TextLog()
    for id, reasons in enumerate((
        [ROOT],
        [f"changed shapes: marking size idx {size} of {node} as dynamic"
         for size, node in ((0, "torch::autograd::GraphRoot (NodeCall 0)"),
                            (1, "SumBackward0 (NodeCall 1)"))],
        ["new autograd node: SinBackward0 (NodeCall 2) with key size 47, previous key sizes=[]"],
    )):  # fmt: skip
        for reason in reasons:
            log.say("_dynamo/compiled_autograd.py:979", "", VERBOSE, f"Cache miss due to {reason}")
        graph = GRAPH.replace("CompiledAutograd0", f"CompiledAutograd{id}")
        log.say("_dynamo/compiled_autograd.py:1207", "", VERBOSE, graph)
    run = load(tmp_path, log.text)
    assert [(found.id, found.kind) for found in run.captures] == [
        (0, "first"), (1, "changed_shapes"), (2, "new_autograd_node"),
    ]  # fmt: skip
    assert run.captures[1].reason is not None
    assert run.captures[1].reason.count("marking size idx") == 2
    assert all(found.graph is not None for found in run.captures)


STARTED = """torchdynamo start compiling {code}, stack (elided 4 frames):
  File "/home/user/train.py", line 33, in <module>
    main()
  File "/home/user/train.py", line 27, in main
    {call}
{deeper}"""
ENGINE = """  File "/lib/site-packages/torch/autograd/graph.py", line 9, in _engine_run_backward
    return run_backward()
  File "/lib/site-packages/torch/fx/graph_module.py", line 7, in call_wrapped
    return self()
"""


def test_dynamos_own_messages_tell_who_called_what_is_compiled(tmp_path: Path) -> None:
    log = TextLog()
    start = "_dynamo/convert_frame.py:2041"
    forward = STARTED.format(code="fwd /home/user/net.py:7", call="fwd(x)", deeper="")
    log.say(start, "[0/0] ", "", forward)
    log.miss(0, ROOT)
    code = "forward <eval_with_key>.0:4"
    graph = STARTED.format(code=code, call="loss.backward()", deeper=ENGINE)
    log.say(start, "[!0/1/0] ", "", graph)
    log.say("_dynamo/guards.py:5396", "[0/1] ", "recompiles", RECOMPILE.replace("4/0", "0/0"))
    log.say(start, "[0/1] ", "", forward)
    run = load(tmp_path, log.text.replace("[__] ", ""))
    (capture,) = run.captures
    assert capture.backward_call is not None
    assert (capture.backward_call.line, capture.backward_call.code) == (27, "loss.backward()")
    assert [found.compile_id for found in run.forward_compiles] == ["0/0", "0/1"]
    assert [found.stack[1].code for found in run.forward_compiles] == ["fwd(x)"] * 2
    assert run.forward_compiles[1].recompile_reason is not None
    assert not run.damage


@pytest.mark.parametrize("limit", ["recompile_limit", "cache_size_limit"])
def test_a_recompile_limit_is_seen_without_torch_logs(tmp_path: Path, limit: str) -> None:
    log = TextLog()
    log.say("_dynamo/convert_frame.py:1994", "[4/8] ", "", LIMIT.format(limit=limit))
    text = log.text.replace("[__] ", "")
    run = load(tmp_path, f"step 7\n{text}W1121 06:36:01.000000 20248 torch/x.py:1] another\n")
    (compiled,) = run.compiles
    assert (compiled.compile_id, compiled.location and compiled.location.line) == ("4/8", 7)
    assert compiled.fail_reason == f"Dynamo recompile limit exceeded: config.{limit} (8)"
    assert compiled.recompile_reason is not None
    assert compiled.recompile_reason.startswith("4/7: n == 3.0 ")
    assert compiled.recompile_reason.endswith("    return x * n")
    assert not run.damage


def test_all_reasons_of_a_recompile_are_kept_beside_the_limit(tmp_path: Path) -> None:
    log = TextLog()
    log.say("_dynamo/guards.py:5396", "[4/8] ", "recompiles", RECOMPILE)
    log.say("_dynamo/convert_frame.py:1994", "[4/8] ", "", LIMIT.format(limit="recompile_limit"))
    run = load(tmp_path, log.text.replace("[__] ", ""))
    (compiled,) = run.compiles
    assert (compiled.recompile_reason or "").startswith("4/0: tensor 'x' size mismatch")
    assert compiled.fail_reason is not None


def test_jobs_one_after_the_other_in_one_file(tmp_path: Path) -> None:
    # In a container the process of each job has the same number.
    run = load(tmp_path, TextLog(7, 0).sample().text + "next job\n" + TextLog(7, 0).sample().text)
    assert [[found.id for found in process.captures] for process in run.processes] == [
        [0, 1, 2], [0, 1, 2],
    ]  # fmt: skip
    assert [process.rank for process in run.processes] == [0, 0]
    assert all(
        [found.kind for found in process.captures]
        == ["first", "new_autograd_node", "changed_shapes"]
        for process in run.processes
    )
    assert sum(len(process.graph_breaks) for process in run.processes) == 2
    assert not run.damage


def test_other_loggers_and_their_times(tmp_path: Path) -> None:
    others = (
        "2026-11-21 06:36:28,935 - INFO - [0] [__main__] step 3",
        "I1121 06:36:28.935 7 glog.cc:12] [0/1] served",
        "[2026-11-21 06:36:28,935] torch._dynamo: [WARNING] [0/1] something",
        "[rank0]:[W1121 06:36:28.935000000 ProcessGroupNCCL.cpp:1] [0/1] a warning",
        "Epoch 1:  50%|█████     | 5/10 [00:01<00:01] [__recompiles]",
    )
    lines = TextLog().sample().lines
    text = "".join(f"{line}\n{others[n % len(others)]}\n" for n, line in enumerate(lines))
    run = load(tmp_path, text)
    check_sample(run)
    assert not run.damage


def test_where_backward_was_called_is_taken_from_the_only_break_at_a_call(tmp_path: Path) -> None:
    def backward_break(log: TextLog, line: int) -> None:
        log.say("_dynamo/symbolic_convert.py:5124", "[0/0] ", "graph_breaks", (
            f"Graph break in user code at /home/user/train.py:{line}\n"
            "Graph Break Reason: Unsupported Tensor.backward() call\n"
            "  Explanation: Dynamo currently does not support tracing `Tensor.backward()`.\n\n"
            "User code traceback:\n"
            f'  File "/home/user/train.py", line {line}, in step\n    loss.backward()\n'
        ))  # fmt: skip

    log = TextLog()
    backward_break(log, 30)
    log.sample()
    log.say("_dynamo/guards.py:5396", "[!2/5/1] ", "recompiles", RECOMPILE.replace("4/0", "!2/5/0"))
    run = load(tmp_path, log.text)
    assert {found.backward_call and found.backward_call.line for found in run.captures} == {30}
    assert not [found for found in run.graph_breaks if found.location and found.location.line == 30]
    again = next(found for found in run.recompiles if found.capture == 2)
    assert again.location is not None
    assert (again.location.line, again.location.code) == (30, "loss.backward()")
    backward_break(log, 50)
    run = load(tmp_path, log.text)
    assert {found.backward_call for found in run.captures} == {None}


ADAM = "/home/user/venv/lib/python3.11/site-packages/torch/optim/adam.py"
OF_OPTIMIZER = f"""Recompiling function step in {ADAM}:214
    triggered by the following guard failure(s):
    - 2/0: self.param_groups[0]['betas'][0] == 0.95  # for group in self.param_groups:
"""


def summary_of(run: Run) -> Summary:
    return analyze(run).summary


def told(run: Run) -> str:
    return run_totals(run, summary_of(run), analyze(run).diagnosis.findings)


def test_a_compiled_optimizer_is_the_users_compile(tmp_path: Path) -> None:
    log = TextLog()
    log.say("_dynamo/guards.py:5396", "[2/1] ", "recompiles", OF_OPTIMIZER)
    run = load(tmp_path, log.text)
    assert told(run) == (
        "1 recompile; this log has no times, so the loss is unknown. "
        "1 recompile; not in this log: compiles, graph breaks and times."
    )
    assert [found.code for found in analyze(run).diagnosis.findings] == ["CA702"]
    # Beside captures it still is; a function of Python's is torch's own helper there, and said.
    log.sample()
    helper = OF_OPTIMIZER.replace(ADAM, "/usr/lib/python3.11/inspect.py").replace("2/0", "7/0")
    log.say("_dynamo/guards.py:5396", "[7/1] ", "recompiles", helper)
    run = load(tmp_path, log.text)
    assert [found.compile_id for found in run.recompiles] == ["2/1", "4/1"]
    assert (summary_of(run).internal_compiles, summary_of(run).internal_recompiles) == (1, 1)
    assert "not counted: 1 compile (1 recompile) that torch started around captured" in told(run)


def test_what_was_not_logged_is_not_in_the_log(tmp_path: Path) -> None:
    log = TextLog()
    log.say("_dynamo/symbolic_convert.py:5124", "[4/0] ", "graph_breaks", BREAK)
    run = load(tmp_path, log.text)
    summary = summary_of(run)
    assert (summary.graph_breaks, summary.forward_compiles, summary.dynamo_recompiles) == (
        1, None, None,
    )  # fmt: skip
    assert (summary.seconds_lost, summary.forward_graphs) == (None, None)
    assert told(run) == (
        "1 problem; recompiles are not in this log. "
        "1 graph break at 1 place; not in this log: compiles, recompiles and times."
    )
    assert "0 " not in graph_totals(run, summary)
    answer = json.loads(as_json.render(analyze(run)))
    assert answer["summary"]["not_in_log"] == [
        "captures", "compiles", "recompiles", "times",
    ]  # fmt: skip
    assert answer["forward"]["compiles"] is answer["summary"]["dynamo_recompiles"] is None


def test_captures_that_only_their_breaks_name_are_a_least_number(tmp_path: Path) -> None:
    log = TextLog()
    log.say("_dynamo/symbolic_convert.py:5124", "[!0/2/0] ", "graph_breaks", BREAK)
    run = load(tmp_path, log.text)
    assert "At least 1 capture; 1 graph break at 1 place" in told(run)
    expected = "Compiled autograd captured at least 1 backward graph."
    assert graph_totals(run, summary_of(run)) == expected


def test_processes_of_one_text_were_logged_alike(tmp_path: Path) -> None:
    first, second = TextLog(7, 0), TextLog(8, 1)
    first.say("_dynamo/guards.py:5396", "[4/1] ", "recompiles", RECOMPILE)
    second.say("_dynamo/symbolic_convert.py:5124", "[4/0] ", "graph_breaks", BREAK)
    run = load(tmp_path, first.text + second.text)
    assert run.missing == {"captures", "compiles", "times"}


def test_a_limit_tells_how_many_versions_there_are_and_nothing_of_their_values(
    tmp_path: Path,
) -> None:
    log = TextLog()
    log.say("_dynamo/convert_frame.py:1994", "[4/8] ", "", LIMIT.format(limit="recompile_limit"))
    run = load(tmp_path, log.text.replace("[__] ", ""))
    assert told(run) == (
        "At least 7 recompiles; this log has no times, so the loss is unknown. "
        "At least 7 recompiles; not in this log: compiles, graph breaks and times."
    )
    (finding,) = analyze(run).diagnosis.findings
    assert finding.message == (
        "guard `n == 3.0` failed last: `fwd` hit recompile_limit and has run uncompiled since; "
        "what made its 8 or more versions is not in this log"
    )
    # The kind of thing is known, and that it may not be all.
    assert finding.fix.startswith("pass `n` as a 0-dim tensor")
    assert "TORCH_LOGS=recompiles" in finding.fix


HINT = (
    "(HINT: torch.compile considers integer attributes of the nn.Module to be static. If you are "
    "observing recompilation, you might want to make this integer dynamic using "
    "torch._dynamo.config.allow_unspec_int_on_nn_module = True, or convert this integer into a "
    "tensor.)"
)


@pytest.mark.parametrize(
    ("reason", "code", "fix"),
    [
        (f"self.calls == 7   # x * self.calls  # train.py:8 in fwd {HINT}", "CA704",
         "keep `self.calls` as a buffer"),
        ("self.scale == 1.5", "CA704", "keep `self.scale` as a buffer"),
        ("n == 7", "CA701", "pass `n` as a tensor"),
        ("G['SCALE'] == 7", "CA705", "make `SCALE` a tensor"),
        ("name == 'h'", "CA703", "choose by `name` outside"),
        ("len(kept) == 5", "CA710", "stack `kept` into one tensor"),
        # The length is the number of its version: each call added one.
        ("len(kept) == 7", "CA710", "keep what is collected outside the compiled forward"),
        ("tensor 'x' size mismatch at index 0. expected 16, actual 20", "CA102",
         "compile with dynamic=True"),
        # Of flags and dtypes there are fewer than a limit: others made versions, too.
        ("flag is None", "CA703", "see what changed first"),
        ("tensor 'x' dtype mismatch. expected Float, actual Double", "CA708",
         "see what changed first"),
    ],
)  # fmt: skip
def test_the_last_reason_of_a_limit_tells_the_remedy_of_its_kind(
    tmp_path: Path, reason: str, code: str, fix: str
) -> None:
    log = TextLog()
    text = LIMIT.format(limit="recompile_limit").split("last reason")[0]
    log.say("_dynamo/convert_frame.py:1994", "[4/8] ", "", f"{text}last reason: 4/7: {reason}\n")
    run = load(tmp_path, log.text.replace("[__] ", ""))
    (finding,) = analyze(run).diagnosis.findings
    assert finding.code == code
    assert finding.fix.startswith(fix)
    assert "TORCH_LOGS=recompiles" in finding.fix
    assert ("allow_unspec_int_on_nn_module" in finding.fix) == (HINT in reason)


def test_of_a_dimension_that_reasons_alone_tell_others_may_vary_too(tmp_path: Path) -> None:
    # GIVEN an image whose height and width vary: torch's reason names the first that differs
    log = TextLog()
    for number, size in enumerate((40, 48, 56), 1):
        text = RECOMPILE.split("    - ")[0]
        text += f"    - 4/0: tensor 'x' size mismatch at index 2. expected 32, actual {size}"
        log.say("_dynamo/guards.py:5396", f"[4/{number}] ", "recompiles", text)
    (finding,) = analyze(load(tmp_path, log.text)).diagnosis.findings
    assert (finding.code, finding.subject and finding.subject.dimensions) == ("CA102", (2,))
    assert finding.fix.startswith("compile with dynamic=True, or call ")


@pytest.mark.parametrize("sizes", ["expected 100, actual 10", "expected 10, actual 100"])
def test_two_sizes_at_a_limit_are_no_short_batch(tmp_path: Path, sizes: str) -> None:
    log = TextLog()
    text = LIMIT.format(limit="recompile_limit").split("last reason")[0]
    text += f"last reason: 4/7: tensor 'x' size mismatch at index 0. {sizes}\n"
    log.say("_dynamo/convert_frame.py:1994", "[4/8] ", "", text)
    run = load(tmp_path, log.text.replace("[__] ", ""))
    (finding,) = analyze(run).diagnosis.findings
    assert finding.code == "CA102"
    assert finding.message.endswith("what made its 8 or more versions is not in this log")


ITEM = """Graph break from `Tensor.item()`, consider setting:
    torch._dynamo.config.capture_scalar_outputs = True
or:
    env TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS=1
to include these operations in the captured graph.

Graph break: from user code at:
  File "/home/user/train.py", line 5, in scale
    peak = x.abs().max().item()
"""


def test_the_warning_of_the_first_item_is_a_break(tmp_path: Path) -> None:
    log = TextLog()
    log.say("_dynamo/variables/tensor.py:1759", "[0/0] ", "", ITEM)
    run = load(tmp_path, log.text.replace("[__] ", ""))
    (found,) = run.graph_breaks
    assert found.location is not None
    assert (found.location.line, found.location.function) == (5, "scale")
    assert [one.code for one in analyze(run).diagnosis.findings] == ["CA802"]
    assert "At least 1 graph break at 1 place; not in this log: compiles, recompiles" in told(run)
    # Where breaks are logged it is one of them.
    log.say("_dynamo/symbolic_convert.py:5124", "[4/0] ", "graph_breaks", BREAK)
    run = load(tmp_path, log.text.replace("[__] ", ""))
    assert [one.location and one.location.line for one in run.graph_breaks] == [9]


VERBOSE_2023 = """\
DEBUG:torch._dynamo.compiled_autograd.__compiled_autograd_verbose:Cache miss due to new autograd \
node: torch::autograd::GraphRoot (NodeCall 0) with key size 39, previous key sizes=[]
step 1
DEBUG:torch._dynamo.compiled_autograd.__compiled_autograd_verbose:Cache miss due to new autograd \
node: torch::autograd::AccumulateGrad (NodeCall 5) with key size 32, previous key sizes=[21]
DEBUG:torch._dynamo.compiled_autograd.__compiled_autograd_verbose:Cache miss due to dynamic \
shapes: collected size idx 0 of torch::autograd::GraphRoot (NodeCall 0)
DEBUG:torch._dynamo.compiled_autograd.__compiled_autograd_verbose:Cache miss due to dynamic \
shapes: collected size idx 2 of SumBackward0 (NodeCall 1)
"""


def test_lines_of_pythons_logging(tmp_path: Path) -> None:
    recompile = "\n".join(RECOMPILE.split("\n")[:3])
    text = f"{VERBOSE_2023}DEBUG:torch._dynamo.guards.__recompiles: [4/1] {recompile}\nstep 2\n"
    run = load(tmp_path, text)
    assert [found.kind for found in run.captures] == [
        "first", "new_autograd_node", "changed_shapes",
    ]  # fmt: skip
    (again,) = run.recompiles
    assert again.compile_id == "4/1"
    assert again.recompile_reason == (
        "4/0: tensor 'x' size mismatch at index 0. expected 10, actual 100"
    )
    assert not run.damage


NAMED_BREAK = """\
DEBUG:torch._dynamo.symbolic_convert.__graph_breaks:Graph break in user code at /t/train.py:9
Graph Break Reason: Data-dependent branching
  Explanation: Detected data-dependent branching.

  Developer debug context: attempted to jump with TensorVariable() [] [a]

User code traceback:
  File "/t/train.py", line 9, in step
    if x.sum() > 0:
"""


@pytest.mark.parametrize("before", ["", "[rank0]: ", "2026-11-27T16:19:43.4870000Z "])
@pytest.mark.parametrize("artifact", ["recompiles", "recompiles_verbose"])
def test_lines_of_pythons_logging_without_ids(tmp_path: Path, artifact: str, before: str) -> None:
    # GIVEN Python's default format, in which torch's formatter adds no ids, of all artifacts
    head = f"DEBUG:torch._dynamo.guards.__{artifact}:"
    failed = ["    - 3/1: n == 3", "    - 3/0: n == 2"]
    if artifact == "recompiles_verbose":
        failed = ["    guard 0 failures:", failed[0], "", "    guard 1 failures:", failed[1]]
    lines = [
        "INFO:torch._inductor.graph.__perf_hints:Using FallbackKernel: aten.nonzero",
        f"{head}Recompiling function step in /t/train.py:7",
        "    triggered by the following guard failure(s):",
        *failed,
        "DEBUG:torch._dynamo.guards.__guards:TREE_GUARD_MANAGER:",
        "+- RootGuardManager",
        *NAMED_BREAK.splitlines(),
        "",
        "step 2",
    ]
    run = load(tmp_path, "".join(f"{before}{line}\n" if line else "\n" for line in lines))
    (again,) = run.recompiles
    assert (again.compile_id, again.location and again.location.line) == ("3/2", 7)
    assert again.recompile_reason == "3/1: n == 3\n3/0: n == 2"
    (broken,) = run.graph_breaks
    assert broken.reason == "Data-dependent branching"
    assert broken.location is not None
    assert (broken.location.line, broken.location.function) == (9, "step")
    assert not run.damage


def test_lines_of_torch_2_1_to_2_4(tmp_path: Path) -> None:
    head = "[2023-11-21 06:36:28,935] [4/1] torch._dynamo.guards.__recompiles: [DEBUG] "
    run = load(tmp_path, "".join(f"{head}{line}\n" for line in RECOMPILE.split("\n")))
    (again,) = run.recompiles
    assert (again.compile_id, again.location and again.location.line) == ("4/1", 7)
    assert again.time == datetime(2023, 11, 21, 6, 36, 28, 935_000).timestamp()
    assert not run.damage


@pytest.mark.parametrize("before", ["", "> ", ".../"])
def test_lines_that_were_cut_before_the_file(tmp_path: Path, before: str) -> None:
    # GIVEN what people leave of a line in an issue: the time and the number of the process are gone
    head = f"{before}torch/_dynamo/guards.py:5396] [0/1] [__recompiles]"
    text = (
        f"{head} Recompiling function f in train.py:18\n"
        f"{head}     triggered by the following guard failure(s):\n"
        f"{head}     - 0/0: top_k is None\n"
    )
    ((compiled,),) = (process.compiles for process in load(tmp_path, text).processes)
    assert compiled.compile_id == "0/1"
    assert "top_k is None" in (compiled.recompile_reason or "")


@pytest.mark.parametrize(
    "before",
    ["(Worker pid=4711) 12:48:04.272000 ", "INFO 11-27 12:48:04 [worker.py:7] ", "web-1  | ", ""],
)
def test_lines_with_a_head_of_another_logger(tmp_path: Path, before: str) -> None:
    # GIVEN a server's own format in the place of all that torch's has before the ids
    recompile = RECOMPILE.split("\n")[:3]
    text = "".join(f"{before}[4/1] [__recompiles] {line}\n" for line in recompile)
    text += "".join(f"{before}[5/8] {line}\n" for line in LIMIT.format(limit="limit").split("\n"))
    run = load(tmp_path, f"{before}[1/2] Loading shards\n{text}{before}done\n")
    again, refused = run.compiles
    assert (again.compile_id, again.location and again.location.line) == ("4/1", 7)
    assert again.recompile_reason == (
        "4/0: tensor 'x' size mismatch at index 0. expected 10, actual 100"
    )
    assert (refused.compile_id, refused.is_refused) == ("5/8", True)
    assert (refused.recompile_reason or "").startswith("4/7: n == 3.0 ")
    assert not run.damage


def test_workers_with_a_head_of_another_logger_are_told_apart(tmp_path: Path) -> None:
    lines = RECOMPILE.split("\n")[:3]
    heads = [f"(Worker pid={pid}) 12:48:04.272000 [4/1] [__recompiles] " for pid in (47, 48)]
    run = load(tmp_path, "".join(f"{head}{line}\n" for line in lines for head in heads))
    assert [[one.compile_id for one in each.compiles] for each in run.processes] == [["4/1"]] * 2


def test_another_file_says_what_is_read(tmp_path: Path) -> None:
    with pytest.raises(
        NothingReadable, match=r"no record. Read are the folder of a run, .*TORCH_TRACE"
    ):
        load(tmp_path, "[2026-11-21] INFO epoch 3\n")


STRIDES = """Recompiling function forward in /t/tower.py:11
    triggered by the following guard failure(s):
    - 0/0: tensor 'L['ids']' stride mismatch at index 0. expected 6, actual 1
"""


def test_a_stride_without_sizes_gets_a_copy_that_helps_with_any(tmp_path: Path) -> None:
    (finding,) = analyze(load(tmp_path, STRIDES)).diagnosis.findings
    assert finding.code == "CA111"
    assert "`.clone(memory_format=torch.contiguous_format)`" in finding.fix
    assert finding.fix.index(".clone(") < finding.fix.index(".contiguous()")


CONTEXT_READ = """\
Cache miss due to new autograd node: torch::autograd::GraphRoot (NodeCall 0) with key size 39, \
previous key sizes=[]
Recompiling function forward in <eval_with_key>.0:4
    triggered by the following guard failure(s):
    - !0/0/0: hooks[0].progress == 0.0  # strength = math.exp(ctx.progress)  # t/rev.py:16 in {0}
    - User stack trace:
    -   File "<eval_with_key>.0", line 168, in forward
    -     call = torch__dynamo_external_utils_{1}(getitem_97, (), getitem_93)
    -   File "/opt/lib/python3.11/site-packages/torch/_dynamo/external_utils.py", line 133, in {1}
    -     grads = fake._forward_cls.backward(fake, *args)
    -   File "/t/rev.py", line 16, in {0}
    -     strength = math.exp(ctx.progress)
"""


@pytest.mark.parametrize("caller", ["call_backward", "call_hook"])
def test_a_frame_of_torchs_tells_a_custom_function_from_a_hook(tmp_path: Path, caller: str) -> None:
    log = TextLog()
    miss, _, recompile = CONTEXT_READ.format("backward", caller).partition("\n")
    log.say("autograd/graph.py:979", "", "compiled_autograd_verbose", miss)
    log.say("_dynamo/guards.py:5396", "[!0/0/1] ", "recompiles", recompile)
    (finding,) = analyze(load(tmp_path, log.text)).diagnosis.findings
    is_function = caller == "call_backward"
    assert finding.code == "CA303"
    assert ("the backward of a custom Function reads" in finding.message) == is_function
    assert ("`math.exp` needs a number" in finding.fix) == is_function
    assert finding.location is not None
    assert finding.location.line == 16
