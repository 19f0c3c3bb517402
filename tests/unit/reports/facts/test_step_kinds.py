"""What a compile does, read from its tree of guards."""

from __future__ import annotations

from ca_reports.facts.step_kinds import kind_of, parameters_of
from tests.unit.reports.causes.rules.recompiled import on_float, tree
from tests.unit.reports.facts.test_selecting import on_function, on_number, on_parameter


def text(*demands: str) -> str:
    return tree(*demands).text


def test_another_function_or_another_parameter_is_another_kind_of_step() -> None:
    first = kind_of(text(on_parameter("L['self']._modules['a']", "4, 8")))
    second = kind_of(text(on_parameter("L['self']._modules['b']", "4, 8")))
    larger = kind_of(text(on_parameter("L['self']._modules['b']", "6, 8")))
    calling = kind_of(
        text(on_parameter("L['self']._modules['a']", "4, 8"), on_function("G['f']", 1))
    )

    # of the same sizes at another place one graph could serve both
    assert len({one.step for one in (first, second, larger, calling)}) == 4
    assert first.work == second.work
    assert len({one.work for one in (second, larger, calling)}) == 3


def test_words_whole_numbers_flags_and_given_functions_may_select_and_floats_do_not() -> None:
    flag = "ID_MATCH: ___check_obj_id(L['is_last'], 94), type=<class 'bool'>  # if is_last:"
    member = "ID_MATCH: ___check_obj_id(L['kind'], 77), type=<enum 'Kind'>  # if kind is Kind.A:"
    mode = "ID_MATCH: ___check_obj_id(L['self'].training, 94), type=<class 'bool'>  # F.dropout("
    found = kind_of(
        text(
            on_number("task", "'price'"),
            on_number("which", 2, "LAMBDA_GUARD"),
            on_float("L['rate']", 0.5),
            on_function("L['loss']", 140),
            on_function("G['other']", 141),
            flag, member, mode,
        )
    )  # fmt: skip

    assert {name: value for name, (value, _) in found.selecting.items()} == {
        "task": "'price'", "which": "2", "is_last": "94", "kind": "77", "loss.__code__": "140",
    }  # fmt: skip


def test_modules_that_are_given_are_told_by_the_sizes_of_their_parameters() -> None:
    small, large = (
        kind_of(text(on_parameter("L['head']", size), on_parameter("L['self']", "2, 2")))
        for size in ("1, 32", "5, 32")
    )

    assert set(small.given) == set(large.given) == {"head"}
    assert small.given["head"] != large.given["head"]
    assert [*parameters_of(text(on_parameter("L['head']", "1, 32")))] == [
        ("head._parameters['weight']", "1, 32")
    ]
