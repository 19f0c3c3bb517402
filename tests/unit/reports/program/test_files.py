"""Which files of this machine a log may have read: those that the user or a run of his allow."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.program import files
from ca_reports.program.files import SourceFiles
from ca_reports.run import seal
from tests.unit.logwriter import keep_source
from tests.unit.reports.program.recordings import recorded, shown

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_no_source_is_not_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = project.parent / "outside.py"
    outside.write_text("SECRET = 1")
    (project / ".env").write_text("SECRET = 1")
    (project / "link.py").symlink_to(outside)
    (project / "env.py").symlink_to(project / ".env")
    (project / "circle.py").symlink_to(project / "circle.py")
    (project / "folder.py").mkdir()
    os.mkfifo(project / "fifo.py")
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    (project / "huge.py").write_text("x" * 101)
    found = SourceFiles([project])
    names = (
        ".env",
        "link.py",
        "env.py",
        "circle.py",
        "folder.py",
        "fifo.py",
        "huge.py",
        "../outside.py",
        "no.py",
        "x\0.py",
    )
    for name in names:
        assert found.text(str(project / name)) is None, name
        assert found.text(name) is None, name
    for name in ("/proc/kmsg", "/dev/zero", "/etc/passwd", str(outside), "", "<stdin>"):
        assert found.text(name) is None, name
    assert found.text(str(project / "train.py"))


def test_a_file_recorded_elsewhere_is_found_by_the_end_of_its_path(project: Path) -> None:
    found = SourceFiles([project])
    for name in ("/home/ci/job/train.py", "C:\\job\\train.py", "train.py", "./train.py"):
        assert found.line(name, 2) == "loss.backward()"
        assert found.line(name, 3) == ""
    assert SourceFiles([]).text(str(project / "train.py")) is None


def test_what_a_run_has_kept_needs_no_file(project: Path) -> None:
    folder = recorded(project)
    keep_source(folder, str(project / "train.py"), "as = it\nran()\n")
    run = ca_reports.load([folder])
    assert shown(run, project) == "as = it\nran()\n"
    assert SourceFiles.of(run).text(str(project / "other.py")) is None
    assert run.source_roots == ()


def test_what_a_run_has_kept_comes_before_what_the_file_is_now(project: Path) -> None:
    folder = recorded(project)
    seal.write(folder, str(project))
    keep_source(folder, str(project / "train.py"), "as = it\nran()\n", "as it was")
    files = SourceFiles.of(ca_reports.load([folder]))
    name = str(project / "train.py")
    assert files.text(name) == "as = it\nran()\n"
    now = files.current(name)
    assert now is not None
    assert now.text == "SECRET = 1\nloss.backward()\n"
    assert files.digest(name) == "as it was" != now.digest


def test_literals_that_are_secrets_are_not_shown(project: Path) -> None:
    (project / "train.py").write_text('password = "hunter2"\nloss.backward()\n')
    folder = recorded(project)
    seal.write(folder, str(project))
    assert shown(ca_reports.load([folder]), project) == (
        'password = "[redacted]"\nloss.backward()\n'
    )


def test_a_file_that_two_runs_saw_unlike_is_neithers(project: Path) -> None:
    name = str(project / "train.py")
    folders = [recorded(project, "one"), recorded(project, "two")]
    for folder, text in zip(folders, ("a = 1\n", "a = 2\n"), strict=True):
        keep_source(folder, name, text)
    assert shown(ca_reports.load(folders), project) is None
    assert shown(ca_reports.load(folders[1:]), project) == "a = 2\n"


@pytest.mark.parametrize(
    ("text", "damage"),
    [
        ("{", ["bad_json"]),
        ("[]", []),
        ('{"files": 3}', []),
        ('{"files": [3, {"file": 3, "hash": "0", "text": "x"}, {"file": "/a.py"}]}', []),
        ('{"files": [{"file": "%s", "hash": "0", "text": 3}]}', []),
        ('{"files": [{"file": "%s", "hash": "0", "text": "' + "x" * 1_000_001 + '"}]}', []),
    ],
)
def test_what_is_no_kept_source_is_none(project: Path, text: str, damage: list[str]) -> None:
    folder = recorded(project)
    (folder / "source.json").write_text(text.replace("%s", str(project / "train.py")))
    run = ca_reports.load([folder])
    assert shown(run, project) is None
    assert [one.kind for one in run.damage] == damage


def test_a_text_is_parsed_once(project: Path) -> None:
    read = SourceFiles([project])
    tree = read.tree("x = 1\n")
    assert tree is not None
    assert read.tree("x = 1\n") is tree
    assert read.tree("x = = 1\n") is None


def test_a_file_is_read_in_the_encoding_that_it_names(project: Path) -> None:
    (project / "latin.py").write_bytes("# coding: latin-1\nx = 'für'\n".encode("latin-1"))
    for name in ("unknown", "rot13", "idna"):
        (project / f"{name}.py").write_bytes(f"# coding: {name}\nx = 'ü'\n".encode())
    found = SourceFiles([project])
    assert found.line("latin.py", 2) == "x = 'für'"
    for name in ("unknown", "rot13", "idna"):
        assert found.line(f"{name}.py", 2) == "x = 'ü'"
