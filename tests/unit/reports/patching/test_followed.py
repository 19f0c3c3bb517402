"""Ways in which programs make batches and take them, and what each makes of padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.test_masked import (
    LABELS,
    LOSS,
    changed,
    is_padded,
    proposed,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Other ways to make the batch, or to take it.
        ("ids, ids != PAD, labels\n", "ids, ids.ne(0), labels\n"),
        (LOSS, changed("view(-1)", "view(-1), ignore_index=-100", LOSS)),
        (LOSS, changed("view(-1, 100)", "transpose(1, 2)", LOSS).replace(".view(-1)", "")),
        (LOSS, changed("loss = F", "criterion = torch.nn.CrossEntropyLoss()\n    loss = F", LOSS)
         .replace("F.cross_entropy", "criterion")),
        (LOSS, "    logits, labels = logits[:, :-1], labels[:, 1:]\n"
               + LOSS.replace("view", "reshape")),
        (LOSS, "    shown = F.cross_entropy(logits.mT, labels, reduction='none')\n"
               "    loss = (shown * mask).sum() / mask.sum()\n"),
        (LOSS, "    loss = F.cross_entropy(logits[mask], labels[mask])\n"),
        (LOSS, LOSS + "    size = ids.shape[0]\n    print(size, loss.item())\n"),
        (LOSS, LOSS + "    loss = loss / len(ids)\n"),
        (LOSS, LOSS + "    rows, _ = ids.shape\n    loss = loss / rows\n"),
        (LOSS, LOSS + "    loss = loss / mask.float().size(0)\n"),
        (LOSS, LOSS + "    loss = loss / logits.shape[0]\n"),
        (LOSS, LOSS + "    loss = loss / len(ids[:, None])\n"),
        ("    logits = net(ids, mask)", "    ids = ids.to('cpu')\n    logits = net(ids, mask)"),
        (LABELS, "    labels = labels.masked_fill(ids == PAD, -100)\n"),
        ("    labels = ids.clone()\n" + LABELS,
         "    labels = torch.where(ids == PAD, -100, ids)\n"),
    ],
)  # fmt: skip
def test_ways_that_allow_it(tmp_path: Path, before: str, after: str) -> None:
    made, refused = proposed(tmp_path, changed(before, after))
    assert made, refused


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # The loss takes the padding for words.
        (LABELS, ""),
        (LABELS, "    labels[labels == 1] = -100\n"),
        (LOSS, changed("view(-1)", "view(-1), ignore_index=7", LOSS)),
        (LOSS, "    loss = logits.mean()\n"),
        (LOSS, "    loss = F.cross_entropy(logits.mT, labels, reduction='none')\n"
               "    loss = loss.mean()\n"),
        # The mask is true there.
        ("ids, ids != PAD, labels\n", "ids, ids == PAD, labels\n"),
        ("ids, ids != PAD, labels\n", "ids, torch.ones_like(ids).bool(), labels\n"),
        ("ids, ids != PAD, labels\n", "ids, made(ids), labels\n"),
        # Something counts the places, or keeps them.
        (LOSS, LOSS + "    count += ids.numel()\n"),
        (LOSS, LOSS + "    loss = loss / ids.shape[1]\n"),
        (LOSS, LOSS + "    rows, width = ids.shape\n    loss = loss / width\n"),
        (LOSS, LOSS + "    *_, width = ids.size()\n    loss = loss / width\n"),
        (LOSS, LOSS + "    loss = loss / labels.view(-1).shape[0]\n"),
        (LOSS, LOSS + "    loss = loss / len(labels.flatten())\n"),
        (LOSS, LOSS + "    loss = loss / ids.T.size(0)\n"),
        (LOSS, LOSS + "    loss = loss / len(logits.transpose(0, 1))\n"),
        (LOSS, LOSS + "    loss = loss / len(mask.sum(0))\n"),
        (LOSS, LOSS + "    loss = loss / len(torch.zeros(ids.shape[1]))\n"),
        (LOSS, LOSS + "    loss = loss / len(torch.arange(ids.size(1)))\n"),
        (LOSS, LOSS + "    shape = ids.shape\n    loss = loss / shape[1]\n"),
        (LOSS, LOSS + "    right = (logits.argmax(-1) == labels).float().mean()\n"),
        (LOSS, LOSS + "    seen.append(logits)\n"),
        (LOSS, LOSS + "    self.logits = logits\n"),
        (LOSS, LOSS + "    print(logits.sum())\n"),
        (LOSS, LOSS + "    log(logits)\n"),
        (LOSS, LOSS + "    last = logits[:, -1]\n"),
        (LOSS, LOSS + "print(logits)\n"),
        (LOSS, LOSS + "    if labels.max() > 3:\n        labels = labels * 2\n"),
        # It is changed in another way.
        (LABELS, LABELS + "    labels[:, -1] = 2\n"),
        (LABELS, LABELS + "    ids = ids.flip(1)\n"),
    ],
)  # fmt: skip
def test_ways_that_do_not(tmp_path: Path, before: str, after: str) -> None:
    assert not is_padded(tmp_path, changed(before, after))


ROWS = """\


