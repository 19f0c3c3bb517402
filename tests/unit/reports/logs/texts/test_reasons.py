"""Lists of ``recompile_reasons`` by themselves, as tlparse's pages show them."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.errors import CaError, NothingReadable

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.model import Run

LINE = "/home/ana/vad/cell.py:31 in advance"
# Written for a call that found five versions; four things differ, in one of them two versions.
REASONS = [
    f"2/4: memory is None  # if memory is None:  # {LINE}",
    "2/3: tensor 'frames' size mismatch at index 0. expected 64, actual 16",
    f"2/2: memory is None  # if memory is None:  # {LINE}",
    f"2/1: frames.size()[1] == 20  # steps = frames.shape[1] // hop  # {LINE}",
    "2/0: grad_mode is enabled",
]


def load(folder: Path, text: str) -> Run:
    path = folder / "pasted.txt"
    path.write_text(text, newline="")
    return ca_reports.load([path])


@pytest.mark.parametrize("indent", [None, 0, 2, 4])
@pytest.mark.parametrize("before", ["", "> ", "trainer-0 | ", "16:20:4% job | "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_list_is_one_recompile(tmp_path: Path, indent: int | None, before: str, end: str) -> None:
    lines = ["How do I read this?", *json.dumps(REASONS, indent=indent).splitlines(), "Thanks."]
    numbered = (f"{before.replace('%', str(at))}{line}{end}" for at, line in enumerate(lines))
    run = load(tmp_path, "".join(numbered))
    (found,) = run.recompiles
    assert found.compile_id == "2/5"
    assert (found.recompile_reason or "").splitlines() == REASONS
    assert not run.damage


def test_each_list_is_of_a_call_of_its_own(tmp_path: Path) -> None:
    text = "".join(
        f"recompile_reasons_{at}.json\n{json.dumps(REASONS[at:], indent=2)}\n" for at in (0, 1, 2)
    )
    assert [one.compile_id for one in load(tmp_path, text).recompiles] == ["2/5", "2/4", "2/3"]


def test_a_list_of_a_captured_graphs_recompile(tmp_path: Path) -> None:
    (found,) = load(tmp_path, '["!1/3/0: n == 2"]\n').compiles
    assert (found.compile_id, found.capture) == ("!1/3/1", 1)


def test_a_list_that_ends_early_is_read_so_far(tmp_path: Path) -> None:
    cut = json.dumps(REASONS, indent=2).splitlines()[:3]
    for rest in ([], ["  ..."], ["", "and so on"]):
        (found,) = load(tmp_path, "\n".join([*cut, *rest]) + "\n").recompiles
        assert (found.recompile_reason or "").splitlines() == REASONS[:2]


def test_the_finding_has_the_line_and_the_answer_what_else_differed(tmp_path: Path) -> None:
    # GIVEN one call beside five versions: not five values of one thing
    analysis = analyze(load(tmp_path, json.dumps(REASONS, indent=2) + "\n"))
    (finding,) = analysis.diagnosis.findings
    assert finding.code == "CA703"
    assert finding.noticed_at is not None
    assert (finding.noticed_at.file, finding.noticed_at.line) == ("/home/ana/vad/cell.py", 31)
    (told,) = (gap.text for gap in analysis.limitations if gap.subject == "versions")
    assert "`memory is None` (2/4 and 2/2)" in told
    for guard in ("size mismatch at index 0. expected 64, actual 16", "frames.size()[1] == 20"):
        assert guard in told
    assert "grad_mode" in told


@pytest.mark.parametrize("file", ["nn/modules/module.py", "optim/adam.py", "model/cell.py"])
def test_a_line_that_may_be_torchs_is_nobodys(tmp_path: Path, file: str) -> None:
    # GIVEN a path without its front: torch cuts off what it has in common with its own folder
    text = json.dumps([f"0/0: n == 3  # if n == 3:  # {file}:7 in step"])
    (finding,) = analyze(load(tmp_path, f"{text}\n")).diagnosis.findings
    assert (finding.noticed_at is None) == (not file.startswith("model/"))


@pytest.mark.parametrize(
    "text",
    [
        '["0/1: n == 3", "1/0: n == 2"]',  # of two functions
        '["epoch 3: done", "0/1"]',
        '["0/1: n == 3", 4]',
        "[\n1,\n2\n]",
        '  "0/1: n == 3",',
    ],
)
def test_other_lists_are_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(NothingReadable):
        load(tmp_path, f"{text}\n")


@given(seed=st.integers(0, 2**32), junk=st.text(max_size=6))
def test_a_damaged_list_never_raises(
    tmp_path_factory: pytest.TempPathFactory, seed: int, junk: str
) -> None:
    chance = random.Random(seed)
    text = "\n" + json.dumps(REASONS, indent=chance.choice((None, 2))) + "\n"
    at = chance.randrange(len(text))
    damaged = text[:at] + junk + text[at + chance.randrange(9) :]
    path = tmp_path_factory.mktemp("damaged") / "pasted.txt"
    path.write_text(damaged, encoding="utf-8", errors="surrogatepass")
    try:
        run = ca_reports.load([path])
    except CaError:
        return
    assert all(one.compile_id.startswith("2/") for one in run.compiles)
