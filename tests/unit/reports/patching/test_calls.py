"""CA701, CA702, CA707, CA708, CA111: what a compiled function gets, changed where it is called."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.findings import OtherLayout
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame
from tests.unit.reports.patching.passed import DTYPE, MODEL, NUMBER, proposed
from tests.unit.reports.patching.programs import (
    finding_of,
    for_argument,
    line_of,
    patched,
    program_of,
)

if TYPE_CHECKING:
    from pathlib import Path


LAZY = Guard("keys", "dispatch_keys", "0/0", expected="(CPU)", actual="(CPU, Conjugate)")


# How a compiled model is reached in real code: each program, the lines that the records name, and
# what the call becomes. `{}` is what follows the argument.
REACHED = {
    "variable": (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\nfor x in data():\n"
        "    loss = criterion(net(x{}), y)\n",
        ["net(x", "net(x"],
    ),
    "attribute": (
        "import torch\nfrom model import Net\n\n\nclass Trainer:\n    def __init__(self):\n"
        "        self.compiled = torch.compile(Net())\n\n    def step(self, x, y):\n"
        "        return criterion(self.compiled(x{}), y)\n",
        ["self.compiled(x", "self.compiled(x"],
    ),
    "parameter of a generator": (
        "import torch\nfrom model import Net\n\n\ndef outputs(step, data):\n    for x in data:\n"
        "        yield step(x{})\n\n\nlist(outputs(torch.compile(Net()), data()))\n",
        ["list(outputs > yield step", "list(outputs > yield step"],
    ),
    "entry of a dict": (
        "import torch\nfrom model import Net\n\nmodels = {{'fast': torch.compile(Net())}}\n"
        "for x in data():\n    models['fast'](x{})\n",
        ["models['fast'](x", "models['fast'](x"],
    ),
    "decorator of a step": (
        "import torch\nfrom functools import wraps\nfrom model import Net\n\n\n"
        "def timed(function):\n"
        "    @wraps(function)\n    def wrapper(*args, **kwargs):\n"
        "        return function(*args, **kwargs)\n\n    return wrapper\n\n\n"
        "net = timed(torch.compile(Net()))\nfor x in data():\n    net(x{})\n",
        ["net(x > return function", "net(x > return function"],
    ),
}


@pytest.mark.parametrize("shape", REACHED)
@pytest.mark.parametrize(
    ("code", "guard", "added"),
    [
        ("CA708", DTYPE, ".to(torch.float32)"),
        ("CA708", LAZY, ".resolve_conj()"),
        ("CA111", DTYPE, ".contiguous()"),
    ],
)
def test_what_is_passed_is_alike_in_every_call(
    tmp_path: Path, shape: str, code: str, guard: Guard, added: str
) -> None:
    source, sites = REACHED[shape]
    proposal, changed = proposed(tmp_path, {"train.py": source.format("")}, code, "x", sites, guard)
    assert changed == {"train.py": source.format(added)}, proposal.refusal


def test_what_a_call_gave_and_takes_again_is_no_number_to_convert(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import score\n\nadd = torch.compile(score)\n\n\n"
        "def over(rows):\n    limit = 0.0\n    for row in rows:\n"
        "        limit = add(row, limit)\n    return limit\n\n\nover(x)\n"
    )
    sites = ["over(x) > add(row, limit)"] * 2
    proposal, changed = proposed(tmp_path, {"train.py": source}, "CA702", "limit", sites, NUMBER)
    assert changed == {}
    assert "what the call before gave" in proposal.refusal


def test_under_inference_mode_a_converted_tensor_is_always_a_new_one(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n\n\n"
        "@torch.inference_mode()\ndef answer(x):\n    return net(x).tolist()\n\n\nanswer(1)\n"
    )
    _, changed = proposed(tmp_path, {"train.py": source}, "CA708", "x", ["net(x)"] * 2, DTYPE)
    assert changed["train.py"].count("net(x.to(torch.float32, copy=True)).tolist()") == 1


def test_numbers_of_classes_become_no_floats(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n\n\n"
        "def main():\n    for x in data():\n        net(x)\n\n\nmain()\n"
    )
    guard = Guard("dtype mismatch", "dtype", "0/0", expected="Float", actual="Long")
    proposal, changed = proposed(
        tmp_path, {"train.py": source}, "CA708", "x", ["net(x)"] * 2, guard
    )
    assert "x.is_floating_point()" in changed["train.py"]
    bare = source.replace("net(x)", "yield net(x)")
    proposal, _ = proposed(tmp_path, {"train.py": bare}, "CA708", "x", ["net(x)"] * 2, guard)
    assert "x in Long means something else" in proposal.refusal


def test_the_only_call_is_not_taken_out_of_the_compiler(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n\n\n"
        "def main():\n    for x in data():\n        net(x)\n\n\nmain()\n"
    )
    proposal, _ = proposed(tmp_path, {"train.py": source}, "CA708", "x", ["net(x)"] * 2, DTYPE)
    assert [one.what for one in proposal.patches] == ["x converted to float32 where it is passed"]


@pytest.mark.parametrize(
    ("made", "patch"),
    [
        ("torch.from_numpy(steps / 10)", "torch.from_numpy(steps / 10).float()"),
        ("torch.as_tensor(steps)[1:]", "torch.as_tensor(steps).float()[1:]"),
        ("torch.as_tensor(steps).mean()", None),
        ("torch.rand(4)", None),
    ],
)
def test_double_precision_of_numpy_ends_where_it_began(
    tmp_path: Path, made: str, patch: str | None
) -> None:
    # GIVEN a field of a batch whose dtype differs, and the line that makes it
    script = (
        "import clinics\nimport torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
        "net(clinics.visit())\n"
    )
    clinics = f"import torch\n\n\ndef sure(steps):\n    return {made}\n"
    files = {"train.py": script, "clinics.py": clinics}
    guard = Guard("dtype", "dtype", "0/0", "visit.sure", expected="Double", actual="Float")
    line = Frame(str(tmp_path / "clinics.py"), 5, "sure", "")
    proposal, changed = proposed(
        tmp_path, files, "CA708", "visit.sure", ["net(clinics"] * 2, guard, to_edit=line
    )
    if patch is None:
        assert changed == {}
        assert "change it where it is made" in proposal.refusal
    else:
        assert changed["clinics.py"] == clinics.replace(made, patch)
        assert "in float32" in proposal.patches[0].intention


def test_no_call_is_in_inference_mode_where_others_are_not(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n\n\n"
        "@torch.inference_mode()\ndef live(rows):\n    return net(rows)\n\n\n"
        "@torch.no_grad()\ndef shadow(rows):\n    return net(rows)\n"
    )
    guard = Guard("keys", "dispatch_keys", "0/0", expected="(CPU)", actual="(CPU, Autograd)")
    _, changed = proposed(tmp_path, {"train.py": source}, "CA708", "x", ["net(rows)"] * 2, guard)
    assert changed["train.py"] == source.replace("inference_mode", "no_grad")


def test_two_variables_of_one_tensor_get_one_each(tmp_path: Path) -> None:
    source = """\
