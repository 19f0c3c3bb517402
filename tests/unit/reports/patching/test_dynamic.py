"""CA102, and the alternative for CA101: `dynamic=True` on every `torch.compile`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import Subject
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Capture, Compile, Failure, Frame
from tests.unit.reports.patching.programs import every, finding_of, patched, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import torch
import torch._dynamo as d
from torch import compile as fast
model = torch.compile(model, dynamic=False)
step = fast(
    run,
    backend="eager",  # for now
)

@torch.compile
def backward(loss):
    loss.backward()

@fast(dynamic=True)
def other(x): ...
"""


def test_all_compiles_forward_and_backward(tmp_path: Path) -> None:
    expected = (
        PROGRAM.replace("dynamic=False", "dynamic=True")
        .replace("  # for now\n", "  # for now\n    dynamic=True,\n")
        .replace("@torch.compile\n", "@torch.compile(dynamic=True)\n")
    )
    assert patched("CA102", tmp_path, PROGRAM) == expected


def test_numbers_are_dynamic_with_the_sizes(tmp_path: Path) -> None:
    patches = every("CA701", tmp_path, {"train.py": PROGRAM}, "run,", edits=("dynamic_numbers",))

    assert [one["train.py"].count("dynamic=True") for one in patches] == [4]
    assert "dynamic=False" not in patches[0]["train.py"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import torch\nf = torch.compile(g, dynamic=flag)\nx.backward()\n", "flag at train.py:2"),
        ("import torch\nf = torch.compile(g, **options)\nx.backward()\n", "options at train.py:2"),
        ("import re\nf = re.compile('x')\nx.backward()\n", "no torch.compile"),
        ("import torch\nf = torch.compile(g, dynamic=True)\nx.backward()\n", "no torch.compile"),
    ],
)
def test_what_it_cannot_know_it_leaves(tmp_path: Path, source: str, words: str) -> None:
    assert words in refusal("CA102", tmp_path, source)


def of_constraint(*, in_backward: bool) -> tuple[Failure]:
    text = "ConstraintViolationError: Constraints violated"
    return (Failure("compile", text, "0/0 failed", "log", in_backward=in_backward),)


MARKED = """\
import torch

compiler = torch.compile(backend="eager")
torch._dynamo.mark_dynamic(x, 0)
loss.backward()
"""


def test_a_captured_backward_is_compiled_for_all_sizes(tmp_path: Path) -> None:
    changed = patched("CA611", tmp_path, MARKED, events=of_constraint(in_backward=True))
    assert changed == MARKED.replace('"eager")', '"eager", dynamic=True)')


def test_a_mark_that_a_forward_fixes_is_no_demand(tmp_path: Path) -> None:
    changed = patched("CA611", tmp_path, MARKED, events=of_constraint(in_backward=False))
    assert changed == MARKED.replace(".mark_dynamic", ".maybe_mark_dynamic")


def test_a_mark_keeps_what_one_that_demands_nothing_takes(tmp_path: Path) -> None:
    source = MARKED.replace("(x, 0)", "(x, index=0, min=2, max=512)")
    changed = patched("CA611", tmp_path, source, events=of_constraint(in_backward=False))
    assert "torch._dynamo.maybe_mark_dynamic(x, index=0)\n" in changed
    unknown = MARKED.replace("(x, 0)", "(x, 0, **limits)")
    refused = refusal("CA611", tmp_path, unknown, events=of_constraint(in_backward=False))
    assert refused.endswith("passes is not known")


def test_of_several_marks_none_is_changed(tmp_path: Path) -> None:
    source = MARKED + "torch._dynamo.mark_dynamic(y, 0)\n"
    refused = refusal("CA611", tmp_path, source, events=of_constraint(in_backward=False))
    assert refused.startswith("2 calls of mark_dynamic")


def test_a_size_that_another_one_equals_is_kept_apart(tmp_path: Path) -> None:
    source = (
        "import torch\n\nWIDTH = 32\nf = torch.compile(g)\nfor x in data.split(32):\n    f(x)\n"
    )
    event = Compile("!0/0/1", 0, None, None, 0)
    more = {"subject": Subject(values=(32, 16)), "events": (event,)}
    changed = patched("CA102", tmp_path, source, "f(x)", **more)
    assert "import torch\n\ntorch.fx.experimental._config.use_duck_shape = False\n" in changed
    assert "torch.compile(g, dynamic=True)" in changed
    alone = source.replace("WIDTH = 32", "WIDTH = 8")
    assert "duck" not in patched("CA102", tmp_path, alone, "f(x)", **more)


def test_a_short_batch_has_both_remedies(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom torch.utils.data import DataLoader\nf = torch.compile(g)\n"
        "for x in DataLoader(data):\n    f(x).backward()\n"
    )
    dropped, dynamic = every("CA101", tmp_path, {"train.py": source})
    assert "DataLoader(data, drop_last=True)" in dropped["train.py"]
    assert "torch.compile(g, dynamic=True)" in dynamic["train.py"]


