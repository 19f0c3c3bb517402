"""The rules about recompiles of forwards, on hand-built runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.run.model import Frame
from tests.unit.reports.causes.rules.recompiled import compiled, explained


def test_a_tensor_that_begins_elsewhere_in_memory_is_another_layout() -> None:
    (found,) = explained(
        compiled(0),
        compiled(1, "2 <= x.storage_offset()  # return x * t  # train.py:5 in f"),
    ).diagnosis.findings
    assert found.code == "CA111"
    assert "`x` begins elsewhere in its storage" in found.message
    assert "`x.clone()`" in found.fix


def test_a_setting_that_flips_between_calls_is_ca112() -> None:
    (found,) = explained(
        compiled(0), compiled(1, "GLOBAL_STATE changed: num_threads")
    ).diagnosis.findings
    assert (found.code, found.severity) == ("CA112", "warning")
    assert "between calls" in found.message


def test_a_stride_that_does_not_follow_from_the_sizes_is_a_layout() -> None:
    (found,) = explained(
        compiled(0), compiled(1, "x.stride()[0] == 32*x.size()[1]")
    ).diagnosis.findings
    assert (found.code, found.severity) == ("CA111", "warning")
    assert "`x.contiguous()`" in found.fix


def test_what_a_hook_keeps_is_no_hook_and_was_empty_in_the_first_call() -> None:
    kept = "self._modules['conv']._forward_hooks[0].__closure__[1].cell_contents.latest"
    (found,) = explained(compiled(0), compiled(1, f"not {kept}")).diagnosis.findings
    assert found.code == "CA710"
    assert "was empty in the first call" in found.message
    assert found.fix.startswith("fill `a hook of self.conv's closure.latest` before the first")


def test_function_modes_around_some_calls_are_ca112() -> None:
    (found,) = explained(
        compiled(0), compiled(1, "___check_torch_function_mode_stack()")
    ).diagnosis.findings
    assert (found.code, found.severity) == ("CA112", "warning")
    assert found.message == "the torch function modes around the calls changed"
    assert "torch.device" in found.fix


def test_two_arguments_that_are_one_tensor_by_identity() -> None:
    (found,) = explained(compiled(0), compiled(1, "queries is candidates")).diagnosis.findings
    assert found.code == "CA714"
    assert "`queries` and `candidates` are one tensor" in found.message


def test_two_tensors_that_change_their_layouts_are_two_findings() -> None:
    def stride(name: str, before: int, after: int) -> str:
        return f"tensor '{name}' stride mismatch at index 0. expected {before}, actual {after}"

    found = explained(
        compiled(0),
        compiled(1, stride("word", 5, 1)),
        *(compiled(at, stride("places", 4 + at, 5 + at)) for at in range(2, 6)),
    ).diagnosis.findings
    assert [(one.code, one.subject.source, one.count) for one in found] == [
        ("CA111", "places", 4),
        ("CA111", "word", 1),
    ]


def test_keys_that_no_two_calls_share_are_data_and_others_are_entries() -> None:
    def of(*keys: str) -> dict[str, Any]:
        return {"clips": {"type": "dict", "length": len(keys), "keys": list(keys)}}

    def said(*every: tuple[str, ...]) -> str:
        made = [
            compiled(at, *(["KeyError on clips[1]"] if at else []), arguments=of(*keys))
            for at, keys in enumerate(every)
        ]
        (found,) = explained(*made).diagnosis.findings
        assert found.code == "CA711"
        return found.fix

    assert "are data" in said(("1", "2"), ("3", "4"), ("5", "6"), ("7", "8"))
    assert "same keys" in said(("1", "a"), ("2", "a"), ("1", "2", "a"), ("1", "3", "a"))


def test_a_helper_that_is_called_in_several_ways_is_told_with_all_of_them() -> None:
    dtype = "tensor 'x' dtype mismatch. expected BFloat16, actual Float"
    rank = "tensor 'x' rank mismatch. expected 3, actual 2"
    mode = "GLOBAL_STATE changed: grad_mode num_threads "
    alone = explained(compiled(0), compiled(1, dtype)).diagnosis.findings[0]
    assert "versions also differ" not in alone.message

    several = explained(
        compiled(0), compiled(1, dtype), compiled(2, dtype), compiled(3, dtype, rank, mode)
    )
    found = next(one for one in several.diagnosis.findings if one.code == "CA708")
    told = "its rank, whether gradients are kept, torch's global state (`num_threads`)"
    assert f"also differ in {told}" in found.message
    assert "compile what calls `f`" in found.fix


CHECKPOINTED = "/env/torch/distributed/algorithms/_checkpoint/checkpoint_wrapper.py"


@pytest.mark.parametrize(
    ("file", "is_wrapper"), [(CHECKPOINTED, True), ("/work/wrapper.py", False)]
)
def test_the_code_of_a_wrapper_of_torchs_is_compiled_for_each_class(
    file: str, *, is_wrapper: bool
) -> None:
    place = Frame(file, 146, "forward", "")
    reasons = ("___check_type_id(L['self'], 23)", "___check_type_id(L['self'], 42)")
    (found,) = explained(
        replace(compiled(0), location=place),
        replace(compiled(1, reasons[0]), location=place),
        replace(compiled(2, *reasons), location=place),
    ).diagnosis.findings
    assert (found.code, found.severity, found.is_note) == ("CA707", "warning", False)
    assert found.fix.startswith("compile each layer before it is wrapped") == is_wrapper
