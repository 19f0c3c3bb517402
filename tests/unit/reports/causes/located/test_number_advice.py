"""What is said to do about a number, by what the compiled code asks of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import GuardedValue
from tests.unit.reports.causes.located.asked import ASKED, Asked
from tests.unit.reports.causes.located.test_located import EVERY, located, project

if TYPE_CHECKING:
    from pathlib import Path

RULES = "the fix of the rule"


def _marked(source: str) -> str:
    """The program with its lines marked: what is compiled, and what calls it."""
    lines = source.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("def used"))
    lines[at] += "  # compiled"
    lines[-1] += "  # step, change"
    return "# file: train.py\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_advice_is_for_what_is_asked(tmp_path: Path, asked: Asked) -> None:
    files = project(tmp_path, _marked(asked.as_written))
    value = GuardedValue("n", "n", "variable", ("2", "3"), is_whole=asked.given == "step")

    found = located(files, tmp_path, "CA701", detail=value, key="n", fix=RULES)

    assert asked.advised in found.fix


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_text_gets_advice_where_it_is_a_key_only(tmp_path: Path, asked: Asked) -> None:
    files = project(tmp_path, _marked(asked.as_written))
    value = GuardedValue("n", "n", "variable", ("'a'", "'b'"), is_text=True)

    fix = located(files, tmp_path, "CA703", detail=value, key="n", fix=RULES).fix

    assert "`n` as a tensor" not in fix
    assert "`n` can be a tensor" not in fix
    assert "`n` a tensor" not in fix


def _of_settings(tmp_path: Path, call: str, *, known: GuardedValue | None = None) -> str:
    code, text, more = EVERY["a dataclass that is replaced"]
    value = known or GuardedValue("settings.slope", "settings.slope", "attribute", ("0.5", "0.25"))
    text = text.replace("import torch\n", "import torch\n        import torch.nn.functional as F\n")
    text = text.replace("torch.nn.functional.leaky_relu(x, settings.slope)", call)
    more = more | {"key": "settings.slope", "fix": RULES, "detail": value}
    return located(project(tmp_path, text), tmp_path, code, **more).fix


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("F.leaky_relu(x, settings.slope)", "as `torch.where(x > 0, x, slope * x)`"),
        (
            'x / getattr(settings, "slope", 1.0)',
            "make `settings.slope` a tensor where it is set, `torch.tensor(float(…))`: only "
            "arithmetic uses it",
        ),
        (
            "F.cross_entropy(x, y, label_smoothing=settings.slope)",
            "as `(1 - slope) * cross_entropy(x, y) - slope * log_softmax(x, 1).mean()`",
        ),
        ("F.layer_norm(x, (8,), eps=settings.slope)", "`layer_norm` (train.py:7) takes `eps` as"),
        (
            "own.layer(x, eps=settings.slope)",
            "make `settings.slope` a tensor where it is set, `torch.tensor(float(…))`, if `layer` "
            "(train.py:7) accepts a tensor",
        ),
        (
            "x[:, : int(x.shape[1] * (1 - settings.slope))]",
            "`slope` decides a whole number (`int(x.shape[1] * (1 - settings.slope))`",
        ),
        ("x * int(settings.slope)", "`int(settings.slope)` (train.py:7) needs `slope` as a"),
        (
            "F.cross_entropy(x * settings.slope, y)",
            "where it is set, `torch.tensor(float(…))`: only",
        ),
        ("sum(x for _ in range(settings.slope))", "`slope` sets how often a loop runs"),
        ("x * 2", RULES),
    ],
)
def test_a_number_of_an_object(tmp_path: Path, call: str, expected: str) -> None:
    assert expected in _of_settings(tmp_path, call)


def test_a_global_of_another_module_is_read_by_its_name_there(tmp_path: Path) -> None:
    text = """# file: losses.py
WEIGHT = 0.0
def total(fit, kept):
    return fit + WEIGHT * kept
# file: train.py
import losses
import torch
@torch.compile
def used(fit, kept):  # compiled
    return losses.total(fit, kept)
for step in range(9):
    losses.WEIGHT = step / 10  # change
    used(fit, kept)  # step