def test_a_trainers_own_option(tmp_path: Path) -> None:
    source = (
        "from transformers import Trainer, TrainingArguments as Arguments\n"
        "arguments = Arguments(\n    output_dir='out',\n)\nTrainer(model, arguments).train()\n"
    )
    changed = patched("CA101", tmp_path, source, ".train()")
    assert "    output_dir='out',\n    dataloader_drop_last=True,\n)" in changed


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("from sentence_transformers import SentenceTransformerTrainingArguments as A", "A"),
        ("import trl", "trl.RewardConfig"),
        ("from trl.trainer.sft_config import SFTConfig", "SFTConfig"),
    ],
)
def test_the_option_of_a_trainer_on_top_of_transformers(
    tmp_path: Path, imports: str, name: str
) -> None:
    source = (
        f"from transformers import BertConfig\nfrom trl import ModelConfig\n{imports}\n"
        f"both = BertConfig(), ModelConfig()\narguments = {name}('out')\n"
        "made(arguments, both).train()\n"
    )
    changed = patched("CA101", tmp_path, source, ".train()")
    assert changed == source.replace("('out')", "('out', dataloader_drop_last=True)")


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (
            "options = {'backend': 'eager', 'dynamic': False}\nf = torch.compile(g, **options)\n",
            "'dynamic': False",
            "'dynamic': True",
        ),
        (
            "options = dict(backend='eager')\nf = torch.compile(g, **options)\n",
            "**options)",
            "**options, dynamic=True)",
        ),
        (
            "class Config:\n    dynamic: bool = False\n\n\nconfig = Config()\n"
            "f = torch.compile(g, dynamic=config.dynamic)\n",
            "bool = False",
            "bool = True",
        ),
        (
            "from functools import partial\n\nfast = partial(torch.compile, backend='eager')\n"
            "f = fast(g)\n",
            "backend='eager')",
            "backend='eager', dynamic=True)",
        ),
        ("g.compile(backend='eager')\n", "backend='eager')", "backend='eager', dynamic=True)"),
        ("self.net.compile()\n", "compile()", "compile(dynamic=True)"),
    ],
)
def test_compile_is_followed_to_where_its_options_are_written(
    tmp_path: Path, source: str, old: str, new: str
) -> None:
    whole = f"import torch\n\n{source}x.backward()\n"
    assert patched("CA102", tmp_path, whole) == whole.replace(old, new)


def test_nodes_that_depend_on_the_data_stay_whatever_sizes_are(tmp_path: Path) -> None:
    source = "import torch\nf = torch.compile(g)\nf(x)\n"
    again = Compile("0/1", 0, None, None, None)
    capture = Capture(1, 0, None, None, "log", 1)
    once, twice = (capture, again), (capture, capture, again)
    assert "dynamic=True" in patched("CA403", tmp_path, source, "f(x)", events=once)
    assert "not only sizes" in refusal("CA403", tmp_path, source, "f(x)", events=twice)


@pytest.mark.parametrize(
    ("sizes", "options", "is_patched"),
    [
        ((4, "s1"), "", True),
        ((4, 28), "", False),
        ((4, 28), ", dynamic=False", True),
        ((4, 28), ", **options", True),  # it may be in there
        ((4, 1), "", True),
        ((), "", True),
    ],
)
def test_a_size_that_is_compiled_for_once_it_has_varied_stays_so(
    tmp_path: Path, sizes: tuple[int | str, ...], options: str, is_patched: bool
) -> None:
    source = (
        "import torch\n\noptions = dict(dynamic=False)\n\n\n"
        "def score(rows):\n    return rows + table[rows.shape[1]]\n\n\n"
        f"net = torch.compile(score{options})\nfor rows in data():\n    net(rows)\n"
    )
    inner = Frame(str(tmp_path / "train.py"), 6, "score", "")
    outer = Frame(str(tmp_path / "train.py"), 12, "<module>", "")
    compiled = Compile(
        "0/1", 0, None, None, None, location=inner, stack=(outer, inner), inputs={"lrows": sizes}
    )
    program = program_of(tmp_path, {"train.py": source}, (compiled,))
    subject = Subject("rows", dimensions=(1,), values=(16, 28))
    found = propose_for(
        finding_of("CA102", tmp_path, ("train.py", 12), subject=subject, events=(compiled,)),
        program,
    )
    assert bool(found.patches) is is_patched
    assert ("is compiled for each size" in found.refusal) is not is_patched


def test_sizes_of_parameters_are_dynamic_by_a_setting(tmp_path: Path) -> None:
    source = "import torch\n\nfollow = torch.compile(average)\nfollow(x)\n"
    sizes = {"edits": ("parameter_sizes",)}

    changed = patched("CA719", tmp_path, source, "follow(x)", **sizes)
    line = "torch._dynamo.config.force_parameter_static_shapes = False\n"
    assert changed == source.replace("import torch\n", f"import torch\n\n{line}", 1)

    # What a module holds may be one of torch's own.
    source_of = "self._modules['out']._parameters['weight']"
    inner = patched("CA719", tmp_path, source, "follow(x)", **sizes, subject=Subject(source_of))
    second = "torch._dynamo.config.force_nn_module_property_static_shapes = False\n"
    assert inner == source.replace("import torch\n", f"import torch\n\n{line}{second}", 1)

    # Where sizes are static by an option the setting changes nothing.
    static = source.replace("compile(average)", "compile(average, dynamic=False)")
    assert "has dynamic=False" in refusal("CA719", tmp_path, static, "follow(x)", **sizes)
