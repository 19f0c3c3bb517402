"""What is written to which stream, and to one that breaks."""

from __future__ import annotations

import os
import signal
import subprocess
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import CA, clean_environment

if TYPE_CHECKING:
    from tests.integration.conftest import Runner


@pytest.mark.long
def test_colours_on_a_pipe_are_as_in_rich(ca: Runner, run: Path) -> None:
    assert run.is_dir()

    def is_coloured(**env: str) -> bool:
        return "\x1b[" in ca("explain-recompiles", env=env).stdout

    assert is_coloured(FORCE_COLOR="1")
    assert not is_coloured(NO_COLOR="1")
    plain = ca("explain-recompiles", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout
    assert "\x1b[3" not in plain  # bold may stay, as in Rich


def test_explain_in_a_terminal_that_knows_only_ascii(cold_ca: Runner, run: Path) -> None:
    assert run.is_dir()

    outcome = cold_ca("explain-recompiles", env={"PYTHONIOENCODING": "ascii"})

    assert outcome.code == 0
    assert outcome.stdout.isascii()


def test_a_reader_that_has_enough_ends_it_quietly(work: Path, run: Path) -> None:
    # Many times the same process: more than a pipe holds.
    (log,) = (run / "trace").iterdir()
    for number in range(60):
        (run / "trace" / f"copy{number}.log").write_bytes(log.read_bytes())
    process = subprocess.Popen(
        [CA, "explain-recompiles", "--format", "json", run],
        cwd=work,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None

    assert process.stdout.readline() == "{\n"
    process.stdout.close()

    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


def test_ctrl_c_while_the_report_is_written_is_quiet(work: Path) -> None:
    # The end of the run blocks where it reads run.json: nobody writes into that pipe.
    (work / "script.py").write_text(
        textwrap.dedent(
            """
            import os
            path = os.path.join(os.environ["CA_RUN"], "run.json")
            os.unlink(path)
            os.mkfifo(path)
            print("ready", flush=True)
            """
        )
    )
    process = subprocess.Popen(
        [CA, "run", "-o", "run", "script.py"],
        cwd=work,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        pytest.skip("this kernel does not list children")
    while not children.read_text().strip():
        time.sleep(0.01)
    time.sleep(0.5)  # it is up and reads

    os.killpg(process.pid, signal.SIGINT)

    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout, stderr) == (0, "", "")
