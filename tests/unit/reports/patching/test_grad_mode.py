"""CA112 of a reentrant checkpoint, and of gradients that no backward takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import SharedSetting
from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import ChangedBy

HEAD = "from torch.utils.checkpoint import checkpoint\n\n\n"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("checkpoint(block, h, use_reentrant=True)", "checkpoint(block, h, use_reentrant=False)"),
        ("checkpoint(block, h)", "checkpoint(block, h, use_reentrant=False)"),
        ("checkpoint(block, *h)", "checkpoint(block, *h, use_reentrant=False)"),
        (
            "checkpoint(block, *h, use_reentrant=self.old)",
            "checkpoint(block, *h, use_reentrant=False)",
        ),
    ],
)
def test_a_checkpoint_keeps_gradients(tmp_path: Path, call: str, expected: str) -> None:
    source = f"{HEAD}for block in blocks:\n    h = {call}\n"
    found = patched("CA112", tmp_path, source, "checkpoint(block", edits=("not_reentrant",))
    assert found == source.replace(call, expected)


def test_options_that_are_not_seen_are_left(tmp_path: Path) -> None:
    source = f"{HEAD}checkpoint(block, h, **options)\n"
    found = refusal("CA112", tmp_path, source, "checkpoint(block", edits=("not_reentrant",))
    assert "add use_reentrant=False there" in found


@pytest.mark.parametrize(
    ("mode", "call", "refused"),
    [
        ("inference_mode", "model(x)", ""),
        ("no_grad", "y = model(x)", ""),
        # What inference mode makes cannot be changed in place outside of it.
        ("inference_mode", "y = model(x)", "returns is used further on"),
        ("no_grad", "return model(x)", "returns is used further on"),
    ],
)
def test_gradients_that_nobody_takes_are_not_kept(
    tmp_path: Path, mode: str, call: str, refused: str
) -> None:
    source = f"import torch\n\n\ndef warm_up(x):\n    for _ in range(3):\n        {call}\n"
    setting = SharedSetting((mode,), "evaluation")
    if refused:
        assert refused in refusal("CA112", tmp_path, source, "model(x)", detail=setting)
        return
    under = f"        with torch.{mode}():\n            {call}\n"
    found = patched("CA112", tmp_path, source, "model(x)", detail=setting)
    assert found == source.replace(f"        {call}\n", under)


def warming(call: str, *before: str) -> str:
    body = "".join(f"        {line}\n" for line in (*before, call))
    return f"import torch\n\n\ndef warm_up(x):\n    for _ in range(3):\n{body}"


@pytest.mark.parametrize(
    ("call", "outside", "expected"),
    [
        # Requests come from outside, and so does what stands for one.
        (
            "model(torch.zeros(1, 3).to(device), x)",
            True,
            ("inputs = torch.zeros(1, 3).to(device)", "model(inputs, x)"),
        ),
        (
            "model(torch.zeros(1), mask=torch.ones(1)).sum()",
            True,
            (
                "inputs = torch.zeros(1)",
                "more_inputs = torch.ones(1)",
                "model(inputs, mask=more_inputs).sum()",
            ),
        ),
        ("model(torch.zeros(1, 3))", False, ("model(torch.zeros(1, 3))",)),
        ("model(x)", None, ("model(x)",)),
    ],
)
def test_inputs_are_made_where_those_of_the_other_calls_are(
    tmp_path: Path, call: str, outside: bool | None, expected: tuple[str, ...]
) -> None:
    setting = SharedSetting(("inference_mode",), "evaluation", outside)
    found = patched("CA112", tmp_path, warming(call), "model(", detail=setting)
    *before, now = expected
    assert found == warming("with torch.inference_mode():", *before) + f"            {now}\n"


@pytest.mark.parametrize(
    ("call", "outside", "refused"),
    [
        ("model(x)", False, "are made before it"),
        ("model(torch.zeros(1))", None, "is not in this recording"),
        ("model(encode(x))", True, "are made by more than torch"),
    ],
)
def test_a_call_that_gets_tensors_of_another_kind_is_not_put_under_the_mode(
    tmp_path: Path, call: str, outside: bool | None, refused: str
) -> None:
    setting = SharedSetting(("inference_mode",), "evaluation", outside)
    assert refused in refusal("CA112", tmp_path, warming(call), "model(", detail=setting)


def test_a_mode_that_was_not_recorded_is_not_written(tmp_path: Path) -> None:
    setting = SharedSetting(by="evaluation")
    found = refusal("CA112", tmp_path, "import torch\n\nmodel(x)\n", "model(x)", detail=setting)
    assert "not in this recording" in found


@pytest.mark.parametrize("by", ["function", "unknown"])
def test_what_is_not_known_is_not_patched(tmp_path: Path, by: ChangedBy) -> None:
    source = "import torch\n\ntorch.set_grad_enabled(training)\n"
    setting = SharedSetting(("grad_mode",), by)
    found = refusal("CA112", tmp_path, source, "enabled", detail=setting)
    assert "tell what flips grad mode" in found


THREADS = """\
import torch


def answer(model, x):
    out = model(x)
    return float(out.norm())


def main(pool, model, requests):
    jobs = [pool.submit(answer, model, x) for x in requests]
    {rest}
"""


def test_no_thread_keeps_gradients_that_nobody_takes(tmp_path: Path) -> None:
    source = THREADS.format(rest="return [job.result() for job in jobs]")
    setting = SharedSetting(("grad_mode",), "thread")
    found = patched("CA112", tmp_path, source, "out = model(x)", detail=setting)
    under = "    with torch.no_grad():\n        out = model(x)\n"
    assert found == source.replace("    out = model(x)\n", under)


@pytest.mark.parametrize(
    "rest",
    [
        "jobs[0].result().backward()",
        "return torch.autograd.grad(jobs[0].result(), x)",
        "torch.optim.SGD(model.parameters(), 0.1).step()",
        "return x.grad",
    ],
)
def test_a_thread_may_keep_gradients_in_a_program_that_takes_some(
    tmp_path: Path, rest: str
) -> None:
    source, setting = THREADS.format(rest=rest), SharedSetting(("grad_mode",), "thread")
    found = refusal("CA112", tmp_path, source, "out = model(x)", detail=setting)
    assert found == "which thread needs gradients is for you to say"


def test_a_call_in_the_head_of_a_block_is_left(tmp_path: Path) -> None:
    source = "def answer(model, x):\n    if model(x):\n        print(x)\n"
    setting = SharedSetting(("grad_mode",), "thread")
    found = refusal("CA112", tmp_path, source, "if model(x)", detail=setting)
    assert "the line to change is not known" in found
