"""CA713, CA802, CA803, CA807: a line that sets an option, after the script's imports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import SplitGraph
from ca_reports.patching.patches import Proposal, applied
from ca_reports.patching.propose import propose_for
from ca_reports.run.model import Compile, Frame, GraphBreak
from tests.unit.reports.patching.programs import every, finding_of, patched, program_of, refusal

if TYPE_CHECKING:
    from pathlib import Path

BY_OPTION = SplitGraph("capture_scalar_outputs")
SCALARS = "torch._dynamo.config.capture_scalar_outputs = True"
SOURCE = '''\
"""Trains."""

import logging

import torch
from torch import nn


def main():
    {line}
'''


@pytest.mark.parametrize(
    ("code", "key", "line", "option"),
    [
        ("CA803", "print", "print(x)", "reorderable_logging_functions.add(print)"),
        (
            "CA803",
            "logging.Logger.info",
            "logger.info(x)",
            "ignore_logging_functions.add(logging.Logger.info)",
        ),
    ],
)
def test_the_line_stands_after_the_imports(
    tmp_path: Path, code: str, key: str, line: str, option: str
) -> None:
    source = SOURCE.format(line=line)
    changed = patched(code, tmp_path, source, line, key=key)
    set_ = f"from torch import nn\n\ntorch._dynamo.config.{option}\n"
    assert changed == source.replace("from torch import nn\n", set_)


@pytest.mark.parametrize(
    ("code", "option"),
    [
        ("CA802", "capture_scalar_outputs"),
        ("CA807", "capture_dynamic_output_shape_ops"),
        ("CA807", "allow_rnn"),
    ],
)
def test_an_operation_enters_the_graph_by_the_option_that_torch_names(
    tmp_path: Path, code: str, option: str
) -> None:
    source = SOURCE.format(line="y = self.rnn(x)")
    changed = patched(code, tmp_path, source, "self.rnn", detail=SplitGraph(option))
    set_ = f"from torch import nn\n\ntorch._dynamo.config.{option} = True\n"
    assert changed == source.replace("from torch import nn\n", set_)


MASKED = SplitGraph(argument="is_causal")
NO_SETTING = "no setting keeps it in the graph"
CAUSAL = "pass `is_causal=True` beside the mask, or `is_causal=False` if it is another one"


@pytest.mark.parametrize(
    ("call", "patched_call"),
    [
        ("out = self.encoder(x, mask=self.mask)", "mask=self.mask, is_causal=False)"),
        ("out = self.encoder(x, mask=self.mask, is_causal=None)", ""),
        ("out = self.encoder(x, **options)", ""),
    ],
)
def test_a_mask_is_taken_as_it_is(tmp_path: Path, call: str, patched_call: str) -> None:
    source = SOURCE.format(line=call)
    if patched_call:
        changed = patched("CA802", tmp_path, source, "encoder", fix=CAUSAL, detail=MASKED)
        assert changed == source.replace("mask=self.mask)", patched_call)
    else:
        assert (
            refusal("CA802", tmp_path, source, "encoder", fix=CAUSAL, detail=MASKED)
            == "can't find a single call there with a mask"
        )


def test_a_number_that_no_option_keeps_is_left(tmp_path: Path) -> None:
    source = SOURCE.format(line="size = x.item()")
    advice = "keep it a tensor, or read the value outside the compiled code"
    assert refusal("CA802", tmp_path, source, "item()", fix=advice) == NO_SETTING


def test_a_tensor_that_no_option_takes_into_the_graph_is_left(tmp_path: Path) -> None:
    source = SOURCE.format(line="y = x.to_sparse()")
    advice = "make it a dense, plain tensor before the compiled part"
    assert refusal("CA807", tmp_path, source, "to_sparse", fix=advice) == NO_SETTING


@pytest.mark.parametrize(
    ("line", "is_left"),
    [("self.peak = max(self.peak, x.item())", True), ("self.last = x.item()", False)],
)
def test_a_value_that_an_object_keeps_for_the_next_call_is_left(
    tmp_path: Path, line: str, *, is_left: bool
) -> None:
    source = SOURCE.format(line=line)
    if is_left:
        refused = refusal("CA802", tmp_path, source, line, key="`.item()`")
        assert "keeps the value in self.peak" in refused
    else:
        found = patched("CA802", tmp_path, source, line, key="`.item()`", detail=BY_OPTION)
        assert SCALARS in found


@pytest.mark.parametrize(
    ("line", "is_left"),
    [
        ("writer.add_scalar('loss', x.item(), STEP)", True),
        ("writer.add_scalar('loss', x.item(), 3)", False),
        ("log(x.item(), writer)", False),
    ],
)
def test_a_value_that_is_handed_on_with_a_counter_is_left(
    tmp_path: Path, line: str, *, is_left: bool
) -> None:
    source = SOURCE.format(line=line) + "\nwriter = Writer()\nSTEP = 0\nSTEP += 1\n"
    if is_left:
        refused = refusal("CA802", tmp_path, source, line, key="`.item()`")
        assert "hands on STEP, too" in refused
    else:
        found = patched("CA802", tmp_path, source, line, key="`.item()`", detail=BY_OPTION)
        assert SCALARS in found


def test_a_value_that_a_function_of_the_programs_collects_is_left(tmp_path: Path) -> None:
    line = "writer.add('loss', x.item())"
    source = SOURCE.format(line=line) + "\n\ndef add(tag, value):\n    rows.append(value)\n"
    refused = refusal("CA802", tmp_path, source, line, key="`.item()`")
    assert "collects the value: it would be compiled again as that grows" in refused


def test_it_is_set_in_the_script_for_a_line_elsewhere(tmp_path: Path) -> None:
    files = {
        "train.py": "import torch as t\nimport model\n\nmodel.f()\n",
        "model.py": "def f(x):\n    print(x)\n",
    }
    (changed,) = every("CA803", tmp_path, files, "model.f", key="print")
    assert changed == {
        "train.py": "import torch as t\nimport model\n\n"
        "t._dynamo.config.reorderable_logging_functions.add(print)\n\nmodel.f()\n"
    }


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("'x', x.shape", "'x', f\"{x.shape}\""),
        ("'x', tuple(x.shape)", "'x', f\"{tuple(x.shape)}\""),
        ("list(x.size()), tuple(rows)", 'f"{list(x.size())}", tuple(rows)'),
        ("x.size(), sep='-'", "f\"{x.size()}\", sep='-'"),
        ('d["x"].shape', "f'{d[\"x\"].shape}'"),
        ("x.shape[0], *x.shape", "x.shape[0], *x.shape"),
        ("x, [x, y]", 'x, f"{[x, y]}"'),
    ],
)
def test_a_size_is_printed_as_a_text(tmp_path: Path, printed: str, text: str) -> None:
    source = SOURCE.format(line=f"print({printed})")
    changed = patched("CA803", tmp_path, source, "print(", key="print")
    assert f"print({text})" in changed
    assert "reorderable_logging_functions.add(print)" in changed


@pytest.mark.parametrize(
    ("written", "option"),
    [
        ("'old', FutureWarning", "ignore"),
        ("'old',\n        category=Old,\n    ", "ignore"),
        ("DeprecationWarning('old')", "ignore"),
        ("'old', None, 2", "reorderable"),
        ("f'{x.shape}', stacklevel=2", "reorderable"),
    ],
)
def test_a_warning_that_torch_cant_move_is_left_out(
    tmp_path: Path, written: str, option: str
) -> None:
    source = SOURCE.format(line=f"warnings.warn({written})").replace("logging", "warnings")
    changed = patched("CA803", tmp_path, source, "warnings.warn(", key="warnings.warn")
    assert f"torch._dynamo.config.{option}_logging_functions.add(warnings.warn)\n" in changed


def test_what_is_printed_to_a_file_stays(tmp_path: Path) -> None:
    source = SOURCE.format(line="print(x, file=sys.stderr)")
    assert "to a file" in refusal("CA803", tmp_path, source, "print(", key="print")


def test_a_logger_is_named_where_logging_is_imported(tmp_path: Path) -> None:
    files = {
        "train.py": "import torch\nimport model\n\nmodel.f()\n",
        "model.py": "import logging\n\nlog = logging.getLogger()\n\n\ndef f(x):\n    log.info(x)\n",
    }
    where = Frame(str(tmp_path / "model.py"), 7, "f", "")
    key = "logging.Logger.info"
    (changed,) = every("CA803", tmp_path, files, "model.f", key=key, location=where)
    added = "torch._dynamo.config.ignore_logging_functions.add(logging.Logger.info)\n"
    assert changed["model.py"].startswith(f"import logging\n\nimport torch\n\n{added}")
    nowhere = {**files, "model.py": files["model.py"].replace("import logging\n", "import os\n")}
    (changed,) = every("CA803", tmp_path, nowhere, "model.f", key=key, location=where)
    assert changed["train.py"].startswith(f"import logging\nimport torch\nimport model\n\n{added}")


HELPER = """\
import torch
import notes


