"""CA111, CA112, CA202, CA301, CA502: what is done in some steps only, done in all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import SharedSetting, TorchsHooks
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Frame
from tests.unit.reports.patching.programs import (
    every,
    finding_of,
    in_step,
    line_of,
    patched,
    program_of,
    refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.remedies import Edit
    from ca_reports.patching.patches import Proposal


# A hook that only overwrites what it stored.
LOOKS = "\n\ndef f(grad):\n    last[0] = grad\n"


def test_autocast_is_on_in_every_step_or_in_none(tmp_path: Path) -> None:
    source = in_step('with torch.autocast("cpu", enabled=step > 3):', "    loss = model(x)")
    found = every(
        "CA112", tmp_path, {"train.py": source}, "autocast", detail=SharedSetting(("autocast",))
    )
    assert [one["train.py"] for one in found] == [
        source.replace("step > 3", value) for value in ("True", "False")
    ]


def test_other_global_state_is_left(tmp_path: Path) -> None:
    assert "num_threads differs" in refusal(
        "CA112", tmp_path, in_step("f()"), detail=SharedSetting(("num_threads",))
    )


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("CA205", "model.train({})"),
        ("CA112", "torch.use_deterministic_algorithms({})  # both"),
    ],
)
def test_a_mode_is_the_same_in_every_step(tmp_path: Path, code: str, call: str) -> None:
    source = in_step(call.format("step < 2"))
    detail = SharedSetting(("deterministic_algorithms",))
    found = every(code, tmp_path, {"train.py": source}, "step < 2", detail=detail)
    assert [one["train.py"] for one in found] == [
        in_step(call.format(value)) for value in ("True", "False")
    ]


def test_a_hook_is_registered_and_removed_in_every_step(tmp_path: Path) -> None:
    watched = ("if watched:", "    handle = x.register_hook(f)", "g(x).backward()")
    source = in_step(*watched, "if watched:", "    handle.remove()") + LOOKS
    at = Frame(str(tmp_path / "train.py"), line_of(source, "register_hook"), "", "")
    changed = patched("CA301", tmp_path, source, location=at)
    expected = in_step("handle = x.register_hook(f)", "g(x).backward()", "handle.remove()")
    assert changed == expected + LOOKS


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("if step:", "    loss = loss + extra(x)"),
         ("loss = loss + float(bool(step)) * extra(x)",)),
        (("if a and b:", "    loss += c + d  # e"),
         ("loss += float(bool(a and b)) * (c + d)  # e",)),
        (
            ("if step:", "    loss = f(x)", "else:", "    loss = 1 + g(x)"),
            (
                "share = float(bool(step))",
                "loss = share * f(x)",
                "loss = loss + (1 - share) * (1 + g(x))",
            ),
        ),
    ],
)  # fmt: skip
def test_a_branch_is_multiplied(
    tmp_path: Path, lines: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    changed = patched("CA202", tmp_path, in_step(*lines), lines[0])
    assert changed == in_step(*expected)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # A side of 0, on either side, and a choice of two.
        (("loss = loss + (extra(x) if step else 0)",),
         "loss = loss + (float(bool(step)) * (extra(x)))"),
        (("loss += 0.0 if step > 2 else extra",), "loss += (float(not (step > 2)) * extra)"),
        (
            ("loss = f(x) if draw() < 0.5 else g(x)",),
            "loss = ((share := float(draw() < 0.5)) * (f(x)) + (1 - share) * (g(x)))",
        ),
        (("share = 1", "loss = a if step else b  # here"),
         "share = 1\n"
          "    loss = ((is_early := float(bool(step))) * a + (1 - is_early) * b)  # here"),
    ],
)  # fmt: skip
def test_a_choice_in_a_line_is_a_sum(tmp_path: Path, lines: tuple[str, ...], expected: str) -> None:
    assert patched("CA202", tmp_path, in_step(*lines), "if ") == in_step(expected)


def test_what_is_none_in_some_steps_is_not_computed_with(tmp_path: Path) -> None:
    source = in_step("if spread is not None:", "    loss = loss + likelihood(spread)")
    assert "spread is None in some steps" in refusal("CA202", tmp_path, source, "if spread")


EARLY = """\
import torch


def loss_of(model, x, y):
    if draw() > 0.5:  # plain
        return f(model(x), y)
    {rest}


model = torch.nn.Tanh()
for step in range(9):
    loss_of(model, x, y).backward()
