"""A run folder holds the source that its findings are about, and tells whether it changed."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

HELPER = """
API_KEY = "hunter2"


def power(x, e):
    return x**e
"""
CODEWORD = HELPER.replace("API_KEY", "CODEWORD")
TRAIN = """
import os, torch
from helper import power
weight = torch.ones(3, requires_grad=True)
for exponent in (2.0, 3.0, 4.0):
    power(weight, exponent).sum().backward()
"""
RUN = ("run", "--quiet", "--enable", "--backend", "eager", "-o", "run")


@pytest.fixture
def program(work: Path) -> Path:
    (work / "helper.py").write_text(HELPER)
    (work / "train.py").write_text(TRAIN)
    return work


def kept(work: Path) -> dict[str, dict[str, Any]]:
    document = json.loads((work / "run" / "source.json").read_text())
    return {os.path.basename(file["file"]): file for file in document["files"]}  # noqa: PTH119


def test_the_files_that_findings_are_about(program: Path, ca: Runner) -> None:
    assert ca(*RUN, "train.py").code == 0
    files = kept(program)
    assert set(files) == {"helper.py", "train.py"}
    assert files["train.py"]["text"] == TRAIN
    assert files["helper.py"]["text"] == HELPER.replace("hunter2", "[redacted]")
    written = [file for file in (program / "run").rglob("*") if file.is_file()]
    assert [file.name for file in written if b"hunter2" in file.read_bytes()] == []


@pytest.mark.parametrize("text", [HELPER, CODEWORD], ids=["known", "of the project"])
def test_a_secret_beside_the_line_is_in_no_page(program: Path, ca: Runner, text: str) -> None:
    (program / "ca.toml").write_text('secrets = ["codeword"]\n')
    (program / "helper.py").write_text(text.replace("\n\n\ndef", "\ndef"))
    assert ca(*RUN, "train.py").code == 0
    page = (program / "run" / "report.html").read_text("utf-8")
    assert "hunter2" not in page
    assert "[redacted]" in page


def test_another_machine_shows_them_as_they_were(program: Path, ca: Runner) -> None:
    assert ca(*RUN, "train.py").code == 0
    shutil.copytree(program / "run", program / "copy")
    (program / "helper.py").write_text("changed = True\n" * 20)

    done = ca("explain-recompiles", "copy", "--format", "json")

    (location,) = (
        finding["location"]
        for finding in json.loads(done.stdout)["findings"]
        if finding["code"] == "CA206"
    )
    assert (os.path.basename(location["file"]), location["line"]) == ("helper.py", 6)  # noqa: PTH119
    assert ca("report", "copy").code == 0
    page = (program / "copy" / "report.html").read_text("utf-8")
    assert 'id="source-0-6"' in page
    assert "changed = True" not in page


@pytest.mark.parametrize("how", ["option", "settings"])
def test_where_it_is_not_wanted_there_are_hashes_only(program: Path, ca: Runner, how: str) -> None:
    if how == "settings":
        (program / "ca.toml").write_text("keep-source = false\n")
    done = ca(*RUN, *(["--no-source"] if how == "option" else []), "train.py")
    assert done.code == 0, done.stderr
    files = kept(program)
    assert {file["text"] for file in files.values()} == {None}
    assert all(len(file["hash"]) == 32 for file in files.values())


def test_a_setting_that_is_neither_true_nor_false(program: Path, ca: Runner) -> None:
    (program / "ca.toml").write_text("keep-source = 'no'\n")
    done = ca(*RUN, "train.py")
    assert done.code == 2
    assert done.stderr == f"ca: {program / 'ca.toml'} keep-source must be true or false, not 'no'\n"
