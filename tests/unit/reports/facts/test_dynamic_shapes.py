"""Which dimension of which argument became dynamic, when, and what ended that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.guards import parse
from ca_reports.facts.dynamic_shapes import dynamic_dimensions, of_one_size
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile
from tests.unit.reports.dimensions import LENGTHS, analysis_of, told

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.build.inputs import Size


def test_a_dimension_becomes_dynamic_and_is_respecialised(tmp_path: Path) -> None:
    ids, mask = told(analysis_of(tmp_path, *LENGTHS))
    assert (ids["argument"], ids["dimension"], ids["became_dynamic"]) == ("ids", 1, "0/1")
    assert ids["together_with"] == [{"argument": "mask", "dimension": 1}]
    assert ids["dynamic_sources"] == "L['ids'],L['mask']"
    (again,) = ids["respecialised"]
    assert (again["compile_id"], again["duck_sizing"]) == ("0/2", False)
    assert again["guard"] == "2 <= ids.size()[1] <= 16"
    assert again["location"]["line"] == 9
    # Torch names one argument of two; the other one's name is that of the graph's input.
    assert (mask["argument"], mask["respecialised"]) == ("mask", [])


def test_what_nobody_can_name_is_not_to_be_marked() -> None:
    """Of `l_cache_0_1_` nobody knows how the program writes it."""
    held = RecordedGuards.from_record({"guards": [], "arguments": {"cache": {"type": "dict"}}})
    inputs: list[dict[str, tuple[Size, ...]]] = [
        dict.fromkeys(("lcache00", "lcache01"), (1, size)) for size in (3, "s3")
    ]
    first, second = (
        Compile(f"0/{number}", 0, None, 1, None, held=held if number else None, inputs=shapes)
        for number, shapes in enumerate(inputs)
    )
    failed = parse("0/0: tensor 'cache[0][0]' size mismatch at index 1. expected 3, actual 2")
    (found,) = dynamic_dimensions((first, second), {second.key: failed})
    assert found.to_mark == (("cache[0][0]", 1),)


def test_sizes_of_another_module_that_shares_the_code_did_not_vary() -> None:
    """A generator and a discriminator, whose inputs are as wide as each of them takes."""
    reason = "tensor 'x' size mismatch at index 1. expected 8, actual 2"
    compiles = [
        Compile(f"0/{number}", 0, None, 1, None, inputs={"lx": (32, size)})
        for number, size in enumerate((8, 2, 2))
    ]
    failed = {one.key: parse(f"0/0: {reason}") for one in compiles[1:]}
    assert dynamic_dimensions(compiles, failed, {compiles[1].key}) == ()
    (varied,) = dynamic_dimensions(compiles, failed)
    assert varied.sizes == (8, 2)
    again = Compile("0/3", 0, None, 1, None, inputs={"lx": (32, 6)})
    (varied,) = dynamic_dimensions([*compiles, again], failed, {compiles[1].key})
    assert varied.sizes == (8, 2, 6)


def test_what_a_graph_break_left_on_the_stack_is_not_to_be_marked() -> None:
    held = RecordedGuards.from_record(
        {"guards": [], "arguments": {"___stack0": {"type": "torch.Tensor"}, "mask": {"type": "T"}}}
    )
    inputs: list[dict[str, tuple[Size, ...]]] = [
        dict.fromkeys(("lstack0", "lmask"), (size,)) for size in (8, "s3")
    ]
    first, second = (
        Compile(f"0/{number}", 0, None, 1, None, held=held if number else None, inputs=shapes)
        for number, shapes in enumerate(inputs)
    )
    failed = parse("0/0: tensor '___stack0' size mismatch at index 0. expected 8, actual 10")
    of_stack, of_mask = dynamic_dimensions((first, second), {second.key: failed})
    assert (of_stack.source, of_stack.to_mark) == ("___stack0", ())
    assert of_mask.to_mark == (("mask", 0),)


def test_sizes_with_a_symbol_each_are_together_where_they_were_always_equal() -> None:
    def arguments(mask: int, tensors: int) -> RecordedGuards:
        shapes = {"batch.mask": [4, mask], "batch.tensors": [4, 3, tensors]}
        return RecordedGuards.from_record(
            {
                "guards": [],
                "arguments": {
                    name: {"type": "torch.Tensor", "shape": shape} for name, shape in shapes.items()
                },
            }
        )

    def found(tensors: int) -> list[tuple[tuple[str, int], ...]]:
        rows: list[tuple[Size, Size, RecordedGuards | None]] = [
            (170, 170, None),
            ("s40", "s97", arguments(163, tensors)),
        ]
        compiles = [
            Compile(
                f"0/{number}",
                0,
                None,
                1,
                None,
                held=held,
                inputs={"lbatchmask": (4, mask), "lbatchtensors": (4, 3, size)},
            )
            for number, (mask, size, held) in enumerate(rows)
        ]
        return [one.to_mark for one in dynamic_dimensions(compiles, {})]

    both = (("batch.mask", 1), ("batch.tensors", 2))
    assert found(163) == [both, both[::-1]]
    assert found(200) == [both[:1], both[1:]]


def test_duck_sizing_is_told(tmp_path: Path) -> None:
    analysis = analysis_of(
        tmp_path,
        ({"l_a_": ["s0"], "l_b_": ["s0"]}, None),
        (
            {"l_a_": ["s0"], "l_b_": ["s1"]},
            "0/0: b.size()[0] == a.size()[0]  # duck sizing added this equality because these "
            "variables had the same size 4",
        ),
    )
    found = {one["argument"]: one for one in told(analysis)}
    assert found["b"]["respecialised"][0]["duck_sizing"] is True
    # Both were dynamic from the first compile: nothing is to be marked.
    assert [one["dynamic_sources"] for one in found.values()] == ["", ""]
    assert found["a"]["together_with"] == []


def test_a_size_that_a_symbol_stands_for_by_now_is_a_number(tmp_path: Path) -> None:
    analysis = analysis_of(
        tmp_path,
        ({"l_x_": [4, "s27"]}, None),
        ({"l_x_": [4, "12"]}, "0/0: x.size()[1] != 12  # train.py:9 in step"),
    )
    (found,) = told(analysis)
    assert found["sizes"] == [12]
    assert found["respecialised"][0]["guard"] == "x.size()[1] != 12"


def test_inputs_of_one_size_are_told_by_the_compile_that_has_symbols() -> None:
    inputs: list[dict[str, tuple[Size, ...]]] = [
        {"lrows": ("s1", "s2"), "lpicked": ("s1",), "lother": ("s3", 4)},
        {"lrows": (1, "s2"), "lpicked": (1,), "lother": (1, 4)},
    ]
    dynamic, of_one = (
        Compile(f"0/{number}", 0, None, 1, None, inputs=shapes)
        for number, shapes in enumerate(inputs)
    )
    assert [*of_one_size("rows", (0,), (of_one,))] == []
    assert [*of_one_size("rows", (0,), (of_one, dynamic))] == [("lrows", 0), ("lpicked", 0)]
