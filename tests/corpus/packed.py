"""Most programs of the corpus, in one archive: those that lead through no code of their own.

    python -m tests.corpus.packed
    python -m tests.corpus.packed --out NAME …
    python -m tests.corpus.packed --in NAME …

Without an option the names of the packed programs are printed. ``--out`` moves programs to
`programs/`, where they can be edited, and ``--in`` moves them back. `truth.programs` knows both
kinds, by `folder`, which unpacks the archive once into `unpacked/`: what is changed there is lost.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HERE = Path(__file__).parent
ARCHIVE, UNPACKED = HERE / "programs.json.zst", HERE / "unpacked"
PROGRAMS = HERE / "programs"
_LEVEL = 19
# Name of a program → text of each of its files.
Programs = dict[str, dict[str, str]]


def read() -> Programs:
    """Return the programs in the archive; none if it is absent, as in an sdist."""
    if not ARCHIVE.is_file():
        return {}
    found: Programs = json.loads(zstandard.ZstdDecompressor().decompress(ARCHIVE.read_bytes()))
    return found


def pack(programs: Mapping[str, Mapping[str, str]]) -> bytes:
    """Return the bytes of an archive of ``programs``; the same for the same."""
    plain = json.dumps(programs, sort_keys=True, ensure_ascii=False, indent=0).encode()
    return zstandard.ZstdCompressor(level=_LEVEL).compress(plain)


def folder() -> Path:
    """Return the folder with the packed programs, in one of its own for each state of the archive.

    Processes may unpack it at the same time: it is there whole or not at all.
    """
    if not ARCHIVE.is_file():
        return UNPACKED
    place = UNPACKED / hashlib.blake2b(ARCHIVE.read_bytes(), digest_size=8).hexdigest()
    if place.is_dir():
        return place
    UNPACKED.mkdir(exist_ok=True)
    earlier = [one for one in UNPACKED.iterdir() if one.name[0] != "." and one != place]
    whole = Path(tempfile.mkdtemp(prefix=".", dir=UNPACKED))
    for name, files in read().items():
        _write(whole / name, files)
    try:
        whole.rename(place)
    except OSError:  # another process was faster
        shutil.rmtree(whole)
    for one in earlier:
        shutil.rmtree(one, ignore_errors=True)
    return place


def _write(program: Path, files: Mapping[str, str]) -> None:
    program.mkdir()
    for name, text in files.items():
        (program / name).write_text(text, encoding="utf-8")


def take_out(names: Iterable[str]) -> None:
    """Move programs from the archive to `programs/`. Raises KeyError if it has no such one."""
    left = read()
    for name, files in [(name, left.pop(name)) for name in names]:
        _write(PROGRAMS / name, files)
    ARCHIVE.write_bytes(pack(left))


def put_in(names: Iterable[str]) -> None:
    """Move programs from `programs/` to the archive. Raises FileNotFoundError if one is absent."""
    programs, folders = read(), [PROGRAMS / name for name in names]
    for place in folders:
        files = (one for one in sorted(place.iterdir()) if one.is_file())
        programs[place.name] = {one.name: one.read_text(encoding="utf-8") for one in files}
    ARCHIVE.write_bytes(pack(programs))
    for place in folders:
        shutil.rmtree(place)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.packed", description=__doc__)
    parser.add_argument("--out", nargs="+", metavar="NAME", help="move programs to programs/")
    parser.add_argument("--in", nargs="+", metavar="NAME", dest="into", help="move them back")
    arguments = parser.parse_args()
    if arguments.out:
        take_out(arguments.out)
    if arguments.into:
        put_in(arguments.into)
    if not (arguments.out or arguments.into):
        print(*sorted(read()), sep="\n")


if __name__ == "__main__":
    main()
