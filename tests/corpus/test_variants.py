"""A variant means what its seed means, and knows where each line and name of it went."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

import pytest

from tests.corpus.rewriting import Module, Rewriting
from tests.corpus.variants import KINDS, Seed, Variant, variants

MODEL = '''\
"""Words are weighed."""

from dataclasses import dataclass, field
from math import (
    sqrt,
)

SCALE = 3


@dataclass
class Options:
    rate: float = 0.5
    names: list = field(default_factory=list)


class Weigher:
    depth = 2

    def __init__(self, options, width=2):
        self.options = options
        self.factors = [sqrt(n + width) for n in range(self.depth)]
        self.label = "factors"

    def weigh(self, word):
        total = 0.0
        for factor in self.factors:
            total += factor * scaled(len(word))
        return total, getattr(self, self.label)


def scaled(number, *, by=SCALE):
    return number * by
'''
TRAIN = """\
import math
from functools import reduce

from model import Options, Weigher

words = ["é", "two", "three"]


def decayed(
    start, steps=1
):
    for step in range(3):
        start = start * 0.5 ** steps
        start = (
            start
            + step
        )
    return start


def main(prefix="seen"):
    weigher = Weigher(Options(rate=0.25), width=3)
    for word in words:
        weight, factors = weigher.weigh(word)
        late = decayed(weight, steps=len(word))
        print(f"{prefix} é {word}", math.floor(weight), late, reduce(max, factors))
    return [decayed(n) if n else None for n in range(2)]


if __name__ == "__main__":
    print(main())
