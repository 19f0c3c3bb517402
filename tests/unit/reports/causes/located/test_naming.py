"""Arguments of compiled functions, by the names of the user's call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import About, Finding, KeptByHook
from ca_reports.causes.located.naming import named
from ca_reports.causes.remedies import Remedy
from ca_reports.facts.guard_paths import verbatim
from ca_reports.program.files import SourceFiles
from ca_reports.program.syntax import Program
from ca_reports.run.held import Held, RecordedGuards
from ca_reports.run.model import Compile, Frame
from ca_reports.sentences.dynamic import marked

if TYPE_CHECKING:
    from pathlib import Path

BEGINNING = """\
import torch
from torch import nn
model = nn.Sequential(nn.Linear(4, 4))
net = torch.compile(model)
def other(x, y): return x
class Trainer:
    def __init__(self):
        self.net = torch.compile(model, dynamic=False)
"""


def test_what_is_marked_as_unbacked_has_the_callers_name(tmp_path: Path) -> None:
    file = tmp_path / "serve.py"
    file.write_text(
        "import torch\nstep = torch.compile(net)\nfor token in texts:\n    step(token)\n"
    )
    call = Frame(str(file), 4, "<module>", "")
    own = Frame("/site-packages/library/net.py", 9, "forward", "def forward(")
    finding = Finding(
        rule=About("CA103", "name"),
        severity="warning",
        message="`ids` varied in dimension 1",
        remedy=Remedy(f"call `torch._dynamo.mark_unbacked({marked('ids')}, 1)` before it"),
        location=call,
        noticed_at=call,
        events=(
            Compile(
                "0/1", 0, None, 1, None, "", location=own, stack=(call, own),
                held=RecordedGuards(arguments=(("self", Held()), ("ids", Held()))),
            ),
        ),
    )  # fmt: skip

    found = named(finding, Program(SourceFiles([tmp_path]), [str(file)]))

    assert found.fix == "call `torch._dynamo.mark_unbacked(token, 1)` before it"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("out = net(waves)", "waves"),
        ("loss = other(criterion(net(batch.waves), labels), 2)", "batch.waves"),
        ("out = self.net(waves)", "waves"),
        ("out = (\n    net(waves)\n)", "waves"),
        ("out = net(waves * 2)", ""),
        ("out = net(*waves)", ""),
        ("out = net(net(waves))", ""),
        ("out = net(waves) + net(tides)", ""),
        ("out = other(waves, labels)", ""),
        ("def other(*args):\n    return net(waves)", "args[0]"),
    ],
)
def test_an_argument_by_place_has_the_name_of_the_call(
    line: str, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "train.py"
    file.write_text(BEGINNING + line + "\n")
    at = BEGINNING.count("\n") + 1 + line.startswith("out = (")
    frame = Frame(str(file), at, "<module>", "")
    finding = Finding(
        rule=About("CA102", "name"),
        severity="warning",
        message=verbatim("`args[0]` varied, `args[1]['mask']` and `args[0].ids` did not"),
        remedy=Remedy(verbatim("call `torch._dynamo.mark_dynamic(args[0], 2)`, not `args[10]`")),
        key="",
        location=frame,
        noticed_at=frame,
        events=(Compile("0/1", 0, None, 1, None, "", location=frame, stack=(frame,)),),
    )

    found = named(finding, Program(SourceFiles([tmp_path]), [str(file)]))

    # What has no name, or one in each of two calls, is not called by torch's.
    argument = f"`{told}`" if told else "the first argument"
    part = f"`{told}.ids`" if told else "`ids` of the first argument"
    mask, last = "`['mask']` of the second argument", "the 11th argument"
    if told == "args[0]":  # a name of the function's own
        mask, last = "`args[1]['mask']`", "`args[10]`"
    assert found.message == f"{argument} varied, {mask} and {part} did not"
    assert found.fix == f"call `torch._dynamo.mark_dynamic({told or '…'}, 2)`, not {last}"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("out = net(noisy, steps)", "noisy"),
        ("out = net(timestep=steps, sample=noisy)", "noisy"),
        ("out = net(noisy * 2, steps)", "sample"),
        ("out = net(steps)", "steps"),
        ("out = other(noisy, steps)", "sample"),
    ],
)
def test_what_is_marked_has_the_name_that_it_has_before_the_call(
    line: str, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "train.py"
    file.write_text(BEGINNING + line + "\n")
    at = BEGINNING.count("\n") + 1
    call = Frame(str(file), at, "<module>", "")
    own = Frame("/site-packages/diffusers/unet.py", 249, "forward", "def forward(")
    known = ("self", "sample", "timestep['a']", "timestep['b']", "labels")
    guards = RecordedGuards(arguments=tuple((name, Held()) for name in known))
    finding = Finding(
        rule=About("CA101", "name"),
        severity="warning",
        message="(dimension 0 of `sample`)",
        remedy=Remedy(
            f"call `torch._dynamo.mark_dynamic({marked('sample')}, 0)`, or sample otherwise"
        ),
        key="",
        location=call,
        noticed_at=call,
        events=(
            Compile("0/1", 0, None, 1, None, "", location=own, stack=(call, own), held=guards),
        ),
    )

    found = named(finding, Program(SourceFiles([tmp_path]), [str(file)]))

    assert found.message == finding.message
    assert found.fix == f"call `torch._dynamo.mark_dynamic({told}, 0)`, or sample otherwise"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("out = net(**batch)", "batch['ids']"),
        ("loss = net(ids=self.ids, mask=mask).loss", "self.ids"),
        ("out = net(mask=mask, **batch)", "batch['ids']"),
        ("out = net(ids=pad(ids))", "kwargs['ids']"),
        ("out = net(**batch).to(device=device)", "kwargs['ids']"),
        ("out = net(**{'ids': ids})", "kwargs['ids']"),
    ],
)
def test_a_librarys_keyword_arguments_are_those_of_the_call(
    line: str, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "train.py"
    file.write_text(BEGINNING + line + "\n")
    frame = Frame(str(file), BEGINNING.count("\n") + 1, "<module>", "")
    wrapper = Frame("/env/lib/python3.11/site-packages/transformers/generic.py", 9, "wrapper", "")
    finding = Finding(
        rule=About("CA102", "name"),
        severity="warning",
        message=verbatim("`kwargs['ids']` varied"),
        remedy=Remedy(verbatim("call `torch._dynamo.mark_dynamic(kwargs['ids'], 1)`")),
        key="",
        location=frame,
        noticed_at=frame,
        events=(
            Compile("0/1", 0, None, 1, None, "", location=wrapper, stack=(frame, wrapper)),
        ),
    )  # fmt: skip

    found = named(finding, Program(SourceFiles([tmp_path]), [str(file)]))

    assert found.message == f"`{told}` varied"
    assert found.fix == f"call `torch._dynamo.mark_dynamic({told}, 1)`"


@pytest.mark.parametrize(
    ("number", "told", "quoted"),
    [
        (0, "seen", "`seen`"),
        (1, "steps", "`steps`"),
        (2, "a variable of the hook's closure", "a variable of the hook's closure"),
    ],
)
def test_what_a_hook_keeps_is_told_by_the_variable_of_the_function_around_it(
    number: int, told: str, quoted: str, tmp_path: Path
) -> None:
    file = tmp_path / "hooks.py"
    file.write_text(
        "def warmed(steps):\n"
        "    seen = 0\n"
        "    def scale(gradient):\n"
        "        nonlocal seen\n"
        "        seen += 1\n"
        "        return gradient * min(1.0, seen / steps)\n"
        "    return scale\n"
    )
    frame = Frame(str(file), 3, "scale", "")
    cell = f"hooks[0].__closure__[{number}].cell_contents"
    finding = Finding(
        rule=About("CA303", "name"),
        severity="warning",
        message=f"first failed guard: {verbatim(f'len({cell}) == 1')}",
        remedy=Remedy(f"keep `{verbatim(cell)}` in a tensor"),
        detail=KeptByHook(cell=number),
        location=frame,
        noticed_at=frame,
        events=(Compile("!0/0/1", 0, None, 1, 0, "", location=frame, stack=(frame,)),),
    )

    found = named(finding, Program(SourceFiles([tmp_path]), [str(file)]))

    assert found.message == f"first failed guard: len({told}) == 1"
    assert found.fix == f"keep {quoted} in a tensor"