import torch


def begin(rows):
    h = c = torch.zeros(rows, 4)
    return h, c


state = cell(x, begin(3))
"""
    assert patched("CA212", tmp_path, source, "state =") == source.replace(
        "h = c = torch.zeros(rows, 4)", "h = torch.zeros(rows, 4)\n    c = h.clone()"
    )


def test_a_second_name_of_a_tensor_is_one_of_its_own(tmp_path: Path) -> None:
    source = """\
import torch


def step(x, old, reset):
    target = torch.zeros(3)
    if reset:
        target = x
    return cell(x, target)
"""
    changed = patched("CA714", tmp_path, source, "target = x")
    assert changed == source.replace("target = x\n", "target = x.clone()\n")


@pytest.mark.parametrize("view", ["x.transpose(-1, -2)", "torch.permute(x, (1, 0))", "x.t()"])
def test_a_view_in_some_steps_is_laid_out_as_the_others(tmp_path: Path, view: str) -> None:
    source = "import torch\n\n\ndef turned(x, some):\n    if some:\n"
    source += f"        return {view}\n    return x\n"
    changed = patched("CA111", tmp_path, source, view)
    assert changed == source.replace(view, f"{view}.contiguous()")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "for x in data():\n    net(x, scale=lambda y: y)\n",
            "made_once = lambda y: y\nfor x in data():\n    net(x, scale=made_once)\n",
        ),
        (
            "for x in data():\n    f = Made(1)\n    net(x, f)\n",
            "f = Made(1)\nfor x in data():\n    net(x, f)\n",
        ),
        (
            "def shifted(n):\n    return partial(torch.roll, shifts=n)\n"
            "for x in data():\n    net(x, shifted(2))\n",
            "def shifted(n):\n    return partial(torch.roll, shifts=n)\n"
            "made_once = shifted(2)\nfor x in data():\n    net(x, made_once)\n",
        ),
        (
            "for x in data():\n    def f(y):\n        return y\n\n    net(x, f)\n",
            "def f(y):\n    return y\nfor x in data():\n\n    net(x, f)\n",
        ),
    ],
)
def test_what_is_made_for_each_call_is_made_once(tmp_path: Path, lines: str, expected: str) -> None:
    head = "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
    guard = Guard("scale.__code__", "identity", "0/0")
    files = {"train.py": head + lines}
    _, changed = proposed(tmp_path, files, "CA706", "scale", ["net(x"] * 2, guard)
    assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(head + expected))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("for x in data():\n    net(x, lambda y: y + x)\n", "which the loop assigns"),
        ("for x, f in data():\n    net(x, f)\n", "f is not made in that loop"),
        ("def run(f):\n    net(1, f)\n", "in no loop"),
        ("for x in data():\n    if x:\n        f = made()\n    net(x, f)\n", "is not made"),
        ("for x in data():\n    net(x, augment.pick())\n", "may give another thing"),
        ("for x in data():\n    net(x, next(turns))\n", "may give another thing"),
        ("for x in data():\n    f = augment.pick()\n    net(x, f)\n", "may give another thing"),
        (
            "def drawn():\n    return random.choice(KINDS)\n"
            "for x in data():\n    net(x, drawn())\n",
            "may give another thing",
        ),
    ],
)
def test_what_is_made_of_the_step_is_left(tmp_path: Path, lines: str, words: str) -> None:
    head = "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
    guard = Guard("scale.__code__", "identity", "0/0")
    files = {"train.py": head + lines}
    proposal, _ = proposed(tmp_path, files, "CA706", "scale", ["net("] * 2, guard)
    assert words in proposal.refusal


def test_what_a_partial_binds_is_passed_as_a_tensor(tmp_path: Path) -> None:
    source = """\