"""
SOURCES = {"model.py": MODEL, "train.py": TRAIN}


def line_of(text: str, file: str = "train.py") -> tuple[str, int]:
    assert SOURCES[file].count(text) == 1
    return file, SOURCES[file][: SOURCES[file].index(text)].count("\n") + 1


def made(kind: str, *texts: str, file: str = "train.py") -> Variant:
    """Return the variant of that kind for the lines with these texts."""
    found = KINDS[kind](Seed(SOURCES, [line_of(text, file) for text in texts]))
    assert found is not None
    return found


def printed(sources: dict[str, str], folder: Path) -> str:
    folder.mkdir()
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    before = {*sys.modules}
    sys.path.insert(0, str(folder))
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            code = compile(sources["train.py"], "train.py", "exec")
            exec(code, {"__name__": "__main__"})
    finally:
        sys.path.remove(str(folder))
        for name in {*sys.modules} - before:
            del sys.modules[name]
    return output.getvalue()


PLACES: tuple[list[tuple[str, str]], ...] = (
    [("train.py", "late = decayed")],
    [("train.py", "start = start * 0.5"), ("train.py", "for word in words")],
    [("train.py", "            + step")],
    [("train.py", "    return start\n")],
    [("train.py", "return [decayed")],
    [("model.py", "total += factor"), ("train.py", "weight, factors =")],
    [("model.py", "return number * by")],
    [("model.py", "self.factors = ")],
    [("model.py", "names: list")],
    [],
)


@pytest.mark.parametrize("texts", PLACES, ids=lambda texts: texts[0][1].strip() if texts else "-")
def test_variants_do_the_same(texts: list[tuple[str, str]], tmp_path: Path) -> None:
    seed = Seed(SOURCES, [line_of(text, file) for file, text in texts])
    said = printed(SOURCES, tmp_path / "seed")
    for kind, variant in variants(seed).items():
        assert variant.sources != SOURCES
        assert printed({**variant.sources}, tmp_path / kind) == said, kind


@pytest.mark.parametrize("kind", KINDS)
def test_every_line_is_somewhere(kind: str) -> None:
    seed = Seed(SOURCES, [line_of("start = start * 0.5"), line_of("late = decayed")])
    variant = KINDS[kind](seed)
    assert variant is not None
    for (file, line), places in variant.lines.items():
        old = SOURCES[file].splitlines()[line - 1].strip()
        assert places or not old, f"{file}:{line} is nowhere"
        for other, there in places:
            new = variant.sources[other].splitlines()[there - 1]
            for name, seeds in variant.names.items():
                new = new.replace(name, seeds)
            new = re.sub(r" as \w+", "", new).strip()
            # A part of the line may have moved or been bound, and a loop's head is its rounds.
            assert new == old or kind in ("helper", "partial", "method", "unrolled"), (old, new)


def test_names_that_something_else_may_mean_stay() -> None:
    variant = made("renamed", "late = decayed")
    text = "\n".join(variant.sources.values())
    old = {*variant.names.values()}
    # A keyword, what a text or an f-string holds, a field of a class, what a library gives.
    assert not old & {"width", "rate", "steps", "factors", "word", "prefix", "depth", "sqrt"}
    assert {"Weigher", "Options", "decayed", "total", "words"} <= old
    assert not [name for name in ("Weigher", "decayed", "total") if name in text.split()]
    assert {len(places) for places in variant.lines.values()} == {1}


def test_methods_call_their_object_otherwise() -> None:
    variant = made("receiver", "late = decayed")
    assert variant.names == {"this1": "self"}
    assert "self" not in re.findall(r"\w+", "\n".join(variant.sources.values()))
    assert "(this1" in variant.sources["model.py"]


def test_imports_get_other_names() -> None:
    variant = made("aliased", "late = decayed")
    train, model = variant.sources["train.py"], variant.sources["model.py"]
    assert "import math as math_1" in train
    assert "from model import Options as Options_1, Weigher as Weigher_1" in train
    assert "    sqrt as sqrt_1,\n" in model
    assert variant.names["math_1"] == "math"


def test_an_expression_goes_through_a_function_beside_it() -> None:
    variant = made("helper", "late = decayed")
    train = variant.sources["train.py"]
    assert "def part1(weight, word):\n    return decayed(weight, steps=len(word))\n" in train
    assert "        late = part1(weight, word)\n" in train
    there = {train.splitlines()[line - 1].strip() for _, line in variant.lines[line_of("late =")]}
    assert there == {"late = part1(weight, word)", "return decayed(weight, steps=len(word))"}
    several = made("helper", "            + step").sources["train.py"]
    assert "def part1(start, step):\n    return (start\n            + step)\n" in several


def test_what_needs_the_module_moves_with_it_or_nothing_moves() -> None:
    variant = made("module", "total += factor", file="model.py")
    parts = variant.sources["parts1.py"]
    assert "SCALE = 3" in parts
    assert "def scaled(" in parts
    assert "class Weigher" in parts
    assert "class Options" not in parts
    assert "from parts1 import SCALE, Weigher, scaled\n" in variant.sources["model.py"]
    (place,) = variant.lines[line_of("total += factor", "model.py")]
    assert parts.splitlines()[place[1] - 1].strip() == "total += factor * scaled(len(word))"
    changing = {"train.py": "COUNT = 0\n\n\ndef f():\n    global COUNT\n    COUNT += 1\n\n\nf()\n"}
    assert KINDS["module"](Seed(changing, [("train.py", 6)])) is None


def test_a_call_is_bound_beforehand() -> None:
    train = made("partial", "late = decayed").sources["train.py"]
    assert "late = bound1(decayed, weight, steps=len(word))()" in train
    assert "from functools import partial as bound1\n" in train


def test_a_function_becomes_a_method() -> None:
    train = made("method", "start = start * 0.5").sources["train.py"]
    assert "class Steps1:\n    def decayed(\n        self, start, steps=1\n" in train or (
        "class Steps1:\n    def decayed(self, \n        start, steps=1\n    ):\n" in train
    )
    assert "late = steps1.decayed(weight, steps=len(word))" in train


def test_a_loop_is_written_out() -> None:
    variant = made("unrolled", "start = start * 0.5")
    train = variant.sources["train.py"]
    assert train.count("    start = start * 0.5 ** steps\n") == 3
    assert "    step = 2\n    start = start * 0.5" in train
    assert len(variant.lines[line_of("start = start * 0.5")]) == 3
    assert len(variant.lines[line_of("for step in range")]) == 3


@pytest.mark.parametrize(
    "text",
    [
        "for n in range(3):\n    if n:\n        break\n",
        "for n in range(3):\n    loss.backward()\n",
        "for n in range(9):\n    print(n)\n",
        "for n in (a, b):\n    a = n\n",
        "for n in range(2):\n    later.append(lambda: n)\n",
        'for n in range(2):\n    print("""a\n    b""")\n',
        "for n in range(2):\n    print(n)\nelse:\n    print()\n",
    ],
)
def test_a_loop_that_would_do_something_else_is_left(text: str) -> None:
    assert KINDS["unrolled"](Seed({"train.py": text}, [("train.py", 2)])) is None


def test_edits_know_where_lines_went() -> None:
    module = Module("a\nb(c,\n  d)\ne\n")
    rewriting = Rewriting("m.py", module)
    rewriting.insert(0, "x\ny\n", {2: [1]})
    rewriting.replace(2, module.text.index("e"), "z\n")
    text, lines = rewriting.finish()
    assert text == "x\ny\na\nz\ne\n"
    assert lines == {1: {3}, 2: {4, 2}, 3: {4}, 4: {5}}
