"""A hook that each step registers is registered once, or replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path
from tests.unit.reports.patching.programs import HOOK

MONITOR = """\
class Monitor:
    def __init__(self, layer):
        layer.weight.register_hook(self.see)

def attach(layer):
    "Watch it."
    layer.weight.register_hook(see)

for step in range(9):
    {call}
    model(x).backward()
    {after}
"""


@pytest.mark.parametrize(
    ("call", "after", "at"),
    [
        ("monitor = Monitor(model[0])", "del monitor", "self.see"),
        ("attach(model[0])", "pass", "(see)"),
    ],
)
def test_a_hook_that_a_helper_registers(tmp_path: Path, call: str, after: str, at: str) -> None:
    source = MONITOR.format(call=call, after=after)
    changed = patched("CA302", tmp_path, source, at)
    expected = source.replace(f"    {call}\n", "").replace("for step", f"{call}\nfor step")
    assert changed == expected.replace("    del monitor\n", "")


def test_a_helper_that_does_more_is_left(tmp_path: Path) -> None:
    source = MONITOR.format(call="attach(x)", after="pass").replace('"Watch it."', "layer.step()")
    assert "does more than register" in refusal("CA302", tmp_path, source, "(see)")


def test_a_hook_for_each_parameter_goes_with_its_loop(tmp_path: Path) -> None:
    each = "for p in model.parameters():\n                p.register_hook(scale)"
    source = HOOK.format(before="x = batch()", hook=each)
    changed = patched("CA302", tmp_path, source, "register_hook")
    assert (
        "    for p in model.parameters():\n        p.register_hook(scale)\n    # Train." in changed
    )
    assert changed.count("register_hook") == 1


ENTERED = """\
class Meter:
    def __enter__(self):
        self.total = 0
        self.parameter.register_hook(self.add)
        return self

    def __exit__(self, *error):
        self.rounds.append(self.total)
"""


MANAGED = """\
from contextlib import contextmanager


@contextmanager
def metered(parameter):
    parameter.register_hook(add)
    yield parameter
"""


def test_a_hook_of_a_context_is_removed_where_it_ends(tmp_path: Path) -> None:
    expected = ENTERED.replace(
        "self.parameter.register", "self._handle = self.parameter.register"
    ).replace("        self.rounds", "        self._handle.remove()\n        self.rounds")
    assert patched("CA302", tmp_path, ENTERED, "register_hook") == expected


def test_a_hook_of_a_context_manager_is_removed_after_its_yield(tmp_path: Path) -> None:
    expected = MANAGED.replace("    parameter.register", "    handle = parameter.register")
    expected = expected.replace("yield parameter\n", "yield parameter\n    handle.remove()\n")
    assert patched("CA302", tmp_path, MANAGED, "register_hook") == expected


def test_hooks_that_a_method_registers_replace_those_before(tmp_path: Path) -> None:
    source = """\
class Norms:
    def begin(self, model):
        \'\'\'Begin an epoch.\'\'\'
        self.total = 0
        for parameter in model.parameters():
            self.seen += 1
            parameter.register_hook(self.add)
"""
    changed = patched("CA302", tmp_path, source, "register_hook")
    lines = (
        '        for handle in getattr(self, "_handles", ()):\n            handle.remove()\n'
        "        self._handles = []\n        self.total = 0\n"
    )
    assert changed == source.replace("        self.total = 0\n", lines).replace(
        "parameter.register_hook(self.add)",
        "self._handles.append(parameter.register_hook(self.add))",
    )


@pytest.mark.parametrize(
    "condition", ["if epoch > 2:\n            return\n        {}", "if epoch < 3:\n            {}"]
)
def test_hooks_stay_where_a_call_registers_none(tmp_path: Path, condition: str) -> None:
    registered = condition.format("parameter.register_hook(self.add)")
    source = f"class Noise:\n    def begin(self, parameter, epoch):\n        {registered}\n"
    changed = patched("CA302", tmp_path, source, "register_hook")
    above = changed.partition("self._handles.append(")[0].splitlines()
    # The hooks of the call before go right before the new one is registered.
    assert [line.strip() for line in above[-4:]] == [
        'for handle in getattr(self, "_handles", ()):', "handle.remove()", "self._handles = []", "",
    ]  # fmt: skip


LISTED = """\
class Norms:
    def __init__(self):
        self.handles = []

    def watch(self, name, parameter):
        {registered}

    def on_step(self, model, step):
        if step % 2 == 0:
            # Each matrix.
            for name, parameter in model.named_parameters():
                self.watch(name, parameter)
"""


CLEARED = """\
            for handle in self.handles:
                handle.remove()
            self.handles.clear()
            # Each matrix.
"""


def test_hooks_in_a_list_are_removed_before_more(tmp_path: Path) -> None:
    source = LISTED.format(registered="self.handles.append(parameter.register_hook(note))")
    changed = patched("CA302", tmp_path, source, "register_hook")
    assert changed == source.replace("            # Each matrix.\n", CLEARED)


def test_hooks_that_a_loop_adds_to_a_list_are_removed_before_it(tmp_path: Path) -> None:
    loop = "for part in parts:\n            self.handles.append(part.register_hook(note))"
    changed = patched("CA302", tmp_path, LISTED.format(registered=loop), "register_hook")
    clear = "for handle in self.handles:\n            handle.remove()\n"
    assert changed == LISTED.format(
        registered=f"{clear}        self.handles.clear()\n        {loop}"
    )


@pytest.mark.parametrize(
    "registered",
    [
        "self.handles.append(note)",
        "handles.append(parameter.register_hook(note))",
        "self.handles.append((name, parameter.register_hook(note)))",
        "self.handles.append(parameter.register_hook(note))\n\n    def close(self):\n"
        "        for handle in self.handles:\n            handle.remove()",
    ],
)
def test_a_list_that_others_clear_or_share_is_left(tmp_path: Path, registered: str) -> None:
    source = LISTED.format(registered=registered)
    assert "is kept" in refusal("CA302", tmp_path, source, "append(")
