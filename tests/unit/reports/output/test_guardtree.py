"""The guards of a compile, as the page lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import guardtree, html
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from pathlib import Path

from tests.unit.reports.output.shown import text_of
from tests.unit.reports.written import loaded

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


def with_guards() -> LogWriter:
    log = sample_run()
    log.record("dynamo_cpp_guards_str", {}, TREE, **log.context("!0/1/0"))
    log.record("dynamo_cpp_guards_str", {}, TREE, **log.context("3/0"))
    return log


def test_the_guards_of_a_captured_graph_are_kept_and_shown(tmp_path: Path) -> None:
    run = loaded(with_guards(), tmp_path)
    kept = {found.compile_id for found in run.compiles if found.guards is not None}
    assert kept == {"!0/1/0", "3/0"}, "those of the forward are compared, and not shown"
    said = text_of(html.render(analyze(run)))
    assert "8 guards, checked in 153 µs" in said
    assert "inputs[2] is float32[*, 64], requires_grad" in said
