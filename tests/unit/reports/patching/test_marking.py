"""CA101 to CA103 of a forward: where `mark_dynamic` and `mark_unbacked` go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import Subject
from ca_reports.patching.patches import Proposal, applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.programs import finding_of, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
import torch
from torch.nn import functional


class Net(torch.nn.Module):
    def forward(self, frames, mask=None):
        return frames.sum()


net = torch.compile(Net(){options})
for frames in data():
    {call}
"""


def proposal(
    folder: Path,
    call: str,
    subject: Subject,
    options: str = "",
    inputs: dict[str, tuple[int | str | None, ...]] | None = None,
    code: str = "CA102",
) -> tuple[Proposal, str]:
    source = SOURCE.format(call=call, options=options)
    program = program_of(folder, {"train.py": source})

    def frame(words: str, function: str) -> Frame:
        return Frame(str(folder / "train.py"), line_of(source, words), function, "")

    inner = frame("frames.sum()", "forward")
    caller = frame(call, "<module>")
    stack = (caller,) if subject.source.startswith("args") else (caller, inner)
    compiled = Compile(
        "0/1", 0, None, None, None, location=stack[-1], stack=stack, inputs=inputs or {}
    )
    finding = finding_of(code, folder, subject=subject, events=(compiled,))
    return propose_for(finding, program), source


@pytest.mark.parametrize(
    ("call", "subject", "line"),
    [
        ("loss = net(frames)", Subject("frames", (1,)), "mark_dynamic(frames, 1)"),
        ("loss = net(mask=m, frames=x)", Subject("frames", (1, 2)), "mark_dynamic(x, (1, 2))"),
        ('loss = net(batch["x"])', Subject("frames", (1,)), 'mark_dynamic(batch["x"], 1)'),
        ("loss = net(batch.x)", Subject("frames", (1,)), "mark_dynamic(batch.x, 1)"),
        (
            "functional.mse_loss(net(frames), y)",
            Subject("args[0]", (0,)),
            "mark_dynamic(frames, 0)",
        ),
    ],
)
def test_the_line_stands_before_the_call(
    tmp_path: Path, call: str, subject: Subject, line: str
) -> None:
    found, source = proposal(tmp_path, call, subject)
    every, marked = found.patches
    assert every.what.startswith("dynamic=True")
    changed = applied({"train.py": source}, [marked])["train.py"]
    assert changed == source.replace(f"    {call}", f"    torch._dynamo.{line}\n    {call}")


def test_inputs_that_always_have_one_size_are_marked_together(tmp_path: Path) -> None:
    subject = Subject("frames", (1, 2), together=(("mask", 0), ("mask", 1)))
    found, source = proposal(tmp_path, "loss = net(x, m)", subject)
    changed = applied({"train.py": source}, [found.patches[1]])["train.py"]
    marks = "torch._dynamo.mark_dynamic(x, (1, 2))", "torch._dynamo.mark_dynamic(m, (0, 1))"
    assert changed == source.replace(
        "    loss = net", f"    {marks[0]}\n    {marks[1]}\n    loss = net"
    )


@pytest.mark.parametrize(
    ("mask", "marked"), [(("s1", 7), (0,)), (("s1", "s1"), (0, 1)), (("s2", 8), ()), ((), ())]
)
def test_inputs_whose_sizes_are_one_in_the_graph_are_marked_together(
    tmp_path: Path, mask: tuple[int | str | None, ...], marked: tuple[int, ...]
) -> None:
    inputs: dict[str, tuple[int | str | None, ...]] = {"lframes": ("s1", 8), "lmask": mask}
    found, source = proposal(tmp_path, "loss = net(x, m)", Subject("frames", (0,)), inputs=inputs)
    changed = applied({"train.py": source}, [found.patches[1]])["train.py"]
    marks = ["    torch._dynamo.mark_dynamic(x, 0)\n"]
    if marked:
        sizes = marked[0] if len(marked) == 1 else marked
        marks.append(f"    torch._dynamo.mark_dynamic(m, {sizes})\n")
    assert changed == source.replace("    loss = net", f"{''.join(marks)}    loss = net")


@pytest.mark.parametrize(
    ("call", "subject", "options"),
    [
        ("loss = net(frames)", Subject("frames", (1,)), ", dynamic=False"),
        ("loss = net(frames[0])", Subject("frames", (1,)), ""),
        ("loss = net(load(frames))", Subject("frames", (1,)), ""),
        ("loss = sum(net(one) for one in frames)", Subject("frames", (1,)), ""),
        ("later = lambda: net(frames)", Subject("frames", (1,)), ""),
        ("loss = net(frames)", Subject("length", (1,)), ""),
        ("loss = net(frames)", Subject(values=(2, 3)), ""),
        ("loss = first(frames) + second(frames)", Subject("args[0]", (1,)), ""),
    ],
)
def test_where_the_source_does_not_show_it_all_sizes_are_dynamic(
    tmp_path: Path, call: str, subject: Subject, options: str
) -> None:
    found, _ = proposal(tmp_path, call, subject, options)
    (only,) = found.patches
    assert only.what.startswith("dynamic=True")


