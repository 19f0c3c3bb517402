"""``--source-root``: a log from elsewhere, and the program's files in another place here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_cli.main import main
from tests.unit.logwriter import LogWriter, frame

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of /builds/job/src/train.py; its folder is the current one."""
    monkeypatch.chdir(tmp_path)
    log = LogWriter()
    log.ca_run(cwd="/builds/job")
    stack = [frame("/builds/job/src/train.py", 2, "main", "loss.backward()")]
    log.ca_capture(0, stack=stack)
    log.ca_capture(1, "new_autograd_node", stack=stack, closest_capture=0, seconds={"capture": 1})
    log.ca_backwards([(0, 1), (1, 1)])
    log.ca_end(1_700_000_009.0, 2, 0)
    return log.write(tmp_path / "trace.log")


def program(folder: Path) -> Path:
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "train.py").write_text("neighbour_line = 1\nloss.backward()\n")
    (folder / "src" / "settings.py").write_text("other_file = 1\n")
    return folder


def page(log: Path, *options: str) -> str:
    out = log.parent / "page.html"
    assert main(["report", str(log), "-o", str(out), "--force", *options]) == 0
    return out.read_text()


def test_the_checkout_may_lie_elsewhere(log: Path, tmp_path: Path) -> None:
    checkout = program(tmp_path / "home" / "me" / "checkout")

    text = page(log, "--source-root", str(checkout))

    assert "neighbour_line" in text
    assert "other_file" not in text


def test_without_it_nothing_is_read_and_the_page_says_how(log: Path, tmp_path: Path) -> None:
    program(tmp_path)  # even beside the log, in the current folder

    text = page(log)

    assert "neighbour_line" not in text
    assert "--source-root" in text


def test_what_lies_outside_of_it_is_not_read(log: Path, tmp_path: Path) -> None:
    checkout = program(tmp_path / "checkout")
    (tmp_path / "root" / "src").mkdir(parents=True)
    (tmp_path / "root" / "src" / "train.py").symlink_to(checkout / "src" / "train.py")

    assert "neighbour_line" not in page(log, "--source-root", str(tmp_path / "root"))
