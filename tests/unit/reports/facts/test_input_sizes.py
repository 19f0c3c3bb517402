"""Sizes of a forward's inputs that change, and which of them are one cause."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ca_reports.diagnosis.analysis import analyze
from ca_reports.output.runs import run_totals
from ca_reports.program.files import RecordedSource
from ca_reports.run.compiler_settings import CompilerSettings
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, Frame, GraphSizes, Process, Run
from tests.unit.reports.causes.rules.recompiled import (
    CODE,
    NO_GRAD,
    compiled,
    explained,
    graph,
    held_number,
    tensor,
    tree,
)


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
    assert "at least 9" in found.fix
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


GREW = "tensor 'ids' size mismatch at index 1. expected 24, actual 30"


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


def test_a_compile_that_made_a_size_dynamic_is_a_recompile() -> None:
    made = [compiled(0, **graph(ids=(4, 24))), compiled(1, GREW, **graph(ids=(4, None)))]
    analysis = explained(*made)
    summary = analysis.summary
    assert (summary.forward_recompiles, summary.inherent_recompiles) == (1, 1)
    assert summary.seconds_lost == 0
    assert run_totals(analysis.run, summary, analysis.diagnosis.findings) == (
        "1 recompile (made a size dynamic), 2.0 s. 2 compiles of 1 function in 4.0 s; 1 recompile "
        "(made a size dynamic); no graph breaks."
    )
    # Beside a loss it is told apart, with its seconds.
    other = compiled(2, "n == 3", "n == 3", **graph(ids=(4, None)))
    analysis = explained(*made, other)
    totals = run_totals(analysis.run, analysis.summary, analysis.diagnosis.findings)
    assert "; 2.0 s more for 1 recompile (made a size dynamic)." in totals
    assert "2 recompiles (1 made a size dynamic);" in totals


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


def test_a_short_batch_beside_a_number_are_two_causes() -> None:
    # GIVEN a number with a new value in each epoch, whose last batch is short, and a compile for
    # each pair; torch names the size of the newest compile first
    def epoch(first: int, scale: float, earlier: list[str]) -> list[Compile]:
        again = [*reversed(earlier)]
        return [
            compiled(first, "tensor 'x' size mismatch at index 0. expected 3, actual 8", *again[1:],
                     arguments={"x": tensor(8, 4), "t": held_number(scale)}),
            compiled(first + 1, "tensor 'x' size mismatch at index 0. expected 8, actual 3",
                     *again, arguments={"x": tensor(3, 4), "t": held_number(scale)}),
        ]  # fmt: skip

    shrunk = "tensor 'x' size mismatch at index 0. expected 8, actual 3"
    compiles = [
        compiled(0),
        compiled(1, shrunk, arguments={"x": tensor(3, 4), "t": held_number(1.0)}),
        *epoch(2, 0.9, ["t == 1.0", "t == 1.0"]),
        *epoch(4, 0.8, ["t == 1.0", "t == 1.0", "t == 0.9", "t == 0.9"]),
    ]
    findings = explained(*compiles).diagnosis.findings

    assert {found.code for found in findings} == {"CA101", "CA702"}
    (short,) = [found for found in findings if found.code == "CA101"]
    assert short.compile_ids == ("0/1",)


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
        return compiled(at, *guards, held=held_number(count),
                        arguments={"x": tensor(rows, 4), "count": held_number(count)})  # fmt: skip

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


@pytest.mark.parametrize(("first", "helps"), [(1, False), (8, True)])
def test_dynamic_shapes_are_no_advice_for_a_text_that_begins_with_one_word(
    first: int, *, helps: bool
) -> None:
    (found,) = explained(
        compiled(0, **graph(ids=(4, first))),
        compiled(
            1,
            f"tensor 'ids' size mismatch at index 1. expected {first}, actual 2",
            arguments={"ids": tensor(4, 2)},
            **graph(ids=(4, None)),
        ),
    ).diagnosis.findings
    assert (found.code, found.severity) == ("CA102", "info")
    assert ("mark_dynamic(ids, 1)" in found.fix) == helps
    assert ("mark_unbacked(ids, 1)" in found.fix) != helps


def test_a_phase_of_one_token_at_a_time_is_a_note_and_counted_as_one() -> None:
    analysis = explained(
        compiled(0, stack=(Frame("/work/train.py", 20, "main", "model(x)"),), **graph(ids=(1, 12))),
        compiled(
            1,
            "tensor 'ids' size mismatch at index 1. expected 12, actual 1",
            arguments={"ids": tensor(1, 1)},
            stack=(Frame("/work/train.py", 40, "main", "model(x)"),),
            **graph(ids=(1, 1)),
        ),
    )
    (found,) = analysis.diagnosis.notes
    assert (found.code, found.severity) == ("CA103", "info")
    assert run_totals(analysis.run, analysis.summary, (found,)).startswith(
        "1 recompile (for a phase of its own), 2.0 s. "
    )


def test_a_warm_up_with_one_row_has_a_graph_of_its_own_although_sizes_are_dynamic() -> None:
    # GIVEN dynamic=True, under which any first size but 1 would have been the only compile
    settings = CompilerSettings("dynamic", 8)
    (found,) = explained(
        compiled(0, settings=settings, **graph(ids=(1,))),
        compiled(
            1,
            "tensor 'ids' size mismatch at index 0. expected 1, actual 4",
            arguments={"ids": tensor(4)},
            settings=settings,
            **graph(ids=(None,)),
        ),
    ).diagnosis.findings

    assert (found.code, found.severity) == ("CA103", "warning")
    assert "a size of 1 came first, and its graph serves no other" in found.message
    assert found.fix.startswith("call `torch._dynamo.decorators.mark_unbacked(ids, 0)` before it")


def test_all_inputs_of_a_size_are_marked_and_the_warm_up_that_begins_with_one_is_named() -> None:
    # GIVEN a pipeline that a warm-up and the requests call, which has two inputs of one size
    pipeline = Frame("/work/pipeline.py", 33, "generate", "self.model(x, t)")

    def called(line: int, rows: int) -> tuple[Frame, ...]:
        return (Frame("/work/main.py", line, "main", f"generate({rows})"), pipeline)

    def fix(settings: CompilerSettings, rows: int | str) -> str:
        (found,) = explained(
            compiled(
                0,
                stack=called(12, 1),
                settings=settings,
                arguments={"x": tensor(1, 4), "t": tensor(1)},
                **graph(x=(1, 4), t=(1,)),
            ),
            compiled(
                1,
                "tensor 't' size mismatch at index 0. expected 1, actual 2",
                stack=called(16, 2),
                settings=settings,
                arguments={"x": tensor(2, 4), "t": tensor(2)},
                inputs={"lx": (rows, 4), "lt": (rows,)},
            ),
        ).diagnosis.findings
        assert "a size of 1 came first (main.py:12)" in found.message
        return found.fix

    # THEN all are said, and what the warm-up could do where sizes are dynamic from the start
    dynamic = fix(CompilerSettings("dynamic", 8), "s1")
    assert "mark_unbacked(t, 0)` before it, and dimension 0 of `x` the same way" in dynamic
    assert "call with 2 or more first (main.py:12)" in dynamic
    assert "call with 2 or more first" not in fix(CompilerSettings("static", 8), 2)


def test_one_token_at_a_time_after_a_prompt_is_a_phase_of_its_own() -> None:
    # GIVEN two lines that call, of which the second always gives one token
    def called(one: Compile, line: int, *shape: int) -> Compile:
        frame = {"filename": "/work/train.py", "line": line, "name": "generate", "loc": ""}
        raw = {"arguments": {"ids": tensor(*shape)}, "stack": [frame]}
        stack = (Frame("/work/train.py", line, "generate", ""), CODE)
        return replace(one, held=RecordedGuards.from_record(raw), stack=stack, **graph(ids=shape))

    def again(line: int) -> Any:
        text = "tensor 'ids' size mismatch at index 1. expected 12, actual 1"
        (found,) = explained(
            called(compiled(0), 40, 4, 12), called(compiled(1, text), line, 4, 1)
        ).diagnosis.findings
        return found

    assert (again(44).code, again(44).severity) == ("CA103", "info")
    assert again(44).subject.size_kind == "second_phase"
    assert (again(40).code, again(40).severity) == ("CA103", "warning")


@pytest.mark.parametrize(
    ("first", "now", "is_phase"), [((4, 12), (4, 1), True), ((1, 12), (4, 12), False)]
)
def test_one_token_that_goes_on_with_what_was_kept_is_a_phase_of_its_own(
    first: tuple[int, ...], now: tuple[int, ...], is_phase: bool
) -> None:
    # GIVEN one line that calls, and what its first call keeps for the next one
    at = 1 if is_phase else 0
    text = f"tensor 'ids' size mismatch at index {at}. expected {first[at]}, actual {now[at]}"
    kept = {"type": "torch.Tensor", "shape": [4, 12]}
    raw = {
        "guards": [
            {"failed": "0/0", "source": "ids", "beside": [{"text": "kept is None", "held": kept}]}
        ],
        "arguments": {"ids": tensor(*now)},
    }
    again = replace(
        compiled(
            1,
            text,
            guards=tree("GuardManager: source=L['kept'], accessed_by=x"),
            **graph(ids=now),
        ),
        held=RecordedGuards.from_record(raw),
    )

    found = explained(compiled(0, guards=tree(""), **graph(ids=first)), again).diagnosis.findings

    # THEN a warm-up with one row is none
    if is_phase:
        assert [(one.code, one.severity, one.is_note) for one in found] == [("CA103", "info", True)]
        assert "once `kept` is no longer None: two phases" in found[0].message
    else:
        assert {one.code for one in found if not one.is_note} == {"CA103", "CA703"}


def test_sizes_that_dynamic_false_keeps_apart_are_not_padded() -> None:
    text = "tensor 'x' size mismatch at index 1. expected {}, actual {}"

    def every(setting: Any) -> Any:
        settings = CompilerSettings(setting, 8)
        (found,) = explained(
            compiled(0, settings=settings, **graph(x=(1, 4))),
            compiled(1, text.format(4, 6), settings=settings, **graph(x=(1, 6))),
            compiled(2, text.format(6, 9), settings=settings, **graph(x=(1, 9))),
        ).diagnosis.findings
        return found

    assert every("static").fix.startswith("drop dynamic=False")
    assert every("static").subject.size_kind == "turned_off"
    assert "the code needs it as a number" in every("automatic").fix
    assert "dynamic=False says so" in every(None).fix


@pytest.mark.parametrize(
    ("counts", "code"),
    [
        # An epoch's whole batches and its last one; those of an evaluation beside them.
        ({37: 40, 8: 4}, "CA101"),
        ({37: 40, 8: 4, 64: 3, 21: 1}, "CA101"),
        # Lengths of texts, of which any runs on the second graph.
        ({37: 1, 8: 18, 12: 1, 64: 1, 5: 1, 90: 1}, "CA102"),
    ],
)
def test_a_batch_is_short_where_the_other_calls_have_whole_ones(
    counts: dict[int, int], code: str
) -> None:
    def graph_of(name: str, size: int | str, own: dict[int, int]) -> GraphSizes:
        symbols = (size,) if isinstance(size, str) else ()
        each = tuple((one,) if symbols else () for one in own)
        steps = (0.01,) * len(own)
        return GraphSizes(name, {"x": (size, 4)}, symbols, each, (*own.values(),), steps, steps)

    rest = {size: calls for size, calls in counts.items() if size != 37}
    (found,) = explained(
        compiled(0, **graph(x=(37, 4))),
        compiled(
            1,
            "tensor 'x' size mismatch at index 0. expected 37, actual 8",
            arguments={"x": tensor(8, 4)},
            **graph(x=(None, 4)),
        ),
        graph_sizes=(graph_of("0/0", 37, {37: counts[37]}), graph_of("0/1", "s0", rest)),
    ).diagnosis.findings

    assert found.code == code


@pytest.mark.parametrize(
    ("counts", "whole", "edit"),
    [
        # The last batch of an evaluation would cost the compile, whatever the training leaves out.
        ({128: 40, 44: 4, 2: 4}, 128, "any_size"),
        ({128: 40, 44: 4, 2: 4}, None, "any_size"),
        ({128: 40, 44: 4}, 128, "full_batches"),
        # Its whole batches are larger: its first compile is for any size by then.
        ({128: 40, 44: 4, 256: 3, 2: 4}, 256, "full_batches"),
    ],
)
def test_a_short_batch_is_left_out_where_no_other_size_costs_its_compile(
    counts: dict[int, int], whole: int | None, edit: str
) -> None:
    sizes = GraphSizes(
        "0/0",
        {"x": ("s0", 4)},
        ("s0",),
        tuple((size,) for size in counts),
        tuple(counts.values()),
        (0.01,) * len(counts),
        (0.01,) * len(counts),
    )
    held = {"guards": [], "arguments": {"x": tensor(whole or 0, 4)}, "gradients": False}
    evaluated = replace(
        compiled(2, "GLOBAL_STATE changed: grad_mode"), held=RecordedGuards.from_record(held)
    )
    (found,) = (
        one
        for one in explained(
            compiled(0, **graph(x=(128, 4))),
            compiled(
                1,
                "tensor 'x' size mismatch at index 0. expected 128, actual 44",
                arguments={"x": tensor(44, 4)},
                **graph(x=(None, 4)),
            ),
            *([] if whole is None else [evaluated]),
            graph_sizes=(sizes,),
        ).diagnosis.findings
        if one.code == "CA101"
    )

    assert found.remedy.edit == edit
    assert ("drop_last=True alone" in found.fix) is (edit == "any_size")


SERVED = """\
def warm_up(pipe):
    {warm}

