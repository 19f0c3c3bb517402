"""Paths of a log as paths of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from ca_reports.words.places import Places, repository_root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "train.py").touch()
    return tmp_path


def test_below_the_root(root: Path) -> None:
    places = Places(root)

    assert places.relative(f"{root}/src/train.py") == "src/train.py"
    assert places.relative(f"{root}/src/../src/./train.py") == "src/train.py"
    assert places.in_repository(f"{root}/src/train.py") == "src/train.py"


def test_outside(root: Path) -> None:
    places = Places(root, str(root))

    assert places.relative("/usr/lib/python3/torch/x.py") == "/usr/lib/python3/torch/x.py"
    assert places.in_repository("/usr/lib/python3/torch/x.py") is None
    assert places.in_repository("<stdin>") is None
    assert places.in_repository(f"{root}/../beside.py") is None
    assert places.relative(f"{root}x/train.py") == f"{root}x/train.py"


def test_relative_paths_are_of_the_folder_of_the_run(root: Path) -> None:
    assert Places(root, f"{root}/src").relative("train.py") == "src/train.py"
    assert Places(root).relative("./train.py") == "train.py"
    assert Places(root, str(root)).in_repository("../train.py") is None


def test_of_another_machine(root: Path) -> None:
    # The job ran in src of a clone that lies elsewhere.
    places = Places(root, "/builds/team/job/src")

    assert places.relative("/builds/team/job/src/train.py") == "src/train.py"
    assert places.relative("/builds/team/job/src/gone.py") == "gone.py"


def test_windows(root: Path) -> None:
    places = Places(root, "C:\\job\\src")

    assert places.relative("C:\\job\\src\\train.py") == "src/train.py"
    assert places.in_repository("D:\\other\\x.py") is None


def test_a_name_that_no_file_can_have(root: Path) -> None:
    assert Places(root, "/a/b").relative("/a/b/x\x00y/z.py") == "x\x00y/z.py"


def test_through_a_link(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    link = tmp_path_factory.mktemp("links") / "repository"
    link.symlink_to(root)

    assert Places(link).relative(f"{link}/src/train.py") == "src/train.py"
    assert Places(link).relative(f"{root}/src/train.py") == "src/train.py"


def test_root_of_the_repository(root: Path) -> None:
    assert repository_root(root / "src") == root
    (root / ".git").rmdir()
    (root / "src" / ".git").touch()  # a submodule has a file there
    assert repository_root(root / "src") == root / "src"
