"""What guards of forwards read, and the values that it had."""

from __future__ import annotations

from typing import Any

import pytest

from ca_reports.facts.guard_paths import guard_path
from tests.unit.reports.causes.rules.recompiled import (
    compiled,
    explained,
    held_number,
    on_tensor,
    tree,
)


def test_without_our_record_the_last_value_is_unknown() -> None:
    (found,) = explained(
        compiled(0), compiled(1, "t == 1.0"), compiled(2, "t == 0.9"), recorded=False
    ).diagnosis.findings

    assert found.code == "CA702"
    assert "1.0 → 0.9 → …, a new value each time" in found.message
    assert found.confidence != "high"


@pytest.mark.parametrize(
    ("first", "owner"),
    [
        ("not hasattr(self, 'bits')", "self"),
        ("not ___dict_contains('bits', self.__dict__)", "self"),
    ],
)
def test_an_attribute_that_is_set_later_is_one_thing_with_its_values(
    first: str, owner: str
) -> None:
    # GIVEN a number that an object has of its class, until a callback sets it on the object
    once = compiled(1, first, held={"type": owner})
    again = compiled(2, "self.bits == 6", held=held_number(4))

    # WHEN it is set once, it is to be set before
    (found,) = explained(compiled(0), once).diagnosis.findings
    assert (found.code, found.key) == ("CA704", "self.bits")
    assert "`self.bits`: not set → set: 1 recompile" in found.message
    assert found.fix.startswith("set `self.bits` in `__init__`")

    # AND with what it was set to since, there is one history
    (found,) = explained(compiled(0), once, again).diagnosis.findings
    assert (found.code, found.key, found.compile_ids) == ("CA704", "self.bits", ("0/1", "0/2"))
    assert "`self.bits`: not set → 6 → 4" in found.message
    assert "a tensor" in found.fix


def layer(number: int) -> dict[str, Any]:
    return {"self": {"type": "net.Block", "identity": number}}


def test_a_number_of_each_layer_becomes_no_tensor() -> None:
    # GIVEN layers that were compiled one by one and know their number
    guard = "self._modules['mixer'].layer_idx == "
    of_layers, of_one = (
        explained(
            compiled(0),
            compiled(1, f"{guard}0", held=held_number(1), arguments=layer(1)),
            compiled(2, f"{guard}1", held=held_number(2), arguments=layer(2 if several else 1)),
        ).diagnosis.findings[0]
        for several in (True, False)
    )
    assert of_layers.fix.startswith("compile the whole model instead of its layers")
    assert "outside the compiled forward" in of_one.fix


def test_a_rate_of_each_layer_is_told_so() -> None:
    # GIVEN layers that were compiled one by one, each with its own rate of dropped paths
    guard = "(1.0 + ((-1)*self._modules['drop'].rate)) == "
    (found,) = explained(
        compiled(0),
        *(
            compiled(number, f"{guard}0.9{10 - number}", arguments=layer(number))
            for number in (1, 2, 3)
        ),
    ).diagnosis.findings
    assert found.code == "CA704"
    assert found.fix.startswith("compile the whole model instead of its layers")
    assert "recompile_limit" not in found.fix  # it was measured to leave every recompile


def test_classes_of_layers_that_share_their_code_are_meant() -> None:
    kind = "___check_type_id(self._modules['mixer'], 1), type=<class 'net.Convolution'>"
    found, *_ = explained(
        compiled(0),
        compiled(1, kind, held={"type": "net.Attention"}, arguments=layer(1)),
        compiled(2, "self.scale == 1.5", held=held_number(2.5), arguments=layer(2)),
    ).diagnosis.findings[::-1]
    assert (found.code, found.severity) == ("CA707", "info")


@pytest.mark.parametrize(
    ("source", "key", "line", "is_one"),
    [
        ("self.seen", "who", "if who in self.seen:", True),
        ("self.net.seen", "who", "self.seen[who] = style", True),
        ("G['SEEN']['styles']", "who", "old = SEEN['styles'].get(who, style)", True),
        ("G['SEEN']", "who", "if who not in SEEN:", True),
        ("self.seen", "n", "mask = self.seen.get(n)", True),
        ("self.seen", "who", "    elif who in self.seen:", True),
        # A loop over them looks nothing up.
        ("self.seen", "who", "for who in self.seen:", False),
        # Another variable decides in that line.
        ("self.seen", "mode", "style = self.seen[who] if mode == 'a' else 0", False),
        # A batch that is given has keys of its own.
        ("seen", "who", "if who in seen:", False),
    ],
)
def test_the_key_that_a_cache_is_filled_by_is_one_cause_with_it(
    source: str, key: str, line: str, *, is_one: bool
) -> None:
    # GIVEN compiles for two keys, then for what the cache holds
    quoted = f"  # {line}  # train.py:5 in f"
    values: tuple[Any, ...] = (8, 9) if key == "n" else ("'ada'", "'bela'")
    found = explained(
        compiled(0),
        *(compiled(at, f"{key} == {value}{quoted}") for at, value in enumerate(values, 1)),
        compiled(3, f"len({source}) == 2{quoted}"),
        compiled(4, f"len({source}) == 3{quoted}"),
    ).diagnosis.findings

    assert (len(found) == 1) == is_one
    if is_one:
        assert (found[0].code, found[0].count) == ("CA710", 4)
        assert f"2 recompiles more for its key `{key}`" in found[0].message
        assert f"what still needs `{key}` gets it as a tensor, for `index_select`" in found[0].fix


