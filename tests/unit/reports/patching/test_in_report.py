"""The patches of a page: made of the texts that the run has kept, and of no other."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import Diagnosis
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import html
from ca_reports.patching.in_report import diffs
from ca_reports.program.files import RecordedSource
from ca_reports.run.model import Recorded, Run
from tests.unit.reports.patching.programs import finding_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.diagnosis.analysis import Analysis

SOURCE = """\
from torch.utils.data import DataLoader

loader = DataLoader(data, 8)
for inputs in loader:
    model(inputs).sum().backward()
"""


def analysis_of(folder: Path, kept: str, digest: str | None = None) -> Analysis:
    """A run of another machine, whose folder was ``folder``, with the text that it has kept."""
    told = digest or hashlib.blake2b(kept.encode(), digest_size=16).hexdigest()
    recorded = Recorded(str(folder / "run"), script="train.py", cwd=str(folder))
    source = {
        "train.py": RecordedSource(told, kept),
        str(folder / "train.py"): RecordedSource(told, kept),
    }
    found = analyze(Run((), (), (), recorded=(recorded,), source=source))
    finding = finding_of("CA101", folder, ("train.py", 5))
    return replace(found, diagnosis=Diagnosis((finding,)))


def test_the_patch_is_of_what_the_run_has_kept(tmp_path: Path) -> None:
    # A file of this machine has the same name, and nothing to do with the run.
    (tmp_path / "train.py").write_text(SOURCE.replace("data, 8", "other, 16"))
    analysis = analysis_of(tmp_path, SOURCE)
    (diff,) = diffs(analysis, analysis.diagnosis.findings).values()
    assert "-loader = DataLoader(data, 8)\n+loader = DataLoader(data, 8, drop_last=True)\n" in diff
    page = html.render(analysis)
    assert "Copy patch" in page
    assert "+loader = DataLoader(data, 8, drop_last=True)" in page
    assert "other" not in diff


@pytest.mark.parametrize(
    ("kept", "digest"),
    [
        (SOURCE, "0" * 32),  # without a literal that named itself a secret
        (SOURCE.replace("\n", "\r\n"), None),
        ("def f(:\n", None),
    ],
)
def test_another_text_than_what_ran_gets_none(
    tmp_path: Path, kept: str, digest: str | None
) -> None:
    (tmp_path / "train.py").write_text(SOURCE)
    analysis = analysis_of(tmp_path, kept, digest)
    assert diffs(analysis, analysis.diagnosis.findings) == {}
    page = html.render(analysis)
    assert "Copy fix" in page
    assert "Copy patch" not in page
