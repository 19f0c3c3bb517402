"""What Tab completes, asked in the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.integration.conftest import CA, Runner, clean_environment

BASH = """
eval "$(ca completion bash)"
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
$(complete -p ca | sed 's/.* -F \\([^ ]*\\) .*/\\1/') ca
printf '%s\\n' "${{COMPREPLY[@]}}"
"""

# zsh's own pseudo-terminal: `compdef` works in an interactive shell only.
ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= ; stty -echo; autoload -Uz compinit && compinit -u -D"
zpty -w shell 'eval "$(ca completion zsh)"; print RE''ADY'
answer=
repeat 100; do
  sleep 0.1
  zpty -r -t shell more && answer+=$more
  [[ $answer == *READY* ]] && break
done
zpty -w -n shell {typed}$'\\t'
answer=
repeat 100; do
  sleep 0.1
  zpty -r -t shell more && answer+=$more
  [[ $answer == *{expected}* ]] && break
done
print -r -- "$answer"
"""


def in_shell(shell: str, script: str, folder: Path) -> str:
    path = f"{CA.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [shell, *(["-f"] if shell == "zsh" else ["--norc"]), "-c", script],
        env=clean_environment({"PATH": path, "TERM": "dumb", "HOME": str(folder)}),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ca expl", ["explain-recompiles"]),
        ("ca run --forw", ["--forward-stacks"]),
        ("ca rule CA10", ["CA101", "CA102", "CA103", "CA104"]),
        ("ca completion z", ["zsh"]),
    ],
)
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(words: str, expected: list[str], tmp_path: Path) -> None:
    assert in_shell("bash", BASH.format(words=words), tmp_path).split() == expected


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh")
def test_zsh_completes(tmp_path: Path) -> None:
    script = ZSH.format(typed="'ca expl'", expected="explain-recompiles")
    assert "explain-recompiles" in in_shell("zsh", script, tmp_path)


def test_an_unknown_shell_is_refused_in_one_line(cold_ca: Runner) -> None:
    outcome = cold_ca("completion", "tcsh")
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr.count("\n") == 1
    assert "tcsh" in outcome.stderr
