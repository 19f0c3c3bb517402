"""The record of a test."""

from __future__ import annotations

import pytest

from tests.plugin.sessions import run

pytest_plugins = "pytester"


def test_the_marker_fails_a_test_with_the_explanation(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import pytest
        from helper import train

        @pytest.mark.ca(max_recaptures=0)
        def test_ragged():
            train([8, 8, 3])

        @pytest.mark.ca(max_recaptures=0)
        def test_steady():
            train([8, 8, 8])

        @pytest.mark.ca(max_recaptures=1, max_captures=2)
        class TestAll:
            def test_allowed(self):
                train([8, 8, 3])

            @pytest.mark.ca(max_captures=1)
            def test_the_closer_marker_wins(self):
                train([8, 3])

        @pytest.mark.ca(max_recaptures=0, warmup_steps=2)
        def test_warm_up():
            train([8, 3])

        @pytest.mark.ca(max_recaptures=0, ignore=["CA1"])
        def test_ignored():
            train([8, 8, 3])

        @pytest.mark.ca
        def test_any_finding():
            train([8, 8, 3])

        def test_unmarked():
            train([8, 3])
        """
    )
    result = run(session)
    result.assert_outcomes(passed=5, failed=3)
    text = result.stdout.str()
    assert "1 recapture, at most 0 allowed" in text
    assert "2 captures, at most 1 allowed" in text
    result.stdout.fnmatch_lines(
        ["*_ test_ragged _*", "*1 recapture, at most*", "  CA1??*", "*fix:*"]
    )
    result.stdout.fnmatch_lines(["*_ test_any_finding _*", "  CA1??*"])
    # Nobody asked for a report of the session.
    assert "ca: captures and recompiles" not in text


def test_limits_on_what_was_never_captured_are_warned_of(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import pytest, torch

        @pytest.mark.ca(max_recaptures=0)
        def test_eager():
            torch.ones(2, requires_grad=True).sum().backward()
        """
    )
    result = run(session)
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*PytestWarning: ca: this test compiled nothing that*"])


def test_forwards_have_limits_without_compiled_autograd(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import pytest, torch

        def calls(*sizes, breaks=False):
            torch.compiler.reset()

            @torch.compile(backend="eager", dynamic=False)
            def model(x):
                if breaks:
                    torch._dynamo.graph_break()
                return x * 2

            for size in sizes:
                model(torch.ones(size))

        @pytest.mark.ca(max_recompiles=0, max_graph_breaks=0)
        def test_steady():
            calls(3, 3)

        @pytest.mark.ca(max_recompiles=0)
        def test_sizes():
            calls(3, 4)

        @pytest.mark.ca(max_graph_breaks=0)
        def test_breaks():
            calls(3, breaks=True)

        @pytest.mark.ca(max_recaptures=0)
        def test_a_limit_on_backwards():
            calls(3)
        """
    )
    result = run(session)
    result.assert_outcomes(passed=2, failed=2, warnings=1)
    text = result.stdout.str()
    assert "1 forward recompile, at most 0 allowed" in text
    assert "1 graph break, at most 0 allowed" in text
    assert "test_a_limit_on_backwards" in text[text.index("warnings summary") :]


def test_the_fixture_tells_during_the_test(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        from helper import train

        def test_live(ca_record):
            assert (ca_record.captures, ca_record.hits, ca_record.findings) == ((), 0, ())
            assert ca_record.explain() == ""
            train([8, 8])
            assert (len(ca_record.captures), ca_record.hits) == (1, 1)
            assert not ca_record.recaptures
            train([8, 3])
            (again,) = ca_record.recaptures
            assert again.kind == "changed_shapes"
            assert [found.code[:3] for found in ca_record.findings] == ["CA1"]
            assert "helper.py:11" in ca_record.explain()
            assert not ca_record.recompiles

        def test_fresh(ca_record):
            train([8, 8, 8])
            assert len(ca_record.captures) == 1
        """
    )
    result = run(session)
    result.assert_outcomes(passed=2)
    assert "ca: captures" not in result.stdout.str()
