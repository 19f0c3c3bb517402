"""Calls that differ seldom run uncompiled."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_engine.tracebacks import TextFrame
from ca_reports.facts.events import RecompileFacts
from ca_reports.facts.guarded_things import GuardedThing
from ca_reports.run.held import Held
from ca_reports.run.model import Frame
from tests.unit.reports.patching.passed import proposed

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.patching.patches import Proposal

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


def test_what_a_batch_has_at_times_is_asked_of_it(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
        "for batch in data():\n    y = net(**batch)\n"
    )
    guard = Guard("scale is None", "value", "0/0", expected="None")
    _, changed = proposed(tmp_path, {"train.py": source}, "CA703", "scale", ["net("] * 2, guard)
    assert '"default" if batch.get("scale") is None else "force_eager"' in changed["train.py"]


@pytest.mark.parametrize(
    ("begin", "then", "test"),
    [
        ("state = None", "y, state = net(x, state)", "state is not None"),
        ("total, state = 0, None", "state = net(x, state)[1]", "state is not None"),
        ("state: Tensor | None = None", "y, state = net(x, state)", "state is not None"),
        ("state = None", "y = net(x, state)\n        state = y.last", "state is not None"),
        ("state = None", "y = net(x, state)", "state is None"),
        ("state = start()", "y, state = net(x, state)", "state is None"),
        (
            "state = None",
            "if x:\n            state = None\n        y = net(x, state)",
            "state is None",
        ),
    ],
)
def test_the_first_round_of_a_loop_runs_uncompiled(
    tmp_path: Path, begin: str, then: str, test: str
) -> None:
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
        f"for epoch in range(3):\n    {begin}\n    for x in data():\n        {then}\n"
    )
    guard = Guard("scale is None", "value", "0/0", expected="None")
    sites = ["net(x, state)"] * 2
    _, changed = proposed(tmp_path, {"train.py": source}, "CA703", "scale", sites, guard)
    assert f'"default" if {test} else "force_eager"' in changed["train.py"]


@pytest.mark.parametrize(
    ("call", "name", "words"),
    [
        ("net(next(rows), mode_at(step))", "scale", "the value isn't a flag"),
        ("net(torch.rand(3), mode_at(step))", "scale", "the value isn't a flag"),
        ("net(x, **options)", "scale", "the value isn't a flag"),
        ("net[0](x)", "self.mode", "the value isn't a flag"),
        ("[net(x, mode) for x in y]", "fn[0].mode", "the value isn't a flag"),
        ("yield net(x, mode)", "scale", "the value isn't a flag"),
        ("net(x, mode).sum().backward()", "scale", "the value isn't a flag"),
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
        (
            "CA708",
            Guard("d", "dtype", "0/0", expected="Float", actual="Long"),
            "net(rows)",
            "rows.is_floating_point()",
        ),
        (
            "CA708",
            Guard("d", "dtype", "0/0", expected="Long", actual="Float"),
            "net(rows)",
            "not rows.is_floating_point()",
        ),
        (
            "CA707",
            Guard("t", "type", "0/0", expected="a tensor type", actual="<class 'int'>"),
            "net(time)",
            "torch.is_tensor(time)",
        ),
        (
            "CA709",
            Guard("r", "rank", "0/0", expected="2", actual="1"),
            "y = [net(rows) for _ in range(3)]",
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


STAGE = Guard("___check_obj_id(scale, 7), type=<enum 'Stage'>", "identity", "0/0", expected=None)


@pytest.mark.parametrize(("later", "is_patched"), [(("TEST",), True), (("TEST", "VALID"), False)])
def test_the_one_member_that_comes_later_runs_uncompiled(
    tmp_path: Path, later: tuple[str, ...], is_patched: bool
) -> None:
    source = (
        "import torch\nfrom model import Net\nfrom stages import Stage\n\n"
        "net = torch.compile(Net())\n\n\ndef evaluate(x, stage):\n    return net(x, stage)\n\n\n"
        "net(x, Stage.TRAIN)\nnet(x, Stage.TEST)\n"
    )
    guards = [replace(STAGE, actual=one) for one in later]
    calls = ["net(x, stage)"] * (len(later) + 1)
    proposal, changed = proposed(
        tmp_path, {"train.py": source}, "CA703", "scale", calls, STAGE, guards
    )
    assert bool(proposal.patches) is is_patched
    if is_patched:
        stance = 'torch.compiler.set_stance("default" if stage.name != "TEST" else "force_eager")'
        never = 'torch.compiler.set_stance("force_eager")'
        expected = source.replace(
            "    return net", f"    with {stance}:\n        return net"
        ).replace("net(x, Stage.TEST)", f"with {never}:\n    net(x, Stage.TEST)")
        assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(expected))


@pytest.mark.parametrize(
    ("call", "stance"),
    [
        ("net(x, None)", ""),
        ("net(x, scale='off')", "force_eager"),
        ("net(x)", "force_eager"),  # by its default, 1.0
    ],
)
def test_a_call_whose_value_is_written_there_is_asked_nothing(
    tmp_path: Path, call: str, stance: str
) -> None:
    source = (
        f"import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n{call}\nnet(x, y)\n"
    )
    guard = Guard("scale is None", "value", "0/0", expected="None")
    sites = [call, "net(x, y)"]
    _, changed = proposed(tmp_path, {"train.py": source}, "CA703", "scale", sites, guard)
    asked = 'with torch.compiler.set_stance("default" if y is None else "force_eager"):'
    expected = source.replace("net(x, y)", f"{asked}\n    net(x, y)")
    if stance:
        under = f'with torch.compiler.set_stance("{stance}"):'
        expected = expected.replace(f"\n{call}\n", f"\n{under}\n    {call}\n")
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


def test_what_an_object_makes_in_the_first_call_is_compiled_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GuardedThing, "values", ("None", "a tensor"))
    guard = Guard("self.mask", "type", "0/0", expected="<class 'NoneType'>")
    source = (
        "import torch\nfrom model import Net\n\nnet = torch.compile(Net())\n"
        "for x in data():\n    y = net(x)\n"
    )
    files, sites = {"train.py": source}, ["y = net(x)"] * 2
    _, changed = proposed(tmp_path, files, "CA703", "self.mask", sites, guard)
    stance = '"default" if net.mask is not None else "force_eager"'
    expected = source.replace(
        "    y = net(x)", f"    with torch.compiler.set_stance({stance}):\n        y = net(x)"
    )
    assert ast.dump(ast.parse(changed["train.py"])) == ast.dump(ast.parse(expected))
