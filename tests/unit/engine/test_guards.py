"""The texts of failed guards, as torch 2.13.0 wrote them, taken apart."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_engine import guards
from ca_engine.guards import Guard, as_written, parse
from ca_engine.tracebacks import TextFrame
from ca_reports.causes.rules.cascades import what_changed
from ca_reports.causes.rules.guard_advice import fix_for
from ca_reports.causes.rules.structure import one_mode
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.facts.size_changes import is_zero_one_guard
from ca_reports.run.model import Compile


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (
            "0/0: ___normalize_count_iter(self.calls) == (3, 1)",
            ("value", "self.calls", None, "3", None),
        ),
        (
            "!5/7/0: tensor 'sizes[0]' size mismatch at index 1. expected 100, actual 10",
            ("size", "sizes[0]", 1, "100", "10"),
        ),
        (
            "0/0: tensor 'inputs[1]' stride mismatch at index 1. expected 16, actual 1",
            ("stride", "inputs[1]", 1, "16", "1"),
        ),
        (
            "1/0: tensor 'x' dtype mismatch. expected Float, actual BFloat16",
            ("dtype", "x", None, "Float", "BFloat16"),
        ),
        (
            "1/0: tensor 'x' requires_grad mismatch. expected requires_grad=1",
            ("requires_grad", "x", None, "True", "False"),
        ),
        (
            "0/0: GLOBAL_STATE changed: deterministic_algorithms ",
            ("global_state", "deterministic_algorithms", None, None, None),
        ),
        (
            "0/2: mems[0].stride()[0] == 32*mems[0].size()[1]",
            ("stride_relation", "mems[0]", 0, None, None),
        ),
        (
            "0/0: ___check_torch_function_mode_stack()",
            ("global_state", "torch_function_mode_stack", None, None, None),
        ),
        (
            "!0/1/0: 2 <= inputs[1].size()[0]  # (unknown source of inputs[1].size()[0])",
            ("size_relation", "inputs[1]", 0, None, None),
        ),
        (
            "0/1: s.slope == 0.2  # (_dynamo/output_graph.py:3375 in remove_graphargs)",
            ("value", "s.slope", None, "0.2", None),
        ),
        (
            "!2/4/0: expected type of 'sizes[0]' to be a tensor type, ' but found <class 'int'>",
            ("type", "sizes[0]", None, "a tensor type", "<class 'int'>"),
        ),
        (
            "!2/4/2: ___check_type_id(sizes[0], 140630213098720), type=<class 'int'>",
            ("type", "sizes[0]", None, "<class 'int'>", None),
        ),
        (
            "0/0: tensor 'kwargs['input_ids']' size mismatch at index 0. expected 4, actual 2",
            ("size", "kwargs['input_ids']", 0, "4", "2"),
        ),
        (
            "0/3: tensor 'a' dispatch key set mismatch. expected DispatchKeySet(CPU, AutogradCPU), "
            "actual DispatchKeySet(CPU, Conjugate, AutogradCPU)",
            (
                "dispatch_keys",
                "a",
                None,
                "DispatchKeySet(CPU, AutogradCPU)",
                "DispatchKeySet(CPU, Conjugate, AutogradCPU)",
            ),
        ),
        (
            "0/3: tensor 'self.cos' dispatch key set mismatch. expected DispatchKeySet(CPU, "
            "BackendSelect, AutogradCPU), actual DispatchKeySet(CUDA, BackendSelect, AutogradCUDA)",
            ("device", "self.cos", None, "cpu", "cuda"),
        ),
        (
            '0/0: Duplicate tensors found: ["a", "b"]',
            ("duplicate", '["a", "b"]', None, None, None),
        ),
        (
            "0/0: Cache line invalidated because L['p'] got deallocated",
            ("deallocated", "p", None, None, None),
        ),
        ("1/0: len(xs) == 2", ("length", "xs", None, "2", None)),
        (
            "1/0: len(s._modules['ls']._modules) != 1",
            ("length", "s._modules['ls']._modules", None, None, None),
        ),
        (
            "1/0: not ___dict_contains(4, s.cache)   # if n in c  # mp/t.py:3 in forward",
            ("membership", "s.cache", None, "no 4", None),
        ),
        ("2/0: set.__contains__(s, 'k')", ("membership", "s", None, "'k'", None)),
        ("0/0: list(dict.keys(b))[0] == 'image'", ("keys", "b", None, "'image'", None)),
        (
            "0/0: ___check_obj_id(L['e'], 7654), type=<enum 'E'>",
            ("identity", "L['e']", None, "<enum 'E'>", None),
        ),
        (
            "0/1: (1.0 + ((-1)*self._modules['drop'].rate)) == 0.98  # x.bernoulli_(keep)",
            ("value", "self._modules['drop'].rate", None, None, None),
        ),
        ("0/1: (a.n*b.n) == 4  # f(a)", ("value", "", None, None, None)),
        ("0/1: f(a.n)*2 == 4  # f(a)", ("value", "", None, None, None)),
        ("0/1: (a.size()[1] % 2) == 0  # f(a)", ("size_relation", "a", 1, None, None)),
        (
            "0/0: b.size()[0] == a.size()[0]  # duck sizing added this equality because …",
            ("duck_size", "b", 0, None, None),
        ),
        ("0/0: mode == 'train'  # if mode", ("value", "mode", None, "'train'", None)),
        ("0/0: not L['flag']", ("value", "L['flag']", None, "False", None)),
        ("0/0: k <= 2  # if k > 2", ("value", "k", None, None, None)),
        ("0/0: something new", ("other", "", None, None, None)),
    ],
)
def test_a_guard_is_taken_apart(reason: str, expected: tuple[object, ...]) -> None:
    (guard,) = parse(reason)
    assert (guard.kind, guard.source, guard.index, guard.expected, guard.actual) == expected
    assert guard.failed == reason.partition(": ")[0]
    assert "  #" not in guard.text


def test_the_comment_behind_a_guard_gives_the_line_and_what_torch_says() -> None:
    (guard,) = parse(
        "0/0: s.steps == 0       # s.steps += 1  # mp/g/net.py:64 in forward (HINT: torch.compile "
        "considers integer attributes of the nn.Module to be static.)"
    )
    assert guard.place == TextFrame("mp/g/net.py", 64, "forward", "s.steps += 1")
    assert guard.hint.startswith("torch.compile considers integer attributes")


def test_the_advice_behind_a_guard_without_a_comment_is_no_part_of_it() -> None:
    # torch 2.8
    (guard,) = parse(
        "0/0: self.calls == 0                                         (HINT: torch.compile "
        "considers integer attributes of the nn.Module to be static.)"
    )
    assert (guard.text, guard.source, guard.expected) == ("self.calls == 0", "self.calls", "0")
    assert guard.hint.startswith("torch.compile considers integer attributes")


def test_of_the_lines_of_two_bounds_the_last_is_taken() -> None:
    reason = (
        "0/1: 2 <= tokens.size()[1] <= 24  # n = tokens.shape[1]  # tmp/train.py:5 in encode "
        "(user code shown is first use of this value--the guard itself is not due user code but "
        "due to 0/1 specialization in the framework; to avoid specialization try "
        "torch._dynamo.decorators.mark_unbacked(tensor, dim)) and if n > 24 and (n):  "
        "# tmp/train.py:6 in encode (_dynamo/variables/tensor.py:2606 in evaluate_expr)"
    )
    (guard,) = parse(reason)
    assert guard.place is not None
    assert (guard.place.line, guard.place.code) == (6, "if n > 24 and (n):")
    assert guard.hint == ""


def test_where_in_torch_a_guard_was_made_is_no_hint() -> None:
    (guard,) = parse(
        "0/1: k <= 2  # if k > 2:  # mp/net.py:2 in f (_dynamo/variables/tensor.py:26 in evaluate)"
    )
    assert guard.place == TextFrame("mp/net.py", 2, "f", "if k > 2:")
    assert guard.hint == ""


def test_brackets_without_end_are_some_guard() -> None:
    deep = "(" * 900 + "x" + ")" * 900
    assert parse(f"0/0: {deep} == 1")[0].text.startswith("(((")
    assert parse("0/0: " + "not " * 490 + "x")[0].text.startswith("not ")


def test_the_users_stack_of_a_guard_is_kept() -> None:
    reason = (
        "0/0: s.slope == 0.1      # return leaky_relu(h, s.slope)  # t/train.py:10 in forward\n"
        "User stack trace:\n"
        '  File "/t/train.py", line 31, in step\n'
        "    loss = model(x)\n"
        '  File "/t/train.py", line 10, in forward\n'
        "    return leaky_relu(h, s.slope)"
    )
    (guard,) = parse(reason)
    assert guard.text == "s.slope == 0.1"
    assert [(frame.line, frame.function, frame.code) for frame in guard.stack] == [
        (31, "step", "loss = model(x)"),
        (10, "forward", "return leaky_relu(h, s.slope)"),
    ]


def test_every_earlier_compile_has_its_own_guard() -> None:
    reason = (
        "0/1: k == 3\n"
        "User stack trace:\n"
        '  File "a.py", line 1, in f\n'
        "    x ** k\n"
        "0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5"
    )
    first, second = parse(reason)
    assert (first.failed, first.kind, len(first.stack)) == ("0/1", "value", 1)
    assert (second.failed, second.kind, second.stack) == ("0/0", "size", ())


_WORDS = st.sampled_from(("x", "len", "self", "if", "None", "_modules", "é", "n0", "is"))
_STEPS = st.sampled_from((".{}", "['{}']", "[0]", "[01]", "[ 1]", "[-1]", "['a{{b}}']", '["{}"]'))
_VALUES = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False).map(str),
    st.sampled_from(("True", "None", "'a'", '"a"', "'it''s'", "0.10", "00", "-0", "1.", "b", "''")),
)


@st.composite
def comparisons(draw: st.DrawFn) -> str:
    source = draw(_WORDS)
    for step in draw(st.lists(_STEPS, max_size=3)):
        source += step.format(draw(_WORDS))
    if draw(st.booleans()):
        source = f"len({source})"
    return f"{source} {draw(st.sampled_from(('==', 'is', '!=')))} {draw(_VALUES)}"


@given(comparisons())
def test_a_plain_comparison_is_read_as_the_parser_reads_it(text: str) -> None:
    read = guards._read_text.__wrapped__
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(guards, "_PLAIN", re.compile("(?!)"))
        parsed = read(text, False)
    assert read(text, False) == parsed


@given(st.text())
def test_any_text_is_some_guard(reason: str) -> None:
    found = parse(reason)
    assert found
    assert all(isinstance(guard, Guard) for guard in found)


def guarded(text: str) -> GuardedThing:
    compiled = Compile("0/1", 0, None, 1, None, recompile_reason=f"0/0: {text}")
    return GuardedThing((RecompileFacts(compiled, parse(f"0/0: {text}"), None, None),))


def test_a_guard_on_a_mode_gets_the_advice_on_modes() -> None:
    found = guarded("self._modules['drop'].training == True")
    assert what_changed(found) == "`self.drop` was switched from train to eval"
    assert fix_for(found) == one_mode("`self.drop`")


def test_without_a_record_the_value_that_came_is_unknown() -> None:
    assert what_changed(guarded("self.flag == False")) == "`self.flag`: False ↔ …, 2 values"
    assert what_changed(guarded("self.slope == 0.1")) == "`self.slope`: 0.1 → …"


@pytest.mark.parametrize(
    ("reason", "fits"),
    [
        ("!0/1/0: 2 <= inputs[1].size()[0]  # (unknown source of inputs[1].size()[0])", True),
        ("!0/1/0: inputs[1].size()[0] == 1  # (unknown source of inputs[1].size()[0])", True),
        # `if x.shape[0] > 4` in a backward: which bound failed, it does not say.
        ("!0/1/0: 2 <= inputs[1].size()[0] <= 4  # return twice(x) # net.py:10 in f", False),
        ("!0/1/0: 5 <= inputs[1].size()[0]  # return twice(x) # net.py:10 in f", False),
        ("!0/1/0: sizes[24] == 0", True),
        ("!0/1/0: sizes[3].size()[1] != 1", True),
        # What a program keeps under such a name is no dynamic size.
        ("!0/1/0: len(hooks[1].func.__self__.sizes['bias']) == 1", False),
        ("!0/1/0: len(self.sizes) == 1", False),
        ("!0/1/0: hooks[0].size == 1", False),
        # Nor is an argument of that name.
        ("0/0: size == 1.5", False),
        ("0/0: L['size'] == 1", False),
        ("0/0: size != 1", False),
        ("0/0: sizes[0] == 1.5", False),
    ],
)
def test_a_guard_that_keeps_zero_and_one_apart(reason: str, fits: bool) -> None:
    (guard,) = parse(reason)
    assert is_zero_one_guard(guard) is fits


@pytest.mark.parametrize(
    ("text", "kind", "source"),
    [
        # The end of a log that was cut, as another rank has it whole.
        ("8/0: ___check_type_id(L['self'], 2", "type", "L['self']"),
        ("8/0: ___check_obj_id(L['self'].layer, ", "identity", "L['self'].layer"),
        # What is compared, and a source that is cut itself, are not known.
        ("8/0: ___check_type_id(L['se", "other", ""),
        ("8/0: hasattr(L['self'], 'wei", "other", ""),
    ],
)
def test_a_check_that_is_cut_behind_its_source_is_of_that(
    text: str, kind: str, source: str
) -> None:
    (guard,) = parse(text)
    assert (guard.kind, guard.source) == (kind, source)


def test_a_trees_expression_is_written_as_in_a_reason() -> None:
    assert as_written("L['self'].heads[L['n']]") == "self.heads[n]"
    assert as_written("G['model']._modules['a']") == "G['model']._modules['a']"
