"""The pytest plugin in sessions of its own: real tests, real backwards, no fakes."""

from __future__ import annotations

import pytest

from tests.plugin.sessions import run, run_from_scratch

pytest_plugins = "pytester"


def test_unused_it_imports_nothing(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import sys

        def test_modules():
            loaded = {name.partition(".")[0] for name in sys.modules}
            assert not loaded & {"torch", "ca_engine", "ca_reports", "ca_cli", "numpy", "orjson"}
            assert {name for name in sys.modules if name.startswith("ca_pytest")} == {
                "ca_pytest", "ca_pytest.plugin"
            }
        """
    )
    result = run_from_scratch(session)
    result.assert_outcomes(passed=1)
    assert "ca:" not in result.stdout.str()


def test_a_failing_test_shows_its_own_log_only(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import logging
        import torch._dynamo
        from helper import train

        def test_fails():
            train([8, 3])
            logging.getLogger("mine").warning("mine own")
            assert 1 == 2
        """
    )
    result = run(session, "--ca")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "mine own" in text
    assert "torch.__trace" not in text
    assert "2 captures (1 recapture)" in text


@pytest.mark.long
def test_workers_of_xdist_report_to_the_controller(session: pytest.Pytester) -> None:
    session.makepyfile(
        test_one="""
        from helper import train

        def test_ragged():
            train([8, 8, 3])
        """,
        test_two="""
        import pytest
        from helper import train

        @pytest.mark.ca(max_recaptures=0)
        def test_marked():
            train([8, 3])

        def test_steady():
            train([8, 8])
        """,
    )
    result = run_from_scratch(
        session, "--ca", "--ca-output", "out", "-n", "2", "--dist", "loadfile"
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines_random(
        [
            "test_one.py::test_ragged  2 captures (1 recapture)*",
            "test_two.py::test_marked  2 captures (1 recapture)*",
            "test_two.py::test_steady  1 capture",
            "3 tests recorded: 3 captured a backward, 2 more than once.",
        ]
    )
    assert len(list((session.path / "out").iterdir())) == 3


def test_unittest_classes_are_recorded(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import unittest
        from helper import train

        class Case(unittest.TestCase):
            def test_it(self):
                train([8, 3])
        """
    )
    result = run(session, "--ca")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*::test_it  2 captures (1 recapture)*"])


def test_the_marker_is_known_and_documented(session: pytest.Pytester) -> None:
    session.makepyfile("import pytest\n@pytest.mark.ca\ndef test_it(): pass\n")
    result = run(session, "--strict-markers", "-W", "ignore::pytest.PytestWarning")
    result.assert_outcomes(passed=1)
    run(session, "--markers").stdout.fnmatch_lines(["@pytest.mark.ca(max_captures=*"])
    run(session, "--fixtures").stdout.fnmatch_lines(["ca_record*"])
    run(session, "--help").stdout.fnmatch_lines(["*--ca-output=DIR*"])