"""


@pytest.mark.parametrize(
    ("loop", "test", "left"),
    [
        ("for i in range(depth, 0, -1):", "if i == depth:", True),
        ("for i in range(len(layers)):", "if i != len(layers) - 1:", True),
        ("for i, layer in enumerate(layers):", "if i == active:", False),
    ],
)
def test_the_place_in_a_loop_is_no_branch_of_some_steps(
    tmp_path: Path, loop: str, test: str, left: bool
) -> None:
    source = (
        "import torch\n\n\ndef forward(x, depth, layers, active):\n"
        f"    {loop}\n        x = layers[i](x)\n        {test}\n            x = x + other(x)\n"
        "    return x\n"
    )
    if left:
        told = refusal("CA202", tmp_path, source, test)
        assert "depends on the place in its loop" in told
    else:
        assert "float(i == active) * other(x)" in patched("CA202", tmp_path, source, test)


@pytest.mark.parametrize(
    ("rest", "last", "is_drawn"),
    [
        ("return g(model(x))", "return share * early + (1 - share) * (g(model(x)))", False),
        (
            "other = torch.randn_like(x)\n    return g(other)",
            "other = torch.randn_like(x)\n    return share * early + (1 - share) * (g(other))",
            True,
        ),
        (
            "y = 1 - y\n    x += y\n    return f(x, y) + 1",
            "y = 1 - y\n    x += y\n    return share * early + (1 - share) * (f(x, y) + 1)",
            False,
        ),
    ],
)
def test_an_early_return_is_a_sum_of_both(
    tmp_path: Path, rest: str, last: str, is_drawn: bool
) -> None:
    source = EARLY.format(rest=rest)
    program = program_of(tmp_path, {"train.py": source})
    finding = finding_of("CA202", tmp_path, ("train.py", line_of(source, "if draw()")))
    (patch,) = propose_for(finding, program).patches
    assert ("random numbers" in patch.intention) is is_drawn
    assert applied({"train.py": source}, [patch])["train.py"] == EARLY.format(rest=last).replace(
        "if draw() > 0.5:  # plain\n        return f(model(x), y)",
        "# plain\n    share = float(draw() > 0.5)\n    early = f(model(x), y)",
    )


def test_of_two_tuples_what_differs_is_a_sum(tmp_path: Path) -> None:
    source = """\
def distances(self, head, tail, side):
    true = self.distance(head, tail)
    if side == "tail":
        return true, self.distance(head, self.wrong)
    return true, self.distance(self.wrong, tail)


def distance(self, one, other):
    return (one - other).norm()
"""
    changed = patched("CA211", tmp_path, source, "if side")
    assert changed == source.replace(
        """    if side == "tail":
        return true, self.distance(head, self.wrong)
    return true, self.distance(self.wrong, tail)
""",
        """    share = float(side == "tail")
    early = self.distance(head, self.wrong)
    return true, share * early + (1 - share) * (self.distance(self.wrong, tail))
""",
    )


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("log(y)\n    return g(x)", "returns early from more than formulas"),
        ("g(x)", "returns on one side only"),
        ("return None", "chooses None"),
        ("return x, y", "no tensors"),
    ],
)
def test_an_early_return_from_more_is_left(tmp_path: Path, rest: str, words: str) -> None:
    assert words in refusal("CA202", tmp_path, EARLY.format(rest=rest), "if draw()")


def test_comments_of_a_branch_stay(tmp_path: Path) -> None:
    source = in_step("if step:", "    loss = f(x)  # warm", "else:", "    loss = g(x)  # cold")
    changed = patched("CA202", tmp_path, source, "if step:")
    assert "    # warm\n    # cold\n    share = float(bool(step))\n" in changed


def test_no_branch_is_where_the_script_begins(tmp_path: Path) -> None:
    source = 'if __name__ == "__main__":\n    loss.backward()\n'
    assert "no branch is on the line" in refusal("CA202", tmp_path, source)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("if step:", "    new = extra(x)"), "new is not set before"),
        (("if step:", "    loss = loss + 1", "    print(2)"), "does more"),
        (("if step:", "    loss.backward()", "else:", "    other = g(x)"), "does more"),
        (("if step:", "    loss = f(x)", "elif y:", "    loss = g(x)"), "more than two sides"),
        (("if step:", "    x.f = x.f + 1"), "does more"),
        (("if step:", "    for one in x:", "        loss = loss + one"), "does more"),
        (("if step:", "    x = None"), "chooses None"),
    ],
)
def test_a_branch_that_does_more_is_left(
    tmp_path: Path, lines: tuple[str, ...], words: str
) -> None:
    assert words in refusal("CA202", tmp_path, in_step(*lines), lines[0])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ("if step % 2:", "    loss = extra(loss)  # why"),
            (
                "# why",
                "loss = torch.where(torch.tensor(bool(step % 2), device=loss.device), "
                "extra(loss), loss)",
            ),
        ),
        (
            ("if random() < 0.5:", "    more = f(x)", "    loss = loss * more"),
            (
                "is_taken = torch.tensor(bool(random() < 0.5), device=loss.device)",
                "more = f(x)",
                "loss = torch.where(is_taken, loss * more, loss)",
            ),
        ),
        (
            ("for one in layers:", "    if skip():", "        continue", "    loss = one(loss)"),
            (
                "for one in layers:",
                "    loss = torch.where(torch.tensor(not (skip()), device=loss.device), "
                "one(loss), loss)",
            ),
        ),
    ],
)
def test_a_branch_is_chosen_in_every_step(
    tmp_path: Path, lines: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    source = in_step("x=1", *lines)
    changed = patched("CA202", tmp_path, source, "if ")
    assert changed == in_step("x=1", *expected)


HOOKED = """\
def scale(grad):
    last[0] = grad

