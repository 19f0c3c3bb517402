"""What of a program's output is its own, and when two outputs are equal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ca_reports.patching.printed import compare_printed, own_lines
from tests.unit.reports.patching.proofs import BEFORE

LIMIT = (
    "W1126 13:35:47.123000 1234 torch/_dynamo/convert_frame.py:1016] [0/8] torch._dynamo hit "
    "config.recompile_limit (8)\n"
    "W1126 13:35:47.123000 1234 torch/_dynamo/convert_frame.py:1016] [0/8]    function: 'forward' "
    "(/home/me/decode.py:15)\n"
)


def printed(before: str, after: str, again: str | None = None) -> tuple[str, int, int]:
    old, new = replace(BEFORE, printed=before), replace(BEFORE, printed=after)
    unchanged = None if again is None else (old, replace(BEFORE, printed=again))
    found = compare_printed(old, new, unchanged)
    return found.verdict, found.lines, found.total


@pytest.mark.parametrize(
    "others",
    [
        LIMIT,
        LIMIT.replace("W1126", "[rank0]:I1126"),
        LIMIT.replace("W1126", "V1126").replace("[0/8]", "[0/8] [__recompiles]"),
        "/home/me/a.py:3: UserWarning: a copy\n  x = torch.tensor(x)\n",
        'Traceback (most recent call last):\n  File "/home/me/a.py", line 3, in f\n',
    ],
)
def test_what_torch_logs_is_no_part_of_it(others: str) -> None:
    assert own_lines(f"loss 1\n{others}loss 2\n")[-1:] == ["loss 2"]
    own = own_lines(f"loss 1\n{others}loss 2\n")
    assert [line for line in own if "Traceback" not in line] == ["loss 1", "loss 2"]
    logged = replace(BEFORE, logged=f"a\n{LIMIT}b\n")
    assert compare_printed(logged, replace(BEFORE, logged="a\nb\n")).verdict == "equal"


def test_of_a_line_that_is_written_over_the_end_counts() -> None:
    assert own_lines("10%\r100%\ndone\n") == ["100%", "done"]


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("loss 1.2345", "loss 1.2345", "equal"),
        ("loss 1.2345", "loss 1.2346", "noise"),  # the last digit
        ("loss 1.23456789", "loss 1.23459", "noise"),
        ("loss 1.2345", "loss 1.2445", "different"),
        ("loss 1.5e-05", "loss 1.6e-05", "noise"),
        ("loss 1.5e-05", "loss 3.0e-05", "different"),
        ("tokens [3, 17]", "tokens [3, 18]", "different"),
        ("model7b ok", "model8b ok", "different"),
        ("<Net at 0x7f01>", "<Net at 0x7f02>", "noise"),
        ("loss nan", "loss 1.0", "different"),
        ("rank 0\nrank 1", "rank 1\nrank 0", "equal"),
        ("a\nb", "a", "different"),
        ("a", "a\nb", "different"),
        ("", "", "nothing"),
    ],
)
def test_numbers_may_differ_by_noise(before: str, after: str, verdict: str) -> None:
    assert printed(before, after)[0] == verdict


def test_times_that_differ_from_run_to_run_are_left_out() -> None:
    before, after = "step 0: 1.5, took 0.31 s\nend\n", "step 0: 1.5, took 0.72 s\nend\n"
    assert printed(before, after)[0] == "different"
    assert printed(before, after, "step 0: 1.5, took 0.35 s\nend\n") == ("equal", 2, 2)
    other = after.replace("1.5", "1.9")
    assert printed(before, other, "step 0: 1.5, took 0.35 s\nend\n")[0] == "different"


def test_lines_whose_words_differ_from_run_to_run_are_left_out() -> None:
    assert printed("id abc\nend\n", "id xyz\nend\n", "id mno\nend\n") == ("equal", 1, 2)
    # As many lines as it takes: nothing of them can be compared.
    assert printed(".\nend\n", ".\n.\n.\nend\n", ".\n.\nend\n") == ("nothing", 0, 2)


def test_of_a_program_that_stopped_what_it_had_printed_is_compared() -> None:
    stopped = replace(BEFORE, printed="step 0\n", logged="Traceback\n", crashed=True)
    whole = replace(BEFORE, printed="step 0\nstep 1\n")
    assert compare_printed(stopped, whole).verdict == "equal"
    assert compare_printed(stopped, replace(BEFORE, printed="step 9\n")).verdict == "different"


CAUGHT = ("torch._dynamo.exc.FailOnRecompileLimitHit", "Hard failure due to fullgraph=True")


@pytest.mark.parametrize(
    ("after", "raised", "verdict"),
    [
        ("start\nstep 1.5\nstep 1.25\nFINAL 2.5\n", (), "equal"),
        ("start\nFINAL 2.5\n", (), "equal"),
        ("start\nstep 1.5\nFINAL 3.5\n", (), "different"),
        ("begin\nFINAL 2.5\n", (), "different"),
        ("start\nFINAL 2.5\n", CAUGHT, "different"),  # it is raised still
    ],
)
def test_what_is_printed_of_a_caught_exception_is_torchs(
    after: str, raised: tuple[str, ...], verdict: str
) -> None:
    stack = "from user code:\n    if x:\n       ^\nSet TORCHDYNAMO_VERBOSE=1 for the stack\n"
    text = f"start\nstopped: Hard failure due to fullgraph=True\n{stack}FINAL 2.5\n"
    old = replace(BEFORE, printed=text, raised_texts=CAUGHT)
    new = replace(BEFORE, printed=after, raised_texts=raised)
    assert compare_printed(old, new, (old, old)).verdict == verdict
    assert compare_printed(old, new).verdict == verdict


def test_of_a_caught_exception_that_ends_the_output_anything_may_follow() -> None:
    old = replace(BEFORE, printed=f"start\n{CAUGHT[1]}\n", raised_texts=CAUGHT)
    new = replace(BEFORE, printed="start\nstep 1\nstep 2\n")
    assert compare_printed(old, new).verdict == "equal"
