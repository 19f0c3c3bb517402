"""CA206, CA303, CA702, CA704, CA705: Python numbers become tensors where they are set."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from ca_engine.guards import Guard
from ca_reports.causes.findings import BakedIndex, KeptByHook
from ca_reports.patching.propose import propose_for
from tests.unit.reports.patching.programs import (
    HEATED,
    baked,
    every,
    finding_of,
    for_argument,
    line_of,
    patched,
    program_of,
    refusal,
)

if TYPE_CHECKING:
    from pathlib import Path

LOSS = """\
import torch

for step in range(9):
    loss = {formula}
    loss.backward()
"""


@pytest.mark.parametrize(
    ("key", "formula", "expected"),
    [
        ("PowBackward0 exponent", "x.pow(e).sum()", "x.pow(torch.tensor(e)).sum()"),
        ("PowBackward0 exponent", "torch.pow(x, e).sum()", "torch.pow(x, torch.tensor(e)).sum()"),
        (
            "PowBackward0 exponent",
            "x.pow(e).mean().pow(1 / e)",
            "x.pow(torch.tensor(e)).mean().pow(torch.tensor(1 / e))",
        ),
        (
            "ClampBackward1 max",
            "x.clamp(0, 1 + e).sum()",
            "x.clamp(torch.tensor(0), torch.tensor(1 + e)).sum()",
        ),
        (
            "ClampBackward1 max",
            "torch.clamp(x, max=e, min=-e).sum()",
            "torch.clamp(x, max=torch.tensor(e), min=torch.tensor(-e)).sum()",
        ),
        ("PowBackward0 exponent", "(x ** (1 + e)).sum()", "(x ** (torch.tensor(1 + e))).sum()"),
    ],
)  # fmt: skip
def test_the_number_of_an_operation(tmp_path: Path, key: str, formula: str, expected: str) -> None:
    source = LOSS.format(formula=formula)
    changed = patched("CA206", tmp_path, source, "loss =", detail=baked(key))
    assert changed == LOSS.format(formula=expected)


@pytest.mark.parametrize(
    ("key", "formula", "words"),
    [
        ("EluBackward0 alpha", "elu(x, e).sum()", "needs another formula"),
        ("PowBackward0 exponent", "(x**2).sum() + (x**3).sum()", "single call of pow"),
        ("PowBackward0 exponent", "x.pow(2.5).sum()", "no number that changes"),
    ],
)
def test_another_operation_is_left(tmp_path: Path, key: str, formula: str, words: str) -> None:
    source = LOSS.format(formula=formula)
    assert words in refusal("CA206", tmp_path, source, "loss =", detail=baked(key))


LR = "self.param_groups[0]['lr']"
OPTIMIZER = """\
import torch

optimizer = torch.optim.{made}
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
update()
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("SGD(p, lr=0.1)", "SGD(p, lr=torch.tensor(0.1))"),
        ("AdamW(p, rate, foreach=False)", "AdamW(p, torch.tensor(rate), foreach=False)"),
    ],
)
def test_the_learning_rate(tmp_path: Path, made: str, expected: str) -> None:
    changed = patched("CA702", tmp_path, OPTIMIZER.format(made=made), "update", key=LR)
    assert changed == OPTIMIZER.format(made=expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('group["lr"] = rate * group.get("scale", 1)', None),
        ('group["lr"] *= 0.5', 'group["lr"] = group["lr"] * 0.5'),
        ('group["lr"] /= a + b', 'group["lr"] = group["lr"] / (a + b)'),
        ('group["lr"] = group["lr"] * 0.5', 'group["lr"] = group["lr"] * 0.5'),
        ('optimizer.param_groups[0]["lr"] = 2 * rate', None),
        ('config["lr"] = rate', 'config["lr"] = rate'),
    ],
)
def test_the_learning_rate_of_a_group_is_a_tensor_where_it_is_set(
    tmp_path: Path, line: str, expected: str | None
) -> None:
    source = (
        "import torch\n\ngroups = {given}\noptimizer = torch.optim.SGD(groups, lr={rate})\n"
        "for group in optimizer.param_groups:\n    {line}\nupdate()\n"
    )
    groups = '[{{"params": a, "lr": {}}}, {{"params": b}}]'
    before = source.format(given=groups.format("0.5"), rate="0.1", line=line)
    target, _, value = line.partition(" = ")
    after = source.format(
        given=groups.format("torch.tensor(0.5)"),
        rate="torch.tensor(0.1)",
        line=expected or f"{target} = torch.tensor({value})",
    )
    assert patched("CA702", tmp_path, before, "update", key=LR) == after


def test_a_learning_rate_among_options_is_a_tensor_where_these_are_written(tmp_path: Path) -> None:
    source = (
        'import torch\n\nOPTIONS = {{"lr": {}, "momentum": 0.9}}\n'
        "optimizer = torch.optim.SGD(p, **OPTIONS)\nupdate()\n"
    )
    changed = patched("CA702", tmp_path, source.format("0.02"), "update", key=LR)
    assert changed == source.format("torch.tensor(0.02)")


def test_an_attribute_that_is_set_by_a_computed_name_is_left(tmp_path: Path) -> None:
    source = (
        "import torch\n\nclass Blur:\n    def __init__(self, strength):\n"
        "        self.strength = strength\n\ndef step(target, name, value):\n"
        "    setattr(target, name, value)\n"
    )
    words = refusal("CA704", tmp_path, source, "setattr", key="self.strength")
    assert words == "setattr sets strength by a computed name, to a number"


