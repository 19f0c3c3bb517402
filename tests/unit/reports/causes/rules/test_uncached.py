"""CA620 to CA627: functions whose graphs torch's caches do not take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from tests.unit.reports.costs.caches.made import CacheLog
from tests.unit.reports.facts.test_bypassed import FUNCTION
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding

CUSTOM = FUNCTION.format(
    "autograd_function_apply", "torch.ops.higher_order", "autograd_function_apply"
)
SCALED = FUNCTION.format("<function scaled at 0x7f>", "model", "scaled")


def findings(folder: Path, *reasons: str, compile_id: str = "0/0") -> list[Finding]:
    log = CacheLog()
    log.ca_run(enabled=False)
    for reason in reasons:
        log.bypassed(compile_id, reason)
    log.compiled(compile_id, 5.0, co_name="step")
    found = analyze(ca_reports.load([run_folder(folder, log)])).diagnosis.findings
    return [finding for finding in found if finding.code.startswith("CA62")]


@pytest.mark.parametrize(
    ("reason", "code", "fix"),
    [
        (CUSTOM, "CA620", "autograd_cache_allow_custom_autograd_functions = True"),
        (SCALED, "CA621", 'unsafe_marked_cacheable_functions = {"model.scaled": "1"}'),
        (
            FUNCTION.format("<function>", "torch.amp.autocast_mode", "_enter_autocast"),
            "CA627",
            "around the call",
        ),
        ("SAC context_fn does not have a cache_hash attribute.", "CA622", "cache_hash"),
        ("Unsupported post grad custom pass", "CA623", "CustomGraphPass"),
        ("Cannot cache a graph with freezing enabled", "CA624", "freezing"),
        ("FX graph cache is not enabled", "CA625", "fx_graph_cache"),
        (
            FUNCTION.format("cond", "torch.ops.higher_order", "cond"),
            "CA626",
            '{"torch.ops.higher_order.cond": "1"}',
        ),
    ],
)
def test_the_function_is_named_with_what_to_write(
    tmp_path: Path, reason: str, code: str, fix: str
) -> None:
    (found,) = findings(tmp_path, reason)
    assert (found.code, found.severity, found.count) == (code, "info", 1)
    assert fix in found.fix
    assert found.noticed_at is not None
    assert (found.noticed_at.function, found.noticed_at.line) == ("step", 7)
    assert found.evidence[0].text.startswith("torch: ")


def test_two_functions_in_one_graph_are_two_findings_and_one_twice_is_one(tmp_path: Path) -> None:
    other = SCALED.replace("scaled", "shifted")
    found = findings(tmp_path, SCALED, SCALED, other)
    # The same of another cache, or of the backward, is no further compile.
    assert [(one.code, one.count) for one in found] == [("CA621", 1), ("CA621", 1)]


def test_captured_backwards_and_what_nobody_can_change_are_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path / "1", CUSTOM, compile_id="!0/0/0") == []
    assert findings(tmp_path / "2", "compiler bisector enabled", "No shape env") == []


LAYER = """\
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

class Attention(nn.Module):
    def attend(self, q, k, v):
        with sdpa_kernel(SDPBackend.MATH):
            return scaled_dot_product_attention(q, k, v)

    def forward(self, x):
        return self.attend(x, x, x)

def elsewhere(x):
    with sdpa_kernel(SDPBackend.MATH):
        return x
"""


def test_a_function_that_a_context_manager_puts_there_has_the_managers_line(tmp_path: Path) -> None:
    # GIVEN a bypass that names a private function of torch's, below the compiled forward
    file = tmp_path / "layer.py"
    file.write_text(LAYER)
    log = CacheLog()
    log.ca_run(enabled=False)
    name = "_backend_from_string"
    reason = FUNCTION.format(f"<function {name} at 0x7f>", "torch.nn.attention", name)
    log.bypassed("0/0", reason)
    log.compiled("0/0", 5.0, co_name="forward", co_filename=str(file), co_firstlineno=10)
    run = ca_reports.load([run_folder(tmp_path / "run", log)], source_roots=[tmp_path])
    (found,) = analyze(run).diagnosis.findings
    # THEN the line is that of the `with`, and nothing is said of the private function
    assert found.code == "CA621"
    assert found.location is not None
    assert (found.location.file, found.location.line) == (str(file), 7)
    assert "around each call of the compiled function" in found.fix
    assert name not in f"{found.message} {found.fix}"
