"""Short runs of a program, recorded: what one of them says of a script that failed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ca_cli import trials
from ca_cli.errors import UsageError
from ca_reports.trial import AS_IS


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (
            "raise ValueError('too large\\n\\nUser stack:\\n    f(x)\\n    ^^^^\\n')",
            "ValueError: too large",
        ),
        ("try:\n    1 / 0\nexcept Exception:\n    raise KeyError('x')", "KeyError: 'x'"),
        ("import sys\nprint('no data')\nsys.exit(3)", "no data"),
        ("import sys\nsys.exit(3)", "no message"),
    ],
)
def test_a_script_that_fails_is_told_by_its_exception(
    tmp_path: Path, script: str, told: str
) -> None:
    line = [sys.executable, "-c", script]
    with pytest.raises(UsageError) as raised:
        trials.run(AS_IS, line, tmp_path / "run", 3)
    assert str(raised.value).endswith(f", and ended with: {told}")


def test_each_run_has_caches_of_its_own_that_are_gone_after_it(tmp_path: Path) -> None:
    script = "from torch._inductor.runtime.cache_dir_utils import cache_dir; print(cache_dir())"
    folders = []
    for name in ("first", "second"):
        trials.run(AS_IS, [sys.executable, "-c", script], tmp_path / name, 3)
        printed = (tmp_path / name / "output.txt").read_text().split()
        folders.append(Path(printed[0]))
    assert folders[0] != folders[1]
    assert not any(folder.exists() for folder in folders)


def test_each_run_begins_with_the_same_numbers(tmp_path: Path) -> None:
    script = (
        "import random\nfirst = random.random()\nimport numpy as np, torch\n"
        "print(first, np.random.rand(), torch.rand(2), list({'a', 'b', 'c', 'd', 'e'}))"
    )
    printed = []
    for name in ("first", "second"):
        with pytest.raises(UsageError, match="nothing was recorded"):
            trials.run(AS_IS, [sys.executable, "-c", script], tmp_path / name, 1)
        printed.append((tmp_path / name / "output.txt").read_text())
    assert printed[0] == printed[1] != ""