def test_what_an_optimizer_is_to_keep_as_a_number_is_left(tmp_path: Path) -> None:
    source = OPTIMIZER.format(made="AdamW(p, lr=torch.tensor(0.1))")
    words = refusal("CA702", tmp_path, source, "update", key="self.param_groups[0]['betas'][0]")
    assert words.endswith("has to stay a number")


def test_rates_of_groups_alone_are_tensors(tmp_path: Path) -> None:
    source = (
        "import torch\n\noptimizer = torch.optim.AdamW([\n"
        '    {{"params": a, "lr": {}}},\n    {{"params": b, "lr": {}}},\n])\nupdate()\n'
    )
    changed = patched("CA702", tmp_path, source.format("2e-3", "rate"), "update", key=LR)
    assert changed == source.format("torch.tensor(2e-3)", "torch.tensor(rate)")
    done = source.format("torch.tensor(1.0)", "torch.tensor(1.0)")
    assert "takes its default lr" in refusal("CA702", tmp_path, done, "update", key=LR)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("AdamW(p)", "takes its default lr"),
        ("SGD(p, lr=torch.tensor(0.1))", "a tensor at train.py:3 already"),
        ("SGD(p, lr=1)\nother = torch.optim.SGD(q, lr=1)", "which optimizer is compiled"),
    ],
)
def test_a_learning_rate_that_is_left(tmp_path: Path, made: str, words: str) -> None:
    assert words in refusal("CA702", tmp_path, OPTIMIZER.format(made=made), "update", key=LR)


TRAIN = """\
import torch
from model import Model

model = Model(1.0)
for step in range(9):
    model.heat = 0.9**step
    model(x).backward()
    print(f"{model.heat:.2f}")
"""


def test_an_attribute_is_a_tensor_in_every_assignment(tmp_path: Path) -> None:
    files = {"train.py": TRAIN, "model.py": HEATED.format(value="heat", result="x / self.heat")}
    (changed,) = every("CA704", tmp_path, files, key="self._modules['body'].heat")
    assert changed["train.py"] == TRAIN.replace("= 0.9**step", "= torch.tensor(0.9**step)")
    expected = HEATED.format(value="torch.tensor(heat)", result="x / self.heat")
    # Sorted imports stay sorted.
    assert changed["model.py"] == expected.replace("from torch", "import torch\nfrom torch")


def test_what_prints_an_attribute_reads_its_number(tmp_path: Path) -> None:
    train = TRAIN + "print([model.heat for model in models])\nprint('heat', model.heat)\n"
    files = {"train.py": train, "model.py": HEATED.format(value="heat", result="x / self.heat")}
    (changed,) = every("CA704", tmp_path, files, key="self._modules['body'].heat")
    # Of a tensor of no dimension an f-string has the number.
    assert 'print(f"{model.heat:.2f}")' in changed["train.py"]
    written = "print([model.heat.item() for model in models])\nprint('heat', model.heat.item())\n"
    assert changed["train.py"].endswith(written)


def test_of_a_pair_that_is_assigned_one_becomes_a_tensor(tmp_path: Path) -> None:
    model = HEATED.replace("self.heat = {value}", "self.heat, self.rate = heat, 0.5")
    files = {"train.py": TRAIN, "model.py": model.format(result="x / self.heat * self.rate")}
    (changed,) = every("CA704", tmp_path, files, key="self.heat")
    assert "        self.heat, self.rate = torch.tensor(heat), 0.5\n" in changed["model.py"]
    assert "return x / self.heat * self.rate\n" in changed["model.py"]


def test_a_pair_that_a_call_gives_is_left(tmp_path: Path) -> None:
    model = HEATED.replace("self.heat = {value}", "self.heat, self.rate = read(heat)")
    source = model.format(result="x / self.heat")
    words = "can't find the class that sets heat"
    assert words in refusal("CA704", tmp_path, source, "self.heat, ", key="self.heat")


@pytest.mark.parametrize(
    ("value", "result", "words"),
    [
        ("None", "x / self.heat", "is not a number"),
        ("'hot'", "x / self.heat", "is not a number"),
        ("[heat]", "x / self.heat[0]", "is not a number"),
        ("torch.ones(3)", "x / self.heat", "is not a number"),
        ("1.0", "x / max(1.0, self.heat, 2.0)", "needs self.heat as a Python number"),
        ("1", "x[self.heat]", "needs self.heat as a Python number"),
        ("1", "self.body(x) if self.heat else 0", "needs self.heat as a Python number"),
        ("1", "x.dropout(0.5) if self.heat % 5 == 0 else 0", "needs self.heat as a Python number"),
        ("1", "f(x > self.heat, x, 0)", "needs self.heat as a Python number"),
        ("1", "x.add_(1) if 3 < self.heat else 0", "needs self.heat as a Python number"),
        ("1", "x if 3 < self.heat < 5 else 0", "needs self.heat as a Python number"),
        ("1", "x if self.heat > 3 and self.training else 0", "needs self.heat as a Python number"),
        ("1", "x.append(self.heat)", "needs self.heat as a Python number"),
        ("1", "x if self.heat > 3 else None", "needs self.heat as a Python number"),
        ("1", "x.chunk(self.heat, dim=0)", "needs self.heat as a Python number"),
        ("1", "torch.chunk(x, self.heat)", "needs self.heat as a Python number"),
        ("1", "torch.arange(self.heat, 2 * self.heat)", "needs self.heat as a Python number"),
        (
            "1",
            "nn.functional.dropout(x, self.heat)",
            "dropout at train.py:12 takes a Python number",
        ),
        ("1", "nn.functional.threshold(x, self.heat, 0.0)", "threshold at train.py:12 takes"),
    ],
)
def test_an_attribute_that_python_needs_is_left(
    tmp_path: Path, value: str, result: str, words: str
) -> None:
    source = HEATED.format(value=value, result=result)
    assert words in refusal("CA704", tmp_path, source, "self.heat =", key="self.heat")


