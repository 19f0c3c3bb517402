"""What the page works out of a run: guards, nodes side by side, the bar, the ranks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ca_reports
from ca_reports.analysis import analyze
from ca_reports.graphs.modules import with_groups
from ca_reports.model import Process
from ca_reports.render import guardtree, html, overview, templating
from ca_reports.render.capture_views import MAX_DETAILED
from ca_reports.render.sidebyside import MAX_ROWS, side_by_side
from ca_reports.text import advice
from ca_reports.text.runs import Loss, headline, loss
from tests.unit.logwriter import START, LogWriter, run_file, sample_run
from tests.unit.reports.graphs.test_graphs import folded_node
from tests.unit.reports.test_ranks import job

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.model import Run

# Written by torch 2.13.0, shortened.
TREE = """
TREE_GUARD_MANAGER:
+- RootGuardManager
| +- GLOBAL_STATE: ___check_global_state() against {"grad_mode":false}
| +- GuardManager: source=L['inputs'], accessed_by=FrameLocalsGuardAccessor(key='inputs')
| | +- LENGTH_CHECK: len(L['inputs']) == 75                     # getitem = inputs[0]  # <e>.4:6
| | +- TENSOR_MATCH: check_tensor(L['inputs'][2], Tensor, DispatchKeySet(CPU, BackendSelect, \
ADInplaceOrView, AutogradCPU), torch.float32, device=None, requires_grad=True, size=[None, 64], \
stride=[64, 1])  # getitem = inputs[0]  # <e>.4:6
| | +- TENSOR_MATCH: check_tensor(L['inputs'][3], Tensor, DispatchKeySet(CUDA, BackendSelect), \
torch.int64, device=0, requires_grad=False, size=[], stride=[])  # getitem = inputs[0]
| | | +- DIMENSION_DYNAMIC_MARKING_GUARD: hasattr(L['inputs'][3], '_dynamo_static_indices') == False
| | | +- NO_TENSOR_ALIASING
+- LAMBDA_GUARD: L['inputs'][3].size()[0] == 32*L['inputs'][2].size()[0]  # unwrap  # <e>.26:6
+- LAMBDA_GUARD: G['torch'] is G['__import_torch_dot__dynamo'].torch  # call_accumulate_grad

