"""The rules about recompiles of forwards, on hand-built runs."""

from __future__ import annotations

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