def collate(rows):
    width = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    mask = torch.zeros(len(rows), width, dtype=torch.bool)
    labels = torch.full((len(rows), width), -100)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = True
        labels[at, : len(row)] = row
    return {"ids": ids, "mask": mask, "labels": labels}
"""
LISTS = """\


def collate(rows):
    width = max(len(row) for row in rows)
    ids = torch.tensor([row + [PAD] * (width - len(row)) for row in rows])
    labels = []
    for row in rows:
        labels.append(row + [-100] * (width - len(row)))
    return {"ids": ids, "mask": ids != PAD, "labels": torch.tensor(labels)}
"""
STACKED = """\


def collate(rows):
    width = max(len(row) for row in rows)
    ids = torch.stack([F.pad(row, (0, width - len(row)), value=PAD) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    mask = torch.arange(width)[None, :] < lengths[:, None]
    labels = torch.stack([F.pad(row, (0, width - len(row)), value=-100) for row in rows])
    return {"ids": ids, "mask": mask, "labels": labels}
"""
STEP = """\


def step(batch):
    batch = {name: value.to("cpu") for name, value in batch.items()}
    logits = net(batch["ids"], batch["mask"])  # here
    return F.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())


def train(loader):
    for epoch in range(3):
        for batch in loader:
            loss = step(batch)
            loss.backward()


train(DataLoader(data, collate_fn=collate))
"""


@pytest.mark.parametrize("collate", [ROWS, LISTS, STACKED])
def test_batches_are_made_in_several_ways(tmp_path: Path, collate: str) -> None:
    made, refused = proposed(tmp_path, collate + STEP)
    assert made, refused


@pytest.mark.parametrize(
    ("collate", "before", "after"),
    [
        (ROWS, "mask = torch.zeros", "mask = torch.ones"),
        (ROWS, "-100", "0"),
        (ROWS, "mask[at, : len(row)]", "mask[at, :width]"),
        (ROWS, "mask[at, : len(row)]", "mask[at]"),
        (ROWS, "labels[at, : len(row)]", "labels[at, -len(row) :]"),
        (LISTS, "[-100] *", "[PAD] *"),
        (LISTS, "row + [-100] * (width - len(row))", "[-100] * (width - len(row)) + row"),
        (STACKED, "value=-100", "value=0"),
        (STACKED, "< lengths", "<= lengths"),
        (STACKED, "(0, width - len(row)), value=-100", "(width - len(row), 0), value=-100"),
        (STACKED, "[len(row) for row in rows]", "[f(row) for row in rows]"),
    ],
)  # fmt: skip
def test_batches_that_are_made_so_that_it_has_an_effect(
    tmp_path: Path, collate: str, before: str, after: str
) -> None:
    assert not is_padded(tmp_path, changed(before, after, collate) + STEP)