def attach(model):
    for module in model:
        if isinstance(module, Linear):
            module.weight.register_hook(scale)

for step in range(9):
    if step % 2:
        attach(model)  # here
    model(x).backward()
"""


def test_the_call_that_registers_a_hook_loses_its_condition(tmp_path: Path) -> None:
    program = program_of(tmp_path, {"train.py": HOOKED})
    registered = Frame(str(tmp_path / "train.py"), line_of(HOOKED, "register"), "", "")
    backward = ("train.py", line_of(HOOKED, ".backward("))
    finding = finding_of("CA301", tmp_path, backward, location=registered)
    proposal = propose_for(finding, program)
    (patch,) = proposal.patches
    assert "every step" in patch.intention
    changed = applied({"train.py": HOOKED}, [patch])["train.py"]
    # Which modules get a hook is no matter of the step.
    assert changed == HOOKED.replace("    if step % 2:\n        attach", "    attach")


def test_a_hook_or_none(tmp_path: Path) -> None:
    source = in_step("handle = x.register_hook(f) if step else None") + LOOKS
    program = program_of(tmp_path, {"train.py": source})
    frames = [("train.py", line_of(source, word)) for word in (".backward(", "register")]
    (patch,) = propose_for(finding_of("CA301", tmp_path, *frames), program).patches
    assert [one.text for one in patch.replacements] == ["x.register_hook(f)"]


ASKED = """\
class Watch:
    def before(self, hidden, step):
        if step % self.every == 0:
            hidden.{call}


def train():
    for step in range(9):
        hidden = body(x)
        {caller}
        head(hidden).sum().backward()
