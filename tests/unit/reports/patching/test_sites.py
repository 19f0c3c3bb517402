"""The calls of what is compiled, and what they pass."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.patching.patches import RefusedError
from ca_reports.patching.sites import arguments, compiled_at
from ca_reports.run.model import Frame
from tests.unit.reports.patching.passed import DTYPE, NUMBER, proposed
from tests.unit.reports.patching.programs import for_argument, program_of

if TYPE_CHECKING:
    from pathlib import Path


def test_every_call_of_the_same_variable_is_changed(tmp_path: Path) -> None:
    """The third call fits what was compiled for the second, so no record names it."""
    source = (
        "import torch\n\n\ndef main():\n    field = torch.compile(torch.nn.Linear(2, 1))\n"
        "    residual(field, inner())\n    field(ends()).mean()\n    field(start).mean()\n\n\n"
        "def residual(field, points):\n    return field(points)\n\n\nmain()\n"
    )
    sites = ["residual(field, inner > return field", "field(ends"]
    _, changed = proposed(tmp_path, {"train.py": source}, "CA708", "args[0]", [*sites], DTYPE)
    expected = source
    for call in ("ends()", "start", "points"):
        expected = expected.replace(f"field({call})", f"field({call}.to(torch.float32))")
    assert changed == {"train.py": expected}


def test_an_argument_has_its_name_of_the_call_in_what_a_patch_says(tmp_path: Path) -> None:
    source = (
        "import torch\n\nfield = torch.compile(torch.nn.Linear(2, 1))\n"
        "field(points).mean()\nfield(ends).mean()\n"
    )
    sites = ["field(points)", "field(ends)"]
    proposal, _ = proposed(tmp_path, {"train.py": source}, "CA708", "args[0]", sites, DTYPE)
    assert proposal.patches[0].what == "ends converted to float32 where it is passed"


def test_a_function_of_the_file_is_no_call_of_a_module(tmp_path: Path) -> None:
    """A model compiled in place, on the line of which another call passes as many arguments."""
    model = "class Net:\n    def forward(self, x, limit):\n        return x * limit\n"
    source = (
        "import torch\nfrom model import Net\n\n\ndef made(step, steps):\n    return step\n\n\n"
        "def main():\n    net = Net()\n    net.compile()\n"
        "    net(x, made(step, steps))\n\n\nmain()\n"
    )
    site = "net(x, made(step, steps))"
    files = {"train.py": source, "model.py": model}
    _, changed = proposed(tmp_path, files, "CA702", "limit", [site] * 2, NUMBER)
    expected = source.replace("made(step, steps))", "torch.tensor(made(step, steps)))")
    assert changed == {"train.py": expected}


def test_a_namesake_is_no_call(tmp_path: Path) -> None:
    """A variable of another file, or another method, that has the function's name."""
    source = (
        "import torch\nfrom model import score as compared\nfrom other import Clipper\n\n\n"
        "class Clip:\n    def __init__(self):\n        self.score = torch.compile(compared)\n\n"
        "    def __call__(self, rows):\n        return self.score(rows, self.limit)\n\n\n"
        "score = Clip()\nfor _ in range(3):\n    score(rows)\n"
    )
    sites = ["    score(rows) > self.score(rows, self.limit)"] * 2
    _, changed = proposed(tmp_path, {"train.py": source}, "CA702", "limit", sites, NUMBER)
    assert changed == {"train.py": source.replace("self.limit)", "torch.tensor(self.limit))")}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("net(*batch)", "takes its arguments from a list"),
        ("net(**batch)", "takes its arguments from a list"),
        ("net(a)(net(b))", "no call shows what is passed"),
    ],
)
def test_a_call_that_shows_no_argument_is_left(tmp_path: Path, call: str, words: str) -> None:
    source = f"import torch\nfrom model import Net\n\nnet = torch.compile(Net())\nprint({call})\n"
    proposal, _ = proposed(tmp_path, {"train.py": source}, "CA708", "x", ["print("] * 2, DTYPE)
    assert words in proposal.refusal


@pytest.mark.parametrize(
    ("made", "call", "expected"),
    [
        ("score", "f(*tensors, step)", "f(*tensors, torch.tensor(step))"),
        ("partial(score, table)", "f(step)", "f(torch.tensor(step))"),
        ("partial(score, table)", "f(*parts, step)", "f(*parts, torch.tensor(step))"),
        # The last one may be any other.
        ("score", "f(*tensors, *steps)", ""),
        ("partial(score, limit=1)", "f(*tensors, step)", ""),
        ("score", "f(*tensors, **options)", ""),
    ],
)
def test_the_last_argument_is_known_after_a_list(
    tmp_path: Path, made: str, call: str, expected: str
) -> None:
    source = (
        "import torch\nfrom functools import partial\nfrom model import score\n\n"
        f"f = torch.compile({made})\nfor step in range(9):\n    loss = {call}\n"
    )
    _, changed = proposed(tmp_path, {"train.py": source}, "CA702", "limit", ["f("] * 2, NUMBER)
    assert changed == ({"train.py": source.replace(call, expected)} if expected else {})