"""
    value = GuardedValue("G['__import_losses'].WEIGHT", "losses.WEIGHT", "global", ("0.0", "0.1"))

    found = located(
        project(tmp_path, text), tmp_path, "CA702", detail=value, key=value.source, fix=RULES
    )

    # One of whole numbers would be of another dtype than those that follow.
    assert found.fix == (
        "make `losses.WEIGHT` a tensor, `torch.tensor(float(…))`, set to a new tensor where it "
        "changes, not changed in place: only arithmetic uses it"
    )


def test_a_buffer_in_the_place_of_a_number_is_not_saved_and_holds_its_fractions(
    tmp_path: Path,
) -> None:
    of_module = GuardedValue("self.slope", "self.slope", "module", ("0", "0.5"))

    fix = _of_settings(tmp_path, "x * settings.slope", known=of_module)

    assert (
        'make `self.slope` a buffer, `self.register_buffer("slope", torch.tensor(float(…)), '
        "persistent=False)`, set to a new tensor where it changes, not changed in place" in fix
    )


def test_an_object_of_no_module_has_no_buffers(tmp_path: Path) -> None:
    code, text, more = EVERY["what is set by a name that is computed"]
    value = GuardedValue("self.strength", "self.strength", "module", ("0.0", "0.1"))

    fix = located(project(tmp_path, text), tmp_path, code, **more, detail=value, fix=RULES).fix
    of_module = text.replace("class Blur:", "class Blur(torch.nn.Module):")
    other = located(project(tmp_path, of_module), tmp_path, code, **more, detail=value, fix=RULES)

    assert fix.startswith("make `self.strength` a tensor where it is set")
    assert "register_buffer" in other.fix


def test_a_whole_number_of_a_module_may_be_dynamic(tmp_path: Path) -> None:
    of_module = GuardedValue(
        "self._modules['a'].slope", "self.a.slope", "module", ("2", "3"), is_whole=True
    )

    fix = _of_settings(tmp_path, "x[: settings.slope]", known=of_module)

    assert "set `torch._dynamo.config.allow_unspec_int_on_nn_module = True` and compile" in fix


_ANSWERS = """\
import torch

@torch.compile(dynamic=False)
def used(x, n):  # compiled
    return {use}

def main(steps):
    for step in range(steps):
        used(torch.ones(4, 64), step + 3)  # step, change
