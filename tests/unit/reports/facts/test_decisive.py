"""Of several failed guards the one that a recompile is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.run.held import RecordedGuards
from tests.unit.reports.causes.rules.recompiled import (
    NO_GRAD,
    calling,
    compiled,
    explained,
    graph,
    held_number,
    on_float,
    on_tensor,
    tensor,
    tree,
)


def test_a_mode_that_was_compiled_before_is_no_new_variant() -> None:
    # GIVEN a recompile for which torch names another guard of the compile in the same mode
    found = explained(
        compiled(0, **calling(20)),
        compiled(1, NO_GRAD, **calling(30)),
        compiled(2, NO_GRAD, "t == 1.0"),
    ).diagnosis.findings

    # THEN that guard is what made it necessary: the mode was that compile's
    assert {one.code for one in found} == {"CA715", "CA702"}


def test_a_call_elsewhere_in_a_known_mode_is_told_by_its_sizes() -> None:
    # GIVEN a model that trains and evaluates, then writes text: another call, one row, length 1
    size = "tensor 'x' size mismatch at index {}. expected {}, actual {}"
    found = explained(
        compiled(0, **calling(20), **graph(x=(8, 16))),
        compiled(1, NO_GRAD, **calling(30), **graph(x=(8, 16))),
        compiled(
            2, NO_GRAD, size.format(0, 8, 1),
            arguments={"x": tensor(1, 2)}, **calling(40), **graph(x=(1, 2)),
        ),
        compiled(
            3, size.format(1, 2, 3), NO_GRAD, size.format(0, 8, 1),
            arguments={"x": tensor(1, 3)}, **calling(40), **graph(x=(1, None)),
        ),
    ).diagnosis.findings  # fmt: skip

    # THEN it is neither the mode's nor a short last batch
    assert {one.code for one in found} == {"CA715", "CA102"}
    (sizes,) = (one for one in found if one.code == "CA102")
    assert "varied in dimensions 0: 8, 1 and 1: 16, 2, 3, which another call gives it" in (
        sizes.message
    )


def test_a_stride_that_the_newest_compile_takes_any_of_is_not_what_made_another_necessary() -> None:
    # GIVEN the last token of a text, a view whose stride grows with it, and its length as a number,
    # which the code compares
    def shaped(stride: str) -> str:
        return on_tensor("last", "int64", "1, 1").replace("stride=[1]", f"stride=[{stride}, 1]")

    stride = "tensor 'last' stride mismatch at index 0. expected 3, actual {}"
    last = {"last": {"shape": [1, 1], "stride": [3, 1], "type": "torch.Tensor"}}
    length = {"held": held_number(7), "arguments": last}
    found = {
        one.code: one
        for one in explained(
            compiled(0, guards=tree(shaped("3")), arguments=last),
            compiled(1, stride.format(4), guards=tree(shaped("None")), arguments=last),
            compiled(
                2, "length <= 4", stride.format(5),
                guards=tree(shaped("None")), **length,
            ),
            compiled(
                3, "5 <= length <= 6", "length <= 4", stride.format(7),
                guards=tree(shaped("None")), **length,
            ),
        ).diagnosis.findings
    }  # fmt: skip

    # THEN the length is, and what changes the stride of a size of 1 is said
    assert found["CA701"].compile_ids == ("0/2", "0/3")
    assert found["CA111"].compile_ids == ("0/1",)
    assert "`.clone(memory_format=torch.contiguous_format)`" in found["CA111"].fix


def test_of_several_compiles_the_one_that_differs_in_fewest_settings_tells_the_state() -> None:
    # GIVEN a training, an evaluation, and a training under autocast
    found = explained(
        compiled(0, **calling(20)),
        compiled(1, "GLOBAL_STATE changed: grad_mode", **calling(30)),
        compiled(
            2,
            "GLOBAL_STATE changed: grad_mode autocast(cpu)_enabled",
            "GLOBAL_STATE changed: autocast(cpu)_enabled",
        ),
    ).diagnosis.findings
    (told,) = (one for one in found if one.code == "CA112")
    assert told.message.endswith("changed between calls: autocast(cpu)_enabled")
    assert "no_grad" not in told.fix


@pytest.mark.parametrize(
    ("setting", "of_state"),
    [("num_threads", ("0/2", "0/3")), ("autocast(cpu)_enabled", ("0/2",)), ("grad_mode", ("0/2",))],
)
def test_what_a_setting_makes_necessary_again_is_the_settings(
    setting: str, of_state: tuple[str, ...]
) -> None:
    # GIVEN a warm-up with two sizes before the number of threads changes, and both after it
    state, one = f"GLOBAL_STATE changed: {setting}", "2 <= x.size()[0]"
    found = explained(
        compiled(0, **graph(x=(None, 4))),
        compiled(1, one),
        compiled(2, state, state),
        compiled(3, one, state, state),
    ).diagnosis.findings

    # THEN the second size is compiled again for the setting: its compile of before would serve
    ids = next((each.compile_ids for each in found if each.code == "CA112"), ())
    assert ids == of_state


def test_a_compile_is_the_size_s_that_no_earlier_one_had() -> None:
    # GIVEN dynamic=False: torch compares with the newest compile first, which is the short batch's
    text = "tensor 'ids' size mismatch at index {}. expected {}, actual {}"
    found = explained(
        compiled(0, **graph(ids=(4, 24))),
        compiled(1, text.format(1, 24, 20), arguments={"ids": tensor(4, 20)}, **graph(ids=(4, 20))),
        compiled(
            2,
            text.format(0, 4, 2),
            text.format(0, 4, 2),
            arguments={"ids": tensor(2, 24)},
            **graph(ids=(2, 24)),
        ),
        compiled(
            3,
            text.format(0, 2, 4),
            text.format(1, 20, 16),
            text.format(1, 24, 16),
            arguments={"ids": tensor(4, 16)},
            **graph(ids=(4, 16)),
        ),
    ).diagnosis.findings

    # THEN the last one is for another length, which it is beside both full batches
    length, batch = found
    assert (length.code, length.severity) == ("CA102", "warning")
    assert length.compile_ids == ("0/1", "0/3")
    assert "24, 20, 16" in length.message
    assert (batch.code, batch.compile_ids) == ("CA101", ("0/2",))


def test_a_dynamic_size_is_compiled_for_its_condition_and_not_for_the_first_size() -> None:
    # GIVEN a compile for one length, one for any that divides by 8, and a length that does not
    static, condition = (
        "tensor 'x' size mismatch at index 1. expected 40, actual {}",
        ("(((-1)*x.size()[1]) % 8) != 0  # if short:  # train.py:6 in f"),
    )
    again = replace(
        compiled(2),
        recompile_reason=f"0/0: {static.format(24)}\n0/1: {condition}",
        inputs={"lx": (4, "s77")},
    )
    found = explained(
        compiled(0, **graph(x=(4, 40))),
        compiled(1, static.format(20), arguments={"x": tensor(4, 20)}, inputs={"lx": (4, "s77")}),
        again,
    ).diagnosis.findings

    # THEN the last is for the condition; the first change alone made the length dynamic
    assert [(one.code, one.compile_ids) for one in found] == [
        ("CA712", ("0/2",)), ("CA102", ("0/1",)),
    ]  # fmt: skip


def test_a_short_batch_that_comes_with_other_modes_first_is_found_later() -> None:
    # GIVEN a short batch whose first call has a new mode as well, which torch names
    mode = "mode == 'none'"
    text = {"type": "str", "value": "all"}
    known = {"type": "str", "value": "none"}
    findings = explained(
        compiled(0, **graph(x=(6, 4))),
        compiled(1, mode, held=text, arguments={"x": tensor(3, 4), "mode": text}),
        compiled(2, "mode == 'all'", "tensor 'x' size mismatch at index 0. expected 6, actual 3",
                 held=known, arguments={"x": tensor(3, 4), "mode": known}),
    ).diagnosis.findings  # fmt: skip

    # THEN the second compile, in a mode that is known, is the short batch's
    assert {found.code: found.compile_ids for found in findings} == {
        "CA703": ("0/1",), "CA101": ("0/2",)
    }  # fmt: skip


def test_a_column_that_comes_and_goes_is_not_another_columns_dtype() -> None:
    # GIVEN compiles with and without a column, and a batch with it whose prices are doubles
    found = explained(
        compiled(0),
        compiled(1, "___dict_contains('dwell', batch)"),
        compiled(
            2,
            "not ___dict_contains('dwell', batch)",
            "tensor 'batch['price']' dtype mismatch. expected Float, actual Double",
        ),
    ).diagnosis.findings

    assert {one.code: one.compile_ids for one in found} == {"CA711": ("0/1",), "CA708": ("0/2",)}


def test_keys_that_are_those_of_an_earlier_compile_are_not_what_the_new_one_is_for() -> None:
    # GIVEN a text generator: a prompt, each word under inference mode, and a longer prompt
    keys = "tensor 'x' dispatch key set mismatch. expected DispatchKeySet({}), actual {}({})"
    plain, inference = "CPU, ADInplaceOrView", "CPU"
    size = "tensor 'x' size mismatch at index 1. expected 10, actual 13"
    findings = explained(
        compiled(0),
        compiled(1, keys.format(plain, "DispatchKeySet", inference), arguments={"x": tensor(1, 1)}),
        compiled(
            2, keys.format(inference, "DispatchKeySet", plain), size,
            arguments={"x": tensor(1, 13)},
        ),
    ).diagnosis.findings  # fmt: skip

    told = {found.code: found.compile_ids for found in findings}
    assert told == {"CA708": ("0/1",), "CA102": ("0/2",)}


def test_what_grows_is_found_behind_what_comes_by_turns() -> None:
    # GIVEN a list that grows at every epoch, and one example of another rank after each: torch
    # names the guard of the newest compile first, which is always the rank
    rank = "tensor 'x' rank mismatch. expected {}, actual {}"
    length = "len(self.bank) == {}"
    text = [
        (rank.format(2, 1),),
        (rank.format(1, 2), length.format(2)),
        (rank.format(2, 1), length.format(2), rank.format(2, 1)),
        (rank.format(1, 2), length.format(3), rank.format(1, 2), length.format(2)),
    ]
    lengths = [2, 3, 3, 4]
    compiles = [compiled(0)]
    for number, (reasons, now) in enumerate(zip(text, lengths, strict=True), 1):
        held = {"type": "list", "length": now}
        guards = [
            {"failed": f"0/{number - 1 - at}", "source": "self.bank", "held": held}
            for at, reason in enumerate(reasons)
            if reason.startswith("len")
        ]
        record = RecordedGuards.from_record({"guards": guards, "arguments": {}})
        compiles.append(replace(compiled(number, *reasons), held=record))

    growing, other = explained(*compiles).diagnosis.findings

    # THEN only the first other rank is the rank's: the closest compile differs in the length
    assert (growing.code, growing.compile_ids) == ("CA710", ("0/2", "0/3", "0/4"))
    assert "the length of `self.bank`: 2 → 3 → 4, more each time" in growing.message
    assert (other.code, other.compile_ids) == ("CA709", ("0/1",))


def on_function(address: int) -> str:
    return f"ID_MATCH: ___check_obj_id(L['g'].__code__, {address}), type=<class 'code'>"


def on_key(at: int, key: str) -> str:
    return f"EQUALS_MATCH: list(dict.keys(L['batch']))[{at}] == '{key}'    # train.py:6 in f"


def on_item(key: str, dtype: str) -> str:
    return on_tensor("batch", dtype, "16").replace("L['batch']", f"L['batch']['{key}']")


def test_keys_in_the_order_of_an_earlier_compile_are_not_what_the_new_one_is_for() -> None:
    # GIVEN tables whose columns come in two orders, and one of them with another dtype
    trees = [
        tree(*(on_key(at, key) for at, key in enumerate(keys)), on_item("area", dtype))
        for keys, dtype in (
            (("area", "age"), "float32"), (("age", "area"), "float32"), (("area", "age"), "float64")
        )
    ]  # fmt: skip
    order = "list(dict.keys(batch))[0] == '{}'"
    dtype = "tensor 'batch['area']' dtype mismatch. expected Float, actual Double"

    found = explained(
        compiled(0, guards=trees[0]),
        compiled(1, order.format("area"), guards=trees[1]),
        compiled(2, order.format("age"), dtype, guards=trees[2]),
    ).diagnosis.findings

    assert {one.code: one.compile_ids for one in found} == {"CA711": ("0/1",), "CA708": ("0/2",)}


def test_a_training_step_after_an_evaluation_is_not_for_the_mode_again() -> None:
    # GIVEN an evaluation between two training steps; its compile is the closest to the second
    trees = [
        tree(*(on_float(f"L['self'].{name}", value) for name, value in held.items()))
        for held in (
            {"step": 0.0, "smoothing": 0.5},
            {"step": 4.0, "smoothing": 0.5},
            {"step": 4.0, "smoothing": 0.25},
        )
    ]
    last = compiled(2, NO_GRAD, "self.smoothing == 0.5", guards=trees[2])
    analysis = explained(
        compiled(0, guards=trees[0], **calling(20)),
        compiled(1, NO_GRAD, guards=trees[1], **calling(30)),
        last,
    )

    # THEN the mode is that of the evaluation alone, in the findings and in tables of guards
    found = {one.code: one.compile_ids for one in analysis.diagnosis.findings}
    assert found == {"CA704": ("0/2",), "CA715": ("0/1",)}
    assert analysis.guard_that_failed(last) == "self.smoothing == 0.5"


def test_the_closest_compile_decides_between_an_object_and_a_number() -> None:
    # GIVEN a function by turns and a float: torch names the newest compile's guard first
    other = "___check_obj_id(g.__code__, 2), type=<class 'code'>"
    again = "___check_obj_id(g.__code__, 1), type=<class 'code'>"
    found = explained(
        compiled(0, guards=tree(on_function(1), on_float("L['s']", 0.5))),
        compiled(1, again, guards=tree(on_function(2), on_float("L['s']", 0.5))),
        compiled(2, other, "s == 0.5", guards=tree(on_function(1), on_float("L['s']", 0.25))),
    ).diagnosis.findings

    # THEN the second recompile is the float's: only that differs from the first compile
    assert {one.code: one.compile_ids for one in found} == {"CA706": ("0/1",), "CA702": ("0/2",)}


def test_an_evaluation_with_another_number_is_the_numbers_and_not_the_states() -> None:
    # GIVEN training and evaluation by turns, each with two rates: torch names the state first
    def of(training: int, p: float) -> Any:
        return tree(on_function(training), on_float("L['s']", p))

    was = "s == 0.5"
    found = explained(
        compiled(0, guards=of(1, 0.5), **calling(20)),
        compiled(1, NO_GRAD, guards=of(2, 0.5), **calling(30)),
        compiled(2, NO_GRAD, was, held=held_number(0.4), guards=of(1, 0.4)),
        compiled(3, NO_GRAD, was, NO_GRAD, guards=of(2, 0.4)),
    ).diagnosis.findings

    # THEN the second evaluation is recompiled for the rate, and only the first is expected
    assert {one.code: one.compile_ids for one in found} == {
        "CA702": ("0/2", "0/3"),
        "CA715": ("0/1",),
    }
