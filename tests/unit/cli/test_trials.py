"""Short runs of a program, recorded: what one of them says of a script that failed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from ca_cli import trials
from ca_cli.errors import UsageError
from ca_reports.trial import AS_IS

if TYPE_CHECKING:
    from pathlib import Path


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
