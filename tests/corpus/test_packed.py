"""Programs in the archive are programs of the corpus, and come out of it as they went in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.corpus import counts, frozen, packed, truth

FILES = {"train.py": "print('é')\n", "truth.toml": 'about = "…"\nkind = "forward"\n'}
NAMES = "first", "second"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an archive of two programs."""
    for attribute, name in (
        ("ARCHIVE", "programs.json.zst"), ("UNPACKED", "unpacked"), ("PROGRAMS", "programs"),
    ):  # fmt: skip
        monkeypatch.setattr(packed, attribute, tmp_path / name)
    packed.PROGRAMS.mkdir()
    packed.ARCHIVE.write_bytes(packed.pack(dict.fromkeys(NAMES, FILES)))
    return tmp_path


def test_the_archive_has_the_bytes_of_its_programs_and_no_program_twice() -> None:
    programs = packed.read()
    assert packed.pack(programs) == packed.ARCHIVE.read_bytes()
    assert not {*programs} & {one.name for one in packed.PROGRAMS.iterdir()}
    assert {*programs} <= {one.name for one in truth.programs()}


def test_programs_and_recordings_are_in_no_sdist() -> None:
    root = packed.HERE.parents[1]
    settings = truth.table(root / "pyproject.toml")["tool"]["hatch"]["build"]["targets"]["sdist"]
    archives = [packed.ARCHIVE, counts.ARCHIVE]
    places = [*archives, packed.PROGRAMS, truth.REPORTS, frozen.FOLDER]
    assert {f"/{place.relative_to(root).as_posix()}" for place in places} == {*settings["exclude"]}
    # Nor is what git ignores.
    ignored = (root / ".gitignore").read_text().splitlines()
    assert f"/{packed.UNPACKED.relative_to(root).as_posix()}/" in ignored


def test_processes_unpack_it_together_and_only_once(corpus: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        places = {*pool.map(lambda _: packed.folder(), range(8))}
    (place,) = places
    assert [one for one in packed.UNPACKED.iterdir() if one.name[0] != "."] == [place]
    assert {one.name for one in place.iterdir()} == {*NAMES}
    assert (place / "first" / "train.py").read_text(encoding="utf-8") == FILES["train.py"]
    (place / "first" / "train.py").write_text("kept until the archive changes")
    assert packed.folder() == place
    assert (place / "first" / "train.py").read_text() == "kept until the archive changes"


def test_a_program_is_taken_out_edited_and_put_back(corpus: Path) -> None:
    before, place = packed.ARCHIVE.read_bytes(), packed.folder()
    packed.take_out(["first"])
    assert {*packed.read()} == {"second"}
    edited = packed.PROGRAMS / "first" / "train.py"
    edited.write_text("print('edited')\n")
    packed.put_in(["first"])
    assert not edited.parent.exists()
    assert packed.read()["first"] == {**FILES, "train.py": "print('edited')\n"}
    now = packed.folder()
    assert now != place
    assert not place.exists()
    packed.take_out(["first"])
    edited.write_text(FILES["train.py"])
    packed.put_in(["first"])
    assert packed.ARCHIVE.read_bytes() == before


def test_what_is_not_there_changes_nothing(corpus: Path) -> None:
    before = packed.ARCHIVE.read_bytes()
    with pytest.raises(KeyError):
        packed.take_out(["first", "third"])
    with pytest.raises(FileNotFoundError):
        packed.put_in(["third"])
    assert packed.ARCHIVE.read_bytes() == before
    assert not [*packed.PROGRAMS.iterdir()]
    packed.ARCHIVE.unlink()
    assert packed.read() == {}
    assert not packed.folder().exists()
