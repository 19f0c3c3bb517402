"""CA704, CA401: whole numbers of modules that have to stay numbers are dynamic by an option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.rules.guard_advice import detail_of
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.programs import finding_of, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.patches import Proposal

SOURCE = """\
import torch


class Sparse({base}):
    def __init__(self, gate):
        super().__init__()
        self.gate, self.keep = gate, 8

    def forward(self, x):
        scores = torch.sigmoid(x)
        return {result}


net = Sparse(gate)
model = torch.compile(net)
for step in range(9):
    net.keep = 8 - step
    model(x)
"""
OPTION = "torch._dynamo.config.allow_unspec_int_on_nn_module = True"


def proposed(
    folder: Path,
    result: str = "x.topk(self.keep).values",
    base: str = "torch.nn.Module",
    values: tuple[str, ...] = ("8", "7", "6"),
) -> tuple[Proposal, str, str]:
    """The proposal for ``self.keep`` of the forward, the program, and what it becomes."""
    source = SOURCE.format(result=result, base=base)
    inner = Frame(str(folder / "train.py"), line_of(source, "def forward"), "forward", "")
    compiles = tuple(
        Compile(f"0/{number}", 0, None, None, None, location=inner, code=inner, stack=(inner,))
        for number in range(len(values))
    )
    facts = tuple(
        RecompileFacts(
            compiles[number + 1],
            (
                Guard(
                    f"self.keep == {value}", "value", f"0/{number}", "self.keep",
                    expected=value, actual=values[number + 1],
                ),
            ),
            None,
            inner,
        )
        for number, value in enumerate(values[:-1])
    )  # fmt: skip
    thing = GuardedThing(facts)
    program = program_of(folder, {"train.py": source}, compiles, thing)
    finding = finding_of(
        "CA704", folder, key="self.keep", detail=detail_of(thing), events=compiles[1:]
    )
    proposal = propose_for(finding, program)
    return proposal, source, applied(program.texts, proposal.patches[:1]).get("train.py", "")


@pytest.mark.parametrize(
    "result",
    [
        "x.topk(self.keep).values",
        "x[:, : self.keep]",
        "scores[: 2 * self.keep]",
        "x.narrow(0, 0, min(self.keep, 4))",
        "x.new_zeros(3, self.keep + 1)",
        "x.tril(self.keep) if self.keep > 4 else x.tril(self.keep + 1)",
    ],
)
def test_a_number_that_gives_sizes_is_dynamic(tmp_path: Path, result: str) -> None:
    _, source, changed = proposed(tmp_path, result)
    assert changed == source.replace("import torch\n", f"import torch\n\n{OPTION}\n", 1).replace(
        "torch.compile(net)", "torch.compile(net, dynamic=True)"
    )


@pytest.mark.parametrize(
    "result",
    [
        "sum(x for _ in range(self.keep))",
        "x.chunk(self.keep)[0]",
        "x.split(self.keep)[0]",
        "self.gate[self.keep](x)",
        "x[self.keep]",
        "x[: self.keep]",  # it may be a list
        "torch.cat([gate(x) for gate in self.gate[: self.keep]])",
        "x.topk(self.keep).values if self.keep == 4 else x",
        "int(self.keep) * x.topk(2).values",
        "self.gate(x, self.keep)[: self.keep]",
    ],
)
def test_a_number_that_is_compiled_for_each_value_is_left(tmp_path: Path, result: str) -> None:
    proposal, _, _ = proposed(tmp_path, result)
    assert not proposal.patches


def test_few_values_and_numbers_of_no_module_are_left(tmp_path: Path) -> None:
    assert not proposed(tmp_path, values=("8", "7"))[0].patches
    assert not proposed(tmp_path, values=("0", "1", "2", "3"))[0].patches
    assert proposed(tmp_path, values=("0", "1", "2", "3", "4"))[0].patches
    assert not proposed(tmp_path, values=("8", "7", "6.5"))[0].patches
    assert not proposed(tmp_path, base="Layer")[0].patches