def forward(x):
    {call}
    return x + 1
"""


NOTES = "import sys\n\n\ndef note(x):\n    with open(x) as file:\n        file.write(x)\n"


def broken_in_note(folder: Path, call: str, notes: str = NOTES) -> Proposal:
    files = {
        "train.py": HELPER.format(call=call),
        "notes.py": notes,
    }
    program = program_of(folder, files)
    stack = tuple(
        Frame(str(folder / file), line, function, "")
        for file, line, function in (("train.py", 6, "forward"), ("notes.py", 5, "note"))
    )
    event = GraphBreak("0/0", 0, "a with", None, stack[-1], stack, 1)
    finding = finding_of("CA806", folder, location=stack[-1], events=(event,))
    return propose_for(finding, program)


def test_a_function_that_only_writes_is_called_after_the_graph(tmp_path: Path) -> None:
    (patch,) = broken_in_note(tmp_path, 'notes.note("x")').patches
    texts = {"train.py": HELPER.format(call='notes.note("x")'), "notes.py": NOTES}
    changed = applied(texts, [patch])
    line = "torch._dynamo.config.reorderable_logging_functions.add(notes.note)\n"
    assert f"import notes\n\n{line}\n\ndef forward" in changed["train.py"]
    assert "is part of what is computed" in broken_in_note(tmp_path, "y = notes.note(x)").refusal


@pytest.mark.parametrize("function", ["forward", "inner"])
def test_what_an_inlined_function_writes_would_be_left_out(tmp_path: Path, function: str) -> None:
    stack = tuple(
        Frame(str(tmp_path / file), line, name, "")
        for file, line, name in (("train.py", 6, "forward"), ("notes.py", 5, "note"))
    )
    root = Frame(str(tmp_path / "train.py"), 5, function, "")
    compiled = Compile("0/0", 0, None, None, None, location=root, code=root, stack=stack)
    program = program_of(
        tmp_path,
        {"train.py": HELPER.format(call='notes.note("x")'), "notes.py": NOTES},
        (compiled,),
    )
    event = GraphBreak("0/0", 0, "a with", None, stack[-1], stack, 1)
    found = propose_for(finding_of("CA806", tmp_path, location=stack[-1], events=(event,)), program)
    assert bool(found.patches) == (function == "forward")
    printed = GraphBreak("0/0", 0, "print", None, stack[0], stack[:1], 1)
    finding = finding_of("CA803", tmp_path, location=stack[0], events=(printed,), key="print")
    (patch,) = propose_for(finding, program).patches
    assert ("leaves out" in patch.intention) == (function == "inner")


_TWO_FORWARDS = """\
import torch
import notes
class Block(torch.nn.Module):
    def forward(self, x):
        notes.note("x")
        return x
