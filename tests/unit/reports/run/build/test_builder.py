"""Records to a Run, and a Run to JSON: the numbers are those that were written."""

from __future__ import annotations

import gzip
import json
import os
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import json as json_output
from tests.unit.logwriter import GRAPH_CODE, GRAPH_ROOT, START, LogWriter, sample_run
from tests.unit.reports.written import loaded, subjects

if TYPE_CHECKING:
    from pathlib import Path


# ---- numbers


def test_a_process_lasts_from_the_start_of_its_interpreter(tmp_path: Path) -> None:
    for number, (started, seconds) in enumerate(
        [(START - 3.5, 43.5), (None, 40.0), (START + 5, 40.0)]
    ):
        log = LogWriter()
        log.ca_run(started=started)
        log.compiled("0/0")
        log.ca_end(START + 40, 0, 0)
        (tmp_path / str(number)).mkdir()
        run = loaded(log, tmp_path / str(number))
        assert run.processes[0].seconds == analyze(run).summary.seconds_total == seconds


def test_the_numbers_of_a_run(tmp_path: Path) -> None:
    run = loaded(sample_run(), tmp_path)
    summary = analyze(run).summary
    assert summary.backwards == 10
    assert summary.hits == 7
    assert summary.captures == 3
    assert summary.recaptures == 2
    assert summary.dynamo_recompiles == 2
    assert summary.recompiled_captures == 1
    assert summary.forward_recompiles == 1
    assert summary.graph_breaks == 0
    assert summary.unique_graphs == 2
    assert summary.forward_compiles == 2
    # captures !1 and !2, then !2/3/1, then 4/1; !0 and the first compile 4/0 are no loss
    assert summary.seconds_lost == pytest.approx((0.25 + 1.0) + (0.125 + 0.5) + 4.0 + 16.0)
    assert summary.seconds_total == pytest.approx(40.0)
    assert not run.damage
    assert not analyze(run).limitations


def test_a_capture_of_our_own(tmp_path: Path) -> None:
    first, second, third = loaded(sample_run(), tmp_path).captures
    assert (first.kind, first.step, first.run_count) == ("first", 0, 4)
    assert first.seconds.capture == 0.5
    assert first.seconds.compile == 2.0
    assert first.backward_call is not None
    assert first.backward_call.code == "loss.backward()"
    assert first.fx_nodes == {"call_function": 7, "total": 9}
    assert second.kind == "new_autograd_node"
    assert second.nearest_module == "body.2"
    assert second.closest_capture == 0
    assert second.changes[0].attribute == "exponent"
    assert [node["index"] for node in second.autograd_graph] == [1, 3, 4]
    assert second.graph is not None
    assert second.graph.text == GRAPH_CODE
    assert third.compile_ids == ("!2/3/0", "!2/3/1")
    assert third.sizes_changed == (0, 1)
    assert third.run_count == 3


def test_a_killed_process_keeps_what_it_wrote(tmp_path: Path) -> None:
    log = sample_run()
    log.records.pop()
    run = loaded(log, tmp_path)
    summary = analyze(run).summary
    assert (summary.backwards, summary.hits) == (10, 7)
    # the last row began 5 s after its batch (START + 5) and ran 0.25 s
    assert summary.seconds_total == pytest.approx(10.25)
    assert subjects(run) == {"end"}


def test_a_lost_batch_is_made_up_for_by_the_end(tmp_path: Path) -> None:
    log = sample_run()
    log.records = [record for record in log.records if b"ca_backwards" not in record]
    summary = analyze(loaded(log, tmp_path)).summary
    assert (summary.backwards, summary.hits) == (10, 7)


