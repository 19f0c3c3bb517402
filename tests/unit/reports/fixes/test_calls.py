"""CA701, CA702, CA707, CA708, CA111: what a compiled function gets, changed where it is called."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_engine.tracebacks import TextFrame
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded import GuardedThing
from ca_reports.findings import Subject
from ca_reports.fixes.patches import applied
from ca_reports.fixes.propose import propose_for
from ca_reports.held import FailedGuard, Held, RecordedGuards
from ca_reports.model import Compile, Frame
from tests.unit.reports.fixes.programs import finding_of, line_of, patched, program_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ca_reports.fixes.patches import Proposal

MODEL = """\
from torch import nn


class Net(nn.Module):
    def forward(self, x, scale=1.0):
        return x * scale


def score(rows, limit):
    return rows / limit


def rate(board, **context):
    return board * context["late"]
"""
DTYPE = Guard("dtype mismatch", "dtype", "0/0", expected="Float", actual="Double")
NUMBER = Guard("limit == 1.0", "value", "0/0", expected="1.0")
GRADIENT = Guard("requires_grad", "requires_grad", "0/0", expected="True", actual="False")
LAZY = Guard("keys", "dispatch_keys", "0/0", expected="(CPU)", actual="(CPU, Conjugate)")


def proposed(
    folder: Path,
    files: dict[str, str],
    code: str,
    name: str,
    sites: list[str],
    guard: Guard,
    guards: Sequence[Guard] = (),
    to_edit: Frame | None = None,
) -> tuple[Proposal, dict[str, str]]:
    """The proposal for ``name`` of a function of ``model.py``, compiled once for each of ``sites``.

    A site is words of a line of the first file; where it is several lines, outermost first, they
    are divided by `` > ``. ``guard`` fails at each but the first, or else the next of ``guards``.
    The function is `score` or `rate` if it has such an argument, else `Net.forward`.
    """
    files = {**files, "model.py": MODEL}
    script, text = next(iter(files.items()))
    functions = {"rows": "score", "limit": "score", "context": "rate"}
    function = functions.get(name.partition("[")[0], "forward")
    inner = Frame(str(folder / "model.py"), line_of(MODEL, f"def {function}"), function, "")
    compiles = []
    for number, words in enumerate(sites):
        stack = [
            Frame(str(folder / script), line_of(text, part), "f", "") for part in words.split(" > ")
        ]
        location = stack[-1] if name.startswith("args[") else inner
        stack += [] if location is stack[-1] else [inner]
        held = None
        if number and guards and guards[number - 1].kind == "length":
            failed = guards[number - 1]
            length = Held(type="list", length=int(failed.actual or 0))
            held = RecordedGuards((FailedGuard(failed.failed, name, length),))
        compiles.append(
            Compile(
                f"0/{number}", 0, None, None, None, location=location, stack=tuple(stack), held=held
            )
        )
    facts = [
        RecompileFacts(one, (replace(own, source=name),), None, one.location)
        for one, own in zip(compiles[1:], guards or [guard] * len(compiles[1:]), strict=True)
    ]
    thing = GuardedThing(tuple(facts))
    program = program_of(folder, files, tuple(compiles), thing)
    events = tuple(compiles[1:])
    subject = Subject(name)
    finding = finding_of(code, folder, key=name, subject=subject, events=events, fix="by hand")
    finding = replace(finding, location=to_edit)
    proposal = propose_for(finding, program)
    texts = {name: file.text for name, file in program.files.items()}
    return proposal, applied(texts, proposal.patches[:1])


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
        ("CA708", GRADIENT, ".requires_grad_()"),
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


def test_every_call_of_the_same_variable_is_changed(tmp_path: Path) -> None:
    """The third call fits what was compiled for the second, so no record names it."""
    source = (
        "import torch\n\n\ndef main():\n    field = torch.compile(torch.nn.Linear(2, 1))\n"
        "    residual(field, inner())\n    field(ends()).mean()\n    field(start).mean()\n\n\n"
        "def residual(field, points):\n    return field(points)\n\n\nmain()\n"
    )
    sites = ["residual(field, inner > return field", "field(ends"]
    _, changed = proposed(tmp_path, {"train.py": source}, "CA708", "args[0]", [*sites], GRADIENT)
    expected = source
    for call in ("ends()", "start", "points"):
        expected = expected.replace(f"field({call})", f"field({call}.requires_grad_())")
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


def test_the_only_call_is_not_taken_out_of_the_compiler(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n\n\n"
        "def main():\n    for x in data():\n        net(x)\n\n\nmain()\n"
    )
    proposal, _ = proposed(tmp_path, {"train.py": source}, "CA708", "x", ["net(x)"] * 2, DTYPE)
    assert [one.what for one in proposal.patches] == ["x converted to float32 where it is passed"]


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


MODE = Guard("mode == 'fast'", "value", "0/0", expected="'fast'")


def proposed_for_mode(
    folder: Path, lines: str, call: str, name: str
) -> tuple[str, Proposal, dict[str, str]]:
    """The program that compiles `Net` and then has ``lines``, and the proposal for its mode."""
    source = f"import torch\nfrom model import Net, score\n\nnet = torch.compile(Net())\n{lines}"
    return source, *proposed(folder, {"train.py": source}, "CA703", name, [call] * 2, MODE)


@pytest.mark.parametrize(
    ("call", "name", "mode"),
    [
        ("net(x, mode)", "scale", "mode"),
        ("net(x, scale=self.options.mode)", "scale", "self.options.mode"),
        ("y = net(x)", "self.config.mode", "net.config.mode"),
        ("loss = self.net(x).mean()", "self.mode", "self.net.mode"),
        ("loss = self.objective.score(rows, how)", "limit", "how"),
        ('net(x, batch["mode"][0])', "scale", 'batch["mode"][0]'),
        ("net(x, options)", "scale.mode", "options.mode"),
    ],
)
def test_a_mode_that_comes_seldom_runs_uncompiled(
    tmp_path: Path, call: str, name: str, mode: str
) -> None:
    lines = f"for x in data():\n    {call}\n"
    source, _, changed = proposed_for_mode(tmp_path, lines, call, name)
    stance = f'with torch.compiler.set_stance("default" if {mode} == "fast" else "force_eager"):'
    expected = source.replace(f"    {call}", f"    {stance}\n        {call}")
    assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(expected))


@pytest.mark.parametrize(
    ("call", "name", "words"),
    [
        ("net(next(rows), mode_at(step))", "scale", "what changes is no flag"),
        ("net(torch.rand(3), mode_at(step))", "scale", "what changes is no flag"),
        ("net(x, **options)", "scale", "what changes is no flag"),
        ("net[0](x)", "self.mode", "what changes is no flag"),
        ("[net(x, mode) for x in y]", "fn[0].mode", "what changes is no flag"),
        ("yield net(x, mode)", "scale", "what changes is no flag"),
        ("net(x, mode).sum().backward()", "scale", "what changes is no flag"),
    ],
)
def test_a_mode_that_the_call_does_not_show_is_left(
    tmp_path: Path, call: str, name: str, words: str
) -> None:
    lines = f"\n\ndef run(x):\n    {call}\n\n\nrun(1)\n"
    _, proposal, _ = proposed_for_mode(tmp_path, lines, call, name)
    assert words in proposal.refusal


def test_a_mode_that_is_made_in_the_call_is_kept_in_a_variable(tmp_path: Path) -> None:
    lines = "for step in range(9):\n    y = net(x.mean(1), mode_at(step))\n"
    source, _, changed = proposed_for_mode(tmp_path, lines, "net(x.mean(1)", "scale")
    expected = source.replace(
        "    y = net(x.mean(1), mode_at(step))\n",
        "    scale = mode_at(step)\n"
        '    with torch.compiler.set_stance("default" if scale == "fast" else "force_eager"):\n'
        "        y = net(x.mean(1), scale)\n",
    )
    assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(expected))


@pytest.mark.parametrize(
    ("other", "is_kept"), [("x", True), ("x.mean(1)", False), ("batch['x']", True)]
)
def test_a_mode_by_chance_is_made_first_where_nothing_else_is_made(
    tmp_path: Path, other: str, *, is_kept: bool
) -> None:
    # GIVEN an argument that asks for a random number, beside one that may do so too
    lines = f"for step in range(9):\n    y = net({other}, random.choice(MODES))\n"
    _, proposal, changed = proposed_for_mode(tmp_path, lines, "y = net(", "scale")
    assert bool(proposal.patches) == is_kept
    assert ("scale = random.choice(MODES)" in str(changed.get("train.py"))) == is_kept


@pytest.mark.parametrize("passed", ["**options", "board=x, **options"])
def test_a_mode_among_options_is_read_from_them(tmp_path: Path, passed: str) -> None:
    source = (
        "import torch\nfrom model import rate\n\nf = torch.compile(rate)\n"
        f"for x in data():\n    f(x, {passed})\n"
    )
    guard = Guard("late", "value", "0/0", expected="False")
    _, changed = proposed(
        tmp_path, {"train.py": source}, "CA703", "context['late']", ["f(x"] * 2, guard
    )
    if "board" in passed:
        assert changed == {}  # by name some of it may be given apart
        return
    stance = '"default" if options["late"] is False else "force_eager"'
    expected = source.replace(
        "    f(x", f"    with torch.compiler.set_stance({stance}):\n        f(x"
    )
    assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(expected))


def test_a_number_that_changes_gets_no_eager_calls(tmp_path: Path) -> None:
    """All values but the first would run uncompiled, for good."""
    source = "import torch\nfrom model import score\n\nf = torch.compile(score)\nf(x, size)\n"
    guard = Guard("limit == 4", "value", "0/0", expected="4")
    proposal, changed = proposed(
        tmp_path, {"train.py": source}, "CA703", "limit", ["f(x"] * 2, guard
    )
    assert changed == {}
    assert proposal.refusal


@pytest.mark.parametrize(
    ("code", "guard", "call", "test"),
    [
        (
            "CA711",
            Guard("'w' in x", "membership", "0/0", expected="no 'w'"),
            "net(batch)",
            '"w" not in batch',
        ),
        (
            "CA710",
            Guard("len(x) == 2", "length", "0/0", expected="2"),
            "net(rows)",
            "len(rows) == 2",
        ),
        (
            "CA707",
            Guard("t", "type", "0/0", expected="<class 'data.Labelled'>"),
            "y = net(batch)",
            'type(batch).__name__ == "Labelled"',
        ),
        (
            "CA708",
            Guard("r", "rank", "0/0", expected="2", actual="1"),
            "net(rows)",
            "rows.ndim == 2",
        ),
        (
            "CA709",
            Guard("r", "rank", "0/0", expected="2", actual="1"),
            "net(rows)",
            "rows.ndim == 2",
        ),
    ],
)
def test_a_kind_that_comes_seldom_runs_uncompiled(
    tmp_path: Path, code: str, guard: Guard, call: str, test: str
) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
        f"for batch in data():\n    {call}\n    y.sum()\n"
    )
    _, changed = proposed(tmp_path, {"train.py": source}, code, "x", [call] * 2, guard)
    stance = f'with torch.compiler.set_stance("default" if {test} else "force_eager"):'
    expected = source.replace(f"    {call}", f"    {stance}\n        {call}")
    assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(expected))


def test_a_line_that_makes_what_differs_is_no_call_to_run_uncompiled(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom data import clip\nfrom model import Net\n\n"
        "net = torch.compile(Net())\nx = clip()\nnet(x)\n"
    )
    data = "import torch\n\n\ndef clip():\n    return torch.rand(4)\n"
    files = {"train.py": source, "data.py": data}
    guard = Guard("r", "rank", "0/0", expected="2", actual="1")
    line = Frame(str(tmp_path / "data.py"), 5, "clip", "")
    _, changed = proposed(tmp_path, files, "CA709", "x", ["net(x)"] * 2, guard, to_edit=line)
    stance = 'with torch.compiler.set_stance("default" if x.ndim == 2 else "force_eager"):'
    assert changed == {"train.py": source.replace("\nnet(x)", f"\n{stance}\n    net(x)")}


def test_a_list_that_the_forward_adds_to_is_hardly_ever_as_it_was(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
        "for batch in data():\n    net(batch)\n"
    )
    grown = TextFrame("model.py", 9, "forward", "self.seen.append(x.mean())")
    guard = Guard("not self.seen", "length", "0/0", "self.seen", expected="0", place=grown)
    proposal, changed = proposed(
        tmp_path, {"train.py": source}, "CA710", "self.seen", ["net(batch)"] * 2, guard
    )
    assert changed == {}
    assert "another one in most calls" in proposal.refusal


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


def test_what_grows_all_the_time_is_left(tmp_path: Path) -> None:
    source = "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\nnet(rows)\n"
    guard = Guard("len(x) == 2", "length", "0/0", expected="2")
    program = {"train.py": source}
    proposal, _ = proposed(tmp_path, program, "CA710", "x", ["net(rows)"] * 2, guard)
    assert proposal.patches
    guards = [
        replace(
            guard,
            source="x",
            failed=f"0/{compiled}",
            expected=str(compiled + 2),
            actual=str(compiled + 3),
        )
        for compiled in range(3)
    ]
    proposal, _ = proposed(tmp_path, program, "CA710", "x", ["net(rows)"] * 4, guard, guards)
    assert "another one in most calls" in proposal.refusal


@pytest.mark.parametrize(
    ("made", "last", "is_full"),
    [
        ("x = collections.deque(maxlen=4)", 4, True),
        ("x: deque[torch.Tensor] = deque(maxlen=4)", 4, True),
        ("x = []\ndel x[:-4]", 4, True),
        ("MOST = 4\nif len(x) > MOST:\n    x.pop(0)", 4, True),
        ("x = collections.deque(maxlen=9)", 4, False),
        ("x = [4]", 4, False),
    ],
)
def test_what_fills_is_compiled_once_it_is_full(
    tmp_path: Path, made: str, last: int, is_full: bool
) -> None:
    source = f"import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n{made}\nnet(x)\n"
    guards = [
        Guard("", "length", f"0/{compiled}", "x", expected=str(length), actual=str(length + 1))
        for compiled, length in enumerate(range(last - 3, last))
    ]
    proposal, changed = proposed(
        tmp_path, {"train.py": source}, "CA710", "x", ["net(x)"] * 4, guards[0], guards
    )
    if is_full:
        stance = 'with torch.compiler.set_stance("default" if len(x) == 4 else "force_eager"):'
        assert changed["train.py"] == source.replace("\nnet(x)", f"\n{stance}\n    net(x)")
    else:
        assert "another one in most calls" in proposal.refusal


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
    ("run", "words"),
    [
        ("def run(rows):\n    return score(rows, 2)\n\n\nanswer = torch.compile(run)\n", "itself"),
        ("@torch.compile\ndef run(rows):\n    return score(rows, 2)\n", "itself"),
        ("made = [score(rows, 2) for rows in data()]\n", "several times in one line"),
    ],
)
def test_no_stance_is_set_in_what_is_compiled_or_for_a_part_of_a_line(
    tmp_path: Path, run: str, words: str
) -> None:
    source = f"import torch\nfrom model import score\n\n\n{run}"
    guard = Guard("rank", "rank", "0/0", expected="2", actual="1")
    sites = ["score(rows, 2)"] * 2
    proposal, _ = proposed(tmp_path, {"train.py": source}, "CA710", "rows", sites, guard)
    assert words in proposal.refusal


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


@pytest.mark.parametrize(
    ("second", "words"), [("{b, a}", ""), ("{b}", "adds the key"), ("{a, b}", "adds the key")]
)
def test_keys_of_another_order_are_sorted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str, words: str
) -> None:
    source = "import torch\nfrom model import score\n\nscore(rows, 1)\n"
    guard = Guard("keys", "keys", "0/0", source="rows")
    monkeypatch.setattr(GuardedThing, "values", ("{a, b}", second))
    files = {"train.py": source}
    sites = ["score(rows"] * 2
    proposal, changed = proposed(tmp_path, files, "CA711", "rows", sites, guard)
    if words:
        assert words in proposal.refusal
        return
    assert changed["train.py"] == source.replace("(rows", "(dict(sorted(rows.items()))")


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


def test_keys_of_another_order_beside_other_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import torch\nfrom model import score\n\nscore(rows, 1)\n"
    keys = {"0/1": ("b", "a"), "0/2": ("a", "b", "c"), "0/3": ("a", "b")}

    def held(found: RecompileFacts) -> Held:
        own = keys[found.compiled.compile_id]
        return Held(type="dict", length=len(own), keys=own)

    monkeypatch.setattr(RecompileFacts, "held", property(held))
    guards = [
        Guard(f"len(rows) == {before}", "length", f"0/{number}", "rows", expected=before)
        for number, before in enumerate("223")
    ]
    files, sites = {"train.py": source}, ["score(rows"] * 4
    proposal, changed = proposed(tmp_path, files, "CA711", "rows", sites, guards[0], guards)
    assert proposal.refusal == ""
    assert changed["train.py"] == source.replace(
        "score(rows, 1)",
        'with torch.compiler.set_stance("default" if len(rows) == 2 else "force_eager"):\n'
        "    score(dict(sorted(rows.items())), 1)",
    )