class Net(torch.nn.Module):
    def forward(self, x):
        return self.block(x)
"""


@pytest.mark.parametrize(("line", "is_offered"), [(4, True), (8, False)])
def test_methods_of_one_name_are_not_one_function(
    tmp_path: Path, line: int, is_offered: bool
) -> None:
    # GIVEN a `forward` that calls what writes, compiled itself or inlined into another `forward`
    stack = tuple(
        Frame(str(tmp_path / file), at, name, "")
        for file, at, name in (("train.py", 5, "forward"), ("notes.py", 5, "note"))
    )
    root = Frame(str(tmp_path / "train.py"), line, "forward", "")
    compiled = Compile("0/0", 0, None, None, None, location=root, code=root, stack=stack)
    files = {"train.py": _TWO_FORWARDS, "notes.py": NOTES}
    program = program_of(tmp_path, files, (compiled,))
    event = GraphBreak("0/0", 0, "a with", None, stack[-1], stack, 1)

    found = propose_for(finding_of("CA806", tmp_path, location=stack[-1], events=(event,)), program)

    assert bool(found.patches) is is_offered


@pytest.mark.parametrize(
    "filling", ["x[0] = len(file.read())", "row = x[0]; row[1] = 2", "x[0] += 1"]
)
def test_a_function_that_fills_its_argument_does_not_only_write(
    tmp_path: Path, filling: str
) -> None:
    notes = f"{NOTES}        {filling}\n"
    assert broken_in_note(tmp_path, "notes.note(x)", notes).patches == ()


STAMPED = """\
import time