"""


@pytest.mark.parametrize(
    ("use", "is_first", "is_said"),
    [("x[:, :n].sum()", True, True), ("(x * n).sum()", False, True), ("x[n % 4]", False, False)],
)
def test_what_turned_dynamic_numbers_off_is_dropped(
    tmp_path: Path, use: str, is_first: bool, is_said: bool
) -> None:
    # Measured with torch 2.13.0: of six values five recompiles become one; an index takes each.
    files = project(tmp_path, "# file: train.py\n" + _ANSWERS.format(use=use))
    value = GuardedValue(
        "n", "n", "variable", ("3", "4", "5"), times=2, is_whole=True, is_held_static=True
    )

    static = located(files, tmp_path, "CA701", detail=value, key="n", fix=RULES)
    automatic = located(
        files, tmp_path, "CA701", detail=replace(value, is_held_static=False), key="n", fix=RULES
    )

    assert static.fix.startswith("drop dynamic=False") is is_first
    assert ("drop dynamic=False" in static.fix) is is_said
    assert "drop dynamic=False" not in automatic.fix
    assert ("dynamic_numbers" in static.remedy.edits) is is_said


@pytest.mark.parametrize(
    ("use", "values", "begins", "ends"),
    [
        ("x[:, :n].sum()", ("3", "4"), "to save even that, compile with dynamic=True", ""),
        ("x[:, :n].sum()", ("1", "4"), "`n` is the bound of a slice", ""),
        ("(x * n).sum()", ("1", "4"), "pass `n` as a tensor", "; or compile with dynamic=True"),
        ("x[n % 4]", ("3", "4"), "`n` is an index", ""),
    ],
)
def test_dynamic_true_spares_the_one_compile_that_made_it_dynamic(
    tmp_path: Path, use: str, values: tuple[str, ...], begins: str, ends: str
) -> None:
    # Measured with torch 2.13.0: 1 and 5 are compiled for apart as sizes, and not as factors.
    source = _ANSWERS.format(use=use).replace("(dynamic=False)", "")
    value = GuardedValue("n", "n", "variable", values, is_whole=True, is_dynamic_now=True)

    found = located(
        project(tmp_path, "# file: train.py\n" + source),
        tmp_path,
        "CA701",
        detail=value,
        key="n",
        fix=RULES,
    )

    assert found.fix.startswith(begins)
    assert found.fix.endswith(ends)
    assert ("dynamic=True" in found.fix) is (begins.startswith("to save") or bool(ends))


def test_a_modules_numbers_stay_static_in_any_case(tmp_path: Path) -> None:
    # Measured with torch 2.13.0: five recompiles, with dynamic=True as well.
    text = """
        # file: train.py
        import torch

        class Window(torch.nn.Module):
            def __init__(self, limits):
                super().__init__()
                self.limits = limits

            def forward(self, x):  # compiled
                return x[:, : self.limits.last].sum()

        def main(limits, steps):
            window = torch.compile(Window(limits), dynamic=False)
            for step in range(steps):
                limits.last = step  # change
                window(torch.ones(4, 64))  # step
    """
    value = GuardedValue(
        "self.limits.last",
        "self.limits.last",
        "attribute",
        ("3", "4", "5"),
        is_whole=True,
        is_held_static=True,
    )

    found = located(project(tmp_path, text), tmp_path, "CA704", detail=value, key="n", fix=RULES)

    assert "bound of a slice" in found.fix
    assert "dynamic=False" not in found.fix


def test_a_number_that_a_loop_runs_to_is_not_made_dynamic_for_a_slice(tmp_path: Path) -> None:
    # Measured with torch 2.13.0: dynamic, `range(self.slope)` is compiled for each of its values.
    of_module = GuardedValue(
        "self._modules['a'].slope", "self.a.slope", "module", ("2", "3"), is_whole=True
    )

    fix = _of_settings(
        tmp_path, "sum(x[: settings.slope] for _ in range(settings.slope))", known=of_module
    )

    assert "allow_unspec_int_on_nn_module" not in fix
    assert fix.endswith("; it is also the bound of a slice (train.py:7), and that has to change")


def test_a_text_that_an_object_keeps_is_looked_up_where_it_is_set(tmp_path: Path) -> None:
    name = GuardedValue("settings.slope", "settings.slope", "attribute", ("'a'",), is_text=True)

    fix = _of_settings(tmp_path, "x * scales.get(settings.slope)", known=name)

    assert fix == (
        "`settings.slope` is a key of `scales` (train.py:7), and each key gets its own "
        "compile: look it up where `settings.slope` is set, and keep what it gives in its place"
    )


def test_what_else_asks_for_it_is_told(tmp_path: Path) -> None:
    fix = _of_settings(tmp_path, "x.repeat(settings.slope) if settings.slope > 3 else x")

    assert fix.endswith("; it is also what a branch tests (train.py:7), and that has to change")


def test_without_the_source_nothing_is_promised(tmp_path: Path) -> None:
    value = GuardedValue("n", "n", "variable", ("2", "3"))
    asked = replace(ASKED["a key"], parameters="x, other")
    files = project(tmp_path, _marked(asked.as_written.replace("TABLE[n]", "TABLE[other]")))

    assert located(files, tmp_path, "CA701", detail=value, key="n", fix=RULES).fix == RULES


READ = """# file: train.py
import torch

class Net(torch.nn.Module):
    def forward(self, x):  # compiled
        self.hits += 1
        return x * 2

net = Net()
for step in range(9):
    net(x)  # step
{read}
"""


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("print(net.hits)", "; where it is written into a text outside (train.py:11), read it by"),
        ("seen = {net.hits: 1}", "; where it is a key outside (train.py:11), read it by `.item()`"),
        ("history.append(net.hits)", "; where it is put into a container outside (train.py:11)"),
        ("print([one.hits for one in nets])", "; where it is written into a text outside"),
        ('print(f"{[net.hits]}")', "; where it is written into a text outside (train.py:11)"),
        ("print(round(0.5 + net.hits, 5))", "; where it is made a Python number outside (train.py"),
        ("seen = net.hits\nprint(seen)", "; where it is written into a text outside (train.py:12)"),
        ('print(f"{net.hits}")', ""),
        ("total = sum(one.hits for one in nets)", ""),
        ("part = int(net.hits) / 9", ""),
        ("if net.hits > 3: stop()", ""),
    ],
)
def test_what_a_tensor_changes_outside_of_what_is_compiled_is_told(
    tmp_path: Path, read: str, told: str
) -> None:
    value = GuardedValue("self.hits", "self.hits", "module", ("0", "1", "2"), is_whole=True)
    files = project(tmp_path, READ.format(read=read))
    fix = located(files, tmp_path, "CA704", key="self.hits", fix=RULES, detail=value).fix
    assert fix.startswith("make `self.hits` a buffer")
    assert told in fix
    assert (".item()" in fix) == bool(told)
    assert ("in the compiled code" in fix) == bool(told)
