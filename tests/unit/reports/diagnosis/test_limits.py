"""A recompile limit that is an error, and what made the function reach it."""

from __future__ import annotations

from dataclasses import replace

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