def serve(pipe, text):
    return pipe.predict(text)

class Pipe:
    def predict(self, ids):
        return self.model(ids)
"""


@pytest.mark.parametrize(
    ("warm", "severity"),
    [
        ("pipe.predict(ones(1, 16))", "warning"),
        # Its result is kept: a first real call.
        ("pipe.first = pipe.predict(ones(1, 16))", "info"),
    ],
)
def test_a_warm_up_of_one_size_leaves_a_compile_to_the_first_real_call(
    warm: str, severity: str
) -> None:
    def called(one: Compile, line: int, name: str) -> Compile:
        way = (Frame("/work/s.py", line, name, ""), Frame("/work/s.py", 9, "predict", ""))
        return replace(one, stack=way, held=RecordedGuards(stack=way, is_dropped=False))

    first = compiled(0, **graph(ids=(1, 16)))
    again = compiled(
        1, "tensor 'ids' size mismatch at index 1. expected 16, actual 4", **graph(ids=(1, None))
    )
    process = Process(
        index=0, file="trace.log", rank=None, pid=1, records=9, recorded=True,
        compiles=(called(first, 2, "warm_up"), called(again, 5, "serve")),
    )  # fmt: skip
    kept = {"/work/s.py": RecordedSource("", SERVED.format(warm=warm))}
    run = Run(paths=("a",), files=("trace.log",), processes=(process,), source=kept)
    (found,) = analyze(run).diagnosis.findings
    assert (found.code, found.severity) == ("CA102", severity)
    assert ("the warm-up (s.py:2) has 16 only" in found.message) == (severity == "warning")


SHRANK = "tensor 'mask' size mismatch at index 0. expected 2, actual 1"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        # Beside a whole batch it is broadcast; with the batch it is the last one.
        ({"x": tensor(2, 8), "mask": tensor(1, 5)}, "CA103"),
        ({"x": tensor(1, 8), "mask": tensor(1, 5)}, "CA101"),
        # In a log of torch's own no other input is known.
        (None, "CA103"),
    ],
)
def test_a_size_of_one_beside_a_whole_batch_is_no_last_batch(arguments: Any, code: str) -> None:
    (found,) = explained(
        compiled(0), compiled(1, SHRANK, arguments=arguments), recorded=arguments is not None
    ).diagnosis.findings
    assert found.code == code
    assert ("drop_last" in found.fix) == (code == "CA101")
    assert ("`.expand()` it" in found.fix) == (code == "CA103")
