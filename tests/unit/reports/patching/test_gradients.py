"""CA201: gradients that are made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import LackedGradients
from ca_reports.patching.patches import applied
from ca_reports.patching.propose import propose_for
from tests.unit.reports.patching.programs import finding_of, patched, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
# Train.
for step in range(9):
    model(x).backward()
    if step % 2:
        {zero}
"""


@pytest.mark.parametrize(
    ("zero", "zeroed"),
    [
        ("optimizer.zero_grad()", "optimizer.zero_grad(set_to_none=False)"),
        (
            "optimizer.zero_grad(set_to_none=True)  # both",
            "optimizer.zero_grad(set_to_none=False)  # both",
        ),
        ("optimizer.zero_grad(True)", "optimizer.zero_grad(False)"),
        (
            "optimizer.zero_grad(\n            set_to_none=True,\n        )",
            "optimizer.zero_grad(\n            set_to_none=False,\n        )",
        ),
    ],
)
def test_an_optimizers_gradients_are_made_before_the_loop(
    tmp_path: Path, zero: str, zeroed: str
) -> None:
    made = (
        'for parameter in (one for group in optimizer.param_groups for one in group["params"]):\n'
        "    if parameter.requires_grad and parameter.grad is None:\n"
        "        parameter.grad = torch.zeros_like(parameter)\n"
        "# Train.\n"
    )
    expected = PROGRAM.format(zero=zeroed).replace("# Train.\n", made)
    assert patched("CA201", tmp_path, PROGRAM.format(zero=zero), "zero_grad") == expected


def test_a_modules_gradients_under_another_name_of_torch(tmp_path: Path) -> None:
    source = """
    import torch as t
    def main(parameter):
        model = Model()
        optimizer = t.optim.SGD(model.parameters())
        for step in range(9):
            model(x).backward()
            model.zero_grad()
    """
    changed = patched("CA201", tmp_path, source, "zero_grad")
    assert "\n    for each_parameter in model.parameters():\n" in changed
    assert "each_parameter.grad = t.zeros_like(each_parameter)\n" in changed


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (PROGRAM.format(zero="optimizer.zero_grad(set_to_none=flag)"), "set_to_none=flag"),
        (PROGRAM.format(zero="optimizer.zero_grad(**options)"), "takes **"),
        (PROGRAM.format(zero="other.zero_grad()\n        other.step()"), "where other is made"),
        (PROGRAM.format(zero="optimizers[0].zero_grad()"), "what optimizers[0] is"),
        (
            PROGRAM.format(zero="optimizer.zero_grad()").replace("torch.optim.SGD", "make"),
            "tell what optimizer is",
        ),
        ("import torch\nx.backward()\nmodel(x)\nmodel.zero_grad()\n", "where model is made"),
    ],
)
def test_what_it_cannot_know_it_leaves(tmp_path: Path, source: str, words: str) -> None:
    assert words in refusal("CA201", tmp_path, source, "zero_grad")


def made_for(name: str, indent: str = "") -> str:
    return (
        f"{indent}for parameter in (one for group in {name}.param_groups "
        'for one in group["params"]):\n'
        f"{indent}    if parameter.requires_grad and parameter.grad is None:\n"
        f"{indent}        parameter.grad = torch.zeros_like(parameter)\n"
    )


def test_every_optimizer_of_the_function_is_zeroed(tmp_path: Path) -> None:
    source = """\
    import torch
    def main():
        one = torch.optim.SGD(encoder.parameters())
        two = torch.optim.SGD(head.parameters())
        for step in range(9):
            f(x).backward()
            two.zero_grad(set_to_none=False)
            if step % 2:
                one.zero_grad()
    """
    changed = patched("CA201", tmp_path, source, "one.zero_grad")
    assert "            one.zero_grad(set_to_none=False)" in changed
    assert made_for("one", "    ") in changed
    assert made_for("two", "    ") in changed


def test_an_optimizer_that_accelerate_prepared(tmp_path: Path) -> None:
    source = """\
    import torch
    optimizer = torch.optim.SGD(model.parameters())
    model, optimizer = accelerator.prepare(model, optimizer)
    for step in range(9):
        optimizer.step()
        optimizer.zero_grad()
    """
    changed = patched("CA201", tmp_path, source, "zero_grad")
    assert f"prepare(model, optimizer)\n{made_for('optimizer')}for step" in changed


TRAINER = """\
import torch

class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters())
        self.step = 0

    def train_step(self, x):
        self.model(x).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
"""


def test_the_optimizer_of_a_trainer(tmp_path: Path) -> None:
    changed = patched("CA201", tmp_path, TRAINER, "zero_grad")
    assert changed == TRAINER.replace(
        "        self.step = 0\n",
        f"{made_for('self.optimizer', '        ')}        self.step = 0\n",
    ).replace("zero_grad()", "zero_grad(set_to_none=False)")
    looped = TRAINER.replace(
        "        self.model(x).backward()", "        for x in data:\n            y.backward()"
    ).replace("        self.optimizer.zero_grad", "            self.optimizer.zero_grad")
    looped = looped.replace("        self.optimizer.step()", "            self.optimizer.step()")
    changed = patched("CA201", tmp_path, looped, "zero_grad")
    assert f"{made_for('self.optimizer', '        ')}        for x in data:" in changed


