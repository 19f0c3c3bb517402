"""CA102: batches padded to a multiple where they are put together."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.causes.findings import SizeChoice, Subject
from ca_reports.patching import lengths
from ca_reports.program.edits import applied_to
from tests.unit.reports.patching.programs import every, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

SUBJECT = Subject(values=(17, 29, 12))
HEAD = """\
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
"""
LOOP = "\n\nfor x in DataLoader(data, collate_fn=gather):\n    step(x)  # here\n"


def padded(folder: Path, source: str, subject: Subject = SUBJECT) -> str:
    """The program with the edits, whether or not anything masks what they add."""
    program = program_of(folder, {"train.py": source})
    sites = lengths.padding_sites(program)
    assert sites is not None
    target = lengths.target_of(subject.choice, max(subject.values))
    changes = lengths.longer(program, sites, target)
    text = applied_to(source, changes, "train.py")
    compile(text, "train.py", "exec")
    return text


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


BUCKETS = replace(SUBJECT, choice=SizeChoice(True, (16, 24, 29)))


def test_the_buckets_that_pay_are_padded_to(tmp_path: Path) -> None:
    maximum = "max(len(row) for row in rows)"
    source = f"{HEAD}\n\ndef gather(rows):\n    return stacked(rows, {maximum})\n{LOOP}"
    source = source.replace(f"stacked(rows, {maximum})", "stacked(rows, width)").replace(
        "    return", f"    width = {maximum}\n    return"
    )
    changed = padded(tmp_path, source, BUCKETS)
    space: dict[str, Any] = {"stacked": lambda _, width: width}
    (function,) = [node for node in ast.parse(changed).body if isinstance(node, ast.FunctionDef)]
    exec(ast.unparse(function), space)
    widths = [space["gather"]([[0] * length, [0]]) for length in (5, 16, 17, 25, 29, 40)]
    # None is shorter than its longest row, and one that is longer than all seen stays.
    assert widths == [16, 16, 24, 29, 29, 40]


def test_sequences_are_padded_to_the_next_bucket(tmp_path: Path) -> None:
    import torch

    source = f"{HEAD}\n\ndef gather(rows):\n    return pad_sequence(rows, batch_first=True)\n{LOOP}"
    changed = padded(tmp_path, source, BUCKETS)
    space: dict[str, Any] = {"pad_sequence": torch.nn.utils.rnn.pad_sequence}
    (function,) = [node for node in ast.parse(changed).body if isinstance(node, ast.FunctionDef)]
    exec(ast.unparse(function), space)
    shapes = [space["gather"]([torch.ones(n), torch.ones(3)]).shape for n in (5, 17, 29, 31)]
    assert [tuple(shape) for shape in shapes] == [(2, 16), (2, 24), (2, 29), (2, 31)]


def test_an_option_that_takes_a_multiple_gets_one(tmp_path: Path) -> None:
    source = f"{HEAD}\n\nc = DataCollatorWithPadding(tokenizer)\n{LOOP}"
    source = "from transformers import DataCollatorWithPadding\n" + source
    assert "pad_to_multiple_of=32" in padded(tmp_path, source, BUCKETS)


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


def test_what_nothing_masks_is_not_padded(tmp_path: Path) -> None:
    source = (
        f"{HEAD}\nstep = torch.compile(run)\n\n\n"
        f"def gather(rows):\n    return pad_sequence(rows, batch_first=True)\n{LOOP}"
    )
    (only,) = every("CA102", tmp_path, {"train.py": source}, "# here", subject=SUBJECT)
    assert "dynamic=True" in only["train.py"]
    source = source.replace("torch.compile(run)", "run")
    refused = refusal("CA102", tmp_path, source, "# here", subject=SUBJECT)
    assert refused.startswith("no torch.compile")
    assert "padding at train.py:9 may have an effect" in refused


def test_a_size_of_one_is_not_compiled_for_every_size(tmp_path: Path) -> None:
    source = (
        "import torch\n\nf = torch.compile(decode)\ntext = torch.zeros(1, 1)\n"
        "for _ in range(9):\n    text = torch.cat([text, f(text)], 1)  # here\n"
    )
    subject = Subject("text", (1,), (1, 2), size_kind="zero_or_one")
    assert "dynamic=True" not in refusal("CA102", tmp_path, source, "# here", subject=subject)
