"""The rules about recompiles of forwards, on hand-built runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.analysis import analyze
from ca_reports.held import RecordedGuards
from ca_reports.model import Compile, Frame, Process, Run
from ca_reports.stored import StoredText
from ca_reports.text.advice import notes

CODE = Frame("/work/train.py", 4, "f", "def f(x, t):")
OWN_LINE = "  # return x * t  # train.py:5 in f"
NO_GRAD = "GLOBAL_STATE changed: grad_mode"
DROPOUT = "self._modules['drop'].training == True"


def compiled(
    number: int, *reasons: str, held: Any = None, arguments: Any = None, **fields: Any
) -> Compile:
    """Compile 0/``number``; ``reasons`` are the guards of earlier compiles, the newest first."""
    failed = [f"0/{number - 1 - at}" for at in range(len(reasons))]
    texts = [f"{id}: {text}" for id, text in zip(failed, reasons, strict=True)]
    record = None
    if held is not None or arguments is not None:
        source = reasons[0].split(" ", 1)[0]
        guards = [{"failed": failed[0], "source": source, "held": held}]
        record = RecordedGuards.from_record({"guards": guards, "arguments": arguments or {}})
    return Compile(
        f"0/{number}", 0, None, 1, None,
        recompile_reason="\n".join(texts) or None, location=CODE, seconds=2.0, held=record,
        **fields,
    )  # fmt: skip


def explained(*compiles: Compile, recorded: bool = True) -> Any:
    process = Process(
        index=0, file="trace.log", rank=None, pid=1, records=9, recorded=recorded, compiles=compiles
    )
    return analyze(Run(paths=("a",), files=("trace.log",), processes=(process,)))


def number(value: float) -> dict[str, Any]:
    return {"type": type(value).__name__, "value": value}


def graph(**inputs: tuple[int | None, ...]) -> dict[str, Any]:
    """The sizes of a compile's graph, as the log has them; None for a dynamic one."""
    return {"inputs": {f"l{name}": shape for name, shape in inputs.items()}}


def tensor(*shape: int) -> dict[str, Any]:
    return {"type": "torch.Tensor", "shape": list(shape)}


def test_values_are_told_in_order_with_their_pattern() -> None:
    # GIVEN a float that is another one at each recompile
    (found,) = explained(
        compiled(0),
        compiled(1, f"t == 1.0{OWN_LINE}", held=number(0.9)),
        compiled(2, f"t == 0.9{OWN_LINE}", held=number(0.09000000000000001)),
    ).diagnosis.findings

    # THEN it is named with its values, at the line that the guard quotes
    assert found.code == "CA702"
    assert found.message.startswith("`t`: 1.0 → 0.9 → 0.09, a new value each time: 2 recompiles")
    assert found.key == "t"
    assert found.noticed_at is not None
    assert (found.noticed_at.file, found.noticed_at.line) == ("/work/train.py", 5)


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


def test_a_stride_that_changes_while_no_size_does_is_the_layout() -> None:
    # GIVEN crops of two images of different width: their sizes are equal, and the batch is dynamic
    (found,) = explained(
        compiled(0, **graph(x=(None, 3, 32, 32))),
        compiled(
            1,
            "tensor 'x' stride mismatch at index 0. expected 3072, actual 3468",
            arguments={"x": tensor(20, 3, 32, 32)},
        ),
    ).diagnosis.findings
    assert found.code == "CA111"
    assert "`x` changed its memory layout: stride 3072 → 3468 in dimension 0" in found.message


def test_a_tensor_that_begins_elsewhere_in_memory_is_another_layout() -> None:
    (found,) = explained(
        compiled(0),
        compiled(1, "2 <= x.storage_offset()  # return x * t  # train.py:5 in f"),
    ).diagnosis.findings
    assert found.code == "CA111"
    assert "`x` begins elsewhere in its storage" in found.message
    assert "`x.clone()`" in found.fix


def test_batches_of_training_and_of_evaluation_are_two_sizes() -> None:
    # GIVEN samples in groups of 16 and 9 in an evaluation, then the short last batch of an epoch
    def again(number: int, *reasons: str, size: int, gradients: bool) -> Compile:
        raw = {"guards": [], "arguments": {"x": tensor(size, 4)}, "gradients": gradients}
        record = RecordedGuards.from_record(raw)
        return replace(compiled(number, *reasons), held=record, inputs={"lx": (None, 4)})

    shrunk = "tensor 'x' size mismatch at index 0. expected 16, actual {}"
    first = replace(again(0, size=16, gradients=True), inputs={"lx": (16, 4)})
    evaluated = replace(again(1, NO_GRAD, size=16, gradients=False), inputs={"lx": (16, 4)})
    found = explained(
        first,
        evaluated,
        again(2, shrunk.format(9), NO_GRAD, size=9, gradients=False),
        again(3, NO_GRAD, NO_GRAD, shrunk.format(4), size=4, gradients=True),
    ).diagnosis.findings

    # THEN neither is dynamic for the other: each short batch is one
    short = {one.compile_ids: one.message for one in found if one.code == "CA101"}
    assert len(found) == 3
    assert "from 16 to 9" in short["0/2",]
    assert "of an evaluation" in short["0/2",]
    assert "from 16 to 4" in short["0/3",]