def stamp():
    return time.strftime("%H:%M")


def note(what):
    {body}
"""


def stamped(folder: Path, body: str, call: str) -> Proposal:
    files = {
        "train.py": HELPER.format(call=call),
        "notes.py": STAMPED.format(body=body),
    }
    program = program_of(folder, files)
    stack = tuple(
        Frame(str(folder / file), line, function, "")
        for file, line, function in (
            ("train.py", 6, "forward"),
            ("notes.py", 9, "note"),
            ("notes.py", 5, "stamp"),
        )
    )
    event = GraphBreak("0/0", 0, "getppid", None, stack[-1], stack, 1)
    finding = finding_of("CA804", folder, location=stack[-1], events=(event,))
    return propose_for(finding, program)


@pytest.mark.parametrize(
    "body",
    [
        'print(f"{stamp()} {what}")',
        'line = f"{stamp()} {what}"\n    if what in WANTED:\n        sys.stderr.write(line)',
    ],
)
def test_the_function_around_that_only_writes_is_called_after_the_graph(
    tmp_path: Path, body: str
) -> None:
    (patch,) = stamped(tmp_path, body, 'notes.note("x")').patches
    texts = {"train.py": HELPER.format(call='notes.note("x")'), "notes.py": ""}
    texts["notes.py"] = STAMPED.format(body=body)
    changed = applied(texts, [patch])
    assert "reorderable_logging_functions.add(notes.note)" in changed["train.py"]
    assert "@torch.compiler.disable\ndef note" in changed["notes.py"]


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("TIMES[what] = stamp()", 'notes.note("x")'),
        ("return stamp()", 'notes.note("x")'),
        ("seen.at = stamp()", 'notes.note("x")'),
        ("print(stamp(), torch.rand(1))", 'notes.note("x")'),
        ("print(stamp())", 'y = notes.note("x")'),
        ("print(stamp())", "print(notes.note)"),
    ],
)
def test_a_function_around_that_does_more_is_left(tmp_path: Path, body: str, call: str) -> None:
    assert "is part of what is computed" in stamped(tmp_path, body, call).refusal


def test_the_function_that_calls_what_is_compiled_is_none_that_only_writes(tmp_path: Path) -> None:
    # GIVEN a compiled function that breaks itself, called by a `main` that returns nothing
    source = (
        "import os\nimport torch\n\n\n@torch.compile\ndef distance(x):\n"
        "    began = os.getppid()\n    return x - began\n\n\n"
        "def main():\n    distance(data())\n\n\nmain()\n"
    )
    stack = tuple(
        Frame(str(tmp_path / "train.py"), line, function, "")
        for line, function in ((15, "<module>"), (12, "main"), (7, "distance"))
    )
    compiled = Compile("0/0", 0, None, None, None, location=replace(stack[-1], line=6))
    program = program_of(tmp_path, {"train.py": source}, (compiled,))
    event = GraphBreak("0/0", 0, "getppid", None, stack[-1], stack, 1)
    finding = finding_of("CA804", tmp_path, location=stack[-1], events=(event,))

    # THEN no patch takes `main` for a function that only writes
    assert "would change what is computed" in propose_for(finding, program).refusal


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [
        ("CA805", "x = 1\n    torch._dynamo.graph_break()", "x = 1"),
        ("CA506", "nn.Embedding(9, 2, sparse=True)", "nn.Embedding(9, 2, sparse=False)"),
    ],
)
def test_one_option_or_line(tmp_path: Path, code: str, line: str, expected: str) -> None:
    source = SOURCE.format(line=line)
    at = line.rpartition("\n")[2].strip()
    assert patched(code, tmp_path, source, at) == source.replace(line, expected)


DISABLED = """\
import torch