def test_an_optimizer_that_is_passed_on(tmp_path: Path) -> None:
    files = {
        "train.py": """\
        import torch
        from step import train_step

        def main():
            optimizer = torch.optim.SGD(model.parameters())
            for x in data:
                train_step(model, x, opt=optimizer)
        """,
        "step.py": """\
        def train_step(model, x, opt):
            model(x).backward()
            opt.step()
            opt.zero_grad()
        """,
    }
    program = program_of(tmp_path, files)
    finding = finding_of("CA201", tmp_path, ("train.py", 7), ("step.py", 4))
    (patch,) = propose_for(finding, program).patches
    changed = applied(program.texts, [patch])
    assert "opt.zero_grad(set_to_none=False)" in changed["step.py"]
    assert f"{made_for('optimizer', '    ')}    for x in data:" in changed["train.py"]


LIGHTNING = """\
import torch
from lightning.pytorch import LightningModule

class Regression(LightningModule):
    def training_step(self, batch, _):
        return loss(batch)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters())

trainer.fit(Regression())
"""


def test_a_lightning_module_zeroes_its_gradients(tmp_path: Path) -> None:
    changed = patched("CA201", tmp_path, LIGHTNING, "trainer.fit")
    assert changed == LIGHTNING.replace(
        "\ntrainer",
        """
    def on_train_start(self):
        for parameter in self.parameters():
            if parameter.requires_grad and parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        optimizer.zero_grad(set_to_none=False)

trainer""",
    )
    has_one = LIGHTNING.replace("training_step(self, batch, _)", "on_train_start(self)")
    assert "has on_train_start already" in refusal("CA201", tmp_path, has_one, "trainer.fit")


BY_HAND = """\
import torch

model = torch.nn.Linear(2, 1)
{before}for epoch in range(3):
    for x in data():
{first}        model(x).sum().backward()
        for p in model.parameters():
            p.data -= 0.1 * p.grad
{last}"""
ZEROS = "torch.zeros_like({0}) if {0}.requires_grad else None"


@pytest.mark.parametrize(
    ("loop", "name"),
    [
        ("for p in model.parameters():", "p"),
        ("for one in [model.weight, model.bias]:", "one"),
        ("for weight in list(model.parameters()):", "weight"),
    ],
)
@pytest.mark.parametrize("is_last", [True, False])
def test_gradients_that_are_dropped_by_hand(
    tmp_path: Path, loop: str, name: str, is_last: bool
) -> None:
    dropped = f"        {loop}\n            {name}.grad = None\n"
    source = BY_HAND.format(
        before="", first="" if is_last else dropped, last=dropped if is_last else ""
    )
    zeros = ZEROS.format(name)
    kept = dropped.replace("None", zeros)
    assert patched("CA201", tmp_path, source) == BY_HAND.format(
        before=f"{loop}\n    {name}.grad = {zeros}\n",
        first="" if is_last else kept,
        last=kept if is_last else "",
    )


def test_gradients_that_a_function_drops_are_left(tmp_path: Path) -> None:
    source = (
        "def clear(parameters):\n    for p in parameters:\n        p.grad = None\n\n\n"
        "for x in data():\n    model(x).backward()\n    clear(model.parameters())\n"
    )
    assert "in no loop of its function" in refusal("CA201", tmp_path, source)


def test_gradients_that_a_method_drops_are_made_where_its_model_is_known(tmp_path: Path) -> None:
    source = """\
import torch


class Accumulator:
    def __init__(self, model):
        self.model = model

    def backward(self, loss):
        loss.backward()
        for p in self.model.parameters():
            p.grad = None
"""
    changed = patched("CA201", tmp_path, source)
    made = (
        "        self.model = model\n"
        "        for parameter in self.model.parameters():\n"
        "            if parameter.requires_grad and parameter.grad is None:\n"
        "                parameter.grad = torch.zeros_like(parameter)\n"
    )
    assert changed == source.replace("        self.model = model\n", made).replace(
        "p.grad = None", "p.grad = torch.zeros_like(p) if p.requires_grad else None"
    )


@pytest.mark.parametrize("unit", ["\t", "  "])
def test_blocks_are_indented_as_the_file_is(tmp_path: Path, unit: str) -> None:
    source = (
        "import torch\n\n\ndef main(model):\n\toptimizer = torch.optim.SGD(model.parameters())\n"
        "\tfor x in data:\n\t\tmodel(x).backward()\n\t\toptimizer.step()\n"
        "\t\toptimizer.zero_grad()\n"
    ).replace("\t", unit)
    changed = patched("CA201", tmp_path, source, "zero_grad")
    made = changed[changed.index("def main") :].split(f"{unit}for x in data")[0].splitlines()[2:]
    assert [line[: len(line) - len(line.lstrip())] for line in made] == [unit, 2 * unit, 3 * unit]