@pytest.mark.parametrize("call", ["drop(x, self.heat)", "drop(x, chance=self.heat)"])
def test_an_attribute_that_a_function_of_the_programs_decides_by_is_left(
    tmp_path: Path, call: str
) -> None:
    by_value = "def drop(x, chance):\n    return x if chance == 0 else x.bernoulli(1 - chance)\n"
    for function, is_left in (
        (by_value, True),
        (by_value.replace("chance == 0", "x is None"), False),
    ):
        source = HEATED.format(value="heat", result=call) + f"\n\n{function}"
        if is_left:
            words = refusal("CA704", tmp_path, source, "self.heat =", key="self.heat")
            assert "needs chance as a Python number" in words
        else:
            assert "self.heat = torch.tensor(heat)" in patched(
                "CA704", tmp_path, source, "self.heat =", key="self.heat"
            )


def test_a_factor_of_what_is_cut_in_parts_is_a_tensor(tmp_path: Path) -> None:
    source = "import torch\n" + HEATED.format(value="heat", result="torch.chunk(x * self.heat, 2)")
    files = {"train.py": TRAIN, "model.py": source}
    (changed,) = every("CA704", tmp_path, files, key="self._modules['body'].heat")
    assert "self.heat = torch.tensor(heat)" in changed["model.py"]


def test_where_an_iterator_stands_is_no_number_to_make_a_tensor(tmp_path: Path) -> None:
    source = "import itertools\n" + HEATED.format(
        value="itertools.count()", result="x / next(self.heat)"
    )
    words = refusal("CA704", tmp_path, source, "self.heat =", key="self.heat")
    assert "itertools.count() at train.py:10 is not a number" in words


def test_a_global_is_a_tensor_in_every_assignment(tmp_path: Path) -> None:
    files = {
        "train.py": "import losses\nimport torch\n\nlosses.WEIGHT = step / 10\n",
        "losses.py": '"""Losses."""\n\nWEIGHT = 0.0\n\n\ndef f(x):\n    return x * WEIGHT\n',
    }
    key = "G['__import_losses'].WEIGHT"
    (changed,) = every("CA702", tmp_path, files, "losses.WEIGHT", key=key)
    assert "losses.WEIGHT = torch.tensor(step / 10)\n" in changed["train.py"]
    assert changed["losses.py"].startswith(
        '"""Losses."""\n\nimport torch\n\nWEIGHT = torch.tensor(0.0)\n\n\n'
    )


GLOBAL = """\
scale = 2


def f(x):
    return x * scale


def main():
    global scale
    {sets}
"""


def test_a_global_that_a_function_sets_is_a_tensor(tmp_path: Path) -> None:
    source = GLOBAL.format(sets="scale = step / 10")
    changed = patched("CA705", tmp_path, source, "x * scale", key="G['scale']")
    assert "scale = torch.tensor(2)\n" in changed
    assert "    scale = torch.tensor(step / 10)\n" in changed


def test_a_global_that_a_loop_sets_stays_a_number(tmp_path: Path) -> None:
    source = GLOBAL.format(sets="scale = 3\n    for scale in range(2, 7):\n        f(x)")
    words = refusal("CA705", tmp_path, source, "x * scale", key="G['scale']")
    assert words == "train.py:11 sets scale, but not by a plain assignment"


CONFIG = """\
import torch
from dataclasses import dataclass

@dataclass
class Config:
    heat: float = 1.0
    steps: int = 3

config=Config(heat=2.0)
for step in range(9):
    config.heat = {value}
    model(x, config).backward()
"""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0.9**step", "torch.tensor(0.9**step)"),
        ("config.heat * 0.9", "config.heat * 0.9"),
        ("max(config.heat * 0.9, 0.1)", "torch.clamp(config.heat * 0.9, min=0.1)"),
    ],
)
def test_a_field_of_a_dataclass(tmp_path: Path, value: str, expected: str) -> None:
    source = CONFIG.format(value=value)
    changed = patched("CA704", tmp_path, source, key="config.heat")
    wanted = CONFIG.format(value=expected).replace("float = 1.0", "float = torch.tensor(1.0)")
    assert changed == wanted.replace("heat=2.0", "heat=torch.tensor(2.0)")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x.register_hook(lambda g, s=scale: g * s)", "lambda g, s=torch.tensor(scale): g * s"),
        ("x.register_hook(lambda g, s=1 / step: g)", "lambda g, s=torch.tensor(1 / step): g"),
    ],
)
def test_the_default_of_a_hook(tmp_path: Path, line: str, expected: str) -> None:
    source = LOSS.format(formula="f(x)") + f"    {line}\n"
    first, second = KeptByHook(default=0), KeptByHook(default=1)
    assert expected in patched("CA304", tmp_path, source, "lambda", detail=first)
    assert "no such default" in refusal("CA304", tmp_path, source, "lambda", detail=second)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (
            "head(t[row]).sum()",
            "head(t.index_select(0, torch.tensor([row], device=t.device)).squeeze(0)).sum()",
        ),
        (
            "x[:, step % 3].sum()",
            "x.index_select(1, torch.tensor([step % 3], device=x.device)).squeeze(1).sum()",
        ),
        (  # a dict within the index is none
            "t[rows[name]].sum()",
            "t.index_select(0, torch.tensor([rows[name]], device=t.device)).squeeze(0).sum()",
        ),
    ],
)
def test_an_index_is_a_tensor(tmp_path: Path, formula: str, expected: str) -> None:
    source = LOSS.format(formula=formula) + "x=1\n"
    changed = patched("CA104", tmp_path, source, "loss =", detail=BakedIndex("index"))
    assert changed == LOSS.format(formula=expected) + "x=1\n"


