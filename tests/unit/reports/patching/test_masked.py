"""Batches are padded more where the source and the recorded graphs show that it has no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.causes.findings import Subject
from ca_reports.logs.stored import StoredText
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.programs import finding_of, line_of, program_of

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD = 0


class Net(torch.nn.Module):
    def forward(self, ids, mask):
        return self.computed(ids, mask)


net = torch.compile(Net(), dynamic=False)
"""
# Logits of each place, which attends to what is not masked.
LOGITS = """\
class GraphModule(torch.nn.Module):
    def forward(self, L_ids_: "i64[4, {n}][{n}, 1]cpu", L_mask_: "b8[4, {n}][{n}, 1]cpu", \
L_self_modules_embed_parameters_weight_: "f32[100, 8][8, 1]cpu"):
        l_ids_ = L_ids_
        l_mask_ = L_mask_
        w = L_self_modules_embed_parameters_weight_

        # File: {file}:11 in forward, code: return self.computed(ids, mask)
        x: "f32[4, {n}, 8][1, 8, 1]cpu" = torch.nn.functional.embedding(l_ids_, w);  l_ids_ = None
        m: "b8[4, 1, {n}]cpu" = l_mask_[(slice(None, None, None), None, slice(None, None, None))]
        out: "f32[4, {n}, 8]cpu" = torch._C._nn.scaled_dot_product_attention(x, x, x, attn_mask = m)
        logits: "f32[4, {n}, 100]cpu" = torch._C._nn.linear(out, w, None);  out = w = None
        return (logits,)
"""
# The mean of all places, without a mask.
MEAN = """\
class GraphModule(torch.nn.Module):
    def forward(self, L_ids_: "i64[4, {n}][{n}, 1]cpu", L_mask_: "b8[4, {n}][{n}, 1]cpu", \
L_self_modules_embed_parameters_weight_: "f32[100, 8][8, 1]cpu"):
        # File: {file}:11 in forward, code: return self.computed(ids, mask)
        x: "f32[4, {n}, 8]cpu" = torch.nn.functional.embedding(L_ids_, \
L_self_modules_embed_parameters_weight_)
        mean: "f32[4, 8]cpu" = x.mean(1);  x = None
        return (mean,)
"""

COLLATE = """\


def collate(rows):
    ids = pad_sequence(rows, batch_first=True, padding_value=PAD)
    labels = ids.clone()
    labels[labels == PAD] = -100
    return ids, ids != PAD, labels
"""
LOOP = """\


for ids, mask, labels in DataLoader(data, collate_fn=collate):
    logits = net(ids, mask)  # here
    loss = F.cross_entropy(logits.view(-1, 100), labels.view(-1))
    loss.backward()
"""


def proposed(folder: Path, source: str, graph: str = LOGITS) -> tuple[list[str], str]:
    """The patches that pad, as the text of the program with each; and why there is none."""
    source = HEAD + source
    path = str(folder / "train.py")
    inner = Frame(path, line_of(source, "def forward"), "forward", "")
    call = Frame(path, line_of(source, "# here"), "<module>", "")
    compiles = tuple(
        Compile(
            f"0/{at}",
            0,
            None,
            None,
            None,
            location=inner,
            stack=(call, inner),
            graphs=1,
            graph_code=StoredText.pack(graph.format(n=size, file=path).encode()),
        )
        for at, size in enumerate((17, 29))
    )
    program = program_of(folder, {"train.py": source}, compiles)
    finding = finding_of(
        "CA102",
        folder,
        ("train.py", line_of(source, "# here")),
        subject=Subject("ids", (1,), (17, 29)),
        events=compiles[1:],
    )
    # `dynamic=True` is the first patch: it is not what these tests are about.
    proposal = propose_for(finding, program)
    patches = [patch for patch in proposal.patches if patch.what.startswith("padded")]
    assert not any(patch.intention for patch in patches)
    texts = program.texts
    made = [applied(texts, [patch])["train.py"] for patch in patches]
    return made, proposal.refusal


def is_padded(folder: Path, source: str, graph: str = LOGITS) -> bool:
    made, _ = proposed(folder, source, graph)
    return bool(made)


def test_labels_that_the_loss_ignores_and_a_mask_allow_it(tmp_path: Path) -> None:
    (made,), _ = proposed(tmp_path, COLLATE + LOOP)
    assert "// 32) * 32" in made


def changed(before: str, after: str, source: str = COLLATE + LOOP) -> str:
    assert before in source
    return source.replace(before, after)


LABELS = "    labels[labels == PAD] = -100\n"
LOSS = "    loss = F.cross_entropy(logits.view(-1, 100), labels.view(-1))\n"


def test_a_graph_that_takes_padding_for_data_is_told_with_its_line(tmp_path: Path) -> None:
    source = COLLATE + LOOP
    assert not is_padded(tmp_path, source, MEAN)
    static = source.replace("# here", "# here").replace("net(ids, mask)", "net(ids, mask)")
    _, refused = proposed(tmp_path, static, MEAN)
    assert refused == ""  # dynamic=True is offered


def test_the_reason_is_said_where_nothing_else_is_offered(tmp_path: Path) -> None:
    source = (COLLATE + LOOP).replace("# here", "# here")
    made, refused = proposed(tmp_path, source.replace(LABELS, ""))
    assert not made
    assert refused == ""


def test_without_a_graph_nothing_is_padded(tmp_path: Path) -> None:
    assert not is_padded(tmp_path, COLLATE + LOOP, "no graph {n}{file}")


def test_a_batch_that_the_program_makes_itself(tmp_path: Path) -> None:
    loop: Any = LOOP.replace(
        "for ids, mask, labels in DataLoader(data, collate_fn=collate):\n",
        "for rows in data:\n    ids, mask, labels = collate(rows)\n",
    ).replace("collate(rows)", "made(rows)")
    collate = COLLATE.replace("def collate", "def collate_rows")
    assert is_padded(tmp_path, collate + loop.replace("made(", "collate_rows("))


LOADER = "\n\nloader = DataLoader(data, collate_fn=collate)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Each round sees what the one before has left.
        ("    logits = net(", "    show(kept)\n    kept = mask\n    logits = net("),
        # Others than loops take batches.
        ("\n\nfor ids", f"{LOADER}first = next(iter(loader))\nfor ids"),
        ("\n\nfor ids", f"{LOADER}trainer.fit(net, loader)\nfor ids"),
        ("\n\nfor ids", f"{LOADER}x = [f(one) for one in loader]\nfor ids"),
        ("in DataLoader(data, collate_fn=collate)", "in twice(DataLoader(x, collate_fn=collate))"),
        # Functions read it that are called later, or keep it for others.
        ("\n\nfor ids", "\n\ndef report():\n    print(logits)\n\n\nfor ids"),
        (LOSS, f"{LOSS}    kept(logits)\n\n\ndef kept(x):\n    global last\n    last = x\n"),
        (LOSS, LOSS + "    later(lambda: logits)\n"),
    ],
)  # fmt: skip
def test_what_sees_batches_in_other_ways(tmp_path: Path, before: str, after: str) -> None:
    assert not is_padded(tmp_path, changed(before, after))


def test_rounds_that_are_counted(tmp_path: Path) -> None:
    before = "for ids, mask, labels in DataLoader(data, collate_fn=collate):"
    after = "for step, (ids, mask, labels) in enumerate(DataLoader(data, collate_fn=collate)):"
    assert is_padded(tmp_path, changed(before, after))