@pytest.mark.parametrize(
    ("made", "call", "expected"),
    [
        # `scale` has a default, so it is not known from the end.
        ("partial(net, data())", "f(scale)", "f(torch.tensor(scale))"),
        ("partial(net)", "f(data(), scale)", "f(data(), torch.tensor(scale))"),
        ("partial(net, data(), 2)", "f()", ""),
        ("partial(net, *batch())", "f(scale)", "has already is not known"),
        (
            "partial(net, data()) if scale else partial(net)",
            "f(scale)",
            "has already is not known",
        ),
    ],
)
def test_what_a_partial_that_is_kept_has_given_stands_before(
    tmp_path: Path, made: str, call: str, expected: str
) -> None:
    source = (
        "import torch\nfrom functools import partial\nfrom model import Net\n\n"
        f"net = torch.compile(Net())\nf = {made}\nfor scale in range(9):\n    loss = {call}\n"
    )
    guard = replace(NUMBER, text="scale == 1.0")
    files = {"train.py": source}
    proposal, changed = proposed(tmp_path, files, "CA702", "scale", ["loss = f("] * 2, guard)
    if "known" in expected:
        assert expected in proposal.refusal
    elif expected:
        assert changed == {"train.py": source.replace(call, expected)}
    else:
        given = source.replace("data(), 2", "data(), torch.tensor(2)")
        assert changed["train.py"] == given


@pytest.mark.parametrize(
    ("returned", "is_left_out"),
    [("(x,)", True), ("(x, 1.0)", False), ("tuple(x)", False), ("(*x,)", False)],
)
def test_a_pair_that_a_function_returns_ends_before_what_is_left_out(
    tmp_path: Path, returned: str, is_left_out: bool
) -> None:
    source = (
        "import torch\nfrom model import Net\n\n\ndef batch():\n"
        f"    return {returned}\n\n\nnet = torch.compile(Net())\n"
        "net(*batch())\nnet(x, rate)\n"
    )
    guard = replace(NUMBER, text="scale == 1.0")
    sites = ["net(x", "net(x"]
    proposal, changed = proposed(tmp_path, {"train.py": source}, "CA702", "scale", sites, guard)
    if is_left_out:
        assert "net(x, torch.tensor(rate))" in changed["train.py"]
        assert "def forward(self, x, scale=torch.tensor(1.0)):" in changed["model.py"]
    else:
        assert "takes its arguments from a list" in proposal.refusal


def test_another_class_with_such_a_method_calls_its_own(tmp_path: Path) -> None:
    net = (
        "import torch\n\n\nclass Loss:\n    @torch.compile\n    def part(self, x):\n"
        "        return x.sum()\n\n    def total(self, x):\n        return self.part(x)\n\n\n"
        "class Other:\n    def part(self, x):\n        return x.mean()\n\n"
        "    def total(self, x):\n        return self.part(x)\n"
    )
    files = {"train.py": "from net import Loss\n\nLoss().total(rows)\n", "net.py": net}
    guard = replace(DTYPE, source="x", actual="Float", expected="Double")
    _, changed = for_argument("CA708", tmp_path, files, "part", guard)
    assert changed["net.py"].count("return self.part(x)") == 1


def test_a_line_that_calls_it_twice_is_changed_twice(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\n\ndef mirrored(x, net):\n"
        "    return net(x) + net(x.flip(-1))\n\n\nmirrored(data(), torch.compile(Net()))\n"
    )
    sites = ["mirrored(data > return net"] * 2
    _, changed = proposed(tmp_path, {"train.py": source}, "CA708", "x", sites, DTYPE)
    both = "net(x.to(torch.float32)) + net(x.flip(-1).to(torch.float32))"
    assert changed["train.py"] == source.replace("net(x) + net(x.flip(-1))", both)


@pytest.mark.parametrize("file", ["train.py", "lib/model.py"])
def test_of_a_function_that_is_not_found_nothing_is_said(tmp_path: Path, file: str) -> None:
    program = program_of(tmp_path, {"train.py": "step(1.5)\n"})
    site = compiled_at("t", Frame(file, 1, "<lambda>", ""), (), program)
    with pytest.raises(RefusedError, match="was not found: it is a lambda, or its file"):
        arguments("t", site, program)


def test_a_file_in_another_encoding_is_none_to_patch(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_bytes("# coding: latin-1\nx = 'für'\n".encode("latin-1"))
    program = program_of(
        tmp_path, {"train.py": "import other\nimport this_one\n", "this_one.py": "y = 'für'\n"}
    )
    assert list(program.files) == ["train.py", "this_one.py"]
