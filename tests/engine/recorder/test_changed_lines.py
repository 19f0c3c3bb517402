"""WHEN a guard failed before THEN the recompile's record names the line that changed its value."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.engine.recorder.test_compiles import record

if TYPE_CHECKING:
    from pathlib import Path

needs_events = pytest.mark.skipif(
    sys.version_info < (3, 12), reason="sys.monitoring is of CPython 3.12 on"
)

SCRIPT = """
import torch
from ca_engine import install
install()
LIMITS = {"top": "a"}
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = torch.nn.Linear(4, 4)
        self.mode = "m0"
    def forward(self, x):
        return self.lin(x) * len(self.mode) + len(LIMITS["top"])
net = Net()
compiled = torch.compile(net, backend="eager")
def adjust(step):
    if step % 2:
        return
    net.mode = f"m{step}"  # an attribute
for step in range(6):
    adjust(step)
    compiled(torch.ones(2, 4)).sum().backward()
for step in range(3):
    LIMITS.update(top=f"l{step}")  # a global, by a method
    total = compiled(torch.ones(2, 4)).sum().item()
print(total)
"""


def changes(records: list[dict[str, Any]], source: str) -> list[tuple[Any, ...]]:
    """Line, value before and value after of each change of what ``source`` names."""
    found = []
    for each in records:
        newest = each["guards"][0]
        if newest["source"].endswith(source) and (change := newest.get("changed")):
            assert change["file"].endswith("script.py")
            values = (change[when]["value"] for when in ("before", "after"))
            found.append((change["line"], *values))
    return found


@needs_events
def test_the_line_is_told_from_the_second_miss_on(tmp_path: Path) -> None:
    found = record(tmp_path, SCRIPT)
    text = (tmp_path / "script.py").read_text().splitlines()
    of_attribute = next(number for number, line in enumerate(text, 1) if "# an attribute" in line)
    of_global = next(number for number, line in enumerate(text, 1) if "# a global" in line)
    assert changes(found, "self.mode") == [(of_attribute, "m2", "m4")]
    assert changes(found, "['top']") == [
        (of_global, "l0", "l1"),
        (of_global, "l1", "l2"),
    ]


def asked_for(script: str, options: str) -> str:
    """The script, installed with these options."""
    return script.replace("install()", f"install(Settings({options}))").replace(
        "from ca_engine import install\n",
        "from ca_engine.installation import install\nfrom ca_engine.settings import Settings\n"
        "torch.manual_seed(0)\n",
    )


def test_where_it_is_asked_for_any_python_tells(tmp_path: Path) -> None:
    found = record(tmp_path, asked_for(SCRIPT, "watch_lines=True"))
    text = (tmp_path / "script.py").read_text().splitlines()
    of_attribute = next(number for number, line in enumerate(text, 1) if "# an attribute" in line)
    of_global = next(number for number, line in enumerate(text, 1) if "# a global" in line)
    assert changes(found, "self.mode") == [(of_attribute, "m2", "m4")]
    assert changes(found, "['top']") == [(of_global, "l0", "l1"), (of_global, "l1", "l2")]


def test_what_failed_before_is_seen_from_the_first_compile_on(tmp_path: Path) -> None:
    line = "    def forward(self, x):"
    place = SCRIPT.replace("install()", "install(S)").splitlines().index(line) + 1
    added = 2  # the lines that `asked_for` adds
    watched = f"(({str(tmp_path / 'script.py')!r}, {place + added}, 'self.mode'),)"
    found = record(tmp_path, asked_for(SCRIPT, f"watch_lines=True, watched={watched}"))
    text = (tmp_path / "script.py").read_text().splitlines()
    assert text[place + added - 1] == line
    of_attribute = next(number for number, line in enumerate(text, 1) if "# an attribute" in line)
    assert changes(found, "self.mode") == [
        (of_attribute, "m0", "m2"),
        (of_attribute, "m2", "m4"),
    ]


# Without a word it watches from CPython 3.12 on.
DEFAULTS = [""] if sys.version_info >= (3, 12) else []


def test_numbers_are_the_same_with_and_without(tmp_path: Path) -> None:
    losses: list[str] = []
    for option in (*DEFAULTS, "watch_lines=True", "watch_lines=False"):
        folder = tmp_path / str(len(losses))
        folder.mkdir()
        script = asked_for(SCRIPT, option).replace(
            "print(total)", "open('total', 'w').write(repr(total))"
        )
        found = record(folder, script)
        losses.append((folder / "total").read_text())
        watched = any("changed" in guard for each in found for guard in each["guards"])
        assert watched is (option != "watch_lines=False")
    assert len(set(losses)) == 1
