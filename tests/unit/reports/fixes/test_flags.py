"""CA703: a flag that is passed as a tensor, and chosen by in the compiled function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.guards import Guard
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded import GuardedThing
from ca_reports.findings import Subject
from ca_reports.fixes.patches import applied
from ca_reports.fixes.propose import propose_for
from ca_reports.model import Compile, Frame
from tests.unit.reports.fixes.programs import finding_of, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.fixes.patches import Proposal

FORCED = Guard("forced == True", "value", "0/0", "forced", expected="True")
TRAIN = "import torch\nfrom net import decode\n\nrun = torch.compile(decode)\nrun(past, forced)\n"


def proposed(folder: Path, net: str) -> tuple[Proposal, str]:
    """The proposal for the flag of `decode`, and its file after the first patch."""
    inner = Frame(str(folder / "net.py"), line_of(net, "def decode"), "decode", "")
    call = Frame(str(folder / "train.py"), line_of(TRAIN, "run(past"), "<module>", "")
    compiles = tuple(
        Compile(f"0/{number}", 0, None, None, None, location=inner, stack=(call, inner))
        for number in range(2)
    )
    thing = GuardedThing((RecompileFacts(compiles[1], (FORCED,), None, inner),))
    program = program_of(folder, {"train.py": TRAIN, "net.py": net}, compiles, thing)
    finding = finding_of(
        "CA703", folder, key="forced", subject=Subject("forced"), events=compiles[1:], fix="by hand"
    )
    proposal = propose_for(finding, program)
    texts = {name: file.text for name, file in program.files.items()}
    return proposal, applied(texts, proposal.patches[:1]).get("net.py", "")


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
