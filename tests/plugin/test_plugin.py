"""The pytest plugin in sessions of its own: real tests, real backwards, no fakes."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests import warm

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = "pytester"

# Three real backwards; the sizes are those of the batches.
TRAIN = """
import torch
import ca_engine

def train(sizes, loop=False):
    x = torch.ones(4, requires_grad=True)
    x.grad = torch.zeros(4)
    with ca_engine.enable(lambda module: module):
        for number, size in enumerate(sizes):
            if loop:
                ca_engine.step(number, epoch=1, phase="train")
            (x.expand(size, 4) * 2).square().mean().backward()
"""


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with ``train`` in a module; pytest's own options of this one don't count."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    pytester.makepyfile(helper=TRAIN)
    return pytester


def run(session: pytest.Pytester, *args: str) -> pytest.RunResult:
    """A pytest of its own that finds torch imported already; see `tests.warm`."""
    begin = time.monotonic()
    command = [sys.executable, "-m", "pytest", f"--basetemp={session.path / 'tmp'}"]
    done = warm.python().run(
        [*command, "-p", "no:cacheprovider", *args],
        cwd=session.path,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("TORCH")},
            "PYTHONPATH": str(session.path),
        },
        timeout=120,
    )
    lines = done.stdout.splitlines(), done.stderr.splitlines()
    return pytest.RunResult(done.returncode, *lines, time.monotonic() - begin)


def run_from_scratch(session: pytest.Pytester, *args: str) -> pytest.RunResult:
    """The same where nothing is imported yet."""
    return session.runpytest_subprocess("-p", "no:cacheprovider", *args, timeout=120)


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
    result.stdout.fnmatch_lines(["*ca: captures and recompiles*", "2 tests recorded: 0 captured *"])
    assert "--ca-output" not in result.stdout.str()


def test_the_summary_says_what_why_and_where(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        from helper import train

        def test_steady():
            train([8, 8, 8])

        def test_ragged():
            train([8, 8, 3], loop=True)

        def test_steady_again():
            train([3, 3])
        """
    )
    result = run_from_scratch(session, "--ca", "-q")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            "*::test_steady  1 capture",
            "*::test_ragged  2 captures (1 recapture); * lost",
            "  CA1??*",
            "        helper.py:11  (x.expand(size, 4) * 2).square().mean().backward()",
            "        at step 2, epoch 1, train",
            "        fix: *",
            # The graphs of the test before are not there to be hit, nor to be compared with.
            "*::test_steady_again  1 capture",
            "3 tests recorded: 3 captured a backward, 1 more than once.",
        ]
    )


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("max_recapture=0", "no argument max_recapture: did you mean max_recaptures?"),
        ("whatever=0", "no argument whatever (it has max_captures, "),
        ("0", "takes keyword arguments only, such as max_recaptures=0; not 0"),
        ("max_captures=-1", "max_captures must be a whole number of at least 0, not -1"),
        ("max_lost_share=3", "max_lost_share must be a share"),
        ("ignore='CA999'", "unknown rule"),
        ("ignore=3", "ignore is a list of codes, not 3"),
        ("warmup_steps=0.5", "warmup_steps is a whole number of at least 0, not 0.5"),
    ],
)
def test_arguments_that_cannot_be_meant(
    session: pytest.Pytester, arguments: str, message: str
) -> None:
    session.makepyfile(
        f"""
        import pytest

        @pytest.mark.ca({arguments})
        def test_it():
            raise SystemError("must not run")
        """
    )
    result = run(session)
    result.assert_outcomes(errors=1)
    assert "@pytest.mark.ca" in result.stdout.str()
    assert message in result.stdout.str()
    assert "must not run" not in result.stdout.str().partition("short test summary")[0].replace(
        'raise SystemError("must not run")', ""
    )


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
    result.stdout.fnmatch_lines(["*PytestWarning: ca: this test captured no backward*"])


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


def test_records_are_kept_where_asked(session: pytest.Pytester) -> None:
    session.makepyfile(
        """
        import pytest
        from helper import train

        @pytest.mark.parametrize("sizes", [[8, 8], [8, 3]], ids=["same", "a/b: c"])
        def test_it(sizes):
            train(sizes)

        def test_nothing():
            pass
        """
    )
    result = run(session, "--ca", "--ca-output", "out")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["ca explain-recompiles out/TEST"])
    folders = sorted(path.name for path in (session.path / "out").iterdir())
    name = "test_records_are_kept_where_asked.py.test_it"
    assert folders == [f"{name}[a-b-c]", f"{name}[same]"]
    kept = session.path / "out" / folders[0]
    assert "<html" in (kept / "report.html").read_text()
    assert not (session.path / "out" / folders[1] / "report.html").exists()
    done = session.run(
        sys.executable, "-m", "ca_cli", "explain-recompiles", kept, "--format", "json"
    )
    assert json.loads(done.stdout.str())["summary"]["recaptures"] == 1

    again = run(session, "--ca", "--ca-output", "out")
    assert again.ret == pytest.ExitCode.USAGE_ERROR
    again.stderr.fnmatch_lines(["*--ca-output: out exists and is not an empty folder*"])


def test_records_that_are_not_kept_are_removed(
    session: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    session.makepyfile(
        """
        import os, tempfile
        from helper import train

        def test_it(ca_record):
            train([8])
            assert any(name.startswith("ca-pytest-") for name in os.listdir(tempfile.gettempdir()))
        """
    )
    run(session).assert_outcomes(passed=1)
    assert not list(tmp_path.glob("ca-pytest-*"))


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