@pytest.mark.parametrize("formula", ["x[0].sum()", "x[i] + x[j]", "x[1:].sum()", "f(x)[i].sum()"])
def test_an_index_that_is_not_seen_is_left(tmp_path: Path, formula: str) -> None:
    source = LOSS.format(formula=formula)
    words = "single index there that is a variable"
    assert words in refusal("CA104", tmp_path, source, "loss =", detail=BakedIndex("index"))


@pytest.mark.parametrize(
    ("formula", "dimension", "tensor", "bounds"),
    [
        ("x[a:b].sum()", 0, "x", "a:b"),
        ("x[:, :, rows].sum()", 2, "x", "rows"),
        ("self.x[:, step * 2 : step * 2 + 3].sum()", 1, "self.x", "step * 2 : step * 2 + 3"),
        ("f(x[:, a:b, :])", 1, "x", "a:b"),
    ],
)
def test_a_slice_that_moves_is_read_by_the_numbers_of_its_rows(
    tmp_path: Path, formula: str, dimension: int, tensor: str, bounds: str
) -> None:
    source = LOSS.format(formula=formula)
    changed = patched("CA104", tmp_path, source, "loss =", detail=BakedIndex("slice"))
    every = f"torch.arange({tensor}.shape[{dimension}], device={tensor}.device)"
    start, end = formula.index(tensor), formula.rindex("]") + 1
    text = f"{tensor}.index_select({dimension}, {every}[{bounds}])"
    expected = LOSS.format(formula=formula[:start] + text + formula[end:])
    assert ast.dump(ast.parse(changed)) == ast.dump(ast.parse(expected))


@pytest.mark.parametrize(
    "formula",
    ["x[:n].sum()", "x[n:].sum()", "x[0:n].sum()", "x[a:b] + y[a:b]", "f(x)[a:b]", "x[a:b, c:d]"],
)
def test_a_slice_whose_length_changes_is_left(tmp_path: Path, formula: str) -> None:
    source = LOSS.format(formula=formula)
    words = "single slice there that moves"
    assert words in refusal("CA104", tmp_path, source, "loss =", detail=BakedIndex("slice"))


ENTRY = """\
import torch

options = {made}
for step in range(9):
    {changed}
    loss = options["heat"] * model(x)
    loss.backward()
"""


@pytest.mark.parametrize(
    ("made", "changed", "new_made", "new_changed"),
    [
        (
            '{"heat": 1.0, "rate": 2}',
            'options["heat"] = 0.9**step',
            '{"heat": torch.tensor(1.0), "rate": 2}',
            'options["heat"] = torch.tensor(0.9**step)',
        ),
        (
            "dict(heat=1.0)",
            'options["heat"] *= 0.9',
            "dict(heat=torch.tensor(1.0))",
            'options["heat"] = options["heat"] * 0.9',
        ),
    ],
)
@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("CA702", "options['heat']"),
        ("CA705", "G['options']['heat']"),
        ("CA704", "self.options['heat']"),
    ],
)
def test_a_number_in_a_dict(
    tmp_path: Path, made: str, changed: str, new_made: str, new_changed: str, code: str, key: str
) -> None:
    source = ENTRY.format(made=made, changed=changed)
    found = patched(code, tmp_path, source, "loss =", key=key)
    assert found == ENTRY.format(made=new_made, changed=new_changed)


@pytest.mark.parametrize(
    ("made", "changed", "new_made", "new_changed"),
    [
        (
            "SimpleNamespace(heat=1.0)",
            "options.heat = 0.9**step",
            "SimpleNamespace(heat=torch.tensor(1.0))",
            "options.heat = torch.tensor(0.9**step)",
        ),
        (
            "SimpleNamespace(heat=1.0)",
            'setattr(options, "heat", 0.9**step)',
            "SimpleNamespace(heat=torch.tensor(1.0))",
            'setattr(options, "heat", torch.tensor(0.9**step))',
        ),
    ],
)
def test_a_number_in_a_namespace(
    tmp_path: Path, made: str, changed: str, new_made: str, new_changed: str
) -> None:
    source = "from types import SimpleNamespace\n" + ENTRY.replace('["heat"]', ".heat")
    found = patched(
        "CA704", tmp_path, source.format(made=made, changed=changed), "loss =", key="options.heat"
    )
    assert found == source.format(made=new_made, changed=new_changed)


def test_a_dict_that_is_made_elsewhere_is_left(tmp_path: Path) -> None:
    source = ENTRY.format(made="load()", changed='options["heat"] = 2.0')
    words = "can't find a single dict that heat is set in"
    assert words in refusal("CA702", tmp_path, source, "loss =", key="options['heat']")


