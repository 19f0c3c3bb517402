"""The advice on numbers, taken literally: torch compiles less than before, for each kind of use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ca_reports.program.uses import Need
from tests.unit.reports.causes.located.asked import ASKED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

# Runs each program by itself, and counts all that Dynamo compiled, and each graph that it ended.
_COUNTING = """\
import contextlib, io, json, logging, sys, warnings
from pathlib import Path
import torch
from torch._dynamo import utils

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
counted = {}
for name in sys.argv[1:]:
    torch._dynamo.reset()
    utils.counters.clear()
    utils.clear_compilation_metrics()
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(Path(name).read_text(), name, "exec"), {"__name__": "program"})
    ended = sum(utils.counters["graph_break"].values())
    counted[name] = [len(utils.get_compilation_metrics()), ended]
print(json.dumps(counted))
"""


@pytest.mark.long
def test_no_advice_makes_it_worse(work: Path, warm_python: Runner) -> None:
    names = {}
    for number, (name, asked) in enumerate(ASKED.items()):
        names[name] = f"written{number}.py", f"advised{number}.py"
        (work / names[name][0]).write_text(asked.as_written)
        (work / names[name][1]).write_text(asked.as_advised)
    (work / "count.py").write_text(_COUNTING)

    done = warm_python("count.py", *(file for pair in names.values() for file in pair))

    counted = json.loads(done.stdout)
    for name, (written, advised) in names.items():
        (before, breaks), (after, breaks_after) = counted[written], counted[advised]
        assert after < before, name
        assert breaks_after <= breaks, name
        # One compile for all values; of an outcome, and of a few values, one for each.
        assert after <= 2, name
        if ASKED[name].need is Need.NOTHING:
            assert after == 1, name
