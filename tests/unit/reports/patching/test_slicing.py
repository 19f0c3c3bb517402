"""CA101 without a loader: where batches are sliced or split, the short one is left out."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

STEP = "model(rows).sum().backward()"


@pytest.mark.parametrize(
    ("source", "before", "after"),
    [
        (
            f"""\
            for start in range(0, len(data), 8):
                rows = data[start : start + 8]
                {STEP}
            """,
            "range(0, len(data), 8)",
            "range(0, len(data) - 8 + 1, 8)",
        ),
        (
            f"""\
            for step, start in enumerate(range(0, len(data), 8)):
                rows = data[start : start + 8]
                {STEP}
            """,
            "range(0, len(data), 8)",
            "range(0, len(data) - 8 + 1, 8)",
        ),
        (
            f"""\
            def batch_at(source, i):
                length = min(args.length, len(source) - 1 - i)
                return source[i : i + length]

            for number, i in enumerate(range(0, data.size(0) - 1, args.length)):
                rows = batch_at(data, i)
                {STEP}
            """,
            "data.size(0) - 1, args.length)):",
            "data.size(0) - 1 - args.length + 1, args.length)):",
        ),
        (
            f"""\
            def batches(data, size):
                for start in range(0, len(data), size):
                    yield data[start : start + size]

            for rows in batches(data, 8):
                {STEP}
            """,
            "range(0, len(data), size)",
            "range(0, len(data) - size + 1, size)",
        ),
        (
            f"""\
            parts = [data[i : i + size] for i in range(0, n, size)]
            for rows in parts:
                {STEP}
            """,
            "range(0, n, size)",
            "range(0, n - size + 1, size)",
        ),
        (
            f"""\
            order = torch.randperm(n)
            for rows in order.split(size):
                {STEP}
            """,
            "order.split(size)",
            "order[: len(order) // size * size].split(size)",
        ),
        (
            f"""\
            import torch
            for rows in torch.randperm(len(data)).split(args.batch):
                {STEP}
            """,
            "torch.randperm(len(data)).split(args.batch)",
            "torch.randperm(len(data))[: len(data) // args.batch * args.batch].split(args.batch)",
        ),
        (
            f"""\
            parts = self.rows.split(a + b)
            for number, rows in enumerate(parts):
                {STEP}
            """,
            "self.rows.split(a + b)",
            "self.rows[: len(self.rows) // (a + b) * (a + b)].split(a + b)",
        ),
        (
            f"""\
            def batches(size):
                return zip(inputs.split(size), wanted.split(size), strict=True)

            for rows, _ in batches(8):
                {STEP}
            """,
            "inputs.split(size), wanted.split(size)",
            "inputs[: len(inputs) // size * size].split(size), "
            "wanted[: len(wanted) // size * size].split(size)",
        ),
    ],
)
def test_batches_end_before_the_short_one(
    tmp_path: Path, source: str, before: str, after: str
) -> None:
    assert patched("CA101", tmp_path, source) == dedent(source).replace(before, after)


@pytest.mark.parametrize(
    "source",
    [
        # A text, and sizes that are written down
        f"""\
        for rows in line.split(","):
            {STEP}
        """,
        f"""\
        for rows in data.split([8, 8, 3]):
            {STEP}
        """,
        # Parts of one batch
        f"""\
        q, k = data.split(width)
        {STEP}
        """,
        # It cannot be asked twice
        f"""\
        for rows in read().split(size):
            {STEP}
        """,
        # Windows that overlap
        f"""\
        for start in range(0, len(data), 4):
            rows = data[start : start + 8]
            {STEP}
        """,
    ],
)
def test_what_makes_no_batches_is_left(tmp_path: Path, source: str) -> None:
    assert "no DataLoader call" in refusal("CA101", tmp_path, source)


@pytest.mark.parametrize(
    "source",
    [
        f"""\
        found = []
        for start in range(0, len(data), 8):
            rows = data[start : start + 8]
            {STEP}
            found.append(rows)
        print(torch.cat(found))
        """,
        f"""\
        whole = torch.cat([net(data[i : i + 8]) for i in range(0, len(data), 8)])
        rows = whole
        {STEP}
        """,
    ],
)
def test_batches_that_are_put_together_again_are_left(tmp_path: Path, source: str) -> None:
    assert "every sample is needed" in refusal("CA101", tmp_path, source)


def test_of_two_places_none_is_chosen(tmp_path: Path) -> None:
    source = f"""\
    train = data.split(size)
    held = other.split(size)
    for rows in train:
        {STEP}
    for rows in held:
        model(rows)
    """
    assert "several places" in refusal("CA101", tmp_path, source)


@pytest.mark.parametrize(
    ("call", "before", "after"),
    [
        ("self.batches(8)", "drop_last=False", "drop_last=True"),
        ("self.batches(8, drop_last=False)", "8, drop_last=False", "8, drop_last=True"),
    ],
)
def test_a_sampler_that_is_iterated_over_by_itself(
    tmp_path: Path, call: str, before: str, after: str
) -> None:
    source = f"""\
    from torch.utils.data import BatchSampler, SequentialSampler

    def batches(self, size, drop_last=False):
        for rows in BatchSampler(SequentialSampler(self), size, drop_last):
            yield self.data[rows]

    for rows in {call}:
        {STEP}
    """
    assert patched("CA101", tmp_path, source) == dedent(source).replace(before, after)


def test_a_sampler_of_its_own_that_keeps_the_short_batch_unasked(tmp_path: Path) -> None:
    source = f"""\
    from torch.utils.data import DataLoader

    class Buckets:
        def __init__(self, lengths, size, drop_last=False):
            self.lengths = lengths

    loader = DataLoader(data, batch_sampler=Buckets(lengths, 8))
    for rows in loader:
        {STEP}
    """
    assert "batch_sampler=Buckets(lengths, 8, drop_last=True))" in patched(
        "CA101", tmp_path, source
    )