def test_without_our_record_the_last_value_is_unknown() -> None:
    (found,) = explained(
        compiled(0), compiled(1, "t == 1.0"), compiled(2, "t == 0.9"), recorded=False
    ).diagnosis.findings

    assert found.code == "CA702"
    assert "1.0 → 0.9 → …, a new value each time" in found.message
    assert found.confidence != "high"


@pytest.mark.parametrize(
    ("code", "guard", "held"),
    [
        ("CA701", "n == 2", number(3)),
        ("CA702", "n == 2", number(2.5)),
        ("CA702", "self.param_groups[0]['lr'] == 0.1", number(0.09)),
        ("CA703", "mode == 'train'", {"type": "str", "value": "eval"}),
        ("CA703", "flag == True", {"type": "bool", "value": False}),
        ("CA704", "self.calls == 0", number(1)),
        ("CA705", "G['SCALE'] == 2", number(3)),
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
    again = compiled(2, "self.bits == 6", held=number(4))

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


@pytest.mark.parametrize(
    "compiles",
    [
        # Training, then an evaluation under no_grad.
        (compiled(0), compiled(1, NO_GRAD)),
        # With dropout, which torch names as well.
        (compiled(0), compiled(1, DROPOUT)),
        # train() with gradients, eval() without, eval() with them.
        (compiled(0), compiled(1, NO_GRAD), compiled(2, NO_GRAD, DROPOUT)),
        # Evaluation first, as a trainer's sanity check does.
        (compiled(0), compiled(1, NO_GRAD), compiled(2, NO_GRAD, NO_GRAD)),
    ],
)
def test_an_evaluation_variant_is_no_loss(compiles: tuple[Compile, ...]) -> None:
    analysis = explained(*compiles)

    (found,) = analysis.diagnosis.findings
    assert (found.code, found.severity) == ("CA715", "info")
    assert not found.seconds
    assert analysis.summary.forward_recompiles == 0
    assert analysis.summary.inherent_recompiles == len(compiles) - 1
    assert analysis.summary.seconds_lost == 0


def test_a_mode_that_was_compiled_before_is_no_new_variant() -> None:
    # GIVEN a recompile for which torch names another guard of the compile in the same mode
    found = explained(
        compiled(0),
        compiled(1, NO_GRAD),
        compiled(2, NO_GRAD, "t == 1.0"),
    ).diagnosis.findings

    # THEN that guard is what made it necessary: the mode was that compile's
    assert {one.code for one in found} == {"CA715", "CA702"}


def test_a_call_elsewhere_in_a_known_mode_is_told_by_its_sizes() -> None:
    # GIVEN a model that trains and evaluates, then writes text: another call, one row, length 1
    def calling(line: int) -> tuple[Frame, ...]:
        return (Frame("/work/train.py", line, "main", "model(ids)"), CODE)

    size = "tensor 'x' size mismatch at index {}. expected {}, actual {}"
    found = explained(
        compiled(0, stack=calling(20), **graph(x=(8, 16))),
        compiled(1, NO_GRAD, stack=calling(30), **graph(x=(8, 16))),
        compiled(
            2, NO_GRAD, size.format(0, 8, 1),
            stack=calling(40), arguments={"x": tensor(1, 2)}, **graph(x=(1, 2)),
        ),
        compiled(
            3, size.format(1, 2, 3), NO_GRAD, size.format(0, 8, 1),
            stack=calling(40), arguments={"x": tensor(1, 3)}, **graph(x=(1, None)),
        ),
    ).diagnosis.findings  # fmt: skip

    # THEN it is neither the mode's nor a short last batch
    assert {one.code for one in found} == {"CA715", "CA102"}
    (sizes,) = (one for one in found if one.code == "CA102")
    assert "varied in dimensions 0: 8, 1 and 1: 16, 2, 3, which another call gives it" in (
        sizes.message
    )


def test_a_text_that_begins_with_one_token_is_one_cause() -> None:
    # GIVEN a model that trains, then writes text elsewhere, from one token on
    def calling(line: int) -> tuple[Frame, ...]:
        return (Frame("/work/train.py", line, "main", "model(ids)"), CODE)

    size = "tensor 'x' size mismatch at index {}. expected {}, actual {}"
    (found,) = explained(
        compiled(0, stack=calling(20), **graph(x=(4, 16))),
        compiled(
            1, size.format(0, 4, 1),
            stack=calling(40), arguments={"x": tensor(1, 1)}, **graph(x=(1, 1)),
        ),
        compiled(
            2, size.format(1, 1, 2), size.format(0, 4, 1),
            stack=calling(40), arguments={"x": tensor(1, 2)}, **graph(x=(1, None)),
        ),
    ).diagnosis.findings  # fmt: skip

    assert (found.code, found.compile_ids) == ("CA102", ("0/1", "0/2"))
    assert "which another call gives it" in found.message


def layer(number: int) -> dict[str, Any]:
    return {"self": {"type": "net.Block", "identity": number}}


def test_a_number_of_each_layer_becomes_no_tensor() -> None:
    # GIVEN layers that were compiled one by one and know their number
    guard = "self._modules['mixer'].layer_idx == "
    of_layers, of_one = (
        explained(
            compiled(0),
            compiled(1, f"{guard}0", held=number(1), arguments=layer(1)),
            compiled(2, f"{guard}1", held=number(2), arguments=layer(2 if several else 1)),
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
    assert "recompile_limit above the number of layers" in found.fix


def test_what_a_function_of_torchs_is_given_is_the_users() -> None:
    # GIVEN `torch.compile(flex_attention)` with a mask whose closure has another window, and a
    # score that reads a global of the script's
    file = "/venv/lib/python3.11/site-packages/torch/nn/attention/flex_attention.py"
    inside = Frame(file, 9, "flex_attention", "")
    closure = (
        "block_mask.mask_mod.__closure__[0].cell_contents == 16  # return q - kv < window  "
        '# train.py:5 in mask (HINT: guard on "window")'
    )
    for guard, name in ((closure, "window"), ("G['__import___main__'].bias == 1.5", "bias")):
        compiles = (compiled(0), compiled(1, guard, held=number(3)))
        (found,) = explained(
            *(replace(one, location=inside) for one in compiles)
        ).diagnosis.findings
        assert found.severity == "warning"
        assert f"{name}`" in found.message
        assert "torch's own" not in found.fix
    (own,) = explained(
        *(replace(one, location=inside) for one in (compiled(0), compiled(1, "self.calls == 16")))
    ).diagnosis.findings
    assert "torch's own" in own.fix


def test_classes_of_layers_that_share_their_code_are_meant() -> None:
    kind = "___check_type_id(self._modules['mixer'], 1), type=<class 'net.Convolution'>"
    found, *_ = explained(
        compiled(0),
        compiled(1, kind, held={"type": "net.Attention"}, arguments=layer(1)),
        compiled(2, "self.scale == 1.5", held=number(2.5), arguments=layer(2)),
    ).diagnosis.findings[::-1]
    assert (found.code, found.severity) == ("CA707", "info")


def test_a_number_of_torchs_own_module_becomes_no_tensor() -> None:
    """`torch.nn.functional.dropout` takes no tensor for a probability."""
    of_torch, of_program = (
        explained(
            compiled(0), compiled(1, f"self._modules['drop'].p == 0.1  # {line}", held=number(0.2))
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
        explained(compiled(0), compiled(1, f"{source} == 1.5", held=number(2.5))).diagnosis
        for source in ("self._modules['attn'].processor.scale", "self._modules['attn'].scale")
    )
    assert "register_buffer" not in of_object.findings[0].fix
    assert "`torch.tensor(…)`) where it is set" in of_object.findings[0].fix
    assert 'self.register_buffer("scale"' in of_module.findings[0].fix


@pytest.mark.parametrize(
    ("guard", "advice"),
    [
        ("(((-1)*x.size()[1]) % 8) != 0", "pad dimension 1 of `x` to a multiple of 8, or move"),
        ("(x.size()[0] % 2) == 0", "pad dimension 0 of `x` to a multiple of 2, or move"),
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
    assert "keep what is collected outside of the compiled forward" in found.fix


def test_a_key_that_a_call_lacks_is_told_with_its_dict() -> None:
    """Torch tells that looking the key up for a guard raised an error, not a guard."""
    (found,) = explained(
        compiled(0), compiled(1, "KeyError on note['pressure']")
    ).diagnosis.findings
    assert found.code == "CA711"
    assert found.key == "note"
    assert found.message.startswith("`note`: with 'pressure' → ")
    assert "the same keys in the same order in every call" in found.fix


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


@pytest.mark.parametrize(
    ("source", "key", "line", "is_one"),
    [
        ("self.seen", "who", "if who in self.seen:", True),
        ("self.net.seen", "who", "self.seen[who] = style", True),
        ("G['SEEN']['styles']", "who", "old = SEEN['styles'].get(who, style)", True),
        ("G['SEEN']", "who", "if who not in SEEN:", True),
        ("self.seen", "n", "mask = self.seen.get(n)", True),
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
        assert f"what still needs `{key}` gets it as an index" in found[0].fix


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
    assert "outside of the compiled forward" in found.fix


def test_a_setting_that_flips_between_calls_is_ca112() -> None:
    (found,) = explained(
        compiled(0), compiled(1, "GLOBAL_STATE changed: num_threads")
    ).diagnosis.findings
    assert (found.code, found.severity) == ("CA112", "warning")
    assert "between calls" in found.message


def test_of_several_compiles_the_one_that_differs_in_fewest_settings_tells_the_state() -> None:
    # GIVEN a training, an evaluation, and a training under autocast
    found = explained(
        compiled(0),
        compiled(1, "GLOBAL_STATE changed: grad_mode"),
        compiled(
            2,
            "GLOBAL_STATE changed: grad_mode autocast(cpu)_enabled",
            "GLOBAL_STATE changed: autocast(cpu)_enabled",
        ),
    ).diagnosis.findings
    (told,) = (one for one in found if one.code == "CA112")
    assert told.message.endswith("changed between calls: autocast(cpu)_enabled")
    assert "no_grad" not in told.fix


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


def test_a_short_batch_and_a_length_are_two_causes() -> None:
    # GIVEN what a Trainer does: a length that varies, and a short last batch
    found = explained(
        compiled(0),
        compiled(
            1,
            "tensor 'ids' size mismatch at index 1. expected 16, actual 8",
            arguments={"ids": tensor(4, 8)},
        ),
        compiled(
            2,
            "tensor 'ids' size mismatch at index 0. expected 4, actual 2",
            "tensor 'ids' size mismatch at index 0. expected 4, actual 2",
            arguments={"ids": tensor(2, 24)},
        ),
    ).diagnosis.findings

    # THEN each dimension is told for itself, with the sizes that were seen of it
    batch, length = found
    assert (batch.code, batch.severity) == ("CA101", "warning")
    assert "from 4 to 2 (dimension 0 of `ids`)" in batch.message
    assert "drop_last=True" in batch.fix
    assert (length.code, length.severity) == ("CA102", "info")
    assert "`ids` varied in dimension 1: 16, 8, 24" in length.message
    assert "mark_dynamic(ids, 1)" in length.fix


@pytest.mark.parametrize(("kept", "codes"), [("34", ["CA101"]), ("41", ["CA101", "CA102"])])
def test_what_an_attribute_keeps_of_a_batch_is_the_batchs(kept: str, codes: list[str]) -> None:
    # GIVEN a mask that is kept for the length of the batch before, or a cache, which grows
    found = explained(
        compiled(0, **graph(src=(35, 20))),
        compiled(
            1,
            "tensor 'src' size mismatch at index 0. expected 35, actual 9",
            arguments={"src": tensor(9, 20)},
            **graph(src=(None, 20)),
        ),
        compiled(
            2,
            f"tensor 'self.mask' size mismatch at index 0. expected 35, actual {kept}",
            arguments={"src": tensor(35, 20)},
            **graph(src=(None, 20)),
        ),
    ).diagnosis.findings

    assert [one.code for one in found] == codes
    short = next(one for one in found if one.code == "CA101")
    assert "from 35 to 9 (dimension 0 of `src`)" in short.message
    assert short.compile_ids == (("0/1", "0/2") if kept == "34" else ("0/1",))


def test_sizes_that_are_compiled_for_one_by_one_are_lost() -> None:
    text = "tensor 'x' size mismatch at index 1. expected {}, actual {}"
    (found,) = explained(
        compiled(0), compiled(1, text.format(4, 6)), compiled(2, text.format(6, 9))
    ).diagnosis.findings

    assert (found.code, found.severity) == ("CA102", "warning")
    assert "4, 6, 9" in found.message
    assert "9 was the largest recorded" in found.fix
    assert found.seconds == pytest.approx(4.0)


def test_a_first_change_of_two_dimensions_is_told_of_both() -> None:
    # GIVEN a short last batch that is also shorter: torch names the first dimension alone
    found = explained(
        compiled(0, **graph(ids=(4, 24))),
        compiled(
            1,
            "tensor 'ids' size mismatch at index 0. expected 4, actual 2",
            arguments={"ids": tensor(2, 12)},
            **graph(ids=(None, None)),
        ),
    ).diagnosis.findings

    # THEN the compile is the batch's, and the length that came with it is named too
    batch, length = found
    assert (batch.code, batch.seconds) == ("CA101", pytest.approx(2.0))
    assert (length.code, length.severity, length.seconds) == ("CA102", "info", None)
    assert "`ids` varied in dimension 1: 24, 12; the compile for another" in length.message


def test_without_our_record_the_graph_tells_what_became_dynamic() -> None:
    found = explained(
        compiled(0, **graph(ids=(4, 24))),
        compiled(
            1,
            "tensor 'ids' size mismatch at index 0. expected 4, actual 2",
            **graph(ids=(None, None)),
        ),
        recorded=False,
    ).diagnosis.findings

    assert [one.code for one in found] == ["CA101", "CA102"]
    assert "in dimension 1: 24;" in found[1].message


def test_a_crop_is_one_cause_with_two_dimensions() -> None:
    (found,) = explained(
        compiled(0, **graph(image=(4, 3, 32, 32))),
        compiled(
            1,
            "tensor 'image' size mismatch at index 2. expected 32, actual 28",
            arguments={"image": tensor(4, 3, 28, 24)},
            **graph(image=(4, 3, None, None)),
        ),
    ).diagnosis.findings

    assert (found.code, found.severity) == ("CA102", "info")
    assert "`image` varied in dimensions 2: 32, 28 and 3: 32, 24; one compile" in found.message
    assert "mark_dynamic(image, (2, 3))" in found.fix


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


def test_a_short_batch_beside_a_number_are_two_causes() -> None:
    # GIVEN a number with a new value in each epoch, whose last batch is short, and a compile for
    # each pair; torch names the size of the newest compile first
    def epoch(first: int, scale: float, earlier: list[str]) -> list[Compile]:
        again = [*reversed(earlier)]
        return [
            compiled(first, "tensor 'x' size mismatch at index 0. expected 3, actual 8", *again[1:],
                     arguments={"x": tensor(8, 4), "t": number(scale)}),
            compiled(first + 1, "tensor 'x' size mismatch at index 0. expected 8, actual 3",
                     *again, arguments={"x": tensor(3, 4), "t": number(scale)}),
        ]  # fmt: skip

    shrunk = "tensor 'x' size mismatch at index 0. expected 8, actual 3"
    compiles = [
        compiled(0),
        compiled(1, shrunk, arguments={"x": tensor(3, 4), "t": number(1.0)}),
        *epoch(2, 0.9, ["t == 1.0", "t == 1.0"]),
        *epoch(4, 0.8, ["t == 1.0", "t == 1.0", "t == 0.9", "t == 0.9"]),
    ]
    findings = explained(*compiles).diagnosis.findings

    assert {found.code for found in findings} == {"CA101", "CA702"}
    (short,) = [found for found in findings if found.code == "CA101"]
    assert short.compile_ids == ("0/1",)


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


def test_boxes_of_each_image_are_no_short_batch() -> None:
    # GIVEN a list of tensors whose sizes have nothing to do with each other
    def boxes(*counts: int) -> dict[str, Any]:
        return {f"boxes[{at}]": tensor(count, 4) for at, count in enumerate(counts)}

    analysis = explained(
        compiled(0),
        compiled(
            1,
            "tensor 'boxes[1]' size mismatch at index 0. expected 4, actual 3",
            arguments=boxes(5, 3),
        ),
        compiled(
            2,
            "tensor 'boxes[0]' size mismatch at index 0. expected 5, actual 4",
            arguments=boxes(4, 4),
        ),
    )
    (found,) = analysis.diagnosis.findings

    # THEN it is one cause, and no short last batch; each element costs a compile
    assert (found.code, found.severity) == ("CA102", "warning")
    assert found.message.startswith("the tensors in `boxes` varied in dimension 0: 4, 3, 5")
    assert found.compile_ids == ("0/1", "0/2")
    assert found.fix == "pad them to one length and pass one tensor with a mask"
    assert analysis.summary.seconds_lost == 4.0


def test_inputs_and_labels_of_one_size_are_a_batch() -> None:
    def pair(size: int) -> dict[str, Any]:
        return {"batch[0]": tensor(size, 4), "batch[1]": tensor(size, 2)}

    (found,) = explained(
        compiled(0),
        compiled(
            1,
            "tensor 'batch[0]' size mismatch at index 0. expected 8, actual 5",
            arguments=pair(5),
        ),
    ).diagnosis.findings
    assert found.code == "CA101"


def test_a_counter_takes_no_short_batch_along() -> None:
    # GIVEN a counter, a new number in each call, and a short batch in one of them
    def called(at: int, count: int, *guards: str, rows: int = 8) -> Compile:
        return compiled(at, *guards, held=number(count),
                        arguments={"x": tensor(rows, 4), "count": number(count)})  # fmt: skip

    counted = [f"count == {value}" for value in range(4)]
    shrunk = "tensor 'x' size mismatch at index 0. expected 8, actual 3"
    findings = explained(
        compiled(0, **graph(x=(8, 4))),
        called(1, 1, counted[0], rows=8),
        called(2, 2, shrunk, counted[0], rows=3),
        called(3, 3, counted[2], counted[1], counted[0]),
    ).diagnosis.findings

    assert {found.code: found.compile_ids for found in findings} == {
        "CA701": ("0/1", "0/3"), "CA101": ("0/2",)
    }  # fmt: skip


def test_the_dimensions_of_a_picture_are_one_cause() -> None:
    # GIVEN tiles at the right, at the lower border and in the corner, compiled for one by one
    (found,) = explained(
        compiled(0, **graph(x=(1, 3, 16, 16))),
        compiled(1, "tensor 'x' size mismatch at index 3. expected 16, actual 14",
                 arguments={"x": tensor(1, 3, 16, 14)}, **graph(x=(1, 3, 16, 14))),
        compiled(2, "tensor 'x' size mismatch at index 2. expected 16, actual 6",
                 "tensor 'x' size mismatch at index 2. expected 16, actual 6",
                 arguments={"x": tensor(1, 3, 6, 16)}, **graph(x=(1, 3, 6, 16))),
        compiled(3, "tensor 'x' size mismatch at index 3. expected 16, actual 14",
                 "tensor 'x' size mismatch at index 2. expected 16, actual 6",
                 "tensor 'x' size mismatch at index 2. expected 16, actual 6",
                 arguments={"x": tensor(1, 3, 6, 14)}, **graph(x=(1, 3, 6, 14))),
    ).diagnosis.findings  # fmt: skip

    assert (found.code, len(found.events)) == ("CA102", 3)
    assert found.message.startswith("`x` varied in dimensions 2: 16, 6 and 3: 16, 14")
    assert "mark_dynamic(x, (2, 3))" in found.fix


def test_sizes_of_an_evaluation_count_for_the_length_to_pad_to() -> None:
    text = "tensor 'ids' size mismatch at index 1. expected {}, actual {}"
    (found, *_) = explained(
        compiled(0, **graph(ids=(4, 24))),
        compiled(1, text.format(24, 20), arguments={"ids": tensor(4, 20)}, **graph(ids=(4, 20))),
        compiled(2, text.format(20, 16), arguments={"ids": tensor(4, 16)}, **graph(ids=(4, 16))),
        compiled(3, NO_GRAD, NO_GRAD, arguments={"ids": tensor(8, 40)}, **graph(ids=(8, 40))),
    ).diagnosis.findings

    assert "24, 20, 16" in found.message
    assert "40 was the largest recorded" in found.fix


def test_an_evaluation_of_other_sizes_is_one_still() -> None:
    # GIVEN a module's mode, which torch looks at after the sizes once these have failed
    (found, *_) = explained(
        compiled(0),
        compiled(1, "tensor 'x' size mismatch at index 1. expected 24, actual 20"),
        compiled(2, DROPOUT, "tensor 'x' size mismatch at index 1. expected 24, actual 18"),
    ).diagnosis.findings[::-1]

    assert (found.code, found.compile_ids) == ("CA715", ("0/2",))


def test_the_evaluation_of_several_functions_is_said_once() -> None:
    found = explained(
        compiled(0),
        replace(compiled(0), compile_id="1/0"),
        compiled(1, NO_GRAD),
        replace(compiled(1, NO_GRAD.replace("0/0", "1/0")), compile_id="1/1"),
    ).diagnosis.findings

    (variant,) = found
    assert (variant.code, variant.compile_ids) == ("CA715", ("0/1", "1/1"))
    assert variant.message.startswith("`f` and 1 more function are compiled for training and")


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


def test_the_limit_is_said_with_its_cause() -> None:
    # GIVEN a process without captures whose function Dynamo gave up
    limit = "recompile_limit reached"
    (found,) = explained(
        compiled(0),
        compiled(1, "task == 'a'"),
        compiled(2, "task == 'b'", fail_reason=limit),
    ).diagnosis.findings

    assert found.code == "CA703"
    assert "1 recompile of `f`; then it hit recompile_limit and runs uncompiled since" in (
        found.message
    )


def test_a_size_that_several_functions_get_is_made_dynamic_in_all() -> None:
    # GIVEN a function whose result another one takes, both compiled again for one size: what is
    # marked for the first is not marked for the second
    text = "tensor 'x' size mismatch at index 2. expected 16, actual 20"
    again = [
        replace(one, compile_id=f"1/{number}", location=replace(CODE, line=90))
        for number, one in enumerate((compiled(0), compiled(1, text)))
    ]

    one = explained(compiled(0), compiled(1, text)).diagnosis.findings
    both = explained(compiled(0), again[0], compiled(1, text), again[1]).diagnosis.findings

    assert "mark_dynamic(x, 2)" in one[0].fix
    assert both[0].compile_ids == ("0/1", "1/1")
    assert "mark_dynamic" not in both[0].fix
    assert "dynamic=True" in both[0].fix


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


@pytest.mark.parametrize(("samples", "code"), [(50, "CA101"), (None, "CA701"), (48, "CA701")])
def test_a_count_of_samples_is_of_the_short_last_batch_that_a_loader_gives(
    samples: int | None, code: str
) -> None:
    # GIVEN an int that is the size of a loader's batches, and then 2: as 50 samples have it
    loader = {
        "id": 1, "variable": "loader", "file": "train.py", "line": 9,
        "batch_size": 16, "drop_last": False, "samples": samples,
    }  # fmt: skip
    again = compiled(1, "batch_size == 16")
    guards = [{"failed": "0/0", "source": "batch_size", "held": number(2)}]
    held = RecordedGuards.from_record({"guards": guards, "loaders": [loader]})

    (found,) = explained(compiled(0), replace(again, held=held)).diagnosis.findings

    assert found.code == code
    assert ("(50 samples in batches of 16)" in found.message) == (code == "CA101")


@pytest.mark.parametrize("gradients", [True, False])
def test_of_an_evaluation_no_sample_is_left_out(gradients: bool) -> None:
    text = "tensor 'x' size mismatch at index 0. expected 8, actual 6"
    held = RecordedGuards.from_record({"guards": [], "gradients": gradients})

    (found,) = explained(compiled(0), replace(compiled(1, text), held=held)).diagnosis.findings

    assert found.code == "CA101"
    assert found.message.endswith("a short last batch") == gradients
    assert found.fix.startswith("pass drop_last=True") == gradients
    assert ("drop_last=True would leave its 6 samples out" in found.fix) != gradients


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


def test_two_arguments_that_are_one_tensor_by_identity() -> None:
    (found,) = explained(compiled(0), compiled(1, "queries is candidates")).diagnosis.findings
    assert found.code == "CA714"
    assert "`queries` and `candidates` are one tensor" in found.message


@pytest.mark.parametrize(
    ("guard", "severity"),
    [
        ("len(self._seen) == 2", "info"),
        ("G['CALLS'] == 2", "info"),
        # The user passes these, sets them, or has an option of Dynamo's for them.
        ("logits_to_keep == 0", "warning"),
        ("len(self.config.layers) == 2", "warning"),
        ("self.calls == 0", "warning"),
    ],
)
def test_what_is_a_library_s_own_is_only_worth_knowing(guard: str, severity: str) -> None:
    inside = Frame("/venv/lib/python3.11/site-packages/zoo/model.py", 4, "forward", "")
    compiles = [replace(one, location=inside) for one in (compiled(0), compiled(1, guard))]

    (found,) = explained(*compiles).diagnosis.findings

    assert found.severity == severity
    assert ("zoo's own" in found.fix) == (severity == "info")


def tree(*demands: str) -> StoredText:
    """All guards of a compile, as torch writes them: one line each."""
    return StoredText.pack("\n".join(f"| | +- {line}" for line in demands).encode())


def on_float(source: str, value: float) -> str:
    return f"EQUALS_MATCH: {source} == {value}    # return x * s  # train.py:6 in f"


def on_function(address: int) -> str:
    return f"ID_MATCH: ___check_obj_id(L['g'].__code__, {address}), type=<class 'code'>"


def on_tensor(name: str, dtype: str, size: str) -> str:
    keys = "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)"
    return (
        f"TENSOR_MATCH: check_tensor(L['{name}'], Tensor, {keys}, torch.{dtype}, device=None, "
        f"requires_grad=False, size=[{size}], stride=[1])  # return x.mean()  # train.py:6 in f"
    )


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


def test_one_tensor_that_is_two_since_is_told_beside_the_counter_that_hides_it() -> None:
    # GIVEN an augmentation that gives back its input in the first epoch, and a counter: the guard
    # on the counter fails at each call, and is looked at first
    compiles = []
    for number, other in enumerate((1, 1, 2, 3)):
        arguments = {
            name: {**tensor(8, 3), "identity": held + 10 * number}
            for name, held in (("walk", 1), ("other", other))
        }
        one = compiled(
            number,
            *([f"n == {number - 1}"] if number else []),
            guards=tree(on_float("L['n']", number)),
        )
        raw = {"guards": [], "arguments": arguments}
        compiles.append(replace(one, held=RecordedGuards.from_record(raw) if number else None))

    counter, alias = explained(*compiles).diagnosis.findings

    assert (counter.code, counter.compile_ids) == ("CA701", ("0/1", "0/2", "0/3"))
    assert (alias.code, alias.compile_ids, alias.is_shared) == ("CA714", ("0/2",), True)
    assert "`walk` and `other` are one tensor in some calls and two in others" in alias.message


def test_another_dtype_beside_the_other_rank_that_torch_names() -> None:
    # GIVEN claims with one dimension more, from a table whose features are of another dtype
    trees = [
        tree(on_tensor("rows", dtype, "16, 4"), on_tensor("more", dtype, "16"),
             on_tensor("claims", "float32", size))
        for dtype, size in (("float32", "16"), ("float64", "16, 1"))
    ]  # fmt: skip
    found = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "tensor 'claims' rank mismatch. expected 1, actual 2", guards=trees[1]),
    ).diagnosis.findings

    # THEN both are found, and of the tensors that changed together one is named
    rank, dtype = sorted(found, key=lambda one: one.is_shared)
    assert (rank.code, rank.is_shared) == ("CA709", False)
    assert (dtype.code, dtype.is_shared) == ("CA708", True)
    assert "the dtype of `rows`: Float → Double" in dtype.message


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
    analysis = explained(compiled(0, guards=trees[0]), compiled(1, NO_GRAD, guards=trees[1]), last)

    # THEN the mode is that of the evaluation alone, in the findings and in tables of guards
    found = {one.code: one.compile_ids for one in analysis.diagnosis.findings}
    assert found == {"CA704": ("0/2",), "CA715": ("0/1",)}
    assert analysis.guard_that_failed(last) == "self.smoothing == 0.5"


@pytest.mark.parametrize(
    ("code", "source"),
    [("CA702", "L['s']"), ("CA704", "L['self'].s"), ("CA705", "G['OPTIONS']['s']")],
)
def test_a_number_that_changes_along_with_what_torch_names_is_a_cause_of_its_own(
    code: str, source: str
) -> None:
    # GIVEN a list that grows, and a float that is another one in the same recompile
    trees = [
        tree(f"LENGTH_CHECK: len(L['xs']) == {length}", on_float(source, value))
        for length, value in ((2, 0.5), (3, 0.25))
    ]
    found = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "len(xs) == 2", held={"type": "list", "length": 3}, guards=trees[1]),
    ).diagnosis.findings

    # THEN torch names the list alone, and both are found; the seconds are counted once
    first, second = sorted(found, key=lambda one: one.is_shared)
    assert (first.code, first.seconds, first.compile_ids) == ("CA710", 2.0, ("0/1",))
    assert (second.code, second.compile_ids, second.is_shared) == (code, ("0/1",), True)
    assert "0.5 → 0.25" in second.message
    assert second.noticed_at is not None
    assert second.noticed_at.line == 6
    assert "another cause shows in the same compiles: it takes both fixes" in notes(second)


@pytest.mark.parametrize(
    ("reason", "held", "before", "after"),
    [
        # Torch names it as well, in another recompile: it has its finding.
        ("s == 0.5", number(0.25), on_float("L['s']", 0.5), on_float("L['s']", 0.25)),
        # Another mode of the function has other numbers.
        ("mode == 'a'", {"type": "str", "value": "b"},
         on_float("L['s']", 1), on_float("L['s']", 2)),
        # It is a part of what torch names.
        ("len(xs) == 2", {"type": "list", "length": 3},
         on_float("L['xs'][0]", 1), on_float("L['xs'][0]", 2)),
        # The other way through the function does not read it.
        ("n == 2", number(3), on_float("L['s']", 1), "LENGTH_CHECK: len(L['s']) == 1"),
    ],
)  # fmt: skip
def test_what_comes_of_the_named_change_is_no_second_cause(
    reason: str, held: Any, before: str, after: str
) -> None:
    found = explained(
        compiled(0, guards=tree(before)), compiled(1, reason, held=held, guards=tree(after))
    ).diagnosis.findings
    assert len(found) == 1


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
        compiled(0, guards=of(1, 0.5)),
        compiled(1, NO_GRAD, guards=of(2, 0.5)),
        compiled(2, NO_GRAD, was, held=number(0.4), guards=of(1, 0.4)),
        compiled(3, NO_GRAD, was, NO_GRAD, guards=of(2, 0.4)),
    ).diagnosis.findings

    # THEN the second evaluation is recompiled for the rate, and only the first is expected
    assert {one.code: one.compile_ids for one in found} == {
        "CA702": ("0/2", "0/3"),
        "CA715": ("0/1",),
    }


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
    assert ("warm-up" in found.fix) is not is_new


def test_none_that_became_a_tensor_is_told_as_one() -> None:
    (found,) = explained(
        compiled(0), compiled(1, "x.mask is None", held=tensor(2, 3))
    ).diagnosis.findings
    assert found.message.startswith("`x.mask`: None ↔ a tensor, 2 values")
    assert "always pass a tensor" in found.fix


def test_what_a_fix_saves_is_less_where_another_number_changes_as_well() -> None:
    # GIVEN a position of three values by turns, and a weight with another value in each step
    held = [(0, 0.9), (16, 0.8), (32, 0.7), (0, 0.6)]
    trees = [
        tree(on_float("L['self'].at", at), on_float("L['self'].weight", weight))
        for at, weight in held
    ]
    again = ("self.at == 32", "self.at == 16", "self.weight == 0.9")
    analysis = explained(
        compiled(0, guards=trees[0]),
        compiled(1, "self.at == 0", guards=trees[1]),
        compiled(2, "self.at == 16", "self.at == 0", guards=trees[2]),
        compiled(3, *again, guards=trees[3]),
    )

    # THEN a fixed position leaves three recompiles for the weight, a fixed weight two
    weight, position = analysis.diagnosis.findings
    assert ("weight" in weight.message, weight.seconds, weight.saves) == (True, 2.0, None)
    assert ("at`" in position.message, position.seconds, position.saves) == (True, 4.0, 0.0)
    assert notes(position)[0] == "its fix alone saves nothing: CA704 shows in the same compiles"


def test_a_tensor_that_the_rest_of_a_function_is_given_is_not_told_beside_the_argument() -> None:
    # GIVEN a function that a graph break splits, called with another dtype
    mismatch = "tensor '{}' dtype mismatch. expected Float, actual Double"
    rest = Frame("/work/train.py", 6, "f", "print(y)")

    def of_rest(number: int, *reasons: str) -> Compile:
        own = compiled(number, *(reason.format("___stack0") for reason in reasons))
        reason = own.recompile_reason and own.recompile_reason.replace("0/", "1/")
        return replace(
            own, compile_id=f"1/{number}", recompile_reason=reason, resumes=rest, code=CODE
        )

    found = explained(
        compiled(0, code=CODE), of_rest(0),
        compiled(1, mismatch.format("x"), code=CODE), of_rest(1, mismatch),
    ).diagnosis.findings  # fmt: skip

    # THEN it is one cause, with both recompiles
    (one,) = found
    assert (one.code, one.key, one.compile_ids) == ("CA708", "x", ("0/1", "1/1"))


@pytest.mark.parametrize(
    ("guard", "held", "words"),
    [
        # A batch lacks a key; a cache is filled by the forward itself.
        ("___dict_contains('weight', batch)", {"type": "dict", "keys": []}, "same keys"),
        ("not ___dict_contains(4, self.cache)", {"type": "dict", "keys": [4]}, "fill `self.cache`"),
        ("G['SCALE'] == 2", number(3), "in place"),
        ("tensor 'x' rank mismatch. expected 2, actual 3", tensor(2, 2, 2), ".unsqueeze()"),
        ("tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), actual "
         "DispatchKeySet(CPU, AutogradCPU)", tensor(2), "inference_mode"),
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
    ("lines", "words"), [((3, 8), "split the function"), ((3, 3), "make the function `g` once")]
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