{decorator}
def sway(pose):
    return pose + torch.randn_like(pose)


class Poses(torch.nn.Module):
    def forward(self, pose):
        pose = sway(pose)
        return pose
"""


@pytest.mark.parametrize(
    "decorator", ["@torch.compiler.disable", "@torch.compiler.disable()", "@torch._dynamo.disable"]
)
def test_a_function_is_not_disabled_any_more(tmp_path: Path, decorator: str) -> None:
    source = DISABLED.format(decorator=decorator)
    changed = patched("CA805", tmp_path, source, "pose = sway", detail=SplitGraph(function="sway"))
    assert changed == source.replace(f"{decorator}\n", "")


@pytest.mark.parametrize(
    "decorator",
    [
        '@torch.compiler.disable(reason="reads a file")',
        "@torch.compiler.disable(recursive=False)",
        "@torch.no_grad()",
    ],
)
def test_a_function_that_is_disabled_for_a_reason_is_left(tmp_path: Path, decorator: str) -> None:
    source = DISABLED.format(decorator=decorator)
    assert "computes something" in refusal(
        "CA805", tmp_path, source, "pose = sway", detail=SplitGraph(function="sway")
    )


@pytest.mark.parametrize(
    ("made", "new"),
    [
        ("sparse = True\nx = nn.Embedding(9, 2, sparse=sparse)  # at", "sparse = False"),
        (
            "CONFIG = {'model': {'sparse': True}}\n\n\ndef make(config):\n"
            "    return nn.Embedding(9, 2, **config['model'])  # at\n\n\nmake(CONFIG)",
            "{'sparse': False}",
        ),
        (
            "class Config:\n    sparse: bool = True\n\n\ncfg = Config()\n"
            "x = nn.Embedding(9, 2, sparse=cfg.sparse)  # at",
            "sparse: bool = False",
        ),
        (
            "is_sparse = True\nx = nn.Embedding(9, 2, sparse=is_sparse)  # at\n"
            "kind = optim.SparseAdam if is_sparse else optim.Adam",
            "is_sparse = False",
        ),
        ("x, y = nn.Embedding(9, 2, sparse=True), nn.EmbeddingBag(9, 2, sparse=True)  # at",
         "x, y = nn.Embedding(9, 2, sparse=False), nn.EmbeddingBag(9, 2, sparse=False)"),
    ],
)  # fmt: skip
def test_a_dense_embedding_where_the_option_is_written(tmp_path: Path, made: str, new: str) -> None:
    source = f"from torch import nn, optim\n\n{made}\n"
    assert patched("CA506", tmp_path, source, "# at") == source.replace(
        new.replace("False", "True"), new
    )


@pytest.mark.parametrize(
    ("code", "source", "words"),
    [
        ("CA802", "import torch\nn = x.item()  # at\nif n > 1:\n    f()\n", "decides by n"),
        ("CA802", "import torch\nn = x.item()  # at\nwhile y < n:\n    f()\n", "decides by n"),
        (
            "CA802",
            "import torch\nw = [table[int(x)] for x in labels]  # at\n",
            "looks up table by it: it would be compiled for each value",
        ),
        ("CA802", "f()\nn = x.item()  # at\n", "does not begin with its imports"),
        (
            "CA802",
            f"import torch\n{SCALARS}\nn = x.item()  # at\n",
            "already",
        ),
        ("CA805", "import torch\ngo(1)  # at\n", "computes something"),
        ("CA506", "import torch\ngo(1)  # at\n", "an embedding with sparse=True"),
        (
            "CA506",
            "from torch import nn, optim\nx = nn.Embedding(2, 2, sparse=True)  # at\n"
            "optim.SparseAdam(x)\n",
            "SparseAdam",
        ),
    ],
)
def test_what_is_left(tmp_path: Path, code: str, source: str, words: str) -> None:
    assert words in refusal(code, tmp_path, source, "# at", key="warnings.warn", detail=BY_OPTION)


TIMED = """\
import time