@pytest.mark.parametrize(
    "change",
    [
        {"miss": [1]},
        {"capture": ["0", "0"]},
        {"seconds": [-1.0, 0.0]},
        {"start": None},
        {"time": "now"},
    ],
)
def test_a_broken_batch_is_damage(change: dict[str, Any], tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    body = {
        "time": START, "step": [0, 1], "capture": [0, 0], "start": [0.0, 1.0],
        "seconds": [0.1, 0.1], "miss": [1, 0], "failed": [0, 0],
    }  # fmt: skip
    log.own("ca_backwards", **{**body, **change})
    run = loaded(log, tmp_path)
    assert [damage.kind for damage in run.damage] == ["bad_record"]
    assert analyze(run).summary.hits is None


# ---- logs of torch's own


def test_a_stock_log_with_reasons(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0, [f"!0: {GRAPH_ROOT}"], seconds=0.5)
    shapes = "Cache miss due to 1 changed tensor shapes (total of 2): sizes[1]"
    log.torch_capture(1, [f"!0: {GRAPH_ROOT}", f"!1: {shapes}"], seconds=0.25)
    log.compiled("!1/3/0", 1.0)
    run = loaded(log, tmp_path)
    first, second = run.captures
    assert first.kind == "first"
    assert second.kind == "changed_shapes"
    assert second.reason == shapes
    assert second.sizes_changed == (1,)
    assert second.seconds.capture == pytest.approx(0.25)
    summary = analyze(run).summary
    assert summary.backwards is None
    assert summary.hits is None
    assert summary.seconds_total is None
    assert summary.seconds_lost == pytest.approx(1.25)
    assert subjects(run) == {"hits", "changes", "rules"}


def test_a_stock_log_without_reasons(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    log.torch_capture(1)
    run = loaded(log, tmp_path)
    assert [capture.kind for capture in run.captures] == ["first", "unknown"]
    assert analyze(run).summary.seconds_lost is None
    assert subjects(run) == {"reasons", "hits", "changes", "rules", "seconds"}


def test_a_log_that_begins_late_has_no_first_capture(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(4)
    assert loaded(log, tmp_path).captures[0].kind == "unknown"


def test_the_graph_before_reordering_stands_in(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    log.records = log.records[:1]
    capture = loaded(log, tmp_path).captures[0]
    assert capture.graph is not None
    assert capture.graph.text == GRAPH_CODE + "# before\n"
    assert not capture.graph_complete


def test_the_backward_call_from_dynamos_stack(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    log.compiled(
        "!0/1/0",
        stack=[
            ("/home/user/train.py", 30, "main", "loss.backward()"),
            ("/venv/torch/_tensor.py", 623, "backward", "torch.autograd.backward("),
            ("/venv/torch/autograd/graph.py", 979, "_engine_run_backward", ""),
            ("<eval_with_key>.1", 4, "forward", ""),
        ],
    )
    call = loaded(log, tmp_path).captures[0].backward_call
    assert call is not None
    assert (call.file, call.line, call.function) == ("/home/user/train.py", 30, "main")


def test_restarts_are_not_recompiles(tmp_path: Path) -> None:
    log = LogWriter()
    log.record("dynamo_start", {"stack": []}, frame_id=0, frame_compile_id=0, attempt=2)
    log.compiled("0/0", 1.0, restart_reasons=["because"])
    run = loaded(log, tmp_path)
    assert analyze(run).summary.dynamo_recompiles == 0
    assert run.compiles[0].attempts == 3


def test_the_recompile_reason_of_a_compile_that_did_not_end(tmp_path: Path) -> None:
    log = LogWriter()
    log.artifact("recompile_reasons", "1/0: n == 1", frame_id=1, frame_compile_id=1, attempt=0)
    log.artifact("recompile_reasons", ["2/0: a", "2/0: b"], frame_id=2, frame_compile_id=1)
    run = loaded(log, tmp_path)
    assert [found.recompile_reason for found in run.recompiles] == ["1/0: n == 1", "2/0: a\n2/0: b"]


def test_no_compiled_autograd_is_readable(tmp_path: Path) -> None:
    log = LogWriter()
    log.compiled("0/0", 1.0)
    run = loaded(log, tmp_path)
    assert analyze(run).summary.captures == 0
    # Nobody asked for it: there is nothing that this log cannot tell.
    assert run.forward_only
    assert subjects(run) == set()


def break_text(reason: str, line: int) -> str:
    return (
        f"Graph break in user code at /home/user/train.py:{line}\nGraph Break Reason: {reason}\n\n"
        f'User code traceback:\n  File "/home/user/train.py", line {line}, in f\n    g()\n'
    )


def test_graph_breaks_are_counted_by_place(tmp_path: Path) -> None:
    log = LogWriter()
    for compile_id, reason, line in [
        ("0/0", "print", 3), ("0/1", "print", 3), ("1/0", "print", 4),
        ("2/0", "Unsupported Tensor.backward() call", 9),
    ]:  # fmt: skip
        log.artifact(
            "dynamo_graph_break_reason", break_text(reason, line), "string",
            **log.context(compile_id),
        )  # fmt: skip
    run = loaded(log, tmp_path)
    found = [(entry.compile_id, entry.reason, entry.count) for entry in run.graph_breaks]
    assert found == [("0/0", "print", 2), ("1/0", "print", 1)]
    summary = analyze(run).summary
    assert summary.graph_breaks == 3
    assert summary.graph_breaks_left_out == 1


@pytest.mark.parametrize("bad", ["zero", -1, 2**64, 1.5, True, [], {}])
def test_ids_that_are_none_are_damage(bad: object, tmp_path: Path) -> None:
    log = LogWriter()
    log.record("compiled_autograd_graph", {}, "x", compiled_autograd_id=bad)
    run = loaded(log, tmp_path)
    assert not run.captures
    assert [damage.kind for damage in run.damage] == ["bad_record"]


# ---- processes


def test_ranks_are_told_apart(tmp_path: Path) -> None:
    for rank in (0, 2):
        log = LogWriter(pid=100 + rank, rank=rank)
        log.torch_capture(0)
        log.write(tmp_path / f"dedicated_log_torch_trace_rank_{rank}.log")
    run = ca_reports.load([tmp_path])
    assert [(capture.rank, capture.pid, capture.label) for capture in run.captures] == [
        (0, 100, "!0"),
        (2, 102, "!0"),
    ]


def test_the_rank_from_the_files_name(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    log.write(tmp_path / "dedicated_log_torch_trace_rank_3_abc.log")
    assert ca_reports.load([tmp_path]).processes[0].rank == 3


def test_a_forked_child_in_the_same_file_is_a_process(tmp_path: Path) -> None:
    parent, child = LogWriter(pid=1), LogWriter(pid=2)
    parent.torch_capture(0)
    child.torch_capture(0)
    path = tmp_path / "a.log"
    path.write_bytes(parent.data + child.data)
    assert [process.pid for process in ca_reports.load([path]).processes] == [1, 2]


# ---- what may be named


def test_files_folders_globs_and_gzip(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    plain = log.write(tmp_path / "one.log")
    packed = tmp_path / "deep" / "two.log.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(log.data))
    (tmp_path / "notes.md").write_text("not a log")
    assert len(ca_reports.load([plain]).captures) == 1
    assert len(ca_reports.load([packed]).captures) == 1
    assert len(ca_reports.load([str(tmp_path / "*.log")]).captures) == 1
    whole = ca_reports.load([tmp_path, plain])
    assert len(whole.captures) == 2
    assert not whole.damage


def test_gzip_that_ends_early_keeps_its_beginning(tmp_path: Path) -> None:
    log = LogWriter()
    for id in range(50):
        noise = random.Random(id).randbytes(5_000).hex()
        log.torch_capture(id, code=f"# {noise}")
    path = tmp_path / "cut.log.gz"
    packed = gzip.compress(log.data)
    path.write_bytes(packed[: len(packed) // 2])
    run = ca_reports.load([path])
    assert 5 < len(run.captures) < 50
    assert "bad_compression" in {damage.kind for damage in run.damage}


def test_a_file_name_that_is_not_utf8_can_be_printed(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.log"
    try:
        with open(path, "wb") as stream:  # noqa: PTH123  # Path takes no bytes
            stream.write(sample_run().data + b"\torphan\nx\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    assert "\\xff" not in json_output.render(analyze(ca_reports.load([os.fsdecode(path)])))


# ---- hostile and damaged

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


def test_values_nested_without_end_do_not_break_a_report(tmp_path: Path) -> None:
    deep = json.loads("[" * 500 + "]" * 500)
    log = LogWriter()
    log.ca_capture(
        0,
        "unknown",
        changes=[{"index": 1, "name": "X", "attribute": "a", "before": deep, "after": [1] * 5000}],
        autograd_graph=[{"index": 1, "name": "X", "attributes": {"a": deep}}],
    )
    run = loaded(log, tmp_path)
    assert not run.damage
    change = json.loads(json_output.render(analyze(run)))["captures"][0]["changes"][0]
    assert change["before"] == [[[[[[[["…"]]]]]]]]
    assert len(change["after"]) == 1000
    assert run.captures[0].autograd_graph[0]["name"] == "X"


@pytest.mark.long
@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60
)
@given(data=st.data())
def test_no_field_of_our_records_can_break_a_report(data: st.DataObject, tmp_path: Path) -> None:
    from ca_reports.output import html

    log = LogWriter()
    log.torch_capture(0)
    keys = {
        "ca_run": ["time", "pid", "rank", "argv", "versions", "enabled", "dynamic"],
        "ca_capture": [
            "id", "kind", "step", "stack", "node", "changes", "seconds", "fx_nodes", "reason",
            "autograd_graph", "closest_capture", "sizes_changed", "error", "near",
        ],
        "ca_backwards": ["time", "step", "capture", "start", "seconds", "miss", "failed"],
        "ca_end": ["time", "backwards", "hits", "unique_graphs", "error"],
    }  # fmt: skip
    for name, fields in keys.items():
        body = {field: data.draw(_json) for field in data.draw(st.sets(st.sampled_from(fields)))}
        log.own(name, **{**({"id": 0} if name == "ca_capture" else {}), **body})
    metrics = data.draw(st.dictionaries(st.sampled_from(
        ["compile_id", "co_filename", "co_firstlineno", "recompile_reason", "restart_reasons",
         "entire_frame_compile_time_s", "start_time"]), _json))  # fmt: skip
    log.record("compilation_metrics", metrics, frame_id=0, frame_compile_id=0)
    log.record("dynamo_start", {"stack": data.draw(_json)}, frame_id=0, frame_compile_id=0)
    log.record("chromium_event", {}, '{"name": "compiled_autograd", "args": 3, "ts": []}')
    run = loaded(log, tmp_path)
    json.loads(json_output.render(analyze(run)))
    assert "</html>" in html.render(analyze(run))


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(
    position=st.floats(0, 1, exclude_max=True),
    junk=st.binary(max_size=40),
    removed=st.integers(0, 2_000),
)
def test_a_run_survives_damage_anywhere(
    position: float, junk: bytes, removed: int, tmp_path: Path
) -> None:
    data = sample_run().data
    at = int(position * len(data))
    path = tmp_path / "trace.log"
    path.write_bytes(data[:at] + junk + data[at + removed :])
    whole = {capture.label for capture in loaded(sample_run(), tmp_path / "whole").captures}
    run = ca_reports.load([path])
    assert {capture.label for capture in run.captures} <= whole
    assert len(run.captures) >= 2
    json.loads(json_output.render(analyze(run)))


def test_a_process_names_the_devices_of_its_backwards(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    for id, device in enumerate(("cuda:0 NVIDIA H200", "cpu", "cuda:0 NVIDIA H200", None)):
        log.ca_capture(id, "first" if id == 0 else "unknown", device=device)
    (process,) = ca_reports.load([log.write(tmp_path / "trace.log")]).processes
    assert process.devices == ("cuda:0 NVIDIA H200", "cpu")


def test_code_that_a_captured_backward_runs_again_is_the_programs(tmp_path: Path) -> None:
    torch, own = "/venv/lib/python3.11/site-packages/torch", "/home/user/train.py"
    engine = [
        (own, 36, "main", "loss.backward()"),
        (f"{torch}/autograd/graph.py", 979, "_engine_run_backward", ""),
        ("<eval_with_key>.2", 39, "forward", "call_backward = …"),
        (f"{torch}/_dynamo/external_utils.py", 133, "call_backward", "grads = …"),
        (f"{torch}/utils/checkpoint.py", 314, "backward", "outputs = ctx.run_function(*inputs)"),
    ]
    log = LogWriter()
    log.torch_capture(0)
    log.compiled("0/0", stack=[(own, 12, "forward", "")], co_filename=own, co_name="forward")
    log.compiled("!0/1/0", stack=engine[:3], co_filename="<eval_with_key>.2", co_name="forward")
    log.artifact(
        "recompile_reasons", "0/0: GLOBAL_STATE changed: grad_mode",
        compiled_autograd_id=0, frame_id=0, frame_compile_id=1,
    )  # fmt: skip
    again = [*engine, (own, 12, "forward", "")]
    log.compiled("!0/0/1", stack=again, co_filename=own, co_name="forward")
    # What is first compiled in there, and has no number of the program's yet.
    other = [*engine, (own, 20, "norm", "")]
    log.compiled("!0/5/0", stack=other, co_filename=own, co_name="norm")
    run = loaded(log, tmp_path)
    assert [(one.compile_id, one.capture, one.code_number) for one in run.compiles] == [
        ("0/0", None, "0"), ("!0/1/0", 0, "!0/1"), ("!0/0/1", None, "0"), ("!0/5/0", None, "5"),
    ]  # fmt: skip
    summary = analyze(run).summary
    assert (summary.recompiled_captures, summary.forward_recompiles) == (0, 1)
    within = run.compiles[2].within
    assert within is not None
    assert (within.is_backward, within.is_checkpoint) == (True, True)
