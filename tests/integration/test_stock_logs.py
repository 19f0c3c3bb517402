"""Logs of torch's own, of programs that nobody recorded: what can be said of them, and how sure.

The programs are the bad ones of ``sample_scripts``, run under plain python.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.causes.rules import find_rule
from tests.integration.oracle import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

# What the first finding is. The causes that only `ca run` can tell are found as something
# more general, or not at all.
TOLD = {
    "ca102_varying_length": "CA102",
    "ca103_zero_one": "CA103",
    "ca111_stride_change": "CA111",
    "ca112_global_state": "CA112",
    "ca201_grad_none": "CA201",
    "ca206_scalar_baked": "CA206",
    "ca210_local_function": "CA210",
    "ca301_hook_toggle": "CA301",
    "ca302_hook_leak": "CA302",
    "ca303_hook_state": "CA303",
    "ca304_hook_number": "CA304",
    "ca401_forward_cascade": "CA401",
    "ca402_after_limit": "CA402",
    "ca501_hook_break": "CA501",
    "ca502_checkpoint_break": "CA502",
    "ca503_save_on_cpu_break": "CA503",
    "ca504_optimizer_in_backward": "CA504",
    "ca506_sparse_grad": "CA506",
    "ca507_reentrant": "CA507",
    "ca101_last_batch": "CA102",
    "ca205_mode_flip": "CA205",
    "ca207_freeze": "CA000",
    "ca208_input_requires_grad": "CA000",
}
QUICK = {"ca201_grad_none", "ca501_hook_break"}


def explained(
    sample: str, warm_python: Runner, ca: Runner, work: Path, logs: str | None
) -> dict[str, Any]:
    env = {"TORCH_TRACE": str(work / "trace")}
    if logs is not None:
        env["TORCH_LOGS"] = logs
    script = SAMPLES / f"{sample}_bad.py"
    assert warm_python(script, env=env).code == 0
    outcome = ca("explain-recompiles", "trace", "--format", "json")
    assert outcome.code == 0, outcome.stderr
    document: dict[str, Any] = json.loads(outcome.stdout)
    return document


@pytest.mark.parametrize(
    "sample", [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in TOLD]
)
def test_a_log_with_reasons(sample: str, warm_python: Runner, ca: Runner, work: Path) -> None:
    document = explained(sample, warm_python, ca, work, "compiled_autograd_verbose")

    first = document["findings"][0]
    assert first["code"] == TOLD[sample]
    # Never as sure as with our own records, and the gaps are named.
    assert first["confidence"] in ("medium", "low")
    assert first["location"]["file"].endswith(f"{sample}_bad.py")
    gaps = {gap["subject"]: gap["text"] for gap in document["limitations"]}
    assert "ca run" in gaps["hits"]
    if first["code"] == "CA000":
        assert "ca run" in first["fix"]
    # What a rule would have needed is said.
    rule = find_rule(sample.partition("_")[0])
    assert rule is not None
    assert (rule.code in gaps["rules"]) is rule.needs_recorder
    assert document["summary"]["seconds_lost"] > 0


def test_a_log_without_reasons_says_so(warm_python: Runner, ca: Runner, work: Path) -> None:
    document = explained("ca201_grad_none", warm_python, ca, work, None)

    (finding,) = document["findings"]
    assert (finding["code"], finding["confidence"]) == ("CA001", "medium")
    assert "this log does not hold the reason" in finding["message"]
    assert "ca run" in finding["fix"]
    gaps = {gap["subject"]: gap["text"] for gap in document["limitations"]}
    assert "TORCH_LOGS=compiled_autograd_verbose" in gaps["reasons"]