CLOSED = """\
import torch


def scaled_by(shift, factor):
    \"\"\"Scales.\"\"\"

    def scale(gradient):
        return gradient * factor + shift

    return scale
"""


def test_a_parameter_that_a_hook_closes_over(tmp_path: Path) -> None:
    detail = KeptByHook(cell=0)
    changed = patched("CA304", tmp_path, CLOSED, "def scale(", detail=detail)
    line = "    factor = torch.as_tensor(factor)\n"
    assert changed == CLOSED.replace("    def scale", f"{line}\n    def scale")


def test_a_variable_that_a_hook_closes_over(tmp_path: Path) -> None:
    source = "import torch\n\n\ndef main(step):\n    rate = 0.9**step\n    "
    source += "x.register_hook(lambda grad: grad * rate)\n"
    detail = KeptByHook(cell=0)
    changed = patched("CA304", tmp_path, source, "lambda", detail=detail)
    assert changed == source.replace("0.9**step", "torch.tensor(0.9**step)")


def test_what_a_hook_computes_with_the_number_takes_a_tensor(tmp_path: Path) -> None:
    source = CLOSED.replace("gradient * factor", "gradient * math.exp(-(factor + 1) / 4)")
    source = source.replace("import torch\n", "import math\n\nimport torch\n", 1)
    detail = KeptByHook(cell=0)
    changed = patched("CA304", tmp_path, source, "def scale(", detail=detail)
    assert "return gradient * torch.exp(-(factor + 1) / 4) + shift" in changed
    counted = CLOSED.replace("gradient * factor", "gradient * sum(range(factor))")
    assert "as a Python number" in refusal("CA304", tmp_path, counted, "def scale(", detail=detail)
    default = "import math\n\nimport torch\n\nx.register_hook(lambda g, s=scale: g * math.exp(s))\n"
    changed = patched("CA304", tmp_path, default, "lambda", detail=KeptByHook(default=0))
    assert "lambda g, s=torch.tensor(scale): g * torch.exp(s)" in changed


def test_a_hook_that_closes_over_nothing_seen_is_left(tmp_path: Path) -> None:
    detail = KeptByHook(cell=5)
    assert "closes over" in refusal("CA304", tmp_path, CLOSED, "def scale(", detail=detail)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("torch.lerp(x, y, w)", "torch.lerp(x, y, torch.tensor(w))"),
        ("x.lerp(y, w * 2)", "x.lerp(y, torch.tensor(w * 2))"),
        ("x.lerp(y, weight=w)", "x.lerp(y, weight=torch.tensor(w))"),
    ],
)
def test_the_weight_of_lerp(tmp_path: Path, formula: str, expected: str) -> None:
    source = f"import torch\n\n\ndef main(x, y, w):\n    z = {formula}\n"
    changed = patched("CA206", tmp_path, source, "z =", detail=baked("LerpBackward0 weight"))
    assert changed == source.replace(formula, expected)


@pytest.mark.parametrize(
    ("table", "is_patched"),
    [("[0.5, 1.5]", True), ("[n / 6 for n in range(64)]", True), ("[first, second]", False)],
)
def test_a_number_that_looks_up_another(tmp_path: Path, table: str, is_patched: bool) -> None:
    source = f"""\
import torch

TABLE = {table}


class Model(torch.nn.Module):
    def __init__(self, place):
        self.place = place

    def forward(self, x):
        return x / TABLE[self.place]
"""
    if is_patched:
        changed = patched("CA704", tmp_path, source, "self.place =", key="self.place")
        looked_up = "torch.tensor(TABLE).take(self.place)"
        assert changed == source.replace("TABLE[self.place]", looked_up).replace(
            "= place", "= torch.tensor(place)"
        )
    else:
        words = refusal("CA704", tmp_path, source, "self.place =", key="self.place")
        assert "as a Python number" in words


def test_a_counter_that_a_hook_closes_over(tmp_path: Path) -> None:
    source = """\
import torch


def fading(scale):
    calls = 0

    def hook(gradient):
        nonlocal calls
        calls += 1
        return gradient * (scale / calls)

    return hook
"""
    detail = KeptByHook(cell=0)
    changed = patched("CA304", tmp_path, source, "def hook(", detail=detail)
    assert changed == source.replace("calls = 0", "calls = torch.tensor(0)")
    again = source.replace("calls += 1", "calls = 1")
    assert "several times" in refusal("CA304", tmp_path, again, "def hook(", detail=detail)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("x if self.heat else 0", "torch.where(self.heat != 0, x, 0)"),
        ("x if self.heat % 5 == 0 else 0", "torch.where(self.heat % 5 == 0, x, 0)"),
        ("x if 3 < self.heat else -x", "torch.where(3 < self.heat, x, -x)"),
        ("min(max(self.heat, 0.0), 1.0)", "torch.clamp(torch.clamp(self.heat, min=0.0), max=1.0)"),
        ("x.exp() * math.exp(-self.heat)", "x.exp() * torch.exp(-self.heat)"),
        ("x.masked_fill(x.argsort(-1) >= self.heat, 0)", ""),
        ("x.cumsum(0).neg()[None] < self.heat", ""),
        ("x + (torch.rand(3) >= self.heat)", ""),
        ("x[torch.arange(self.heat, self.heat + 3)]", "x[torch.arange(3) + self.heat]"),
        (
            "torch.arange(self.heat, (2 + self.heat), device=x.device)[None]",
            "(torch.arange(2, device=x.device) + self.heat)[None]",
        ),
    ],
)
def test_what_python_computes_with_a_number_is_computed_with_tensors(
    tmp_path: Path, result: str, expected: str
) -> None:
    source = "import math\nimport torch\n" + HEATED.format(value="1", result=result)
    changed = patched("CA704", tmp_path, source, "self.heat =", key="self.heat")
    assert f"        return {expected or result}\n" in changed