"""


def asked(tmp_path: Path, call: str, caller: str) -> tuple[str, Proposal]:
    source = ASKED.format(call=call, caller=caller)
    location = Frame(str(tmp_path / "train.py"), line_of(source, f"hidden.{call}"), "", "")
    backward = ("train.py", line_of(source, ".backward("))
    finding = finding_of("CA301", tmp_path, backward, location=location)
    return source, propose_for(finding, program_of(tmp_path, {"train.py": source}))


def test_a_condition_in_a_function_that_every_step_calls(tmp_path: Path) -> None:
    source, proposal = asked(tmp_path, "retain_grad()", "watch.before(hidden, step)")
    (patch,) = proposal.patches
    assert "every step" in patch.intention
    assert applied({"train.py": source}, [patch])["train.py"] == source.replace(
        "        if step % self.every == 0:\n            hidden", "        hidden"
    )


@pytest.mark.parametrize(
    ("call", "caller"),
    [
        # It may be a parameter, whose hooks would add up.
        ("register_hook(print)", "watch.before(hidden, step)"),
        ("retain_grad()", "watch.before(hidden, step); watch.before(x, step)"),
    ],
)
def test_a_condition_in_a_function_is_left(tmp_path: Path, call: str, caller: str) -> None:
    _, proposal = asked(tmp_path, call, caller)
    assert not proposal.patches
    assert "on what condition" in proposal.refusal


def test_the_layout_is_the_same_in_every_step(tmp_path: Path) -> None:
    source = in_step("if step:", "    x = x.to(memory_format=torch.channels_last)  # nhwc")
    never, always = every("CA111", tmp_path, {"train.py": source}, "memory_format")
    assert always["train.py"] == in_step("x = x.to(memory_format=torch.channels_last)  # nhwc")
    assert never["train.py"] == in_step("pass").replace("    pass\n", "")
    switched = in_step("if step > 3:", "    model.norm.eval()")
    never, always = every("CA205", tmp_path, {"train.py": switched}, ".eval()")
    assert always["train.py"] == in_step("model.norm.eval()")
    left = in_step("if step:", "    x = load()")
    assert "what changes the layout" in refusal("CA111", tmp_path, left, "load()")


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        (
            "CA301",
            "x = checkpoint(f, x, use_reentrant=False) if big else f(x)",
            ["x = f(x)", "x = checkpoint(f, x, use_reentrant=False)"],
        ),
        ("CA502", "x = checkpoint(f, x, *rest, use_reentrant=False)", ["x = f(x, *rest)"]),
        ("CA507", "x = checkpoint(f, x, use_reentrant=True)", ["x = f(x)"]),
    ],
)
def test_a_checkpoint_in_every_step_or_in_none(
    tmp_path: Path, code: str, line: str, expected: list[str]
) -> None:
    found = every(
        code, tmp_path, {"train.py": in_step(line)}, "checkpoint(", detail=TorchsHooks("checkpoint")
    )
    assert [one["train.py"] for one in found] == [in_step(one) for one in expected]


@pytest.mark.parametrize(
    "made",
    [
        "run = partial(checkpoint, use_reentrant=True)",
        "self.run = partial(checkpoint, **options)",
        "run: Any = partial(checkpoint, preserve_rng_state=False)",
    ],
)
@pytest.mark.parametrize("code", ["CA502", "CA507"])
def test_a_checkpoint_by_partial(tmp_path: Path, made: str, code: str) -> None:
    source = in_step(made, "x = run(block, *inputs)").replace(
        "import torch\n", "from functools import partial\n\nimport torch\n"
    )
    changed = patched(code, tmp_path, source, "run(block")
    assert changed == source.replace("run(block, *inputs)", "block(*inputs)")


def test_a_checkpoint_by_a_flag_elsewhere_is_left(tmp_path: Path) -> None:
    source = in_step("x = checkpoint(f, x, use_reentrant=False)")
    assert "no condition here" in refusal(
        "CA301", tmp_path, source, "checkpoint(", detail=TorchsHooks("checkpoint")
    )
    named = in_step("x = checkpoint(f, x=x, use_reentrant=False)")
    assert "by name" in refusal("CA502", tmp_path, named, "checkpoint(", key="checkpoint")


ENTERED = """\
from contextlib import contextmanager, nullcontext


def store(grad):
    last[0] = grad


@contextmanager
def recording(layer):
    handle = layer.register_hook(store)
    yield
    handle.remove()


for step in range(9):
    with {choice}:
        loss.backward()
"""


@pytest.mark.parametrize(
    "choice",
    [
        "recording(layer) if step % 5 == 4 else nullcontext()",
        "nullcontext() if step else recording(layer)",
    ],
)
def test_the_context_of_a_hook_is_entered_in_every_step(tmp_path: Path, choice: str) -> None:
    changed = patched("CA301", tmp_path, ENTERED.format(choice=choice), "register_hook")
    assert changed == ENTERED.format(choice="recording(layer)")


SEGMENTS = """\
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential


