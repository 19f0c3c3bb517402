"""A program with other texts in the place of some of its files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ca_cli import verifying
from ca_engine import boot

SHOW = """\
import sys, inspect
import part
from pathlib import Path
def f(): return 'as it was'
print(__name__, Path(__file__).name, sys.argv[1:], Path(sys.path[0]).name)
print(part.VALUE, f(), inspect.getsource(f).strip(), sys.modules['__main__'].f is f)
raise ValueError('here')
"""


def in_place(
    folder: Path, target: list[str], *, environment: dict[str, str] | None = None, **texts: str
) -> subprocess.CompletedProcess[str]:
    """Run ``target`` in ``folder`` with other texts for its modules."""
    other = folder.with_name("other")
    other.mkdir()
    named = {}
    for name, text in texts.items():
        (other / name).write_text(text)
        named[str(folder / f"{name}.py")] = str(other / name)
    (other / "texts.json").write_text(json.dumps(named))
    line = [sys.executable, str(verifying.OVERLAY), str(other / "texts.json"), *target]
    return subprocess.run(
        line,
        cwd=folder.parent,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )


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


SPAWNING = """\
import multiprocessing, sys
import part
def told(queue):
    import inspect
    queue.put((part.VALUE, answer(), inspect.getsource(answer).strip()))
def answer(): return 'as it was'
if __name__ == '__main__':
    context = multiprocessing.get_context(sys.argv[1])
    queue = context.Queue()
    child = context.Process(target=told, args=(queue,))
    child.start()
    print(*queue.get(), sep=' | ')
    child.join()
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_that_a_recorded_program_starts_run_the_other_texts(
    tmp_path: Path, method: str
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "train.py").write_text(SPAWNING)
    (folder / "part.py").write_text("VALUE = 1\n")
    done = in_place(
        folder,
        ["mine/train.py", method],
        environment={"PYTHONPATH": str(boot.BOOT_FOLDER), "CA_RUN": str(tmp_path)},
        train=SPAWNING.replace("as it was", "patched"),
        part="VALUE = 2\n",
    )
    assert done.stdout == "2 | patched | def answer(): return 'patched'\n", done.stderr