def test_an_import_for_types_is_none_for_the_program(tmp_path: Path) -> None:
    source = """\
    from typing import TYPE_CHECKING
    if TYPE_CHECKING:
        import torch
    from torch.optim import SGD
    optimizer: "torch.optim.Optimizer" = SGD(model.parameters())
    for step in range(9):
        model(x).backward()
        optimizer.zero_grad()
    """
    assert "does not import torch" in refusal("CA201", tmp_path, source, "zero_grad")


@pytest.mark.parametrize(
    ("made", "is_said"),
    [
        ("torch.optim.SGD(model.parameters(), lr=0.1)", False),
        ("torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)", True),
        ("torch.optim.Adam(model.parameters())", True),
    ],
)
def test_that_zeros_are_no_missing_gradient_is_said(
    tmp_path: Path, made: str, is_said: bool
) -> None:
    source = PROGRAM.format(zero="optimizer.zero_grad()")
    source = source.replace("torch.optim.SGD(model.parameters(), lr=0.1)", made)
    program = program_of(tmp_path, {"train.py": source})
    (patch,) = propose_for(finding_of("CA201", tmp_path, ("train.py", 6)), program).patches
    assert bool(patch.intention) is is_said


@pytest.mark.parametrize(
    "given",
    [
        "model.parameters(), 0.1, 0.9",
        "model.parameters(), **OPTIONS",
        '[{"params": model.parameters(), "momentum": 0.9}], lr=0.1',
    ],
)
def test_momentum_by_any_way_is_told(tmp_path: Path, given: str) -> None:
    source = PROGRAM.format(zero="optimizer.zero_grad()")
    source = source.replace("model.parameters(), lr=0.1", given)
    program = program_of(tmp_path, {"train.py": source})
    proposal = propose_for(finding_of("CA201", tmp_path, ("train.py", 6)), program)
    assert "momentum" in proposal.patches[0].intention


@pytest.mark.parametrize(
    "kept",
    [
        "history.append(p.grad)",
        "first = [p.grad for p in model.parameters()]",
        "self.last = p.grad.detach().view(-1)",
        'state["before"] = p.grad',
    ],
)
def test_gradients_that_are_kept_are_not_zeroed_in_place(tmp_path: Path, kept: str) -> None:
    source = PROGRAM.format(zero=f"{kept}\n        optimizer.zero_grad()")
    assert "keeps a gradient" in refusal("CA201", tmp_path, source, "zero_grad")


@pytest.mark.parametrize(
    "read",
    [
        "history.append(p.grad.norm())",
        "first = [p.grad.clone() for p in model.parameters()]",
        "flat = torch.cat([p.grad.view(-1) for p in model.parameters()])",
        "gradient = p.grad",
    ],
)
def test_gradients_that_are_read_or_copied_are(tmp_path: Path, read: str) -> None:
    source = PROGRAM.format(zero=f"{read}\n        optimizer.zero_grad()")
    assert "set_to_none=False" in patched("CA201", tmp_path, source, "zero_grad")


TESTED = """\
import torch
model = Model()
params = list(model.parameters())
optimizer = torch.optim.{optimizer}


@torch.compile
def scaled(share):
    for p in params:
        if p.grad is not None:
            {line}


for step in range(9):
    optimizer.zero_grad()
    model(x).backward()
    scaled(share)
    optimizer.step()
"""


@pytest.mark.parametrize("line", ["p.grad.mul_(share)", "p.grad /= share"])
def test_gradients_that_a_compiled_function_asks_for_are_kept(tmp_path: Path, line: str) -> None:
    source = TESTED.format(optimizer="SGD(params, lr=0.1)", line=line)
    known = LackedGradients("params")
    changed = patched("CA703", tmp_path, source, "zero", detail=known, edits=("keep_gradients",))
    assert "    optimizer.zero_grad(set_to_none=False)\n" in changed
    assert "        parameter.grad = torch.zeros_like(parameter)\nfor step" in changed


@pytest.mark.parametrize(
    ("optimizer", "line", "words"),
    [
        ("SGD(params, lr=0.1, momentum=0.9)", "p.grad.mul_(share)", "may move what has a gradient"),
        ("Adam(params)", "p.grad.mul_(share)", "may move what has a gradient"),
        ("SGD(params, lr=0.1)", "count += 1", "would be done with zeros"),
        ("SGD(params, lr=0.1)", "p.grad.add_(p, alpha=0.1)", "would be done with zeros"),
    ],
)
def test_zeros_that_would_do_something_are_not_made(
    tmp_path: Path, optimizer: str, line: str, words: str
) -> None:
    source = TESTED.format(optimizer=optimizer, line=line)
    known = LackedGradients("params")
    assert words in refusal(
        "CA703", tmp_path, source, "zero", detail=known, edits=("keep_gradients",)
    )
