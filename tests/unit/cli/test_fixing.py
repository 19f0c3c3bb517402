"""What `ca fix` runs again, runs in the place of a file, and writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from ca_cli import launcher, patching, verifying
from ca_cli.errors import UsageError
from ca_reports.model import Recorded, Run

if TYPE_CHECKING:
    from ca_reports.fixes.program import EditableProgram
    from ca_reports.trial import TrialOutcome


def run_of(folder: Path, *command: str) -> Run:
    recorded = Recorded(str(folder / "run"), command=command, cwd=str(folder))
    return Run((), (), (), recorded=(recorded,))


def test_the_command_of_a_run_is_read_as_ca_run_reads_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    run = run_of(
        tmp_path, "ca", "run", "--enable", "--backend", "eager", "-u", "train.py", "--enable", "no"
    )
    command = verifying.command_of(run)
    assert command.line()[1:] == ["-u", "train.py", "--enable", "no"]
    assert (command.recording.enable, command.recording.backend) == (True, "eager")
    replaced = command.line(Path("texts.json"))
    assert replaced[1] == "-u"
    assert replaced[3:] == ["texts.json", "train.py", "--enable", "no"]


@pytest.mark.parametrize(
    "given",
    ["torchrun --nproc-per-node=2 train.py --lr 1", "accelerate launch --cpu train.py --lr 1"],
)
def test_a_launcher_starts_the_other_texts_with_its_own_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (tmp_path / "train.py").write_text("")
    name, *arguments = given.split()
    own = tmp_path / "bin" / name
    own.parent.mkdir()
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setattr(launcher, "sys", SimpleNamespace(executable=str(own.with_name("python"))))
    command = verifying.command_of(run_of(tmp_path, "ca", "run", name, *arguments))
    assert command.shown == given
    assert command.line() == [str(own), *arguments]
    at = arguments.index("train.py")
    texts = command.line(Path("texts.json"))[1:]
    assert texts == [*arguments[:at], str(verifying.OVERLAY), "texts.json", *arguments[at:]]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("pytest", "--ca"), "needs one run of `ca run`"),
        (("ca", "run", "train.py", "--token", "[redacted]"), "secrets were left out"),
        (("ca", "run", "-c", "pass"), "needs a script or -m MODULE"),
        (("ca", "run", "-"), "needs a script or -m MODULE"),
        (("ca", "run", "gone.py"), "gone.py is not a script"),
        (("ca", "run", "torchrun", "gone.py"), "no script in the arguments of torchrun"),
        (("ca", "run", "torchrun", "-m", "train"), "no script in the arguments of torchrun"),
    ],
)
def test_what_cannot_be_run_again_is_said(
    tmp_path: Path, command: tuple[str, ...], words: str
) -> None:
    (tmp_path / "train.py").write_text("")
    with pytest.raises(UsageError, match=words.replace("[", r"\[")):
        verifying.command_of(run_of(tmp_path, *command))


SHOW = """\
import sys, inspect
import part
from pathlib import Path
def f(): return 'as it was'
print(__name__, Path(__file__).name, sys.argv[1:], Path(sys.path[0]).name)
print(part.VALUE, f(), inspect.getsource(f).strip(), sys.modules['__main__'].f is f)
raise ValueError('here')
"""


def in_place(folder: Path, target: list[str], **texts: str) -> subprocess.CompletedProcess[str]:
    """Run ``target`` in ``folder`` with other texts for its modules."""
    other = folder.with_name("other")
    other.mkdir()
    named = {}
    for name, text in texts.items():
        (other / name).write_text(text)
        named[str(folder / f"{name}.py")] = str(other / name)
    (other / "texts.json").write_text(json.dumps(named))
    line = [sys.executable, str(verifying.OVERLAY), str(other / "texts.json"), *target]
    return subprocess.run(line, cwd=folder.parent, capture_output=True, text=True, check=False)


def test_other_texts_run_in_the_place_of_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "train.py").write_text(SHOW)
    (folder / "part.py").write_text("VALUE = 1\n")
    patched = "# one line more\n" + SHOW.replace("as it was", "patched")

    done = in_place(folder, ["mine/train.py", "-m", "x"], train=patched, part="VALUE = 2\n")

    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "__main__ train.py ['-m', 'x'] mine",
        "2 patched def f(): return 'patched' True",
    ]
    assert 'train.py", line 8, in <module>' in done.stderr
    # Neither a text nor bytecode was written.
    assert sorted(path.name for path in folder.rglob("*")) == ["part.py", "train.py"]


def test_a_module_runs_as_the_program(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "train.py").write_text("print(1)")
    done = in_place(
        folder, ["-m", "mine.train", "x"], train="import sys; print(__name__, sys.argv[1:])"
    )
    assert done.stdout == "__main__ ['x']\n", done.stderr


def program_at(folder: Path, text: str) -> EditableProgram:
    from ca_reports.fixes.program import EditableProgram
    from ca_reports.source.files import SourceFiles

    (folder / "train.py").write_text(text)
    recorded = Recorded(str(folder / "run"), script="train.py", cwd=str(folder))
    run = Run((), (), (), recorded=(recorded,), source_roots=(str(folder),))
    return EditableProgram(run, SourceFiles.of(run))


def test_each_version_is_kept(tmp_path: Path) -> None:
    patching.apply(program_at(tmp_path, "1\n"), {"train.py": "2\n"})
    patching.apply(program_at(tmp_path, "3\n"), {"train.py": "4\n"})
    assert (tmp_path / "train.py").read_text() == "4\n"
    assert (tmp_path / "train.py.orig").read_text() == "1\n"
    assert (tmp_path / "train.py.orig2").read_text() == "3\n"


def test_a_file_that_changed_meanwhile_stays(tmp_path: Path) -> None:
    program = program_at(tmp_path, "1\n")
    (tmp_path / "train.py").write_text("mine\n")
    with pytest.raises(UsageError, match="changed since then"):
        patching.apply(program, {"train.py": "2\n"})
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]


@pytest.mark.parametrize("locked", ["train.py", "."])
def test_what_cannot_be_written_to_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locked: str
) -> None:
    program = program_at(tmp_path, "1\n")
    # The administrator, as whom containers test, may write everywhere: the answer is a file's.
    access = os.access

    def answers(path: Path, mode: int) -> bool:
        return access(path, mode) and not (mode == os.W_OK and path == (tmp_path / locked))

    monkeypatch.setattr(os, "access", answers)
    with pytest.raises(UsageError, match="cannot be written to: apply the diff elsewhere"):
        patching.apply(program, {"train.py": "2\n"})
    assert [path.name for path in tmp_path.iterdir()] == ["train.py"]
    assert (tmp_path / "train.py").read_text() == "1\n"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    program = program_at(folder, "1\n")
    (tmp_path / "theirs.py").write_text("1\n")
    (folder / "train.py").unlink()
    (folder / "train.py").symlink_to(tmp_path / "theirs.py")
    with pytest.raises(UsageError, match="is outside of"):
        patching.apply(program, {"train.py": "2\n"})
    assert (tmp_path / "theirs.py").read_text() == "1\n"


def test_a_run_that_was_not_recorded_here_gets_no_patch(tmp_path: Path) -> None:
    from ca_reports.fixes.patches import RefusedError
    from ca_reports.fixes.program import EditableProgram
    from ca_reports.source.files import SourceFiles

    run = run_of(tmp_path, "ca", "run", "train.py")
    with pytest.raises(RefusedError, match="not recorded here"):
        EditableProgram(run, SourceFiles.of(run))


TOGETHER = "a = 1\nb = 1\n"


class Runs:
    """A command that ends as it is told to, whatever the patches."""

    def __init__(self, outcome: TrialOutcome) -> None:
        self.outcome = outcome
        self.texts: list[str] = []

    def run(self, *_: object) -> TrialOutcome:
        (changed,) = cast("tuple[dict[Path, str]]", _[-1:])
        self.texts += changed.values()
        return self.outcome


@pytest.mark.parametrize(
    ("starts", "error", "words", "offered"),
    [
        ((4, 10), None, "captures 3 → 1, recompiles 0 → 0; losses of 2 backwards equal", 2),
        ((4, 10), "KeyError: 1", "ended with: KeyError: 1; only the first is offered", 1),
        ((4, 4), None, "change the same lines of train.py", 1),
    ],
)
def test_patches_are_proven_together(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    starts: tuple[int, int],
    error: str | None,
    words: str,
    offered: int,
) -> None:
    from ca_cli.commands.fix import _together
    from ca_reports.findings import Finding
    from ca_reports.fixes.patches import Patch, Replacement
    from ca_reports.fixes.result import Fix, Fixes
    from ca_reports.rules import find_rule
    from ca_reports.trial import AS_IS
    from ca_reports.trial import TrialOutcome as Outcome

    program = program_at(tmp_path, TOGETHER)
    findings = []
    for code in ("CA101", "CA202"):
        rule = find_rule(code)
        assert rule is not None
        findings.append(Finding(rule.about(), "warning", "m", "f"))
    patches = [
        Patch("what", (Replacement("train.py", at, at + 1, str(number)),))
        for number, at in enumerate(starts, 4)
    ]
    before = Outcome(AS_IS, 2, 3, 0, 3.0, 0.1, (4.0, 3.0), 0, None, tuple(findings))
    after = replace(before, captures=1, findings=(), error=error)
    fixes = Fixes(
        {"train.py": TOGETHER},
        tuple(Fix(*one) for one in zip(findings, patches, strict=True)),
    )
    command = Runs(after)

    found, _ = _together(cast("Any", command), fixes, program, 9, before, tmp_path / "place")

    assert words in capsys.readouterr().err
    assert [one.finding.code for one in found.offered] == ["CA101", "CA202"][:offered]
    assert [one.finding.code for one in found.refused] == ["CA101", "CA202"][offered:]
    assert command.texts == (["a = 4\nb = 5\n"] if starts[1] != starts[0] else [])


@pytest.mark.parametrize(
    ("left", "offered", "failed"),
    [((), ["CA801", "CA803"], []), (("CA803",), ["CA801"], ["CA803"])],
)
def test_what_saves_nothing_alone_is_tried_beside_what_is_proven(
    tmp_path: Path, left: tuple[str, ...], offered: list[str], failed: list[str]
) -> None:
    from ca_cli.commands.fix import _beside
    from ca_reports.findings import Finding
    from ca_reports.fixes.patches import Patch, Replacement
    from ca_reports.fixes.proof import prove
    from ca_reports.fixes.result import Fix, Fixes
    from ca_reports.rules import find_rule
    from ca_reports.trial import AS_IS
    from ca_reports.trial import TrialOutcome as Outcome

    program = program_at(tmp_path, TOGETHER)
    findings = {}
    for code in ("CA801", "CA803"):
        rule = find_rule(code)
        assert rule is not None
        findings[code] = Finding(rule.about(), "warning", "m", "f")
    first, second = findings.values()
    before = Outcome(AS_IS, 2, 0, 0, 3.0, 0.1, (4.0, 3.0), 0, None, (first, second), graph_breaks=2)
    one_less = replace(before, graph_breaks=1, findings=(second,))
    both = [Patch("what", (Replacement("train.py", at, at + 1, "9"),)) for at in (4, 10)]
    fixes = Fixes(
        {"train.py": TOGETHER},
        (Fix(first, both[0], prove(first, both[0], 9, before, one_less)),),
        failed=(Fix(second, both[1], prove(second, both[1], 9, before, before)),),
    )
    still = tuple(findings[code] for code in left)
    command = Runs(replace(one_less, graph_breaks=len(left), findings=still))

    found = _beside(cast("Any", command), fixes, program, 9, one_less, tmp_path / "beside")

    assert command.texts == ["a = 9\nb = 9\n"]
    assert [one.finding.code for one in found.offered] == offered
    assert [one.finding.code for one in found.failed] == failed
    if not left:
        assert found.offered[1].proof is not None
        assert "graph breaks 1 → 0" in found.offered[1].proof.counts
        assert "beside the patch for CA801" in found.offered[1].patch.note