def test_lists_of_two_models_that_grow_by_turns_grow() -> None:
    """A model and its average share their code, and torch names whichever failed last."""
    line = "  # self.seen.append(x.mean())  # net.py:9 in forward"
    (found,) = explained(
        compiled(0),
        compiled(1, f"not self.seen{line}"),
        compiled(2, f"len(self.seen) == 1{line}"),
        compiled(3, f"not self.seen{line}"),
    ).diagnosis.findings
    assert "0 → 1 → …, more each time" in found.message
    assert "outside the compiled forward" in found.fix


def test_tensors_that_change_together_are_one_cause() -> None:
    trees = [
        tree(on_tensor("rows", dtype, "16"), on_tensor("mask", dtype, "16"))
        for dtype in ("float32", "float64")
    ]
    (found,) = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "tensor 'rows' dtype mismatch. expected Float, actual Double", guards=trees[1]),
    ).diagnosis.findings
    assert found.code == "CA708"


@pytest.mark.parametrize(("count", "is_new"), [(2, False), (3, False), (4, True), (6, True)])
def test_a_few_words_are_no_new_word_each_time(count: int, is_new: bool) -> None:
    words = "abcdefg"
    (found,) = explained(
        compiled(0),
        *(
            compiled(at, f"mode == '{words[at - 1]}'", held={"type": "str", "value": words[at]})
            for at in range(1, count + 1)
        ),
    ).diagnosis.findings
    assert found.code == "CA703"
    assert ("a new value each time" in found.message) is is_new
    assert ("a few values cost one compile each" in found.fix) is not is_new


def test_a_compile_that_a_limit_refused_as_an_error_is_no_recompile() -> None:
    found = explained(
        compiled(0),
        compiled(1, "s == 1.5", held=held_number(2.5)),
        compiled(2, "s == 2.5", "s == 1.5", held=held_number(3.5), failed="raised",
                 fail_type="FailOnRecompileLimitHit", fail_reason="Hard failure"),
    ).diagnosis.findings  # fmt: skip
    assert "1 recompile of `f`" in next(one.message for one in found if one.code == "CA702")


def test_none_by_turns_with_a_tensor_is_known_of_the_reasons_alone() -> None:
    # GIVEN a log without our records, whose second reason names what the first one's call had
    tensor = "expected type of 'limit' to be a tensor type, ' but found <class 'NoneType'>"
    both = explained(
        compiled(0), compiled(1, "limit is None"), compiled(2, tensor), recorded=False
    ).diagnosis.findings[0]
    assert both.message.startswith("`limit`: None ↔ a tensor, 2 values")
    assert both.fix.startswith("always pass a tensor for `limit`")

    # WHEN there is one reason, what else it was is not known
    (one,) = explained(compiled(0), compiled(1, "limit is None"), recorded=False).diagnosis.findings
    assert one.message.startswith("`limit`: None ↔ …")
    assert one.fix.startswith("give `limit` in every call, where it is None in some: if it is a")


@pytest.mark.parametrize(
    ("file", "is_known"),
    [
        ("/work/ops.py", True),
        ("F:\\work\\ops.py", True),
        # Torch cut the front, or it is a library's line.
        ("ork/ops.py", False),
        ("/env/lib/python3.11/site-packages/ops.py", False),
    ],
)
def test_the_line_that_a_guard_quotes_is_the_line_if_its_file_is_known(
    file: str, *, is_known: bool
) -> None:
    quoted = f"  # out = cast(self, x)  # {file}:97 in forward"
    (found,) = explained(
        compiled(0), compiled(1, f"self.name == 'a'{quoted}"), recorded=False
    ).diagnosis.findings
    line = found.location or found.noticed_at
    assert line is not None
    assert ((line.file, line.line) == (file, 97)) is is_known


def test_gradients_of_one_list_are_one_history() -> None:
    # GIVEN a function that asks each parameter of a list whether it has a gradient
    events = (
        compiled(0),
        compiled(1, "params[8].grad is None", held={"type": "torch.Tensor"}),
        compiled(2, "params[2].grad is None", held={"type": "torch.Tensor"}),
    )

    # THEN those of one list are one finding, which names them
    (found,) = explained(*events).diagnosis.findings
    assert (found.code, found.compile_ids) == ("CA703", ("0/1", "0/2"))
    assert "`params[8].grad`, `params[2].grad`: " in found.message
    assert found.fix.startswith("let every parameter in `params` have a gradient in each call")

    # AND what a dict or an attribute has is known by its name
    of_list = guard_path("self.groups[0][3].grad").of_gradients
    assert of_list == "self.groups[0]"
    assert not any(
        guard_path(one).of_gradients for one in ("self.weight.grad", "x['w'].grad", "params[3]")
    )
