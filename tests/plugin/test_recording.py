"""Our engine and recorder for the time of one test."""

from __future__ import annotations

import pytest

from tests.plugin.sessions import run, run_from_scratch

pytest_plugins = "pytester"


def test_tests_without_torch_cost_nothing_and_are_counted(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import sys

        def test_plain():
            assert "torch" not in sys.modules

        def test_failing():
            assert 1 == 2
        """
    )
    result = run_from_scratch(session, "--ca")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*ca: captures and recompiles*", "2 tests recorded: 0 compiled *"])
    assert "--ca-output" not in result.stdout.str()


def test_a_test_that_installs_by_itself_is_recorded_too(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import ca_engine
        from helper import train

        def test_uninstalls():
            ca_engine.install()
            train([8])
            ca_engine.uninstall()

        def test_installs():
            ca_engine.install()
            train([8, 3])

        def test_after(ca_record):
            train([8, 8])
            assert [found.kind for found in ca_record.captures] == ["first"]
            assert len(ca_record.captures) + ca_record.hits == 2
        """
    )
    result = run(session, "--ca")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*::test_installs  2 captures (1 recapture)*"])