class Deep(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = {made}

    def forward(self, x):
        return checkpoint_sequential({given}, use_reentrant=True)
"""


def test_a_sequential_runs_whole(tmp_path: Path) -> None:
    source = SEGMENTS.format(made="nn.Sequential(*layers)", given="self.layers, 2, x + 1")
    changed = patched("CA507", tmp_path, source, "return checkpoint")
    assert "return self.layers(x + 1)\n" in changed


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("nn.ModuleList(layers)", "self.layers, 2, x"),
        ("list(layers)", "self.layers, 2, x"),
        ("nn.Sequential(*layers)", "[*self.layers], 2, x"),
        ("nn.Sequential(*layers)", "*self.parts(x)"),
    ],
)
def test_layers_that_may_be_a_list_are_left(tmp_path: Path, made: str, given: str) -> None:
    source = SEGMENTS.format(made=made, given=given)
    assert refusal("CA507", tmp_path, source, "return checkpoint")


MADE_ONCE = """\
from contextlib import contextmanager, nullcontext


def store(grad):
    last[0] = grad


class Recorder:
    def __enter__(self):
        self.handle = layer.register_hook(store)

    def __exit__(self, *exc):
        self.handle.remove()


recorder = Recorder()
for step in range(9):
    watched = {choice}
    with watched:
        loss.backward()
"""


def test_the_context_that_is_made_once_is_entered_in_every_step(tmp_path: Path) -> None:
    source = MADE_ONCE.format(choice="recorder if step % 5 == 4 else nullcontext()")
    changed = patched("CA301", tmp_path, source, "register_hook")
    assert changed == MADE_ONCE.format(choice="recorder")
    twice = source.replace("recorder = ", "recorder = other()\nrecorder = ")
    assert refusal("CA301", tmp_path, twice, "register_hook")


def test_the_context_of_a_generator_is_entered_once_only(tmp_path: Path) -> None:
    source = ENTERED.format(choice="made if step % 5 == 4 else nullcontext()")
    source = source.replace("for step", "made = recording(layer)\nfor step")
    assert refusal("CA301", tmp_path, source, "register_hook")


EVALUATED = """\
def evaluate(policy, step):
    if step % 3:
        return
    policy.eval()
    score = policy(data).mean()
    {last}


def train(policy):
    for step in range(9):
        policy(data).backward()
        evaluate(policy, step)
"""


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("scores.append(score)", "scores.append(score)\n    policy.train(was_training)"),
        ("return score", "policy.train(was_training)\n    return score"),
    ],
)
def test_an_evaluation_gives_the_mode_back(tmp_path: Path, last: str, expected: str) -> None:
    changed = patched("CA205", tmp_path, EVALUATED.format(last=last), "policy.eval()")
    assert changed == EVALUATED.format(last=expected).replace(
        "    policy.eval()", "    was_training = policy.training\n    policy.eval()"
    )


@pytest.mark.parametrize("last", ["return policy(score)", "policy.train()"])
def test_a_mode_that_is_needed_to_the_end_is_left(tmp_path: Path, last: str) -> None:
    source = EVALUATED.format(last=last)
    assert "find what changes the mode" in refusal("CA205", tmp_path, source, "policy.eval()")


def test_a_context_around_the_backward_is_entered_in_every_step(tmp_path: Path) -> None:
    source = ENTERED.format(choice="recording(layer) if step % 5 == 4 else nullcontext()")
    changed = patched("CA202", tmp_path, source, "loss.backward()")
    assert changed == ENTERED.format(choice="recording(layer)")


def test_matmul_precision_is_the_same_in_every_step(tmp_path: Path) -> None:
    source = (
        "import torch\n\nfor step in range(9):\n"
        '    torch.set_float32_matmul_precision("highest" if step else "high")\n'
        "    loss.backward()\n"
    )
    detail = SharedSetting(("allow_tf32",))
    found = every("CA112", tmp_path, {"train.py": source}, "set_float32", detail=detail)
    old = '"highest" if step else "high"'
    assert [one["train.py"] for one in found] == [
        source.replace(old, '"highest"'),
        source.replace(old, '"high"'),
    ]


PASSED = """\
import contextlib


def note(*seen):
    last[0] = seen


class Watch:
    @contextlib.contextmanager
    def module(self, module, {parameter}):
{body}


def train(watch, data):
    for step, x in enumerate(data):
        with watch.module(net[2], {given}):
            loss = net(x).sum()
        loss.backward()
"""
GUARDED = """\
        if not enabled:
            yield
            return
        handle = module.register_hook(note)
        yield
        handle.remove()
"""
BY_ANOTHER = (
    GUARDED.replace("note)", "self.after)")
    + """\

    def after(self, module, inputs, output):
        output.register_hook(self.note)  # located
"""
)
AROUND = """\
        if enabled:
            handle = module.register_hook(note)
            yield
            handle.remove()
        else:
            yield
"""
AROUND_ELSE = """\
        if off:
            yield
        else:
            handle = module.register_hook(note)
            yield
            handle.remove()
"""


@pytest.mark.parametrize(
    ("parameter", "body", "given", "wanted"),
    [
        ("enabled", GUARDED, "due(step)", "True"),
        ("enabled=True", GUARDED, "enabled=step % 4 == 0", "enabled=True"),
        ("enabled", AROUND, "due(step)", "True"),
        ("enabled", BY_ANOTHER, "due(step)", "True"),
        ("off", AROUND_ELSE, "step % 4 != 0", "False"),
        ("off", GUARDED.replace("not enabled", "off"), "not due(step)", "False"),
    ],
)
def test_a_flag_that_is_passed_wants_the_hook_in_every_step(
    tmp_path: Path, parameter: str, body: str, given: str, wanted: str
) -> None:
    source = PASSED.format(parameter=parameter, body=body, given=given)
    at = "# located" if "# located" in source else "register_hook"
    changed = patched("CA301", tmp_path, source, at)
    assert changed == PASSED.format(parameter=parameter, body=body, given=wanted)


@pytest.mark.parametrize(
    ("parameter", "body", "given"),
    [
        ("enabled", GUARDED, "True"),
        ("enabled", GUARDED.replace("not enabled", "not enabled or self.off"), "due(step)"),
        ("enabled", GUARDED.replace("            return\n", ""), "due(step)"),
        ("enabled", GUARDED.replace("if not enabled", "if not self.enabled"), "due(step)"),
    ],
)
def test_a_hook_that_no_passed_flag_decides_on_is_left(
    tmp_path: Path, parameter: str, body: str, given: str
) -> None:
    source = PASSED.format(parameter=parameter, body=body, given=given)
    words = "on what condition the hook depends"
    assert words in refusal("CA301", tmp_path, source, "register_hook")


CHOSEN = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x, deep):
        {line}
        return x, half


net = torch.compile(Net())
for step in range(9):
    full, half = net(x, deep={given})
    loss(full, half).backward()
"""


@pytest.mark.parametrize("given", ["config.wanted(step)", "step % 3 != 0"])
def test_a_side_that_is_nothing_is_taken_always_or_never(tmp_path: Path, given: str) -> None:
    line = "half = self.head(x) if deep else None"
    found = every("CA202", tmp_path, {"train.py": CHOSEN.format(line=line, given=given)}, "half =")
    sources = [one["train.py"] for one in found]
    assert sources == [CHOSEN.format(line=line, given=value) for value in ("True", "False")]


@pytest.mark.parametrize(
    ("line", "given"),
    [
        ("half = self.head(x) if deep else None", "True"),
        ("half = self.head(x) if deep and self.training else None", "wanted(step)"),
        ("half = self.head(x) if self.deep else None", "wanted(step)"),
    ],
)
def test_a_side_that_no_passed_flag_decides_on_is_left(
    tmp_path: Path, line: str, given: str
) -> None:
    source = CHOSEN.format(line=line, given=given)
    assert "isn't a tensor" in refusal("CA202", tmp_path, source, "half =")


@pytest.mark.parametrize(
    ("branch", "computed"),
    [
        (
            ("if step % 2 == 0:", "    loss = loss + 0.1 * rough(x)"),
            "loss = loss + float(step % 2 == 0) * 0.1 * rough(x)",
        ),
        (("if late:", "    loss += norm(x)"), "loss += float(bool(late)) * norm(x)"),
    ],
)
def test_the_branch_of_the_loss_is_found_from_another_line_of_it(
    tmp_path: Path, branch: tuple[str, ...], computed: str
) -> None:
    for at in ("loss.backward(", "loss = model"):
        assert patched("CA209", tmp_path, in_step(*branch), at) == in_step(computed)


@pytest.mark.parametrize(
    "branch",
    [
        ("if late:", "    other = loss + norm(x)"),
        ("if late:", "    loss += norm(x)", "if step:", "    loss += penalty(x)"),
        ("pass",),
    ],
)
def test_a_branch_of_something_else_is_left(tmp_path: Path, branch: tuple[str, ...]) -> None:
    words = "no branch is on the line"
    assert words in refusal("CA209", tmp_path, in_step(*branch), "loss.backward(")


def test_an_if_that_chooses_among_modules_stays(tmp_path: Path) -> None:
    source = in_step(
        "if step > 3:",
        "    for norm in model.modules():",
        "        if isinstance(norm, Norm):",
        "            norm.eval()",
    )
    at = Frame(str(tmp_path / "train.py"), line_of(source, "norm.eval()"), "", "")
    assert "find what" in refusal("CA205", tmp_path, source, location=at)


def test_an_if_that_asks_of_what_kind_a_module_is_stays(tmp_path: Path) -> None:
    source = in_step("model.apply(freeze)") + (
        "\n\ndef freeze(module):\n    if isinstance(module, Norm):\n        module.eval()\n"
    )
    at = Frame(str(tmp_path / "train.py"), line_of(source, "module.eval()"), "", "")
    assert "chooses by kind" in refusal("CA205", tmp_path, source, location=at)


WATCH = """\
class Monitor:
    def __init__(self, every):
        self.every, self.step, self.handles = every, 0, []

    def watch(self, layer):
        self.step += 1
        {watched}

    def keep(self, grad):
        self.last = grad

    def end(self):
        for handle in self.handles:
            handle.remove()


for x in loader:
    monitor.watch(model)
    model(x).sum().backward()
    monitor.end()
"""


@pytest.mark.parametrize(
    ("watched", "expected"),
    [
        (
            "if self.step % self.every:\n            return None\n"
            "        return layer.weight.register_hook(self.keep)",
            "return layer.weight.register_hook(self.keep)",
        ),
        (
            "if self.step % self.every == 0:\n"
            "            handle = layer.weight.register_hook(self.keep)\n"
            "            self.handles.append(handle)",
            "handle = layer.weight.register_hook(self.keep)\n        self.handles.append(handle)",
        ),
        (
            "if self.due():\n            for one in layer.parameters():\n"
            "                self.handles.append(one.register_hook(self.keep))",
            "for one in layer.parameters():\n"
            "            self.handles.append(one.register_hook(self.keep))",
        ),
    ],
)
def test_a_hook_that_is_removed_is_registered_in_every_step(
    tmp_path: Path, watched: str, expected: str
) -> None:
    changed = patched("CA301", tmp_path, WATCH.format(watched=watched), "register_hook")
    assert changed == WATCH.format(watched=expected)


def test_what_is_asked_of_each_parameter_is_not_what_the_hooks_depend_on(tmp_path: Path) -> None:
    watched = (
        "{due}for name, one in layer.named_parameters():\n"
        '{more}            if name.endswith("weight"):\n'
        "{more}                self.handles.append(one.register_hook(self.keep))"
    )
    due = "if self.due():\n            "
    source = WATCH.format(watched=watched.format(due=due, more="    "))
    at = Frame(str(tmp_path / "train.py"), line_of(source, "register_hook"), "", "")
    changed = patched("CA301", tmp_path, source, location=at)
    assert changed == WATCH.format(watched=watched.format(due="", more=""))


@pytest.mark.parametrize(
    ("watched", "removed"),
    [
        # One more with each step
        ("if self.due():\n            layer.weight.register_hook(self.keep)", "handle.close()"),
        # More than the hook depends on it
        (
            "if self.step % 5:\n            return\n        self.report()\n"
            "        self.handles.append(layer.weight.register_hook(self.keep))",
            "handle.remove()",
        ),
        (
            "if self.due():\n            self.report()\n"
            "            self.handles.append(layer.weight.register_hook(self.keep))",
            "handle.remove()",
        ),
    ],
)
def test_a_hook_that_more_depends_on_is_left(tmp_path: Path, watched: str, removed: str) -> None:
    source = WATCH.format(watched=watched).replace("handle.remove()", removed)
    assert "on what condition" in refusal("CA301", tmp_path, source, "register_hook")


@pytest.mark.parametrize(
    ("line", "edit", "expected"),
    [
        (
            "weight = torch.from_numpy(share**-0.4)",
            "loss_in_float",
            "weight = torch.from_numpy(share**-0.4).float()",
        ),
        ("weight = torch.from_numpy(share)", "both_branches", "no branch"),
        ("weight = torch.from_numpy(share).half()", "loss_in_float", "goes on with the tensor"),
    ],
)
def test_a_loss_of_arrays_is_computed_in_float32(
    tmp_path: Path, line: str, edit: Edit, expected: str
) -> None:
    source = f"import torch\n\n{line}\nloss = (weight * errors).mean()\nloss.backward()\n"
    if expected.startswith("weight"):
        changed = patched("CA209", tmp_path, source, "from_numpy", edits=(edit,))
        assert changed == source.replace(line, expected)
    else:
        assert expected in refusal("CA209", tmp_path, source, "from_numpy", edits=(edit,))
