"""Short runs of a program, recorded: what one of them says of a script that failed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ca_cli import trials
from ca_cli.errors import UsageError
from ca_cli.trial_progress import TrialProgress
from ca_reports.patching.trial import AS_IS

QUIET = TrialProgress(quiet=True)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (
            "raise ValueError('too large\\n\\nUser stack:\\n    f(x)\\n    ^^^^\\n')",
            "ValueError: too large",
        ),
        ("try:\n    1 / 0\nexcept Exception:\n    raise KeyError('x')", "KeyError: 'x'"),
        (  # as torch writes it in a process group
            "import sys\nsys.excepthook = lambda *_: print('[rank0]: Traceback (most recent call "
            'last):\\n[rank0]:   File "main.py"\\n[rank0]: KeyError: 3\', file=sys.stderr)\n1 / 0',
            "KeyError: 3",
        ),
        ("import sys\nprint('no data')\nsys.exit(3)", "no data"),
        ("import sys\nsys.exit(3)", "no message"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL"),
    ],
)
def test_a_script_that_fails_is_told_by_its_exception(
    tmp_path: Path, script: str, told: str
) -> None:
    line = [sys.executable, "-c", script]
    with pytest.raises(trials.NothingRecordedError) as raised:
        trials.run(AS_IS, line, tmp_path / "run", 3, QUIET)
    assert str(raised.value).endswith(f", and ended with: {told}")
    assert (raised.value.outcome.error, raised.value.outcome.crashed) == (told, True)


@pytest.mark.long
def test_each_run_has_caches_of_its_own_that_are_gone_after_it(tmp_path: Path) -> None:
    script = "from torch._inductor.runtime.cache_dir_utils import cache_dir; print(cache_dir())"
    folders = []
    for name in ("first", "second"):
        trials.run(AS_IS, [sys.executable, "-c", script], tmp_path / name, 3, QUIET)
        printed = (tmp_path / name / "output.txt").read_text().split()
        folders.append(Path(printed[0]))
    assert folders[0] != folders[1]
    assert not any(folder.exists() for folder in folders)


@pytest.mark.long
def test_each_run_begins_with_the_same_numbers(tmp_path: Path) -> None:
    script = (
        "import random\nfirst = random.random()\nimport numpy as np, torch\n"
        "print(first, np.random.rand(), torch.rand(2), list({'a', 'b', 'c', 'd', 'e'}))"
    )
    printed = []
    for name in ("first", "second"):
        with pytest.raises(UsageError, match="nothing was recorded"):
            trials.run(AS_IS, [sys.executable, "-c", script], tmp_path / name, 1, QUIET)
        printed.append((tmp_path / name / "output.txt").read_text())
    assert printed[0] == printed[1] != ""


# Starts a process of its own, writes both ids, and waits for ever.
WAITS = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path("part").write_text(f"{os.getpid()} {child.pid}")
pathlib.Path("part").rename("ids")
time.sleep(600)
"""


def is_gone(pid: int) -> bool:
    """Whether a process ended; one that nobody waited for counts."""
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"


def require_gone(ids: Path) -> None:
    deadline = time.monotonic() + 10
    left = [int(pid) for pid in ids.read_text().split()]
    while left and time.monotonic() < deadline:
        left = [pid for pid in left if not is_gone(pid)]
        time.sleep(0.05)
    assert left == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_a_program_that_takes_too_long_ends_with_all_that_it_started(tmp_path: Path) -> None:
    line = [sys.executable, "-c", WAITS]
    with pytest.raises(UsageError, match="still running after 3 s: --timeout takes more"):
        trials.run(AS_IS, line, tmp_path / "run", 1, QUIET, cwd=tmp_path, timeout=3.0)
    require_gone(tmp_path / "ids")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_is_ended_ends_the_program_and_leaves_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    script = (
        "import sys\nfrom pathlib import Path\nfrom ca_cli import trials\n"
        "from ca_cli.trial_progress import TrialProgress\n"
        "from ca_reports.patching.trial import AS_IS\n"
        f"trials.run(AS_IS, [sys.executable, '-c', {WAITS!r}], Path('run'), 1, "
        "TrialProgress(quiet=True))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "ids").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode in (-number, 128 + number)
    require_gone(tmp_path / "ids")
    assert list(temporary.iterdir()) == []
