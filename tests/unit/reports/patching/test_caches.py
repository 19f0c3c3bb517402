"""CA711: what is kept in a dict for each key is made in every call."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import every, patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """\
import torch


class Bias:
    def __init__(self):
        self.cache = {}
        self.most = 8
        self.slopes = torch.nn.Parameter(torch.ones(2))

"""


def method(text: str) -> str:
    return HEAD + indent(dedent(text), "    ")


TRAINS = """

def train(loss):
    loss.backward()
"""


def test_what_was_kept_for_each_key_is_made(tmp_path: Path) -> None:
    kept = """\
        def mask(self, n):
            if n not in self.cache:
                self.cache[n] = torch.ones(n)
            return self.cache[n]
    """
    made = "def mask(self, n):\n    return torch.ones(n)\n"
    assert patched("CA711", tmp_path, method(kept), "torch.ones(n)") == method(made)
    other = method(kept.replace("return self.cache[n]", "return self.cache[n - 1]"))
    assert "does more" in refusal("CA711", tmp_path, other, "torch.ones(n)")


SEVERAL = """\
    def mask(self, x, n):
        if n not in self.cache:
            # Distances.
            place = torch.arange(n, device=x.device)
            far = (place[:, None] - place).abs().clamp(max=self.most)
            self.cache[n] = far.float()
        return -self.slopes * self.cache[n]
"""


def test_lines_that_compute_what_is_kept_stay(tmp_path: Path) -> None:
    changed = patched("CA711", tmp_path, method(SEVERAL), "self.cache[n] = ")
    assert changed == method("""\
        def mask(self, x, n):
            # Distances.
            place = torch.arange(n, device=x.device)
            far = (place[:, None] - place).abs().clamp(max=self.most)
            made = far.float()
            return -self.slopes * made
    """)


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("torch.arange(n, device=x.device)", "torch.randn(n)", "does more"),
        ("torch.arange(n, device=x.device)", "x.mean(0)", "keeps what it makes of the first x"),
        ("self.most", "self.slopes", "may be trained"),
        ("place[:, None] - place", "self.embed(place)", "may run what is trained"),
        ("    def mask", "    size = len(self.cache)\n\n    def mask", "as well"),
        ("    def mask", "    def step(self):\n        self.most += 1\n\n    def mask", "later"),
        ("self.cache[n] = far", "self.last = far\n            self.cache[n] = far", "does more"),
    ],
)  # fmt: skip
def test_what_the_key_does_not_decide_is_left(
    tmp_path: Path, one: str, other: str, reason: str
) -> None:
    source = method(SEVERAL).replace(one, other) + TRAINS
    assert reason in refusal("CA711", tmp_path, source, "self.cache[n] = ")


def test_a_weight_that_nobody_trains_may_be_read(tmp_path: Path) -> None:
    source = method(SEVERAL).replace("self.most", "self.slopes")
    changed = patched("CA711", tmp_path, source, "self.cache[n] = ")
    assert "clamp(max=self.slopes)" in changed
    assert "self.cache[n]" not in changed


def test_an_early_return_of_what_is_kept_goes(tmp_path: Path) -> None:
    kept = method("""\
        def mask(self, n, device):
            if (n, device) in self.cache:
                return self.cache[(n, device)]
            made = torch.ones(n, device=device)
            self.cache[(n, device)] = made
            return made
    """)
    assert patched("CA711", tmp_path, kept, "= made") == method("""\
        def mask(self, n, device):
            made = torch.ones(n, device=device)
            return made
    """)
    elsewhere = kept.replace("return made", "return made + 1")
    assert "does more" in refusal("CA711", tmp_path, elsewhere, "= made")


def test_what_is_asked_for_with_get_is_made(tmp_path: Path) -> None:
    kept = method("""\
        def mask(self, n):
            found = self.cache.get(n)
            if found is None:
                found = build(n)
                self.cache[n] = found
            return found
    """)
    assert patched("CA711", tmp_path, kept, "= found") == method("""\
        def mask(self, n):
            found = build(n)
            return found
    """)
    elsewhere = kept.replace("get(n)", "get(n, None)")
    assert "does more" in refusal("CA711", tmp_path, elsewhere, "= found")


def test_a_size_beside_the_key_is_known_by_the_calls(tmp_path: Path) -> None:
    source = method("""\
        def mask(self, n, width):
            if n not in self.cache:
                self.cache[n] = torch.ones(n, width)
            return self.cache[n]

        def forward(self, x):
            return x + self.mask(x.size(1), x.shape[2])
    """)
    assert "return torch.ones(n, width)" in patched("CA711", tmp_path, source, "torch.ones(n")
    tensor = source.replace("x.shape[2]", "x")
    assert "the first width" in refusal("CA711", tmp_path, tensor, "torch.ones(n")


def test_dicts_that_one_object_fills_are_made_together(tmp_path: Path) -> None:
    source = method("""\
        def mask(self, n):
            if n not in self.cache:
                self.cache[n] = torch.ones(n)
            return self.cache[n]

        def table(self, n):
            if n not in self.tables:
                self.tables[n] = torch.zeros(n)
            return self.tables[n]
    """).replace("self.cache = {}", "self.cache = {}\n        self.tables = {}")
    both, one = every("CA711", tmp_path, {"train.py": source}, "torch.ones(n)")
    assert "return torch.zeros(n)" in both["train.py"]
    assert "return torch.ones(n)" in both["train.py"]
    assert "return torch.zeros(n)" not in one["train.py"]
    drawn = source.replace("zeros", "rand")
    (only,) = every("CA711", tmp_path, {"train.py": drawn}, "torch.ones(n)")
    assert "self.tables[n] = torch.rand(n)" in only["train.py"]
