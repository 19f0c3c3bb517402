"""A recompile limit that is an error, and what made the function reach it."""

from __future__ import annotations

from dataclasses import replace

from ca_reports.run.compiler_settings import CompilerSettings
from ca_reports.run.held import RecordedGuards
from tests.unit.reports.causes.rules.backward_breaks import CALL, end, findings
from tests.unit.reports.causes.rules.test_ca6xx import FAILED

TEXT = "Hard failure due to fullgraph=True"


def test_a_limit_that_is_an_error_says_what_to_do_about_its_cause() -> None:
    # GIVEN a function that is compiled for one number after the other, up to its limit
    made = [
        replace(
            FAILED,
            compile_id=f"0/{number}",
            failed=None,
            seconds=1.0,
            recompile_reason=f"0/{number - 1}: n == {number}" if number else None,
        )
        for number in range(8)
    ]
    refused = replace(
        FAILED,
        compile_id="0/8",
        fail_type="FailOnRecompileLimitHit",
        fail_reason=TEXT,
        recompile_reason="0/7: n == 8",
    )

    # WHEN the ninth raises
    first, second = findings(
        captures=(),
        compiles=(*made, refused),
        end=end(f"FailOnRecompileLimitHit: {TEXT}", CALL),
    )

    # THEN the error comes first, with the remedy of the number
    assert (first.code, second.code) == ("CA612", "CA701")
    assert first.fix == f"remove what `step` is recompiled for (CA701): {second.fix}"


def test_a_limit_that_another_thread_set_is_the_cause_of_its_error() -> None:
    # GIVEN a limit of 48 in the main thread, and a pool's thread that compiles under 8
    made = [
        replace(
            FAILED,
            compile_id=f"0/{number}",
            failed=None,
            seconds=1.0,
            recompile_reason=f"0/{number - 1}: n == {number}" if number else None,
        )
        for number in range(8)
    ]
    in_pool = replace(
        FAILED,
        compile_id="0/8",
        fail_type="FailOnRecompileLimitHit",
        fail_reason=TEXT,
        recompile_reason="0/7: n == 8",
        settings=CompilerSettings(recompile_limit=8),
        held=RecordedGuards(thread="training_0"),
    )
    ended = replace(end(f"FailOnRecompileLimitHit: {TEXT}", CALL), recompile_limit=48)

    first, second = findings(captures=(), compiles=(*made, in_pool), end=ended)

    # THEN the remedy is the limit, and it can be patched
    assert (first.code, first.remedy.edits) == ("CA612", ("limit_of_compile",))
    assert "(8 in the thread `training_0`, 48 in the main one)" in first.message
    assert first.fix.startswith("pass `recompile_limit=48` to `torch.compile`")
    assert first.fix.endswith(f"; or remove what `step` is recompiled for (CA701): {second.fix}")

    # What the main thread compiles is under its own.
    in_main = replace(in_pool, held=RecordedGuards())
    first, _ = findings(captures=(), compiles=(*made, in_main), end=ended)
    assert first.fix.startswith("remove what")
    assert not first.remedy.edits