DECIDED = """\
import torch


class Objective:
    def __init__(self, net):
        self.net, self.heat = net, 0.5

    def __call__(self, x, target):
        loss = target - x
        {lines}
        return loss
"""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ("if self.heat > 0.1:", "    cost = x.abs().mean()", "    loss = loss + cost"),
            (
                "cost = x.abs().mean()",
                "loss = torch.where(self.heat > 0.1, loss + cost, loss)",
            ),
        ),
        (
            ("share = self.heat / 2 if self.heat < 9 else 1.0", "loss = loss * share"),
            (
                "share = torch.where(self.heat < 9, self.heat / 2, 1.0)",
                "loss = loss * share",
            ),
        ),
        (
            ("if self.heat > 0:", "    loss = loss * min(1, self.heat)"),
            (
                "loss = torch.where(self.heat > 0, loss * torch.clamp(self.heat, max=1), loss)",
            ),
        ),
        # What is set is needed as a number, or what is called draws, or changes a module.
        (("turns = 3 if self.heat < 9 else 1", "loss = loss * range(turns)[0]"), ()),
        (("if self.heat > 0.1:", "    loss = loss + torch.rand(3)"), ()),
        (("if self.heat > 0.1:", "    loss = loss + self.net(x)"), ()),
        (("if self.heat > 0.1:", "    print(loss)"), ()),
    ],
)  # fmt: skip
def test_a_branch_by_a_number_is_a_choice(
    tmp_path: Path, lines: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    source = DECIDED.format(lines="\n        ".join(lines))
    if expected:
        changed = patched("CA704", tmp_path, source, "self.heat = net", key="self.heat")
        wanted = DECIDED.format(lines="\n        ".join(expected))
        assert changed == wanted.replace("net, 0.5", "net, torch.tensor(0.5)")
    else:
        words = refusal("CA704", tmp_path, source, "self.heat = net", key="self.heat")
        assert "as a Python number" in words


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (
            "alpha = progress * 8\n    return x * max(alpha - 1, 0.0)",
            "alpha = progress * 8\n    return x * torch.clamp(alpha - 1, min=0.0)",
        ),
        ("return x if progress > 0.5 else -x", "return torch.where(progress > 0.5, x, -x)"),
        ("return x if progress > 0.5 else 'none'", ""),
        ("alpha = max(progress, 0.0)\n    return x[:alpha]", ""),
    ],
)
def test_a_number_that_is_handed_on_becomes_a_tensor_there(
    tmp_path: Path, inner: str, expected: str
) -> None:
    net = "def render(rays, progress):\n    return embed(rays, progress)\n\n\n"
    files = {
        "train.py": "import torch\nfrom net import render\n\nrun = torch.compile(render)\n"
        "run(rays, progress)\n",
        "net.py": f"import torch\n\n\n{net}def embed(x, progress):\n    {inner}\n",
    }
    guard = Guard("progress == 0.5", "value", "0/0", "progress", expected="0.5")
    proposal, changed = for_argument("CA702", tmp_path, files, "render", guard)
    assert bool(proposal.patches) is bool(expected)
    if expected:
        assert changed["net.py"].endswith(
            f"def embed(x, progress):\n    progress = torch.as_tensor(progress)\n    {expected}\n"
        )
    else:
        assert "as a Python number" in proposal.refusal


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        ("alpha = progress * 8\n    return x[alpha]", "alpha as a Python number"),
        ("alpha = progress * 8\n    return x * alpha", ""),
    ],
)
def test_a_number_that_is_handed_on_is_looked_for_there(
    tmp_path: Path, inner: str, words: str
) -> None:
    files = {
        "train.py": "import torch\nfrom net import render\n\nrun = torch.compile(render)\n"
        "run(rays, progress)\n",
        "net.py": "def render(rays, progress):\n    return embed(rays, progress)\n\n\n"
        f"def embed(x, progress):\n    {inner}\n",
    }
    guard = Guard("progress == 0.5", "value", "0/0", "progress", expected="0.5")
    proposal, _ = for_argument("CA702", tmp_path, files, "render", guard)
    assert bool(proposal.patches) is not bool(words)
    assert words in proposal.refusal


PARSED = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--start-weight", type=float, default=5.0)
opt = parser.parse_args()


class Model:
    def __init__(self, opt):
        self.opt = opt

    def update(self, epoch):
        self.opt.{name} = self.opt.start_weight * (1 - epoch)

    def forward(self, x):
        return x * self.opt.{name}