import torch
from functools import partial
from model import score

fast = torch.compile(score)
for number in range(9):
    scored = partial(fast, limit=number)
    print(scored(data()))
"""
    sites = ["print(scored"] * 2
    _, changed = proposed(tmp_path, {"train.py": source}, "CA701", "limit", sites, NUMBER)
    assert changed["train.py"] == source.replace("limit=number", "limit=torch.tensor(number)")


def test_a_thing_that_is_beside_another_in_the_same_recompile_is_the_one_of_its_finding(
    tmp_path: Path,
) -> None:
    source = "import torch\nfrom model import score\n\nscore(data(), 2)\n"
    files = {"train.py": source, "model.py": MODEL}
    inner = Frame(str(tmp_path / "model.py"), line_of(MODEL, "def score"), "score", "")
    at = Frame(str(tmp_path / "train.py"), 4, "f", "")
    compiles = tuple(
        Compile(f"0/{number}", 0, None, None, None, location=inner, stack=(at, inner))
        for number in range(2)
    )
    rows, limit = (
        GuardedThing((RecompileFacts(compiles[1], (replace(guard, source=name),), None, inner),))
        for name, guard in (("rows", DTYPE), ("limit", NUMBER))
    )
    program = program_of(tmp_path, files, compiles, rows)
    assert program.guarded(finding_of("CA702", tmp_path, key="limit", events=compiles[1:])) is rows
    program = program_of(tmp_path, files, compiles, rows, beside=limit)
    assert program.guarded(finding_of("CA702", tmp_path, key="limit", events=compiles[1:])) is limit
    assert program.guarded(finding_of("CA708", tmp_path, key="rows", events=compiles[1:])) is rows


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("return torch._foreach_add(rows, rows, alpha=-limit)", "needs limit as a Python number"),
        ('logger.info("limit %.2f", limit)', "writes limit"),
    ],
)
def test_a_number_that_is_written_or_taken_as_alpha_is_left(
    tmp_path: Path, line: str, words: str
) -> None:
    source = (
        "import torch\n\n\n@torch.compile\ndef score(rows, limit):\n"
        f"    {line}\n\n\n"
        "for number in range(9):\n    score(data(), number)\n"
    )
    inner = Frame(str(tmp_path / "train.py"), 5, "score", "")
    at = Frame(str(tmp_path / "train.py"), 10, "f", "")
    compiles = tuple(
        Compile(f"0/{number}", 0, None, None, None, location=inner, stack=(at, inner))
        for number in range(2)
    )
    guard = replace(NUMBER, source="limit")
    thing = GuardedThing((RecompileFacts(compiles[1], (guard,), None, inner),))
    program = program_of(tmp_path, {"train.py": source}, compiles, thing)
    finding = finding_of("CA702", tmp_path, key="limit", events=compiles[1:])
    assert words in propose_for(finding, program).refusal


def test_a_number_that_a_function_returns_with_others_is_a_tensor_there(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import score\n\n\ndef mixed(rows):\n"
        "    limit = float(draw())\n    return rows, limit\n\n\n"
        "for rows in data():\n    score(*mixed(rows))\n"
    )
    location = Frame(str(tmp_path / "train.py"), line_of(source, "limit = float"), "mixed", "")
    files, sites = {"train.py": source}, ["score(*mixed"] * 2
    proposal, changed = proposed(tmp_path, files, "CA702", "limit", sites, NUMBER, to_edit=location)
    assert proposal.refusal == ""
    assert changed["train.py"] == source.replace("rows, limit\n", "rows, torch.tensor(limit)\n")
    proposal, _ = proposed(tmp_path, files, "CA702", "limit", sites, NUMBER)
    assert "from a list" in proposal.refusal


def test_a_flag_of_what_is_compiled_is_true_in_every_step(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
        "for step in range(9):\n    teacher(1, scale=step % 3 == 0)\n"
        "    net(1, scale=step % 3 == 0)\n"
    )
    guard = Guard("scale is True", "value", "0/0", expected="True", actual="False")
    files, sites = {"train.py": source}, ["    net(1"] * 2
    _, changed = proposed(tmp_path, files, "CA401", "scale", sites, guard)
    assert changed["train.py"] == source.replace(
        "net(1, scale=step % 3 == 0)", "net(1, scale=True)"
    )


def test_a_call_that_was_compiled_first_is_not_the_one_that_differs(tmp_path: Path) -> None:
    source = "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\nnet(x)\n"
    guard = Guard("r", "rank", "0/0", expected="2", actual="1")
    line = Frame(str(tmp_path / "train.py"), 5, "f", "")
    files, sites = {"train.py": source}, ["net(x)"] * 2
    proposal, changed = proposed(tmp_path, files, "CA709", "z", sites, guard, to_edit=line)
    assert changed == {}
    assert proposal.refusal


@pytest.mark.parametrize("size", ["torch.arange(limit, device=rows.device)", "rows.view(limit)"])
def test_a_number_that_sizes_are_made_of_is_left(tmp_path: Path, size: str) -> None:
    model = MODEL.replace("return rows / limit", f"return rows / limit + {size}")
    source = "import torch\nfrom model import score\n\nf = torch.compile(score)\nf(x, n)\n"
    files = {"train.py": source, "model.py": model}
    proposal, changed = for_argument(
        "CA701", tmp_path, files, "score", replace(NUMBER, source="limit")
    )
    assert changed == {}
    assert "needs limit as a Python number" in proposal.refusal


@pytest.mark.parametrize("cache", ["@cache", "@functools.lru_cache(maxsize=9)"])
def test_a_function_that_keeps_its_results_gets_no_tensor(tmp_path: Path, cache: str) -> None:
    own = MODEL[MODEL.index("def score") :]
    model = f"import functools\nfrom functools import cache\n\n\n{cache}\n{own}"
    source = "import torch\nfrom model import score\n\nscore(x, n)\n"
    files = {"train.py": source, "model.py": model}
    proposal, changed = for_argument(
        "CA701", tmp_path, files, "score", replace(NUMBER, source="limit")
    )
    assert changed == {}
    assert "keeps its results by its arguments" in proposal.refusal


def test_a_part_of_a_larger_tensor_is_copied(tmp_path: Path) -> None:
    source = "import torch\nfrom model import score\n\nscore(x[0], n)\n"
    files = {"train.py": source, "model.py": MODEL}
    guard = Guard("2 <= rows.storage_offset()", "storage_offset", "0/0", "rows")
    detail = OtherLayout(begins_elsewhere=True)
    _, changed = for_argument("CA111", tmp_path, files, "score", guard, detail=detail)
    assert changed["train.py"] == source.replace("x[0]", "x[0].clone()")


@pytest.mark.parametrize(
    ("made", "rest", "is_patched"),
    [
        ("partial(loss, model)", "loss = x * rate", True),
        ("functools.partial(loss, model)", "loss = x * rate", True),
        ("partial(loss, model)", "loss = x[rate]", False),
        ("partial(loss, model)", "loss = model(x) if rate > 2 else x", False),
        ("partial(loss, x=model)", "loss = x * rate", False),
        ("partial(loss, *models)", "loss = x * rate", False),
        ("partial(others[0], model)", "loss = x * rate", False),
    ],
)
def test_what_a_partial_leaves_is_known_by_its_place(
    tmp_path: Path, made: str, rest: str, is_patched: bool
) -> None:
    source = (
        "import functools\nimport torch\nfrom functools import partial\n\n\n"
        f"def loss(model, x, rate):\n    {rest}\n    return loss\n\n\n"
        f"run = torch.compile({made})\nfor step in range(9):\n    y = run(x, step)\n"
    )
    guard = replace(NUMBER, text="args[1] == 0")
    proposal, changed = proposed(
        tmp_path, {"train.py": source}, "CA701", "args[1]", ["y = run("] * 2, guard
    )
    assert bool(proposal.patches) is is_patched
    if is_patched:
        assert proposal.patches[0].what == "rate passed as a tensor"
        assert changed == {"train.py": source.replace("run(x, step)", "run(x, torch.tensor(step))")}


def test_numbers_of_several_types_become_tensors_of_one(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom functools import partial\n\n\n"
        "def loss(model, x, rate):\n    return x * rate\n\n\n"
        "run = torch.compile(partial(loss, model))\nfor step in range(9):\n"
        "    y = run(x, weight(step))\n"
    )
    guard = Guard("args[1] == 0.5", "value", "0/0", "args[1]", expected="0.5", actual="1")
    _, changed = proposed(
        tmp_path, {"train.py": source}, "CA702", "args[1]", ["    y = run("] * 2, guard
    )
    wrapped = "run(x, torch.tensor(float(weight(step))))"
    assert changed == {"train.py": source.replace("run(x, weight(step))", wrapped)}


def test_a_flag_that_a_partial_leaves_is_known_by_its_place(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom functools import partial\n\n\n"
        "def loss(model, x, last):\n    y = x * 2\n    if last:\n        y = y + 1\n    return y\n"
        "\n\nrun = torch.compile(partial(loss, model))\nfor step in range(9):\n"
        "    y = run(x, step % 4 == 3)\n"
    )
    guard = Guard("args[1] == False", "value", "0/0", expected="False", actual="True")
    _, changed = proposed(
        tmp_path, {"train.py": source}, "CA703", "args[1]", ["    y = run("] * 2, guard
    )
    assert "y = torch.where(torch.as_tensor(last), y + 1, y)" in changed["train.py"]
    assert "run(x, torch.tensor(step % 4 == 3))" in changed["train.py"]
