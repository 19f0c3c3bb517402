"""CA302 and CA210: what runs in each step and is moved before the loop, or the function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.reports.fixes.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path

HOOK = """\
def main():
    model = Model()
    # Train.
    for epoch in range(2):
        for step in range(9):
            {before}
            {hook}
            model(x).backward()
"""


def test_a_hook_is_registered_before_the_outermost_loop(tmp_path: Path) -> None:
    source = HOOK.format(before="x = batch()", hook="model.weight.register_hook(scale)  # once")
    expected = source.replace(
        "            model.weight.register_hook(scale)  # once\n", ""
    ).replace("    # Train.\n", "    model.weight.register_hook(scale)  # once\n    # Train.\n")
    assert patched("CA302", tmp_path, source, "register_hook") == expected


def test_a_registration_over_several_lines_keeps_its_shape(tmp_path: Path) -> None:
    hook = "model.weight.register_hook(\n                scale,  # by half\n            )"
    changed = patched("CA302", tmp_path, HOOK.format(before="pass", hook=hook), "register_hook")
    assert (
        "\n    model.weight.register_hook(\n        scale,  # by half\n    )\n    # Train."
        in changed
    )


@pytest.mark.parametrize(
    ("before", "hook", "words"),
    [
        ("x = f()", "x.register_hook(scale)", "uses x, which the loop assigns"),
        ("pass", "model.weight.register_hook(lambda grad: grad * step)", "uses step"),
        ("pass", "handle = model.weight.register_hook(scale)", "is kept"),
        ("pass", "model.weight.register_hook(scale); f()", "is kept"),
        ("loss.backward()", "model.weight.register_hook(scale)", "a backward runs before"),
        (
            "pass",
            "if step:\n                model.weight.register_hook(scale)",
            "on a condition",
        ),
    ],
)
def test_a_hook_that_depends_on_the_step_is_left(
    tmp_path: Path, before: str, hook: str, words: str
) -> None:
    source = HOOK.format(before=before, hook=hook)
    assert words in refusal("CA302", tmp_path, source, "register_hook")


CLASS = """\
import torch

SCALE = 2


# What makes it binary.
def binarize(x):
    {local}

    class Sign(torch.autograd.Function):
        \"\"\"Straight through.\"\"\"

        @staticmethod
        def forward(ctx, x):
            return x.sign() * {factor}

        @staticmethod
        def backward(ctx, grad):
            return grad

    return Sign.apply(x)
"""


def test_a_class_goes_to_module_level(tmp_path: Path) -> None:
    changed = patched("CA210", tmp_path, CLASS.format(local="y = 1", factor="SCALE"), "class Sign")
    assert (
        changed
        == """\
import torch

SCALE = 2


class Sign(torch.autograd.Function):
    \"\"\"Straight through.\"\"\"

    @staticmethod
    def forward(ctx, x):
        return x.sign() * SCALE

    @staticmethod
    def backward(ctx, grad):
        return grad


# What makes it binary.
def binarize(x):
    y = 1

    return Sign.apply(x)
"""
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (CLASS.format(local="y = 1", factor="SCALE") + "Sign = None\n", "another Sign"),
        (
            CLASS.format(local="y = 1", factor='"""\n  two lines"""'),
            "a text over several lines",
        ),
    ],
)
def test_a_class_that_needs_its_place_stays(tmp_path: Path, source: str, words: str) -> None:
    assert words in refusal("CA210", tmp_path, source, "class Sign")


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


MAKER = """\
import torch


def parse(text):
    return eval(text)


def made(text{more}):
    return torch.compile(parse(text))


for _ in range(3):
    made("abs")(1)
"""


def test_what_a_function_compiles_is_kept_for_each_argument(tmp_path: Path) -> None:
    source = MAKER.format(more="")
    expected = source.replace("import torch", "import functools\nimport torch").replace(
        "def made", "@functools.cache\ndef made"
    )
    assert patched("CA717", tmp_path, source, "torch.compile") == expected


def test_what_compiles_with_any_options_is_left(tmp_path: Path) -> None:
    source = MAKER.format(more=", **options")
    assert "compiles in each call" in refusal("CA717", tmp_path, source, "torch.compile")


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


REVERSAL = """\
import torch


def reversal(strength, shift):
    \"\"\"Reverses gradients.\"\"\"

    class Reversal(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x) + shift

        @staticmethod
        def backward(ctx, gradient):
            {returned}

    return {applied}
"""


@pytest.mark.parametrize(
    ("returned", "applied"),
    [
        ("return -strength * gradient", "Reversal.apply"),
        ("return (-strength * gradient,)", "lambda x: Reversal.apply(x)"),
        ("return (-strength * gradient)", "Reversal.apply"),
        ("return -strength * gradient,", "Reversal.apply"),
    ],
)
def test_what_an_autograd_function_uses_is_passed(
    tmp_path: Path, returned: str, applied: str
) -> None:
    import torch

    source = REVERSAL.format(returned=returned, applied=applied)
    changed = patched("CA210", tmp_path, source, "class Reversal")
    assert changed.index("class Reversal") < changed.index("def reversal")
    for text in (source, changed):
        space: dict[str, Any] = {}
        exec(text, space)
        made = space["reversal"]
        x = torch.ones(2, requires_grad=True)
        result = made(3.0, 2.0)(x)
        result.sum().backward()
        assert result.tolist() == [3, 3]
        assert x.grad is not None
        assert x.grad.tolist() == [-3, -3]


def test_an_autograd_function_of_several_gradients_in_one_is_left(tmp_path: Path) -> None:
    source = REVERSAL.format(returned="return gradients(strength)", applied="Reversal.apply")
    source = source.replace("(ctx, x)", "(ctx, x, y)")
    assert "which is local" in refusal("CA210", tmp_path, source, "class Reversal")


def test_an_autograd_function_that_is_handed_on_is_left(tmp_path: Path) -> None:
    """Who calls its `apply` is not seen."""
    source = REVERSAL.format(returned="return -strength * gradient", applied="Reversal")
    assert "which is local" in refusal("CA210", tmp_path, source, "class Reversal")


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


QUANTIZER = """\
import torch
from torch.autograd import Function


class Quantizer:
    def __init__(self, bits):
        self.bits = bits

    @property
    def levels(self):
        return 2**self.bits

    @property
    def rounding(self):
        levels = self.levels

        class Rounded(Function):
            @staticmethod
            def forward(ctx, x):
                return torch.round(x * levels)

            @staticmethod
            def backward(ctx, gradient):
                return gradient

        return Rounded
{more}

for x in data():
    quantizer.rounding.apply(x).backward()
"""


def test_a_class_that_a_property_returns_is_made_once_for_each_object(tmp_path: Path) -> None:
    source = QUANTIZER.format(more="")
    at = "class Rounded"
    changed = patched("CA210", tmp_path, source, at)
    cached = source.replace("@property\n    def r", "@functools.cached_property\n    def r")
    assert changed == "import functools\n" + cached
    other = "\n    def widen(self):\n        self.bits = 8\n"
    assert "is local" in refusal("CA210", tmp_path, QUANTIZER.format(more=other), at)