"""


@pytest.mark.parametrize(("name", "is_patched"), [("weight", True), ("start_weight", False)])
def test_a_number_that_is_added_to_what_was_parsed_is_a_tensor(
    tmp_path: Path, name: str, *, is_patched: bool
) -> None:
    source = PARSED.format(name=name)
    key = f"self.opt.{name}"
    if not is_patched:
        assert "can't find the class" in refusal("CA704", tmp_path, source, "return x", key=key)
        return
    changed = patched("CA704", tmp_path, source, "return x", key=key)
    set_to = "self.opt.start_weight * (1 - epoch)"
    assert changed == source.replace(set_to, f"torch.tensor({set_to})")


def test_a_variable_that_a_broken_function_reads_from_an_attribute_is_that(tmp_path: Path) -> None:
    net = (
        "import torch\n\n\nclass Net:\n    def __init__(self):\n        self.weight = 1.0\n\n"
        "    def run(self, x):\n        scale = self.weight\n        print(x)\n"
        "        return x * scale\n"
    )
    files = {
        "train.py": "import torch\nfrom net import Net\n\nnet = Net()\nnet.weight = 0.5\n"
        "net.run(1)\n",
        "net.py": net,
    }
    guard = Guard("scale == 1.0", "value", "0/0", "scale", expected="1.0")
    proposal, changed = for_argument("CA702", tmp_path, files, "run", guard)
    assert changed["net.py"] == net.replace("self.weight = 1.0", "self.weight = torch.tensor(1.0)")
    assert "net.weight = torch.tensor(0.5)" in changed["train.py"]
    # Of several lines that set it either may be meant.
    (tmp_path / "two").mkdir()
    files["net.py"] = net.replace("print(x)", "scale = scale * 2")
    proposal, _ = for_argument("CA702", tmp_path / "two", files, "run", guard)
    assert "scale is not a parameter" in proposal.refusal


def test_a_rate_that_is_a_tensor_stays_one(tmp_path: Path) -> None:
    text = """\
import torch

for group in optimizer.param_groups:
    group["lr"] = {}
    group["lr"] *= 0.5
"""
    source = text.format("max(rate, 1e-4)")
    changed = patched("CA707", tmp_path, source, "max", edits=("kept_rate",))
    assert changed == text.format('torch.full_like(group["lr"], max(rate, 1e-4))')
    made = text.format("torch.tensor(rate)")
    assert "no line" in refusal("CA707", tmp_path, made, "rate", edits=("kept_rate",))


def test_what_a_record_is_made_with_is_a_tensor(tmp_path: Path) -> None:
    text = """\
import dataclasses

import torch


@dataclasses.dataclass(frozen=True)
class Progress:
    epoch: int
    fraction: float


progress = Progress({})
later = dataclasses.replace(progress, fraction={})
share = min(1.0, 2 * progress.fraction)
"""
    changed = {
        given: patched("CA702", tmp_path, text.format(given, "0.5"), "share", key="p.fraction")
        for given in ("1, step / steps", "epoch=1, fraction=step / steps")
    }
    for given, made in changed.items():
        tensor = given.replace("step / steps", "torch.tensor(step / steps)")
        wanted = text.format(tensor, "torch.tensor(0.5)")
        assert made == wanted.replace(
            "min(1.0, 2 * progress.fraction)", "torch.clamp(2 * progress.fraction, max=1.0)"
        )
    plain = text.replace("@dataclasses.dataclass(frozen=True)\n", "").format("1, 2.0", "0.5")
    other = plain.replace("later = dataclasses.replace(progress, fraction=0.5)\n", "")
    assert "can't find" in refusal("CA702", tmp_path, other, "share", key="p.fraction")


PACKED = """\
import math

import torch


def pack(words):
    packed = {{"count": words.sum(), "longest": 24 + len(words)}}
    return words, packed


def attend(scores, longest):
    return scores / math.sqrt(longest)


def forward(scores, packed):
    return attend(scores, {read})


def main(texts):
    for words in texts:
        rows, options = pack(words)
        forward(rows, options)
"""


@pytest.mark.parametrize("read", ["packed['longest']", "2 * packed['longest']"])
def test_an_entry_of_the_one_dict_that_has_it_is_a_tensor(tmp_path: Path, read: str) -> None:
    source = PACKED.format(read=read)
    changed = patched("CA701", tmp_path, source, "scores /", key="packed['longest']")
    assert '"longest": torch.tensor(24 + len(words))}' in changed
    assert "return scores / torch.sqrt(longest)" in changed


@pytest.mark.parametrize(
    ("read", "old", "new", "why"),
    [
        # Another dict may have the key: its number stays one, which torch.sqrt does not take.
        ("packed['longest']", "forward(rows, options)", "forward(rows, given)", "single dict"),
        (
            "packed['longest']",
            "texts):",
            "texts, limits):\n    print(limits['longest'])",
            "single dict",
        ),
        ("packed['longest']", "math.sqrt(longest)", "math.gamma(longest)", "as a Python number"),
        ("range(packed['longest'])", "", "", "as a Python number"),
    ],
)
def test_an_entry_that_may_be_another_dicts_stays_a_number(
    tmp_path: Path, read: str, old: str, new: str, why: str
) -> None:
    source = PACKED.format(read=read).replace(old, new) if old else PACKED.format(read=read)
    assert why in refusal("CA701", tmp_path, source, "scores /", key="packed['longest']")


def test_an_entry_that_is_set_first_where_it_lacks_is_a_tensor(tmp_path: Path) -> None:
    text = """\
import torch


def step(state):
    if not state:
        state["step"] = {}
    {}
    return state["step"] / 40
