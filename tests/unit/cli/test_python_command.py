"""The split of `ca run`'s arguments, and that it agrees with the interpreter's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ca_cli import main as main_module
from ca_cli.commands.run import run
from ca_cli.errors import UsageError
from ca_cli.options import PythonCommandLine
from ca_cli.python_command import parse_python, split_command

assert isinstance(run, PythonCommandLine)
OPTIONS = run.own_options(run.make_context("run", ["-"]))


def split(*args: str) -> tuple[list[str], tuple[str, ...]]:
    own, interpreter = split_command(args, OPTIONS)
    return own, parse_python(interpreter).after_interpreter()


@pytest.mark.parametrize(
    ("args", "own", "interpreter"),
    [
        (["train.py"], [], ["train.py"]),
        (["train.py", "--help", "-o", "x"], [], ["train.py", "--help", "-o", "x"]),
        (["-o", "out", "train.py", "-o", "x"], ["-o", "out"], ["train.py", "-o", "x"]),
        (["-oout", "train.py"], ["-oout"], ["train.py"]),
        (["--output=out", "train.py"], ["--output=out"], ["train.py"]),
        (["-u", "--enable", "-O", "train.py"], ["--enable"], ["-u", "-O", "train.py"]),
        (["-W", "error", "train.py"], [], ["-W", "error", "train.py"]),
        (["-Werror", "-Xdev", "train.py"], [], ["-Werror", "-Xdev", "train.py"]),
        (["-OO", "-bb", "-uB", "train.py"], [], ["-OO", "-bb", "-uB", "train.py"]),
        (["-uX", "dev", "train.py"], [], ["-uX", "dev", "train.py"]),
        (["-W", "--enable", "train.py"], [], ["-W", "--enable", "train.py"]),
        (["-m", "pkg.train", "-o", "-m"], [], ["-m", "pkg.train", "-o", "-m"]),
        (["-mpkg", "--help"], [], ["-m", "pkg", "--help"]),
        (["-um", "pkg", "x"], [], ["-u", "-m", "pkg", "x"]),
        (["-c", "pass", "--quiet"], [], ["-c", "pass", "--quiet"]),
        (["-c", ""], [], ["-c", ""]),
        (["-c", "--", "x"], [], ["-c", "--", "x"]),
        (["--quiet", "-", "a"], ["--quiet"], ["-", "a"]),
        (["--", "train.py", "--"], [], ["train.py", "--"]),
        (["--", "-x.py"], [], ["--", "-x.py"]),
        (["--", "-"], [], ["-"]),
        (
            ["--check-hash-based-pycs", "always", "train.py"],
            [],
            ["--check-hash-based-pycs", "always", "train.py"],
        ),
        (["--engin", "ca", "train.py"], ["--engin"], ["ca", "train.py"]),
        (["-h", "train.py"], ["--help"], ["train.py"]),
        (["--help", "train.py"], ["--help"], ["train.py"]),
    ],
)
def test_split(args: list[str], own: list[str], interpreter: list[str]) -> None:
    assert split(*args) == (own, tuple(interpreter))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "nothing to run"),
        (["-u"], "nothing to run"),
        (["--"], "nothing to run"),
        (["--enable"], "nothing to run"),
        (["-m"], "-m needs a value"),
        (["-uc"], "-c needs a value"),
        (["-W"], "-W needs a value"),
        (["-uX"], "-uX needs a value"),
        (["-o"], "-o needs a value"),
        (["--engine"], "--engine needs a value"),
        (["--check-hash-based-pycs"], "--check-hash-based-pycs needs a value"),
        (["-k", "train.py"], "no such option: -k"),
        (["-uo", "out", "train.py"], "no such option: -o in -uo"),
        (["-V"], "no such option: -V"),
    ],
)
def test_refused(args: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        split(*args)


@pytest.mark.parametrize(
    ("args", "letters"),
    [
        (["-I", "x.py"], "I"),
        (["-uE", "-sS", "x.py"], "uEsS"),
        (["-W", "-I", "-X", "-E", "x.py"], "WX"),
        (["-WI", "x.py"], "W"),
        (["-m", "I"], ""),
        (["-Im", "pkg"], "I"),
        (["x.py", "-I"], ""),
        (["--check-hash-based-pycs", "-I", "x.py"], ""),
    ],
)
def test_short_flags(args: list[str], letters: str) -> None:
    assert parse_python(args).short_flags() == frozenset(letters)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
flags = st.sampled_from(
    [["-u"], ["-W", "error"], ["-Werror"], ["-X", "dev"], ["-OO"], ["-bBu"], ["-uW", "ignore"]]
)
own_options = st.sampled_from(
    [["--quiet"], ["-o", "out"], ["-oout"], ["--engine=ca"], ["--backend", "-W"], ["--enable"]]
)
targets = st.one_of(
    texts.filter(lambda text: not text.startswith("-")).map(lambda text: [text]),
    texts.map(lambda text: ["-m", text]),
    texts.map(lambda text: ["-c", text]),
    st.just(["-"]),
)


@given(
    before=st.lists(st.one_of(flags, own_options), max_size=5),
    target=targets,
    after=st.lists(st.one_of(texts, st.sampled_from(["--help", "-o", "--", "-I"])), max_size=5),
)
def test_only_what_stands_before_the_target_is_looked_at(
    before: list[list[str]], target: list[str], after: list[str]
) -> None:
    ours = ("--quiet", "-o", "--engine", "--backend", "--enable")
    own = [part for group in before if group[0].startswith(ours) for part in group]
    theirs = [part for group in before if not group[0].startswith(ours) for part in group]
    everything = [part for group in before for part in group]

    assert split(*everything, *target, *after) == (own, (*theirs, *target, *after))


@given(st.lists(st.one_of(texts, st.sampled_from(["-m", "-c", "-W", "--", "-", "-uE"]))))
def test_anything_is_split_or_refused(args: list[str]) -> None:
    try:
        own, interpreter = split(*args)
    except UsageError:
        return
    assert len(interpreter) >= 1
    assert set(own) <= set(args) | {"--help"}


# What the interpreter itself makes of arguments: `-x` skips the first line of a file only.
interpreter_args = st.lists(
    st.sampled_from(
        ["-u", "-uB", "-Wd", "-W", "error", "-X", "dev", "-c", "-cpass", "-", "--", "-s", "a", "-P"]
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(interpreter_args)
def test_the_interpreter_agrees(args: list[str]) -> None:
    """Whatever we rewrite (`-cpass` to `-c pass`) means the same to the interpreter."""

    def meaning(arguments: list[str]) -> tuple[int, str]:
        # -v would print; `-i` off; stdin is the script where there is none.
        done = subprocess.run(
            [sys.executable, *arguments],
            input="import sys; print(sys.argv, sys.flags, sys.warnoptions)",
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    try:
        _, interpreter = split_command(args, OPTIONS)
        ours = list(parse_python(interpreter).after_interpreter())
    except UsageError:
        return  # the interpreter reads a program from stdin then, or refuses as well
    assert meaning(ours) == meaning(args)


def test_a_misspelled_script_names_the_closest_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").touch()
    assert main_module.main(["run", "trian.py"]) == 2
    assert capsys.readouterr().err == "ca: no such script: trian.py: did you mean train.py?\n"
    assert main_module.main(["run", "other.py"]) == 2
    assert capsys.readouterr().err == "ca: no such script: other.py\n"
