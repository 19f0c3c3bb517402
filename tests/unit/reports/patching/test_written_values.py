"""Where a value is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched

if TYPE_CHECKING:
    from pathlib import Path

TORCH = "from torch.utils.data import BatchSampler, DataLoader, RandomSampler\n"
LONG = "for epoch in range(3):\n    for inputs in loader:\n        model(inputs).backward()\n"


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        # Options in a dict, which may have it or not, of the module or of a configuration.
        (
            "options = {'batch_size': 8, 'drop_last': False}\nloader = DataLoader(d, **options)\n",
            "'drop_last': False",
            "'drop_last': True",
        ),
        (
            "options = dict(batch_size=8)\nloader = DataLoader(d, **options)\n",
            "**options)",
            "**options, drop_last=True)",
        ),
        (
            "CONFIG = {'loader': {'batch_size': 8, 'drop_last': False}}\n"
            "loader = DataLoader(d, **CONFIG['loader'])\n",
            "'drop_last': False",
            "'drop_last': True",
        ),
        # A value that comes from far: a dataclass, a namespace, argparse, a parameter.
        (
            "class Config:\n    drop_last: bool = False\n\n\nconfig = Config()\n"
            "loader = DataLoader(d, 8, drop_last=config.drop_last)\n",
            "bool = False",
            "bool = True",
        ),
        (
            "from types import SimpleNamespace\n\nargs = SimpleNamespace(drop_last=False)\n"
            "loader = DataLoader(d, 8, drop_last=args.drop_last)\n",
            "(drop_last=False)",
            "(drop_last=True)",
        ),
        (
            "parser.add_argument('--drop-last', default=False)\nargs = parser.parse_args()\n"
            "loader = DataLoader(d, 8, drop_last=args.drop_last)\n",
            "default=False",
            "default=True",
        ),
        (
            "def make(d, last=False):\n    return DataLoader(d, 8, drop_last=last)\n\n\n"
            "loader = make(d)\n",
            "last=False",
            "last=True",
        ),
        # Other makers: partial, a sampler of batches, one function for training and tests.
        (
            "from functools import partial\n\nmake = partial(DataLoader, batch_size=8)\n"
            "loader = make(d)\nheld_out = make(e)\n",
            "loader = make(d)",
            "loader = make(d, drop_last=True)",
        ),
        (
            "batches = BatchSampler(RandomSampler(d), 8, False)\n"
            "loader = DataLoader(d, batch_sampler=batches)\n",
            "8, False)",
            "8, True)",
        ),
        (
            "def make(d, shuffle):\n    return DataLoader(d, 8, shuffle=shuffle)\n\n\n"
            "loader, held_out = make(d, True), make(e, False)\n",
            "shuffle=shuffle)",
            "shuffle=shuffle, drop_last=shuffle)",
        ),
        (
            "loader = DataLoader(d, 8, shuffle=True)\nheld_out = DataLoader(e, 8)\n"
            "loader = wrap(loader)\n",
            "shuffle=True)",
            "shuffle=True, drop_last=True)",
        ),
    ],
)
def test_the_option_is_followed_to_where_it_is_written(
    tmp_path: Path, source: str, old: str, new: str
) -> None:
    changed = patched("CA101", tmp_path, TORCH + source + LONG)
    assert changed == (TORCH + source + LONG).replace(old, new)