Guard latency = 153.06 us
"""


def test_guards_on_values_come_before_those_on_tensors() -> None:
    found = guardtree.parse(TREE)
    assert found.number == 8
    assert found.counts["TENSOR_MATCH"] == found.counts["LAMBDA_GUARD"] == 2
    assert found.seconds == pytest.approx(153.06e-6)
    assert [demand.text for demand in found.demands] == [
        "len(inputs) == 75",
        "inputs[3].size()[0] == 32*inputs[2].size()[0]",
        "inputs[2] is float32[*, 64], requires_grad",
        "inputs[3] is int64[] on device 0",
    ]
    assert found.left_out == 0


def test_a_long_list_of_guards_is_cut_and_says_so() -> None:
    lines = "\n".join(f"+- LAMBDA_GUARD: L['n'][{index}] == 1" for index in range(1_000))
    found = guardtree.parse(lines)
    assert found.number == 1_000
    assert len(found.demands) == guardtree.MAX_TOLD
    assert found.left_out == 1_000 - guardtree.MAX_TOLD
    long = guardtree.parse(f"+- EQUALS_MATCH: L['x'] == {'9' * 5_000}")
    assert len(long.demands[0].text) <= 200


@given(st.text(alphabet=st.sampled_from("|+- :LAMBDA_GUARD[]'()x\n#="), max_size=200))
def test_any_text_can_stand_in_the_place_of_guards(text: str) -> None:
    found = guardtree.parse(text)
    assert found.number >= len(found.demands) + found.left_out


def loaded(log: LogWriter, tmp_path: Path) -> Run:
    return ca_reports.load([log.write(tmp_path / "trace.log")])


def with_guards() -> LogWriter:
    log = sample_run()
    log.record("dynamo_cpp_guards_str", {}, TREE, **log.context("!0/1/0"))
    log.record("dynamo_cpp_guards_str", {}, TREE, **log.context("3/0"))
    return log


def text_of(page: str) -> str:
    bare = re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).split())


def test_the_guards_of_a_captured_graph_are_kept_and_shown(tmp_path: Path) -> None:
    run = loaded(with_guards(), tmp_path)
    kept = {found.compile_id for found in run.compiles if found.guards is not None}
    assert kept == {"!0/1/0", "3/0"}, "those of the forward are compared, and not shown"
    said = text_of(html.render(analyze(run)))
    assert "8 guards, checked in 153 µs" in said
    assert "inputs[2] is float32[*, 64], requires_grad" in said


# ---- side by side


def node(index: int, name: str, **more: Any) -> dict[str, Any]:
    return {"index": index, "name": name, **more}


def test_nodes_that_differ_are_shown_with_what_is_around_them() -> None:
    names = [f"Op{index}Backward0" for index in range(20)]
    before = [node(index, name) for index, name in enumerate(names)]
    after = [*map(dict, before)]
    before[10]["attributes"], after[10]["attributes"] = {"exponent": 2}, {"exponent": 3}
    found = side_by_side(before, after)
    assert [row.same for row in found.rows] == [True, False, True]
    assert found.rows[0].skipped == 9
    assert found.equal_after == 8
    changed = found.rows[1]
    assert changed.before is not None
    assert changed.after is not None
    assert [(value.attribute, value.text) for value in changed.before.values] == [("exponent", "2")]
    assert [(value.attribute, value.text) for value in changed.after.values] == [("exponent", "3")]
    assert (found.differing, found.left_out) == (1, 0)


def test_a_node_that_came_stands_alone_and_shifts_no_other() -> None:
    before = [node(0, "A"), node(1, "B", parameter="w", grad_defined=False, shape=[2])]
    after = [
        node(0, "A"),
        node(1, "SinBackward0", attributes={"self": 1}),
        node(2, "B", parameter="w", grad_defined=True, shape=[2]),
    ]
    found = side_by_side(before, after)
    alone = found.rows[1]
    assert alone.before is None
    assert alone.after is not None
    assert alone.after.name == "SinBackward0"
    assert not alone.after.values[0].differs
    grad = found.rows[2]
    assert grad.before is not None
    assert grad.before.parameter == "w"
    assert grad.before.values[0] == (grad.before.values[0].__class__)(".grad", "nothing", True)


def test_more_differences_than_fit_are_counted() -> None:
    before = [node(index, "A", hooks=1) for index in range(100)]
    after = [node(index, "A", hooks=2) for index in range(100)]
    found = side_by_side(before, after)
    assert len(found.rows) == MAX_ROWS
    assert found.differing == 100
    assert found.left_out == 100 - MAX_ROWS


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
raw_nodes = st.lists(
    st.dictionaries(
        st.sampled_from(["index", "name", "attributes", "tensors", "grad_defined", "function"]),
        json_values,
    ),
    max_size=6,
)


# Nested values are slow to draw on a busy machine, which says nothing of what is tested.
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
@given(raw_nodes, raw_nodes)
def test_any_recorded_nodes_can_be_compared(before: list[Any], after: list[Any]) -> None:
    found = side_by_side(before, after)
    assert found.differing == found.left_out + sum(not row.same for row in found.rows)


# ---- the modules of a folded graph


def test_a_node_is_of_the_module_whose_parameter_it_leads_to_first() -> None:
    nodes = [
        folded_node("loss"),
        folded_node("prologue", inputs=(0,)),
        folded_node("mm", inputs=(1,), group="aot0"),
        folded_node("t", inputs=(2,), group="aot0"),
        folded_node("gelu", inputs=(2,), group="aot0"),
        folded_node("sum", inputs=(4,), group="aot0"),
        folded_node("head.weight", role="accumulate", inputs=(3,), parameter="head.weight"),
        folded_node("up.bias", role="accumulate", inputs=(5,), parameter="blocks.0.up.bias"),
    ]
    assert [found.group for found in with_groups(nodes)] == [
        "", "", "aot0/head", "aot0/head", "aot0/blocks.0.up", "aot0/blocks.0.up",
        "aot0/head", "aot0/blocks.0.up",
    ]  # fmt: skip


def test_without_parameters_there_are_no_modules() -> None:
    nodes = [folded_node("a"), folded_node("b", inputs=(0,), group="aot1")]
    assert [found.group for found in with_groups(nodes)] == ["", "aot1"]


# ---- the top of the page


def loss_of(run: Run) -> Loss | None:
    analysis = analyze(run)
    return loss(run, analysis.summary, analysis.ranks)


def test_the_bar_is_the_run_in_parts(tmp_path: Path) -> None:
    run = loaded(sample_run(), tmp_path)
    findings = [
        (found, f"#finding-{at}") for at, found in enumerate(analyze(run).diagnosis.findings)
    ]
    parts = overview.bar(findings, loss_of(run))
    assert sum(part.share for part in parts) == pytest.approx(1, abs=0.03)
    assert [part.target for part in parts if part.kind == "warning"]
    assert parts[-1].label == "the rest of the run"
    assert overview.bar([], loss_of(run))[0].label == "other"


def test_of_several_ranks_headline_bar_and_findings_tell_what_one_of_them_lost(
    tmp_path: Path,
) -> None:
    # GIVEN four ranks that each lose the same to the same causes
    paths = []
    for rank in range(4):
        log = sample_run(pid=100 + rank, rank=rank)
        paths.append(log.write(tmp_path / f"rank_{rank}.log"))
    run = ca_reports.load(paths)
    one = ca_reports.load(paths[:1])
    analysis = analyze(run)
    assert analysis.ranks is not None

    # THEN every figure is that of one rank, and says so
    expected = headline(one, analyze(one).summary, analyze(one).diagnosis.findings).text
    told = headline(run, analysis.summary, analysis.diagnosis.findings, analysis.ranks).text
    assert told.replace(" per rank", "") == expected
    findings = analysis.diagnosis.findings
    alone = analyze(one).diagnosis.findings
    for found, own in zip(findings, alone, strict=True):
        assert advice.seconds(found, run) == own.seconds
        assert " lost on each rank" in advice.cost(found, run)
    bars = [
        overview.bar([(one, "#") for one in found], loss_of(of))
        for found, of in ((findings, run), (alone, one))
    ]
    assert bars[0] == bars[1]
    page = html.render(analysis)
    assert "The bar is one rank, on average of 4." in page
    assert "All 4 processes together" in page


def test_a_run_that_lost_nothing_has_no_bar(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_capture(0)
    log.ca_backwards([(0, int(step == 0)) for step in range(5)])
    log.ca_end(START + 9, 5, 4)
    run = loaded(log, tmp_path)
    assert overview.bar([], loss_of(run)) == []


def test_what_ran_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    sample_run().write(tmp_path / "trace" / "a.log")
    (tmp_path / "run.json").write_text(json.dumps(run_file(versions={"torch": "2.13.0"})))
    run = ca_reports.load([tmp_path])
    told = overview.ran(run)
    assert {"torch 2.13.0", "ca's engine", "on box", "exit code 0"} <= set(told)
    assert overview.command(run) == "ca run train.py"
    head = html.render(analyze(run)).partition("<nav")[0]
    assert "exit code 0" in head
    assert "<code>ca run train.py</code>" in head


@pytest.mark.parametrize(
    ("known", "error", "told"),
    [
        ({"exit_code": 3}, None, "exit code 3"),
        (
            {"exit_code": None},
            None,
            "ended without an exception, exit code not known when this was written",
        ),
        ({"exit_code": None}, "ValueError", "ended by ValueError"),
        (
            {"exit_code": None, "end": None},
            None,
            "no end recorded: killed, or still running",
        ),
    ],
)
def test_how_a_run_ended_is_told_before_its_exit_code_is_known(
    tmp_path: Path, known: dict[str, Any], error: str | None, told: str
) -> None:
    log = LogWriter()
    log.ca_run()
    log.ca_end(START + 9, 0, 0, error=error)
    log.write(tmp_path / "trace" / "a.log")
    (tmp_path / "run.json").write_text(json.dumps(run_file(**known)))
    assert overview.ran(ca_reports.load([tmp_path]))[-1] == told


def test_the_page_compares_ranks(tmp_path: Path) -> None:
    run = job(tmp_path, alone=2)
    view = overview.ranks_view(analyze(run).ranks)
    assert view is not None
    assert [row.rank for row in view.rows] == [0, 1, 2, 3]
    said = text_of(html.render(analyze(run)))
    assert "rank 2 parts from ranks 0–1 and 3 at step 5" in said
    assert "3 other ranks waited" in said
    assert "4 ranks" in said


def test_one_process_has_no_ranks(tmp_path: Path) -> None:
    run = loaded(sample_run(), tmp_path)
    assert overview.ranks_view(analyze(run).ranks) is None
    assert 'id="ranks"' not in html.render(analyze(run))


def test_backticks_become_code_and_nothing_else(tmp_path: Path) -> None:
    assert templating.ticks("call `f(<x>)` & go") == "call <code>f(&lt;x&gt;)</code> &amp; go"
    assert templating.ticks("a lone ` stays") == "a lone ` stays"


def test_what_is_the_closest_capture_is_said_or_why_not(tmp_path: Path) -> None:
    said = text_of(html.render(analyze(loaded(sample_run(), tmp_path))))
    assert "closest earlier capture none: it is the first" in said
    log = LogWriter()
    log.torch_capture(0)
    log.torch_capture(1)
    stock = loaded(log, tmp_path)
    assert isinstance(stock.processes[0], Process)
    assert "closest earlier capture unknown: only ca run records which" in text_of(
        html.render(analyze(stock))
    )


def test_parameters_are_listed_for_the_first_captures(tmp_path: Path) -> None:
    """A page of five hundred captures of a real model would be mostly that."""
    log = LogWriter()
    log.ca_run()
    parameter = {"index": 1, "name": "torch::autograd::AccumulateGrad", "parameter": "head.weight"}
    for id in range(MAX_DETAILED + 5):
        log.ca_capture(
            id, "new_autograd_node" if id else "first", autograd_graph=[parameter],
            closest_capture=id - 1 if id else None,
        )  # fmt: skip
        log.torch_capture(id)
    page = html.render(analyze(ca_reports.load([log.write(tmp_path / "trace.log")])))

    listed = page.count("<summary>1 parameter that it gives a gradient to</summary>")
    assert listed == MAX_DETAILED
    assert page.count("which are listed for the first captures only") == 5


def test_processes_have_no_column_that_none_of_them_can_fill(tmp_path: Path) -> None:
    """Only captures know backend, dynamic and device: a run of forwards has none."""

    def heads(log: LogWriter) -> list[str]:
        page = html.render(analyze(loaded(log, tmp_path)))
        table = re.search(r'<th scope="col">process</th>.*?</thead>', page, flags=re.S)
        assert table is not None
        return re.findall(r"<th[^>]*>([^<]*)</th>", table[0])[1:]

    forwards = LogWriter()
    forwards.ca_run(enabled=False, backend=None)
    forwards.compiled("0/0")
    assert heads(forwards) == [
        "log", "engine", "compiles", "graph breaks", "ended",
    ]  # fmt: skip
    assert heads(sample_run())[2:5] == ["backend", "backwards", "hits"]