TRAINER = """\
import torch


class Net(torch.nn.Module):
    def forward(self, images):
        return images.mean()


class Trainer:
    def __init__(self):
        self.net = torch.compile(Net())

    def loss(self, batch):
        return self.net(batch["image"])

    def evaluate(self, loader):
        return sum(self.net(b["image"]) for b in loader)

    def fit(self, loader):
        for batch in loader:
            self.loss(batch).backward()
"""


@pytest.mark.parametrize("has_own_frame", [True, False])
def test_the_call_is_in_another_method_than_the_loop(tmp_path: Path, has_own_frame: bool) -> None:
    """The stack of a recompile may end with the call, or with a line of what is compiled."""
    program = program_of(tmp_path, {"train.py": TRAINER})

    def frame(words: str, function: str) -> Frame:
        return Frame(str(tmp_path / "train.py"), line_of(TRAINER, words), function, "")

    inner = frame("images.mean", "forward")
    stack = (frame("self.loss(batch)", "fit"), frame('self.net(batch["', "loss"))
    whole = (*stack, inner) if has_own_frame else stack
    compiled = Compile("0/1", 0, None, None, None, location=inner, stack=whole)
    subject = Subject("images", (2, 3))
    finding = finding_of("CA102", tmp_path, subject=subject, events=(compiled,))
    _, marked = propose_for(finding, program).patches
    changed = applied({"train.py": TRAINER}, [marked])["train.py"]
    assert changed == TRAINER.replace(
        '        return self.net(batch["image"])',
        '        torch._dynamo.mark_dynamic(batch["image"], (2, 3))\n'
        '        return self.net(batch["image"])',
    )


@pytest.mark.parametrize(
    ("call", "marked"),
    [
        ("loss = model(batch.x)", "torch._dynamo.mark_dynamic(batch.x, 1)"),
        ("loss = model(x, mask)", ""),
        ("loss = model(x).sum()", ""),
        ("losses = [model(x) for x in batch]", ""),
    ],
)
def test_a_model_of_a_library_that_is_given_one_tensor(
    tmp_path: Path, call: str, marked: str
) -> None:
    source = f"import torch\nfrom library import model\n\nfor batch in data():\n    {call}\n"
    program = program_of(tmp_path, {"train.py": source})
    caller = Frame(str(tmp_path / "train.py"), 5, "<module>", "")
    inner = Frame("/venv/lib/python3.11/site-packages/library/net.py", 9, "forward", "")
    compiled = Compile("0/1", 0, None, None, None, location=inner, stack=(caller, inner))
    found = finding_of("CA102", tmp_path, ("train.py", 5), events=(compiled,))
    found = replace(found, subject=Subject("x", (1,)))
    proposal = propose_for(found, program)
    if not marked:
        assert proposal.patches == ()
        return
    changed = applied({"train.py": source}, proposal.patches)["train.py"]
    assert changed == source.replace(f"    {call}", f"    {marked}\n    {call}")


@pytest.mark.parametrize("options", ["", ", dynamic=True"])
def test_a_size_of_one_is_marked_as_unbacked(tmp_path: Path, options: str) -> None:
    subject = Subject("frames", (0,), (1, 4), size_kind="zero_or_one")
    call = "loss = net(x)"
    found, source = proposal(tmp_path, call, subject, options, code="CA103")
    (patch,) = found.patches
    changed = applied({"train.py": source}, [patch])["train.py"]
    mark = "    torch._dynamo.decorators.mark_unbacked(x, 0)\n"
    assert changed == source.replace(f"    {call}", f"{mark}    {call}")
    assert patch.note.startswith("raises an error")


@pytest.mark.parametrize(
    ("subject", "options", "mask"),
    [
        (Subject("frames", (0,), (12, 1), size_kind="second_phase"), "", ()),
        (Subject("frames", (0,), (1, 4), size_kind="zero_or_one"), ", dynamic=False", ()),
        # Two inputs of one size, which would be taken for two sizes.
        (Subject("frames", (0,), (1, 4), size_kind="zero_or_one"), "", ("s1",)),
    ],
)
def test_what_is_not_marked_as_unbacked(
    tmp_path: Path, subject: Subject, options: str, mask: tuple[int | str | None, ...]
) -> None:
    inputs: dict[str, tuple[int | str | None, ...]] = {"lframes": ("s1", 8), "lmask": mask}
    found, _ = proposal(tmp_path, "loss = net(x, m)", subject, options, inputs, code="CA103")
    assert not found.patches


def test_a_size_that_code_cuts_by_is_not_marked_as_unbacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuts = SOURCE.replace("frames.sum()", "frames[: frames.shape[0] // 2].sum()  # frames.sum()")
    monkeypatch.setattr("tests.unit.reports.patching.test_marking.SOURCE", cuts)
    subject = Subject("frames", (0,), (1, 4), size_kind="zero_or_one")
    found, _ = proposal(tmp_path, "loss = net(x)", subject, code="CA103")
    assert all("mark_unbacked" not in one.what for one in found.patches)
