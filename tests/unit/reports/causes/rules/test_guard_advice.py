"""What to do about a guard that fails."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.run.held import RecordedGuards
from tests.unit.reports.causes.rules.recompiled import (
    CODE,
    compiled,
    explained,
    held_number,
    tensor,
)


def test_what_a_first_call_sets_is_to_be_set_before_it() -> None:
    # GIVEN an attribute that the forward itself sets, as Transformers does `problem_type`
    chosen = {"type": "str", "value": "regression"}
    (found,) = explained(
        compiled(0), compiled(1, "self.config.problem_type is None", held=chosen)
    ).diagnosis.findings
    assert found.code == "CA703"
    assert found.fix.startswith(
        "set `self.config.problem_type` to 'regression' before the first compiled call"
    )


@pytest.mark.parametrize(
    ("code", "guard", "held"),
    [
        ("CA701", "n == 2", held_number(3)),
        ("CA702", "n == 2", held_number(2.5)),
        ("CA702", "self.param_groups[0]['lr'] == 0.1", held_number(0.09)),
        ("CA703", "mode == 'train'", {"type": "str", "value": "eval"}),
        ("CA703", "flag == True", {"type": "bool", "value": False}),
        ("CA704", "self.calls == 0", held_number(1)),
        ("CA705", "G['SCALE'] == 2", held_number(3)),
        ("CA706", "___check_obj_id(g.__code__, 1), type=<class 'code'>", {"type": "code"}),
        ("CA707", "___check_type_id(o, 1), type=<class 'a.A'>", {"type": "a.B"}),
        ("CA708", "tensor 'x' dtype mismatch. expected Float, actual Double", tensor(2)),
        ("CA709", "tensor 'x' rank mismatch. expected 2, actual 3", tensor(2, 2, 2)),
        ("CA710", "len(xs) == 2", {"type": "list", "length": 3}),
        ("CA711", "list(dict.keys(b))[0] == 'a'", {"type": "dict", "keys": ["c"]}),
        ("CA711", "not ___dict_contains(4, self.cache)", {"type": "dict", "keys": [4]}),
        ("CA711", "KeyError on note['pressure']", None),
        ("CA712", "(a.size()[0] % 2) == 0", tensor(7)),
        ("CA713", "b.size()[0] == a.size()[0]  # duck sizing added this equality", tensor(7)),
        ("CA714", 'Duplicate tensors found: ["a", "b"]', None),
        ("CA717", "BACKEND_MATCH failure: torch.compile detected different backends", None),
        ("CA718", "not self._modules['l']._forward_hooks", {"type": "dict", "length": 1}),
    ],
)
def test_each_guard_has_its_rule(code: str, guard: str, held: Any) -> None:
    (found,) = explained(compiled(0), compiled(1, guard, held=held)).diagnosis.findings
    assert found.code == code
    assert found.severity == "warning"
    assert "0x" not in found.key


def test_a_model_that_the_script_calls_has_no_name_of_its_own() -> None:
    guard = "tensor 'x' requires_grad mismatch. expected requires_grad=0"
    place = replace(CODE, function="<module>")
    (found,) = explained(
        compiled(0), replace(compiled(1, guard), location=place)
    ).diagnosis.findings
    assert found.message.endswith(": 1 recompile")


def test_an_object_that_is_gone_is_another_one_of_the_same_history() -> None:
    other = "___check_obj_id(act.__code__, 1), type=<class 'code'>"
    gone = "Cache line invalidated because L['act'].__code__ got deallocated"
    code = {"type": "code"}
    (found,) = explained(
        compiled(0),
        compiled(1, other, held=code),
        compiled(2, other, held=code),
        compiled(3, gone, held=code),
    ).diagnosis.findings
    assert (found.code, found.count) == ("CA706", 3)


def test_a_number_where_others_pass_a_tensor_is_to_be_one() -> None:
    guard = "expected type of 't' to be a tensor type, ' but found <class 'int'>"
    held = {"type": "int", "value": 3}
    (found,) = explained(compiled(0), compiled(1, guard, held=held)).diagnosis.findings
    assert found.message == "the type of `t`: a tensor → int: 1 recompile of `f`"
    assert found.fix.startswith("pass `t` as a tensor in every call")


@pytest.mark.parametrize(
    ("source", "expected", "came", "words"),
    [
        # One class that each call of a helper defines, two that share a name by chance, subclasses.
        ("o", "a.made.<locals>.Holder", "a.made.<locals>.Holder", "each call of `made` defines"),
        ("o", "a.made.<locals>.Holder", "a.made.<locals>.Other", "pass `o` as one class"),
        ("x", "a.Image", "torch.Tensor", "as a plain tensor in every call, `x.as_subclass("),
        ("x", "torch.nn.parameter.Parameter", "torch.Tensor", "always as a Tensor or always as"),
    ],
)
def test_what_to_do_about_another_class_depends_on_what_makes_it(
    source: str, expected: str, came: str, words: str
) -> None:
    guard = f"___check_type_id({source}, 1), type=<class '{expected}'>"
    given = {source: {"type": came}}
    (found,) = explained(compiled(0), compiled(1, guard, arguments=given)).diagnosis.findings
    assert found.code == "CA707"
    assert words in found.fix


def test_a_class_that_torch_does_not_name_is_no_subclass() -> None:
    guard = "expected type of 'x' to be a tensor type, ' but found <class 'torch.Tensor'>"
    (found,) = explained(compiled(0), compiled(1, guard)).diagnosis.findings
    assert found.message.startswith("the type of `x`: … → Tensor")
    assert "always as a Tensor or always as a Parameter" in found.fix


def test_a_rate_that_was_a_tensor_is_to_stay_the_tensor() -> None:
    guard = (
        "expected type of 'self.param_groups[0]['lr']' to be a tensor type, ' but found "
        "<class 'float'>"
    )
    (found,) = explained(compiled(0), compiled(1, guard)).diagnosis.findings
    assert 'fill it in place, `group["lr"].fill_(…)`' in found.fix


def test_a_number_of_torchs_own_module_becomes_no_tensor() -> None:
    """`torch.nn.functional.dropout` takes no tensor for a probability."""
    of_torch, of_program = (
        explained(
            compiled(0),
            compiled(1, f"self._modules['drop'].p == 0.1  # {line}", held=held_number(0.2)),
        ).diagnosis.findings[0]
        for line in (
            "return F.dropout(input, self.p)  # nn/modules/dropout.py:73 in forward",
            "return drop(x, self.p)  # layers.py:7 in forward",
        )
    )
    assert "register_buffer" not in of_torch.fix
    assert "torch.rand_like(x) >= p" in of_torch.fix
    assert "register_buffer" in of_program.fix


def test_a_number_of_an_object_in_a_module_becomes_no_buffer() -> None:
    of_object, of_module = (
        explained(compiled(0), compiled(1, f"{source} == 1.5", held=held_number(2.5))).diagnosis
        for source in ("self._modules['attn'].processor.scale", "self._modules['attn'].scale")
    )
    assert "register_buffer" not in of_object.findings[0].fix
    assert "`torch.tensor(float(…))`) where it is set" in of_object.findings[0].fix
    # Checkpoints have no entry for it, so a buffer that is saved would be missed in them.
    buffer = 'self.register_buffer("scale", torch.tensor(0.0), persistent=False)'
    assert buffer in of_module.findings[0].fix


@pytest.mark.parametrize(
    ("guard", "advice"),
    [
        ("(((-1)*x.size()[1]) % 8) != 0", "pad dimension 1 of `x` to a multiple of 8, with a mask"),
        ("(x.size()[0] % 2) == 0", "pad dimension 0 of `x` to a multiple of 2, with a mask"),
        ("3 <= x.size()[0] <= 10", "keep dimension 0 of `x` on one side of the condition"),
    ],
)
def test_the_advice_on_a_condition_says_what_to_pad_to(guard: str, advice: str) -> None:
    (found,) = explained(compiled(0), compiled(1, guard)).diagnosis.findings
    assert found.code == "CA712"
    assert found.fix.startswith(advice)


def test_a_list_that_grows_anywhere_is_not_to_be_padded() -> None:
    (found,) = explained(
        compiled(0),
        compiled(1, "not seen"),
        compiled(2, "len(seen) == 1"),
    ).diagnosis.findings
    assert found.code == "CA710"
    assert found.message.startswith("the length of `seen`: 0 → 1 → …, more each time")
    assert "keep what is collected outside the compiled forward" in found.fix


def test_a_key_that_a_call_lacks_is_told_with_its_dict() -> None:
    """Torch tells that looking the key up for a guard raised an error, not a guard."""
    (found,) = explained(
        compiled(0), compiled(1, "KeyError on note['pressure']")
    ).diagnosis.findings
    assert found.code == "CA711"
    assert found.key == "note"
    assert found.message.startswith("`note`: with 'pressure' → ")
    assert "the same keys in the same order in every call" in found.fix


@pytest.mark.parametrize(
    ("held", "is_again"), [("jobs.Batch", True), ("other.Batch", False), ("jobs.Other", False)]
)
def test_a_class_of_the_same_name_is_one_that_is_made_again(held: str, is_again: bool) -> None:
    guard = "___check_type_id(o, {}), type=<class 'jobs.Batch'>"
    every = [compiled(0)]
    for at in (1, 2):
        raw = {"guards": [{"failed": f"0/{at - 1}", "source": "o", "held": {"type": held}}]}
        again = compiled(at, guard.format(at))
        every.append(replace(again, held=RecordedGuards.from_record(raw)))
    (found,) = explained(*every).diagnosis.findings

    assert found.code == "CA707"
    assert ("define the class `Batch` once" in found.fix) is is_again


def test_keys_in_another_order_lack_none() -> None:
    def said(*every: str) -> str:
        made = [
            compiled(
                at,
                *(["list(dict.keys(b))[0] == 'x'"] if at else []),
                arguments={"b": {"type": "dict", "length": len(keys), "keys": [*keys]}},
            )
            for at, keys in enumerate(every)
        ]
        (found,) = explained(*made).diagnosis.findings
        assert found.code == "CA711"
        return found.fix

    assert said("xy", "yx", "xy").endswith("the same ones in another order (`sorted`)")
    assert "a missing one gets a tensor" in said("xy", "yx", "xz")


def test_what_is_asked_of_a_set_is_said_and_not_its_length() -> None:
    asked = "not set.__contains__(self.skip, {})"
    (found,) = explained(
        compiled(0),
        compiled(1, asked.format(3), held={"type": "set", "length": 1}),
        compiled(2, asked.format(0), held={"type": "set", "length": 1}),
    ).diagnosis.findings

    assert found.code == "CA711"
    assert found.message.startswith("`self.skip`: without 3 → ")


def test_a_list_of_an_argument_that_grows_can_be_padded() -> None:
    given, collected = (
        explained(
            compiled(0), compiled(1, f"len({name}) == 1"), compiled(2, f"len({name}) == 2")
        ).diagnosis.findings[0]
        for name in ("lines", "self.seen")
    )
    assert "more each time" in given.message
    assert "more each time" in collected.message
    assert "stack `lines` into one tensor, or pad it to one length" in given.fix
    assert "stack" not in collected.fix


def test_a_dict_that_was_empty_once_is_to_be_filled_before() -> None:
    """A cache of keys and values: the first call finds nothing in it."""
    held = {"type": "dict", "length": 2, "keys": ["0", "1"]}
    record = {"guards": [{"failed": "0/0", "source": "cache", "held": held}], "arguments": {}}
    filled = replace(compiled(1, "not cache"), held=RecordedGuards.from_record(record))
    (found,) = explained(compiled(0), filled).diagnosis.findings
    assert found.message.startswith("the length of `cache`: 0 → 2: 1 recompile")
    assert "fill it before the first compiled call" in found.fix


def test_none_that_became_a_tensor_is_told_as_one() -> None:
    (found,) = explained(
        compiled(0), compiled(1, "x.mask is None", held=tensor(2, 3))
    ).diagnosis.findings
    assert found.message.startswith("`x.mask`: None ↔ a tensor, 2 values")
    assert "always pass a tensor" in found.fix


@pytest.mark.parametrize(
    ("guard", "held", "words"),
    [
        # A batch lacks a key; a cache is filled by the forward itself.
        ("___dict_contains('weight', batch)", {"type": "dict", "keys": []}, "same keys"),
        ("not ___dict_contains(4, self.cache)", {"type": "dict", "keys": [4]}, "fill `self.cache`"),
        ("G['SCALE'] == 2", held_number(3), "in place"),
        ("G['__import_losses'].WEIGHT == 2", held_number(3), "in place"),
        ("tensor 'x' rank mismatch. expected 2, actual 3", tensor(2, 2, 2), ".unsqueeze()"),
        ("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), actual "
         "DispatchKeySet(CPU, AutogradCPU)", tensor(2), "inference_mode"),
        ("tensor 'self.cos' dispatch key set mismatch. expected DispatchKeySet(CPU, AutogradCPU), "
         "actual DispatchKeySet(CUDA, AutogradCUDA)", tensor(2), "register_buffer"),
        ("___check_obj_id(g.__code__, 1), type=<class 'code'>", {"type": "code"}, "once"),
        ("___normalize_count_iter(self.calls) == (0, 1)", None, "`next` on `self.calls` outside"),
        # Made when `forward` is first called, and kept.
        ("self.bias is None", tensor(3), "before the compiled function runs"),
    ],
)  # fmt: skip
def test_the_advice_is_for_the_way_it_was_written(guard: str, held: Any, words: str) -> None:
    (found,) = explained(compiled(0), compiled(1, guard, held=held)).diagnosis.findings
    assert words in found.fix


@pytest.mark.parametrize(
    ("lines", "words"),
    [((3, 8), "a few functions cost one compile each"), ((3, 3), "make the function `g` once")],
)
def test_functions_by_turns_are_told_from_one_that_is_made_anew(
    lines: tuple[int, int], words: str
) -> None:
    # GIVEN two recompiles for the code of an argument, noted with the place of each function
    def given(line: int) -> dict[str, Any]:
        return {"g": {"type": "function", "value": "g", "file": "/work/train.py", "line": line}}

    other = "___check_obj_id(g.__code__, {}), type=<class 'code'>"
    (found,) = explained(
        compiled(0),
        compiled(1, other.format(1), arguments=given(lines[0])),
        compiled(2, other.format(2), other.format(1), arguments=given(lines[1])),
    ).diagnosis.findings
    assert found.code == "CA706"
    assert words in found.fix


def test_a_dict_of_a_class_of_its_own_is_no_list_to_stack() -> None:
    held = {"type": "lib.FrozenDict", "length": 3, "keys": ["a", "b", "c"]}
    record = {"guards": [{"failed": "0/0", "source": "options", "held": held}], "arguments": {}}
    guard = compiled(1, "len(options) == 2")
    longer = replace(guard, held=RecordedGuards.from_record(record))
    (found,) = explained(compiled(0), longer).diagnosis.findings
    assert found.code == "CA710"
    assert "give `options` the same keys in every call" in found.fix


def advice_on(guard: str, held: Any = None, **arguments: Any) -> str:
    recompile = compiled(1, guard, held=held, arguments=arguments)
    (found,) = explained(compiled(0, arguments=arguments), recompile).diagnosis.findings
    return str(found.fix)


def test_no_number_is_advised_for_a_tensor_that_lacks() -> None:
    # GIVEN a threshold that is None in some calls, for which ones and zeros filter everything
    fix = advice_on("top_k is None", tensor(6))
    assert "with the value that changes nothing there" in fix
    assert "ones or zeros" not in fix


def test_what_is_none_in_the_first_call_only_is_to_be_made_before_it() -> None:
    fix = advice_on("self._modules['inner']._mapped is None", {"type": "functools.partial"})
    assert fix.startswith("set `self.inner._mapped` before the first compiled call")


def test_a_gradient_that_is_none_is_no_flag() -> None:
    # GIVEN two heads in turn, and `zero_grad`
    fix = advice_on("self.param_groups[0]['params'][2].grad is not None")
    assert fix.startswith("if the optimizer has neither momentum nor weight_decay, leave zeros")
    assert "neither momentum nor weight_decay" in fix


def test_nobody_converts_the_class_of_self() -> None:
    fix = advice_on("___check_type_id(self, 1), type=<class 'a.Flip'>", {"type": "a.Invert"})
    assert fix.startswith("compile their caller as a whole")


@pytest.mark.parametrize(
    ("identity", "begin"),
    [(7, "put what `self.first` is to be"), (None, "use one class for `self.first`")],
)
def test_a_child_that_is_replaced_is_to_be_there_before(identity: int | None, begin: str) -> None:
    guard = "___check_type_id(self._modules['first'], 1), type=<class 'a.Linear'>"
    fix = advice_on(guard, {"type": "a.Styled"}, self={"type": "Net", "identity": identity})
    assert fix.startswith(begin)


def test_all_that_comes_with_another_number_of_dimensions_is_named() -> None:
    # GIVEN a target that is as long as the input, and a scale that has one number in both calls
    again = compiled(
        1,
        "tensor 'x' rank mismatch. expected 2, actual 3",
        held=tensor(2, 2, 2),
        arguments={"x": tensor(2, 2, 2), "y": tensor(2, 2, 2), "scale": tensor(2)},
    )
    first = {"arguments": {"x": tensor(2, 2), "y": tensor(2, 2), "scale": tensor(2)}}
    (found,) = explained(
        replace(compiled(0), held=RecordedGuards.from_record(first)), again
    ).diagnosis.findings
    assert found.fix.startswith("give `x`, `y` one number of dimensions before the call")
    assert found.fix.endswith("all of them in the same way")


def test_a_class_that_is_made_in_each_call_is_defined_once() -> None:
    # GIVEN a class of another class than `type`, by which its objects are applied
    name = "__main__.scaled_by.<locals>.Scaled"
    held = {"type": "torch.autograd.function.FunctionMeta", "value": name}
    texts = [f"___check_obj_id(scaling, {number}), type=<class '{name}'>" for number in (11, 12)]
    (found,) = explained(
        compiled(0),
        compiled(1, texts[0], arguments={"scaling": held | {"identity": 2}}),
        compiled(2, texts[1], texts[0], arguments={"scaling": held | {"identity": 3}}),
    ).diagnosis.findings
    assert found.code == "CA706"
    assert found.fix.startswith("define the class `Scaled` once, at module level: each call of")
    assert found.remedy.edit == "class_once"