import torch


def timed(label):
    def decorate(method):
        def wrapper(self, *arguments, **options):
            {head}began = time.perf_counter()
            result = {call}
            seconds[label] += time.perf_counter() - began
            return result

        return wrapper

    return decorate
"""


def test_a_wrapper_only_calls_what_is_compiled(tmp_path: Path) -> None:
    call = "method(self, *arguments, **options)"
    changed = patched("CA804", tmp_path, TIMED.format(head="", call=call), "began =")
    head = f"if torch.compiler.is_compiling():\n                return {call}\n            "
    assert changed == TIMED.format(head=head, call=call)


def test_a_wrapper_that_passes_something_else_is_left(tmp_path: Path) -> None:
    source = TIMED.format(head="", call="method(self, *arguments)")
    source = source.replace("time.perf_counter()", "os.getppid()")
    assert "would change what is computed" in refusal("CA804", tmp_path, source, "began =")


@pytest.mark.parametrize(
    ("source", "is_patched"),
    [
        ("if table.sparse:\n    o = torch.optim.SparseAdam(p)\n", True),
        ("if many:\n    o = torch.optim.SparseAdam(p)\n", False),
    ],
)
def test_an_optimizer_that_asks_whether_gradients_are_sparse(
    tmp_path: Path, source: str, is_patched: bool
) -> None:
    source = f"import torch\n\ntable = torch.nn.Embedding(3, 4, sparse=True)\n{source}"
    if is_patched:
        changed = patched("CA506", tmp_path, source, "table =")
        assert changed == source.replace("sparse=True", "sparse=False")
    else:
        assert "SparseAdam" in refusal("CA506", tmp_path, source, "table =")


BUCKETS = """\
from torch.nn.parallel import DistributedDataParallel as DDP

model = DDP(net, bucket_cap_mb={size})
loss.backward()
"""


def test_buckets_that_are_too_small_for_a_compile(tmp_path: Path) -> None:
    assert patched("CA613", tmp_path, BUCKETS.format(size="0.5")) == BUCKETS.format(size="1")
    for size in ("25", "cap"):
        assert "no bucket_cap_mb below 1" in refusal("CA613", tmp_path, BUCKETS.format(size=size))


@pytest.mark.parametrize(
    ("cut", "apart"),
    [
        ("x[:, top:low, left:]", "x[:, top:low][:, :, left:]"),
        ("x[:, top:low, :left]", ""),
        ("x[..., top:, left:]", None),
    ],
)
def test_numbers_in_the_graph_cut_one_dimension_after_the_other(
    tmp_path: Path, cut: str, apart: str | None
) -> None:
    line = "top, low, left = int(box[0]), int(box[1]), int(box[2])"
    source = SOURCE.format(line=f"{line}\n    return {cut}")
    if apart is None:
        refused = refusal("CA802", tmp_path, source, line, key="`int()`", detail=BY_OPTION)
        assert "cuts several dimensions at once" in refused
        return
    found = patched("CA802", tmp_path, source, line, key="`int()`", detail=BY_OPTION)
    assert SCALARS in found
    assert f"return {apart or cut}\n" in found


@pytest.mark.parametrize(
    "own",
    [
        "torch._dynamo.config.capture_scalar_outputs=True",
        "from torch._dynamo import config as dynamo\ndynamo.capture_scalar_outputs = True",
    ],
)
def test_an_option_that_the_program_sets_is_not_set_once_more(tmp_path: Path, own: str) -> None:
    # Another thread than the one that sets it does not have it (torch 2.12).
    source = SOURCE.format(line="size = x.item()").replace(
        "import torch\n", f"import torch\n{own}\n"
    )
    refused = refusal("CA802", tmp_path, source, "item()", key="`.item()`", detail=BY_OPTION)
    assert refused.endswith("sets it already, which holds in the thread that does so")
    off = source.replace("True", "False")
    assert SCALARS in patched("CA802", tmp_path, off, "item()", key="`.item()`", detail=BY_OPTION)
