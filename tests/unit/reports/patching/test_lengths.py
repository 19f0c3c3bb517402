"""CA102: batches padded to a multiple where they are put together."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import Subject
from tests.unit.reports.patching.programs import every, refusal

if TYPE_CHECKING:
    from pathlib import Path

SUBJECT = Subject(values=(17, 29, 12))
HEAD = """\
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
"""
LOOP = "\n\nfor x in DataLoader(data, collate_fn=gather):\n    step(x)  # here\n"


def padded(folder: Path, source: str) -> str:
    (only,) = every("CA102", folder, {"train.py": source}, "# here", subject=SUBJECT)
    return only["train.py"]


def alike(one: str, other: str) -> bool:
    return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


@pytest.mark.parametrize(
    ("given", "rest"),
    [
        ("[frames for frames, _ in items]", "batch_first=True"),
        ("items", "batch_first=True, padding_value=-1"),
        ("(item['x'] for item in items)", "padding_value=pad, batch_first=True"),
    ],
)
def test_sequences_get_one_more_that_is_as_long_as_all_are_to_be(
    tmp_path: Path, given: str, rest: str
) -> None:
    source = f"{HEAD}\n\ndef gather(items):\n    return pad_sequence({given}, {rest})\n{LOOP}"
    expected = source.replace(
        f"    return pad_sequence({given}, {rest})\n",
        f"    parts = list({given})\n"
        "    longest = -(-max(map(len, parts)) // 32) * 32\n"
        "    filler = parts[0].new_zeros(longest, *parts[0].shape[1:])\n"
        f"    return pad_sequence([*parts, filler], {rest})[:-1]\n",
    )
    assert alike(padded(tmp_path, source), expected)


def test_what_is_padded_is_as_it_was() -> None:
    """The lines that the patch writes, run."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    parts = [torch.ones(3, 2), torch.ones(5, 2)]
    longest = -(-max(map(len, parts)) // 4) * 4
    filler = parts[0].new_zeros(longest, *parts[0].shape[1:])
    more = pad_sequence([*parts, filler], batch_first=True, padding_value=-1)[:-1]
    assert more.shape == (2, 8, 2)
    assert torch.equal(more[:, :5], pad_sequence(parts, batch_first=True, padding_value=-1))
    assert (more[:, 5:] == -1).all()


@pytest.mark.parametrize(
    "maximum",
    [
        "max(map(len, rows))",
        "max(len(row) for row in rows)",
        "max(row.shape[0] for row in rows)",
        "max([row.size(0) for row in rows])",
    ],
)
@pytest.mark.parametrize(
    "function",
    [
        "def gather(rows):\n    width = {0}\n    return stacked(rows, width)\n",
        "class Collator:\n    def __call__(self, rows):\n        n = {0}\n        return n\n",
    ],
)
def test_a_width_is_a_multiple(tmp_path: Path, function: str, maximum: str) -> None:
    source = f"{HEAD}\n\n{function.format(maximum)}{LOOP}"
    changed = padded(tmp_path, source)
    assert alike(changed, source.replace(maximum, f"-(-{maximum} // 32) * 32"))


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("c = DataCollatorWithPadding(tokenizer)", "(tokenizer)"),
        ("c = DataCollatorWithPadding(\n    tokenizer,\n)", None),
        ("def gather(rows):\n    return tokenizer(rows, padding=True)", "padding=True)"),
        ("def gather(rows):\n    return tokenizer.pad(rows, padding='longest')", None),
    ],
)
def test_an_option_of_transformers(tmp_path: Path, line: str, option: str | None) -> None:
    line = line.replace("'longest'", '"longest"')
    source = f"from transformers import DataCollatorWithPadding\n\n{line}\n\n\nf(x)  # here\n"
    changed = padded(tmp_path, source)
    assert changed.count("pad_to_multiple_of=32") == 1
    if option is not None:
        with_it = f"{option[:-1]}, pad_to_multiple_of=32)"
        assert changed == source.replace(option, with_it)


@pytest.mark.parametrize(
    "function",
    [
        "def gather(rows):\n    width = max(3, 4)\n    return rows\n",
        "def gather(rows):\n    best = max(row.score for row in rows)\n    return rows\n",
        "def forward(rows):\n    width = max(len(row) for row in rows)\n    return rows\n",
        "def gather(rows):\n    return pad_sequence(rows)\n",
        "def gather(rows):\n    return pad_sequence(*rows, batch_first=True)\n",
        "def one(rows):\n    return pad_sequence(rows, batch_first=True)\n\n\n"
        "def gather(rows):\n    return pad_sequence(rows, batch_first=True)\n",
    ],
)
def test_where_no_one_place_pads_nothing_is_padded(tmp_path: Path, function: str) -> None:
    source = f"{HEAD}\n\n{function}{LOOP}"
    assert "no torch.compile" in refusal("CA102", tmp_path, source, "# here", subject=SUBJECT)


def test_a_batch_dimension_is_not_padded(tmp_path: Path) -> None:
    source = f"{HEAD}\n\ndef gather(rows):\n    return pad_sequence(rows, batch_first=True)\n{LOOP}"
    subject = Subject("x", (0,), (8, 5))
    assert "no torch.compile" in refusal("CA102", tmp_path, source, "# here", subject=subject)


def test_a_compile_for_every_size_comes_first(tmp_path: Path) -> None:
    source = (
        f"{HEAD}\nstep = torch.compile(run)\n\n\n"
        f"def gather(rows):\n    return pad_sequence(rows, batch_first=True)\n{LOOP}"
    )
    first, second = every("CA102", tmp_path, {"train.py": source}, "# here", subject=SUBJECT)
    assert "dynamic=True" in first["train.py"]
    assert "// 32" in second["train.py"]


def test_a_size_of_one_is_not_compiled_for_every_size(tmp_path: Path) -> None:
    source = (
        "import torch\n\nf = torch.compile(decode)\ntext = torch.zeros(1, 1)\n"
        "for _ in range(9):\n    text = torch.cat([text, f(text)], 1)  # here\n"
    )
    subject = Subject("text", (1,), (1, 2), size_kind="zero_or_one")
    assert "dynamic=True" not in refusal("CA102", tmp_path, source, "# here", subject=subject)