"""
    key, added = "state['step']", 'state["step"] += 1'
    changed = patched("CA701", tmp_path, text.format(0, added), "/ 40", key=key)
    assert changed == text.format("torch.tensor(0)", 'state["step"] = state["step"] + 1')
    several = text.format(0, added) + "\n\nprint(other['step'])\n"
    assert "single dict" in refusal("CA701", tmp_path, several, "/ 40", key=key)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Options(0.7)", "Options(torch.tensor(0.7))"),
        ("Options(top=3, heat=0.7)", "Options(top=3, heat=torch.tensor(0.7))"),
        ("Warm(2, 0.7)", "Warm(2, torch.tensor(0.7))"),
        ("replace(Options(), heat=0.7)", "replace(Options(), heat=torch.tensor(0.7))"),
        ("Options(**request)", None),
        ("Options(*request)", None),
        ("partial(Options, 0.7)", None),
        ("Options()", "Options()"),
    ],
)
def test_every_value_of_a_field_is_a_tensor_or_none_is(
    tmp_path: Path, given: str, expected: str | None
) -> None:
    text = """\
from dataclasses import dataclass, field, replace
from functools import partial

import torch


@dataclass
class Options:
    heat: float = {}
    top: int = 3


@dataclass
class Base:
    size: int


@dataclass
class Request:
    options: Options = field(default_factory=Options)


def serve(options: Options | None = None) -> list[Options]:
    return x / options.heat


request = {}
"""
    if "Warm" in given:
        text = text.replace("class Options:", "class Warm(Base):").replace("Options", "Warm")
    source = text.format("1.0", given)
    if expected is None:
        found = refusal("CA702", tmp_path, source, "x / options", key="options.heat")
        assert "tell which heat" in found
        return
    changed = patched("CA702", tmp_path, source, "x / options", key="options.heat")
    assert changed == text.format("torch.tensor(1.0)", expected)


def test_a_rate_that_two_optimizers_share_is_left(tmp_path: Path) -> None:
    """A scheduler fills the tensor: each of two would halve it."""
    source = (
        'import torch\n\nOPTIONS = {"lr": 0.02}\n'
        "first = torch.optim.SGD(p, **OPTIONS)\nother = torch.optim.SGD(q, **OPTIONS)\n"
    )
    assert "too" in refusal("CA702", tmp_path, source, "first =", key=LR)


BOUND = """\
import functools
import torch
from losses import {loss}


@torch.compile
def objective(x, criterion):
    return criterion(x)


for step in range(9):
    objective(x, functools.partial({loss}, heat={value}))
"""
LOSSES = """\
def soft(x, heat):
    return (x / heat).softmax(-1)


def hard(x, heat):
    return x.sum() if heat > 3 else None
"""


def test_what_a_partial_binds_is_a_tensor_where_it_is_made(tmp_path: Path) -> None:
    source = BOUND.format(loss="soft", value="0.9**step")
    files = {"train.py": source, "losses.py": LOSSES}
    key = "criterion.keywords['heat']"
    (changed,) = every("CA702", tmp_path, files, "partial(", key=key)
    assert changed == {"train.py": source.replace("0.9**step", "torch.tensor(0.9**step)")}


@pytest.mark.parametrize(
    ("loss", "value", "words"),
    [
        ("hard", "0.9**step", "needs heat as a Python number"),
        ("soft", "0.9", "can't find what is done with heat"),
        ("of_a_library", "0.9**step", "can't find what is done with heat"),
    ],
)
def test_what_a_partial_binds_is_left(tmp_path: Path, loss: str, value: str, words: str) -> None:
    files = {"train.py": BOUND.format(loss=loss, value=value), "losses.py": LOSSES}
    program = program_of(tmp_path, files)
    line = line_of(files["train.py"], "partial(")
    finding = finding_of("CA702", tmp_path, ("train.py", line), key="criterion.keywords['heat']")
    assert words in propose_for(finding, program).refusal


COUNTED = """\
import torch


class Sampler:
    def __init__(self, count):
        self.levels = {levels}
        self.at = 0

    def step(self, x):
        level = self.levels[self.at + 1]
        self.at += 1
        return x * level


sampler = Sampler(3)
step = torch.compile(sampler.step)
for _ in range(3):
    x = step(x)
"""


@pytest.mark.parametrize(
    "levels", ["[1.0, 0.5]", "[i / 2 for i in range(count)] + [0.0]", "(3, 2, 1)"]
)
def test_a_list_of_numbers_that_a_counter_indexes_is_a_tensor(tmp_path: Path, levels: str) -> None:
    source = COUNTED.replace("{levels}", levels)
    changed = patched("CA701", tmp_path, source, "self.at += 1", key="sampler.at")
    assert "        level = torch.tensor(self.levels).take(self.at + 1)\n" in changed
    assert "        self.at = torch.tensor(0)\n" in changed


@pytest.mark.parametrize(
    ("levels", "more"),
    [
        ("[count, 'last']", ""),
        ("list(range(count))", ""),
        ("[1.0, 0.5]", "sampler.levels.append(0.0)\n"),
        ("[1.0, 0.5]", "sampler.levels[0] = 2.0\n"),
        ("[1.0, 0.5]", "sampler.levels = [0.5]\n"),
        ("[1.0, 0.5]", "print(sampler.levels)\n"),
    ],
)
def test_a_list_that_is_not_seen_whole_stays_one(tmp_path: Path, levels: str, more: str) -> None:
    source = COUNTED.replace("{levels}", levels) + more
    words = refusal("CA701", tmp_path, source, "self.at += 1", key="sampler.at")
    assert "needs self.at + 1 as a Python number" in words or "needs self.at as a" in words
