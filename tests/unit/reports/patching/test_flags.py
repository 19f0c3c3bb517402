"""CA703: a flag that is passed as a tensor, and chosen by in the compiled function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.guards import Guard
from tests.unit.reports.patching.programs import for_argument

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.patches import Proposal

FORCED = Guard("forced == True", "value", "0/0", "forced", expected="True")
TRAIN = "import torch\nfrom net import decode\n\nrun = torch.compile(decode)\nrun(past, forced)\n"


def proposed(folder: Path, net: str) -> tuple[Proposal, str]:
    """The proposal for the flag of `decode`, and its file after the first patch."""
    files = {"train.py": TRAIN, "net.py": net}
    proposal, changed = for_argument("CA703", folder, files, "decode", FORCED)
    return proposal, changed.get("net.py", "")


def test_calls_that_leave_the_flag_out_or_give_a_bool_still_work(tmp_path: Path) -> None:
    net = (
        "import torch\n\n\ndef decode(past, forced=False):\n    level = past * 2\n    if forced:\n"
        "        level = past\n    return level\n\n\ndef check(past):\n    return decode(past)\n"
    )
    proposal, changed = proposed(tmp_path, net)
    assert "forced passed as a tensor" in proposal.patches[0].what
    assert "    level = torch.where(torch.as_tensor(forced), past, level)\n" in changed


def test_a_result_that_is_none_without_the_flag_is_left(tmp_path: Path) -> None:
    net = (
        "import torch\n\n\ndef decode(past, forced):\n    level = None\n    if forced:\n"
        "        level = past * 2\n    return past, level\n"
    )
    proposal, _ = proposed(tmp_path, net)
    assert not any("torch.where" in one.what for one in proposal.patches)
