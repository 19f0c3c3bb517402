"""Where a compile was, and who called it."""

from __future__ import annotations

from typing import Any

from ca_reports.run.build.compiles import built
from ca_reports.run.held import RecordedGuards
from ca_reports.run.model import Compile, Frame

MAIN = Frame("/t/train.py", 30, "main", "for batch in loader:")
CALL = Frame("/t/train.py", 31, "main", "loss = step(batch)")
CODE = Frame("/t/net.py", 4, "step", "def step(batch):")
OF_TORCH = Frame("/v/site-packages/torch/_dynamo/external_utils.py", 80, "inner", "fn(*args)")


def stands(*found: Compile) -> tuple[Compile, ...]:
    return built(found, 3, 1, 4711)


def compiled(id: str = "0/0", capture: int | None = None, **more: Any) -> Compile:
    return Compile(id, 0, None, None, capture, **more)


def test_it_is_in_its_process_and_what_was_found_stays_as_it_is() -> None:
    found = compiled(code=CODE, stack=(MAIN,))
    (one,) = stands(found)
    assert (one.process, one.rank, one.pid) == (3, 1, 4711)
    assert (found.process, found.location) == (0, None)


def test_it_is_at_its_code_and_a_captured_graph_at_the_backward_call() -> None:
    of_code, of_graph = stands(
        compiled(code=CODE, stack=(MAIN,)), compiled("!0/1/0", 0, code=CODE, stack=(MAIN, CALL))
    )
    assert of_code.location == CODE
    assert of_graph.location == CALL


def test_code_of_torchs_is_at_its_caller_that_torch_leaves_out() -> None:
    held = RecordedGuards(stack=(MAIN, CALL))
    (known,) = stands(compiled(code=OF_TORCH, stack=(MAIN,), held=held))
    (unknown,) = stands(compiled(code=OF_TORCH, stack=(MAIN,)))
    assert (known.location, known.stack) == (CALL, (MAIN, CALL))
    assert (unknown.location, unknown.stack) == (MAIN, (MAIN,))


def test_the_code_ends_the_stack_where_torch_has_it_there() -> None:
    held = RecordedGuards(stack=(MAIN, CALL))
    (one,) = stands(compiled(code=CODE, stack=(MAIN, CODE), held=held))
    assert one.stack == (MAIN, CALL, CODE)


def test_what_dynamo_gave_up_is_where_the_others_of_its_code_are() -> None:
    _, given_up = stands(compiled("7/0", code=CODE), compiled("7/1"))
    assert (given_up.location, given_up.code) == (CODE, CODE)


def test_code_that_is_torchs_own_once_is_so_in_all_its_compiles() -> None:
    found = stands(compiled("7/0", internal=True), compiled("7/1"), compiled("1/0"))
    assert [one.internal for one in found] == [True, True, False]


def test_a_compile_that_was_given_up_goes_on_where_the_others_of_its_code_do() -> None:
    after = Frame("/t/net.py", 9, "step", "")
    *_, last = stands(compiled("3/0", code=CODE, resumes=after), compiled("3/1"))
    assert (last.code, last.resumes) == (CODE, after)
