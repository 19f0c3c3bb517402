"""What each step makes or compiles is made once, or kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.causes.findings import MadeAgain
from tests.unit.reports.patching.programs import patched, refusal

if TYPE_CHECKING:
    from pathlib import Path


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


MAKER = """\
import torch


def parse(text):
    return getattr(torch, text)


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


@pytest.mark.parametrize(
    "more",
    [
        "\n    def widen(self):\n        self.bits = 8\n",
        "\n    def widen(self):\n        self.bits += 1\n",
        "\n    def widen(self):\n        self.bits: int = 8\n",
        "\n    def widen(self):\n        self.bits, self.name = 8, 1\n",
        "\n    def widen(self):\n        setattr(self, 'bits', 8)\n",
        "\n\nquantizer.bits += 1\n",
        "\n\nquantizer.bits[0] = 1\n",
        "\n\nquantizer.bits.add_(1)\n",
    ],
)
@pytest.mark.parametrize("receiver", ["self", "this"])
def test_a_class_of_what_changes_later_is_not_kept(
    tmp_path: Path, more: str, receiver: str
) -> None:
    source = QUANTIZER.format(more=more).replace("self", receiver)
    assert "is local" in refusal("CA210", tmp_path, source, "class Rounded")


HOLDER = """\
def view_of(buffer, offset):
    class Holder:
        def __init__(self{own}):
            self.data = buffer[offset:]

    return Holder({given})
"""


@pytest.mark.parametrize(("own", "given"), [("", ""), (", name", '"a"')])
def test_what_makes_an_object_is_given_the_variables_of_its_class(
    tmp_path: Path, own: str, given: str
) -> None:
    text = HOLDER.format(own=own, given=given)
    again: dict[str, Any] = {"detail": MadeAgain("Holder"), "edits": ("class_once",)}
    changed = patched("CA707", tmp_path, text, "return Holder", **again)
    more = ", ".join(filter(None, (given, "buffer, offset")))
    assert changed == (
        f"class Holder:\n    def __init__(self{own}, buffer, offset):\n"
        "        self.data = buffer[offset:]\n\n\n"
        f"def view_of(buffer, offset):\n    return Holder({more})\n"
    )


def test_a_class_whose_objects_are_made_elsewhere_stays(tmp_path: Path) -> None:
    text = HOLDER.format(own="", given="").replace("return Holder()", "return Holder")
    again: dict[str, Any] = {"detail": MadeAgain("Holder"), "edits": ("class_once",)}
    assert "pass it to apply" in refusal("CA707", tmp_path, text, "return Holder", **again)
    more = text.replace("return Holder", "return Holder()").replace(
        "    return", "        def rows(self):\n            return offset\n\n    return", 1
    )
    assert "pass it to apply" in refusal("CA707", tmp_path, more, "return Holder", **again)


SEEDS = """\
import copy

import torch
from torch import nn

base = nn.Linear(3, 3)


class Net(nn.Module):
    pass


def built():
    return Net()


for seed in range(3):
    torch.manual_seed(seed)
    model = torch.compile({made})
    model(x).backward()
"""


@pytest.mark.parametrize("made", ["Net()", "nn.Linear(3, 3)", "copy.deepcopy(base)", "built()"])
def test_a_model_of_each_turn_is_not_made_once(tmp_path: Path, made: str) -> None:
    """The turns would go on with what the first one trained."""
    source = SEEDS.format(made=made)
    assert "another model" in refusal("CA717", tmp_path, source, "torch.compile")


@pytest.mark.parametrize("made", ["base", "lambda x: base(x)"])
def test_what_is_there_before_the_loop_is_compiled_once(tmp_path: Path, made: str) -> None:
    changed = patched("CA717", tmp_path, SEEDS.format(made=made), "torch.compile")
    assert changed.index("torch.compile") < changed.index("for seed")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("return torch.compile(parse(text))", "return torch.compile(Net(text))", "another model"),
        ("    return torch", "    seen.append(text)\n    return torch", "is done in each call"),
        ("return getattr(torch, text)", "return copy.copy(text)", "another model"),
    ],
)
def test_a_maker_whose_models_differ_is_not_cached(
    tmp_path: Path, before: str, after: str, words: str
) -> None:
    source = MAKER.format(more="").replace("import torch", "import copy\nimport torch")
    assert words in refusal("CA717", tmp_path, source.replace(before, after), "torch.compile")


METHOD = """\
import torch


class Generator:
    def __init__(self, model):
        self.model, self.mode, self.sizes = model, "default", []

    def compiled(self{more}):
        def logged(graph, inputs):
            self.sizes.append(len(inputs))
            return graph.forward

        return torch.compile(self.model, backend=logged)


generator = Generator(model)
for x in requests:
    generator.compiled()(x)
"""


def test_what_a_method_compiles_is_kept_for_its_object(tmp_path: Path) -> None:
    source = METHOD.replace("{more}", "")
    changed = patched("CA717", tmp_path, source, "return torch.compile")
    assert "    @functools.cache\n    def compiled(self):\n" in changed


@pytest.mark.parametrize(
    ("more", "after"),
    [(", name", ""), ("", "    generator.model = load(x)\n")],
)
def test_a_method_that_may_compile_another_thing_is_left(
    tmp_path: Path, more: str, after: str
) -> None:
    source = METHOD.replace("{more}", more) + after
    words = refusal("CA717", tmp_path, source, "return torch.compile")
    assert "compiles in each call" in words
