"""Arguments that guards know by their place only have the names of the user's call."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.facts.argument_names import CallNames, names_of
from ca_reports.facts.guard_paths import referring
from ca_reports.program.files import SourceFiles
from ca_reports.program.syntax import Program
from ca_reports.run.held import Held, RecordedGuards
from ca_reports.run.model import Compile, Frame

if TYPE_CHECKING:
    from pathlib import Path

WRAPPER = "/env/lib/python3.11/site-packages/torch/_dynamo/external_utils.py"
SOURCE = """\
import torch
from torch import nn
net = torch.compile(nn.Sequential(nn.Linear(4, 4)))
for batch in batches:
    {call}
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("loss = net(batch)", "batch[0]"),
        ("loss = net(batch.rows)", "batch.rows[0]"),
        ("loss = net(batch * 2)", "args[0][0]"),
        ("loss = net(*batch)", "args[0][0]"),
        ("loss = net(batch) + net(batch)", "args[0][0]"),
    ],
)
def test_the_call_names_it(tmp_path: Path, call: str, told: str) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE.format(call=call))
    program = Program(SourceFiles([tmp_path]), [str(file)])
    line = Frame(str(file), 5, "<module>", "")
    compiled = Compile("0/0", 0, None, 1, None, location=line)

    # A finding's words have no name of torch's; a table has it where the call gives none.
    said = names_of(compiled, program).said(f"len({referring('args[0][0]')})")
    assert said == f"len({told.replace('args[0]', '…')})"
    assert names_of(compiled, program).said(referring("x[0]")) == "x[0]"
    names = CallNames(SourceFiles([tmp_path]))
    assert names.of(line, ["args[0][0]", "x"]) == {"args[0][0]": told}
    assert names.of(None, ["args[0][0]"]) == {}


def test_a_keyword_of_the_call_is_the_users_name(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE.format(call="loss = net(batch, length=batch.shape[1])"))
    program = Program(SourceFiles([tmp_path]), [str(file)])
    line = Frame(str(file), 5, "<module>", "")
    names = names_of(Compile("0/0", 0, None, 1, None, location=line), program)
    assert names.said(referring("`kwargs['length']` of `args[0]`")) == "`length` of `batch`"
    assert names.said(referring("`kwargs['other']`")) == "`kwargs['other']`"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("net.step(batch * 2)", "the first argument"),
        # As many arrive as the call gives: nothing stands before them.
        ("net.step(state, batch * 2)", "the second argument"),
        ("step(net, batch * 2)", "the second argument"),
        ("net.step(*batch)", "the second argument"),
    ],
)
def test_the_object_of_a_method_is_no_argument_of_its_call(
    tmp_path: Path, call: str, words: str
) -> None:
    file = tmp_path / "train.py"
    file.write_text(f"{call}\n")
    program = Program(SourceFiles([tmp_path]), [str(file)])
    held = RecordedGuards(arguments=(("args[0]", Held(type="Net")), ("args[1]", Held())))
    line = Frame(str(file), 1, "<module>", "")
    compiled = Compile("0/0", 0, None, 1, None, location=line, held=held)
    assert names_of(compiled, program).said(referring("pass `args[1]`")) == f"pass {words}"
    if words == "the first argument":
        entry = "`args[1].state[list(dict.keys(args[1].state))[0]]['step']`"
        said = "`state[…]['step']` of the first argument"
        assert names_of(compiled, program).said(referring(entry)) == said
        assert (
            names_of(compiled, program).said(referring("`args[0].mode`"))
            == "`mode` of the method's object"
        )


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("torch.compile(model, backend='eager')", "`model.0.scale`: 1.0"),
        ("torch.compile(nn.Sequential(Scaled()))", "`0.scale` of the compiled module: 1.0"),
    ],
)
def test_what_torchs_wrapper_calls_has_the_programs_name(
    tmp_path: Path, made: str, told: str
) -> None:
    file = tmp_path / "train.py"
    file.write_text(f"net = {made}\nfor batch in batches:\n    net(batch)\n")
    program = Program(SourceFiles([tmp_path]), [str(file)])
    line, code = Frame(str(file), 3, "<module>", ""), Frame(WRAPPER, 67, "inner", "")
    compiled = Compile("0/0", 0, None, 1, None, location=line, code=code)

    assert names_of(compiled, program).said(referring("`fn._modules['0'].scale`: 1.0")) == told
    # Of a function of the program's it is a name of its own.
    assert (
        names_of(replace(compiled, code=line), program).said(referring("`fn._modules['0'].scale`"))
        == "`fn.0.scale`"
    )
