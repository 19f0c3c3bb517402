"""Running things in subprocesses: plain python, `ca run`, and both to compare them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from tests import warm
from tests.integration.jobs import JOB
from tests.once import made_once, of_session
from tests.unit.logwriter import sample_run
from tests.unit.reports.written import run_folder as written_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CA = Path(sys.executable).with_name("ca")
TIMEOUT = 240


def interpreter_of(command: Path) -> str:
    """Return the interpreter that a console script is started with.

    It may be another name of ours (python, python3), and shows up in some messages.
    """
    shebang = command.read_bytes().partition(b"\n")[0].removeprefix(b"#!").decode()
    return shebang if Path(shebang).is_file() else sys.executable


PYTHON = interpreter_of(CA)


@dataclass(frozen=True)
class Outcome:
    """What a process left: its exit code (negative: the signal) and all it printed."""

    code: int
    stdout: str
    stderr: str


class Runner(Protocol):
    """Runs one command in the test's folder and waits for its end."""

    def __call__(
        self,
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome: ...


def take_signals() -> None:
    # A test suite in the background of a shell has SIGINT ignored, one under nohup SIGHUP.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# What makes Python, torch or us behave otherwise.
_INFLUENCE = ("PYTHON", "CA_", "TORCH", "PYTEST", "COV_", "COLUMNS", "GITHUB_")


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment without what influences Python or a recording."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_INFLUENCE)}
    return {**kept, **(extra or {})}


def execute(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
) -> Outcome:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        input=stdin,
        env=clean_environment(env),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
        preexec_fn=take_signals,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Return an empty folder that the commands of a test run in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """Return where `run_ca` records."""
    return tmp_path / "run"


TRAIN = """
import torch
from torch._dynamo import compiled_autograd

model = torch.nn.Linear(4, 1)
with compiled_autograd._enable(torch.compile(backend="eager")):
    for rows in (2, 2, 3):
        model(torch.randn(rows, 4)).sum().backward()
print("trained")
"""


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record one small training run; return the folder that `ca run` was typed in."""

    def record(folder: Path) -> None:
        (folder / "train.py").write_text(TRAIN)
        (folder / "logs").mkdir()
        environment = clean_environment({"TORCH_TRACE": "logs"})
        done = warm.python().run([CA, "run", "train.py"], cwd=folder, env=environment)
        (folder / "stderr.txt").write_text(done.stderr)
        assert (done.returncode, done.stdout) == (0, "trained\n")

    return made_once(of_session(tmp_path_factory, "recorded"), record)


@pytest.fixture
def run(recorded: Path, work: Path) -> Path:
    """Return a copy of the recorded run, in the ``ca-runs`` of `work`."""
    (original,) = (recorded / "ca-runs").iterdir()
    copy = work / "ca-runs" / original.name
    (copy / "trace").mkdir(parents=True)
    for file in [original / "run.json", *(original / "trace").iterdir()]:
        (copy / file.relative_to(original)).write_bytes(file.read_bytes())
    return copy


@pytest.fixture
def run_python(work: Path) -> Runner:
    """Run plain python in `work`."""

    def run(
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        return execute([PYTHON, *args], cwd=cwd or work, stdin=stdin, env=env)

    return run


@pytest.fixture
def run_ca(work: Path, run_folder: Path) -> Runner:
    """Run the same under ``ca run --quiet`` into `run_folder`."""

    def run(
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        command = [CA, "run", "--quiet", "-o", run_folder, *args]
        return execute(command, cwd=cwd or work, stdin=stdin, env=env)

    return run


@pytest.fixture
def warm_python(work: Path) -> Runner:
    """Run python in `work` with torch imported already: see `tests.warm`."""

    def run(
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        environment = clean_environment(env)
        done = warm.python().run([PYTHON, *args], cwd=cwd or work, stdin=stdin, env=environment)
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def ca(work: Path) -> Runner:
    """Run any ``ca`` command in `work` with everything imported already: see `tests.warm`."""

    def run(
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        environment = clean_environment(env)
        done = warm.python().run([CA, *args], cwd=cwd or work, stdin=stdin, env=environment)
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def commands(tmp_path: Path) -> Path:
    """Return a folder with a `ca` and a `python` that run warm, for what goes on meanwhile."""
    warm.python()
    return warm.commands(tmp_path / "commands")


@pytest.fixture
def warm_ca(ca: Runner, run_folder: Path) -> Runner:
    """Run a script as `run_ca` does, with torch imported already."""

    def run(
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        command = ["run", "--quiet", "-o", run_folder, *args]
        return ca(*command, stdin=stdin, env=env, cwd=cwd)

    return run


@pytest.fixture
def cold_ca(work: Path) -> Runner:
    """Run any ``ca`` command in `work` as a user's shell does: for how it starts."""

    def run(
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        return execute([CA, *args], cwd=cwd or work, stdin=stdin, env=env)

    return run


@pytest.fixture
def same(run_python: Runner, run_ca: Runner) -> Runner:
    """Run something both ways, assert that nobody can tell which was which, return it."""

    def run(
        *args: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Outcome:
        plain = run_python(*args, stdin=stdin, env=env, cwd=cwd)
        recorded = run_ca(*args, stdin=stdin, env=env, cwd=cwd)
        assert recorded == plain
        return plain

    return run


@pytest.fixture
def sample(work: Path) -> Path:
    return written_run(work / "run", sample_run())


@pytest.fixture
def job(work: Path) -> Path:
    path = work / "job.py"
    path.write_text(JOB)
    return path
