"""What is kept of a program that is in no file."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from ca_cli import typed_program
from ca_cli.python_command import parse_python

if TYPE_CHECKING:
    from pathlib import Path


def kept(folder: Path) -> list[dict[str, str]]:
    files: list[dict[str, str]] = json.loads((folder / "source.json").read_text())["files"]
    return files


def test_the_text_after_c_is_kept_without_its_secrets(tmp_path: Path) -> None:
    typed_program.keep(parse_python(["-c", "API_KEY = 'hunter2'"]), tmp_path, ())
    (file,) = kept(tmp_path)
    assert (file["file"], file["text"]) == ("-c", "API_KEY = '[redacted]'")


def test_a_script_is_in_its_file(tmp_path: Path) -> None:
    typed_program.keep(parse_python(["train.py"]), tmp_path, ())
    assert not (tmp_path / "source.json").exists()


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="pipes of Linux")
@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_stdin_is_read_and_stays(tmp_path: Path, kind: str) -> None:
    program = b"print(1)\n"
    if kind == "file":
        (tmp_path / "program").write_bytes(b"# read before\n" + program)
        given = os.open(tmp_path / "program", os.O_RDONLY)
        os.lseek(given, 14, os.SEEK_SET)
    else:
        given, writing = os.pipe()
        os.write(writing, program)
        os.close(writing)
    own = os.dup(0)
    try:
        os.dup2(given, 0)
        typed_program.keep(parse_python(["-"]), tmp_path, ())
        assert os.read(0, 100) == program
        assert os.read(0, 100) == b""
    finally:
        os.dup2(own, 0)
        os.close(own)
        os.close(given)
    (file,) = kept(tmp_path)
    assert (file["file"], file["text"]) == ("<stdin>", program.decode())
