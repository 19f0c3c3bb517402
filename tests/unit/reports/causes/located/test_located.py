"""The line to change, found in programs whose line is known."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.causes.findings import (
    About,
    Detail,
    Finding,
    KeptByHook,
    OtherNodes,
    RepeatedNodes,
    SharedSetting,
    ShortBatch,
    SplitGraph,
    Subject,
)
from ca_reports.causes.remedies import BY_HAND, NoEdits, Remedy
from ca_reports.causes.rules import all_rules
from ca_reports.diagnosis.locating import locate
from ca_reports.program.files import SourceFiles
from ca_reports.run.held import FailedGuard, Held, RecordedGuards
from ca_reports.run.loaders import RecordedLoader
from ca_reports.run.model import Capture, Change, Compile, Frame, Process
from tests import slopes
from tests.unit.reports.causes.located.arguments import ARGUMENTS
from tests.unit.reports.causes.located.backwards import BACKWARDS
from tests.unit.reports.causes.located.calls import CALLS
from tests.unit.reports.causes.located.changed import CHANGED
from tests.unit.reports.causes.located.collected import COLLECTED
from tests.unit.reports.causes.located.dimensions import DIMENSIONS
from tests.unit.reports.causes.located.forms import FORMS
from tests.unit.reports.causes.located.journeys import JOURNEYS
from tests.unit.reports.causes.located.loading import LOADING
from tests.unit.reports.causes.located.named import MASKED, NAMED
from tests.unit.reports.causes.located.orders import ORDERS
from tests.unit.reports.causes.located.passed import PASSED, TAKEN
from tests.unit.reports.causes.located.programs import PROGRAMS, UNDECIDED
from tests.unit.reports.causes.located.roots import ROOTS
from tests.unit.reports.causes.located.rounds import BRANCHES, ROUNDS
from tests.unit.reports.causes.located.sizes import SIZES
from tests.unit.reports.causes.located.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ca_reports.causes.remedies import Edit

FILES = "# file: "
EVERY = (
    PROGRAMS
    | FORMS
    | CHANGED
    | BACKWARDS
    | ARGUMENTS
    | JOURNEYS
    | SIZES
    | ROOTS
    | ORDERS
    | COLLECTED
    | STAGES
    | LOADING
    | DIMENSIONS
    | CALLS
    | ROUNDS
    | NAMED
)


def project(tmp_path: Path, text: str) -> dict[str, list[str]]:
    """``text`` written as files, of which each begins with a line `# file: name`; their lines."""
    written = {}
    for part in text.split(FILES)[1:]:
        name, _, source = part.partition("\n")
        source = dedent(source.removesuffix(" " * 8))
        path = tmp_path / name
        path.write_text(source)
        written[str(path)] = source.splitlines()
    return written


def all_marked(files: dict[str, list[str]], mark: str) -> list[Frame]:
    """The lines with the comment ``# mark``; one line may have several: ``# step, change``."""
    return [
        Frame(file, number, "", line.strip())
        for file, lines in files.items()
        for number, line in enumerate(lines, 1)
        if mark in line.rpartition("  # ")[2].split(", ")
    ]


def marked(files: dict[str, list[str]], mark: str) -> Frame | None:
    """The first of them."""
    return next(iter(all_marked(files, mark)), None)


def _place(frame: Frame | None) -> tuple[str, int] | None:
    return None if frame is None else (frame.file, frame.line)


# What a finding of that code is about, where a program doesn't say.
DETAILS: dict[str, Detail] = {
    "CA101": ShortBatch(8, "if you need those 8 samples, mark them"),
    "CA112": SharedSetting(),
    "CA202": OtherNodes("operations"),
    "CA203": RepeatedNodes("TanhBackward0 repeats 2–4 times"),
}


def located(
    files: dict[str, list[str]],
    root: Path,
    code: str,
    *,
    changes: Sequence[Any] = (),
    key: str = "",
    fix: str = "",
    near: str | None = None,
    reason: str = "",
    forward: str = "forward",
    library: str = "",
    function: str = "",
    subject: Subject | None = None,
    detail: Detail | None = None,
    held: str = "",
    given: Mapping[str, str] | None = None,
    drop_last: bool = False,
    message: str = "",
    gradients: bool | None = None,
    captured: bool = False,
    code_of: str = "",
    before: str = "",
    watched: Sequence[FailedGuard] = (),
    edit: Edit | NoEdits = BY_HAND,
) -> Finding:
    """A finding of ``code`` in this program as `diagnose` has it, with its line looked for.

    ``code_of`` is the file of the compiled code, where that is torch's and the line its call's.
    ``before`` marks the backward of the capture that it is compared with, if there is one; both
    made nodes in lines that are marked ``both``, the later one more of them in those with ``more``.
    ``held`` are variables that hold a loader in the frames that are marked so: `loop=loader`.
    ``given`` has the class of each argument that was recorded.
    """
    marks = ("main", "step", "backward", "compiled")
    if changes == MASKED:
        line = marked(files, "forward")
        changes = (Change(7, "MulBackward0", "node", None, "MulBackward0", forward=line),)
    stack = tuple(frame for mark in marks if (frame := marked(files, mark)) is not None)
    noticed = replace(stack[-1], function=function)
    stack = (*stack[:-1], noticed)
    if library:
        stack = (*stack, Frame(library, 2000, "training_step", "loss.backward()"))
    loaders = tuple(
        RecordedLoader(
            id=1, variable=variable, file=frame.file, line=frame.line, batch_size=8,
            drop_last=drop_last, samples=None,
        )
        for each in held.split()
        for mark, _, variable in [each.partition("=")]
        for frame in all_marked(files, mark)
    )  # fmt: skip
    arguments = tuple((name, Held(type=of)) for name, of in (given or {}).items())
    guards = RecordedGuards(
        tuple(watched), arguments=arguments, loaders=loaders, gradients=gradients
    )
    captures: tuple[Capture, ...] = ()
    firsts: tuple[Capture, ...] = ()
    compiles: tuple[Compile, ...] = ()
    if (noticed.file, noticed.line) == _place(marked(files, "compiled")):
        compiles = (
            Compile(
                "0/1",
                0,
                None,
                1,
                None,
                reason,
                location=noticed,
                stack=stack,
                held=guards,
                code=Frame(code_of, 1, "step", "") if code_of else None,
            ),
        )
    elif captured:  # a captured graph, recompiled
        compiles = (Compile("!0/0/1", 0, None, 1, 0, reason, location=noticed, stack=stack),)
    else:
        captures = (
            Capture(
                id=1, process=0, rank=None, pid=1, kind="new_autograd_node", file="log", line=2,
                stack=stack, changes=tuple(changes), nearest_module=near, loaders=loaders,
                closest_capture=0 if before else None,
                lines=dict(enumerate(all_marked(files, "both"))),
            ),
        )  # fmt: skip
    if before:
        more = (*all_marked(files, "both"), *all_marked(files, "more"))
        captures = (replace(captures[0], lines=dict(enumerate(more))),)
        (last,) = all_marked(files, before)
        made = dict(enumerate(all_marked(files, "both")))
        firsts = (
            replace(
                captures[0], id=0, kind="first", changes=(), stack=(*stack[:-1], last), lines=made
            ),
        )
    finding = Finding(
        rule=About(code, "name"),
        severity="warning",
        message=message,
        remedy=Remedy(fix, edit),
        key=key,
        subject=subject or Subject(),
        detail=detail or DETAILS.get(code),
        location=marked(files, forward) or noticed,
        noticed_at=noticed,
        events=(*captures, *compiles),
    )
    process = Process(0, "log", None, 1, 2, captures=(*firsts, *captures), compiles=compiles)
    failed: dict[str, None] = {}
    (answer,) = locate([finding], [process], SourceFiles([root]), failed, all_rules())
    assert not failed
    assert answer.noticed_at == noticed
    return answer


@pytest.mark.parametrize("name", EVERY)
def test_the_line_to_change(name: str, tmp_path: Path) -> None:
    code, text, known = EVERY[name]
    files = project(tmp_path, text)
    expected = all_marked(files, "change")
    assert expected

    found = located(files, tmp_path, code, **known).location

    assert found is not None
    assert (found.file, found.line, found.code) in [
        (frame.file, frame.line, frame.code) for frame in expected
    ]


@pytest.mark.parametrize("name", EVERY)
def test_that_it_is_the_line_to_change_is_said(name: str, tmp_path: Path) -> None:
    code, text, known = EVERY[name]

    assert located(project(tmp_path, text), tmp_path, code, **known).is_located


@pytest.mark.parametrize(
    "name",
    ["a dropout that a context turns off", "a dropout by a function, whose p is scheduled"],
)
def test_a_dropout_that_is_off_in_some_steps_is_a_mode(name: str, tmp_path: Path) -> None:
    code, text, known = NAMED[name]

    found = located(project(tmp_path, text), tmp_path, code, **known)

    assert found.code == "CA205"
    assert "mode" in found.fix


def test_a_choice_in_the_rounds_of_a_loop_is_a_branch(tmp_path: Path) -> None:
    code, text, known = NAMED["a choice in the rounds of a loop that always goes round as often"]

    found = located(project(tmp_path, text), tmp_path, code, **known)

    assert found.code == "CA202"


@pytest.mark.parametrize("name", UNDECIDED)
def test_a_line_that_nobody_can_tell_is_not_named(name: str, tmp_path: Path) -> None:
    code, text, known = UNDECIDED[name]
    files = project(tmp_path, text)

    found = located(files, tmp_path, code, **known)

    assert found.location == found.noticed_at
    assert not found.is_located
    assert len(found.candidates) != 1


@pytest.mark.parametrize("name", PASSED)
def test_an_if_behind_which_both_captures_were_made_is_not_named(name: str, tmp_path: Path) -> None:
    files = project(tmp_path, PASSED[name])

    found = located(files, tmp_path, "CA202", before="backward")

    assert not found.is_located
    assert found.location == marked(files, "forward")


@pytest.mark.parametrize("name", TAKEN)
def test_an_if_that_may_have_gone_the_other_way_is_named(name: str, tmp_path: Path) -> None:
    files = project(tmp_path, TAKEN[name])

    found = located(files, tmp_path, "CA202", before="backward")

    assert found.is_located
    assert _place(found.location) == _place(marked(files, "change"))


@pytest.mark.parametrize("name", BRANCHES)
def test_a_loop_whose_rounds_are_not_more_is_no_cause(name: str, tmp_path: Path) -> None:
    files = project(tmp_path, BRANCHES[name])

    found = located(files, tmp_path, "CA202", before="backward")

    assert (found.code, found.is_located) == ("CA202", True)
    assert _place(found.location) == _place(marked(files, "change"))


def test_an_if_around_the_backward_of_one_capture_is_named(tmp_path: Path) -> None:
    text = """
        # file: train.py
        for step, x in enumerate(loader):
            if step % 2:  # change
                loss = model(x) + helper(x)  # forward
                loss.backward()  # backward
            else:
                model(x).backward()  # other
    """
    files = project(tmp_path, text)

    found = located(files, tmp_path, "CA202", before="other")

    assert _place(found.location) == _place(marked(files, "change"))


def test_of_what_comes_once_with_the_rounds_the_loop_is_looked_for_elsewhere(
    tmp_path: Path,
) -> None:
    # GIVEN the first entry of a list, whose sum is also multiplied and added in the step itself
    _, text, _ = ROUNDS["a list that a method adds to after each task"]
    text = text.replace(".sum()  # forward", ".sum()  # within")
    text = text.replace("penalty.value()\n", "0.5 * penalty.value()  # forward\n")
    files = project(tmp_path, text)
    changes = [
        Change(None, "AddBackward0", "node", None, "", forward=marked(files, mark))
        for mark in ("forward", "within", "within")
    ]

    found = located(files, tmp_path, "CA203", changes=changes)

    assert _place(found.location) == _place(marked(files, "change"))
    assert found.is_located


@pytest.mark.parametrize(
    ("old", "new", "is_growing"),
    [
        ("self.kept = []\n", "self.kept: list[Kept] = []\n", True),
        ("self.kept = []\n", "self.kept = deque(maxlen=3)\n", False),
        ("total = 0\n", "total = 0\n                self.kept = list(self.fresh)\n", False),
        (
            "def keep",
            "def drop(self):\n                self.kept.pop()\n            def keep",
            False,
        ),
    ],
)
def test_what_a_list_that_gets_longer_adds_is_to_be_folded(
    tmp_path: Path, old: str, new: str, is_growing: bool
) -> None:
    code, text, _ = ROUNDS["a list that a method adds to after each task"]
    changed = text.replace(old, new, 1)
    assert changed != text

    fix = located(project(tmp_path, changed), tmp_path, code, fix="the fix of the rule").fix

    assert ("fold what is collected into one tensor" in fix) is is_growing
    assert ("`self.kept` gets longer (memory.py:" in fix) is is_growing


def test_one_more_entry_of_a_list_is_told_as_a_loop(tmp_path: Path) -> None:
    code, text, _ = ROUNDS["one more of a list, which looks as a branch"]
    assert code == "CA202"

    found = located(project(tmp_path, text), tmp_path, code)

    assert (found.code, found.key) == ("CA203", "unroll")
    assert "fold what is collected" in found.fix


def test_of_two_helpers_that_may_have_made_the_loader_none_is_taken_for_it(tmp_path: Path) -> None:
    code, text, known = LOADING["a helper that chooses the class of the loader"]
    indent = " " * 12
    either = text.replace(
        f"{indent}held_out = create_loader(rows, options)  # change\n",
        f"{indent}if options.ragged:\n"
        f"{indent}    held_out = create_ragged_loader(rows, options)\n"
        f"{indent}else:\n"
        f"{indent}    held_out = create_loader(rows, options)\n",
    )
    assert either != text

    found = located(project(tmp_path, either), tmp_path, code, **known)

    assert not found.is_located
    assert [frame.code.partition("(")[0] for frame in found.candidates] == [
        "held_out = create_ragged_loader",
        "held_out = create_loader",
    ]


def test_a_loader_that_drops_its_last_batch_is_not_the_line(tmp_path: Path) -> None:
    code, text, known = LOADING["a helper that chooses the class of the loader"]

    found = located(project(tmp_path, text), tmp_path, code, **known, drop_last=True)

    assert "create_loader(rows" not in (found.location.code if found.location else "")


def test_who_compiles_no_backward_is_not_told_to(tmp_path: Path) -> None:
    """Plain `torch.compile`: its own option is all there is."""
    code, text, known = PROGRAMS["batches cut by hand"]
    forward = text.replace("  # backward", "").replace(
        "agent.loss(rollout[rows])", "agent.loss(rollout[rows])  # compiled"
    )
    both, one = (
        located(project(tmp_path, written), tmp_path, code, **known).fix
        for written in (text, forward)
    )
    assert both.endswith("compile both the forward and the backward with dynamic=True")
    assert one.endswith("if you need those samples, compile with dynamic=True")


def test_a_loop_whose_kinds_of_nodes_are_made_behind_it_too(tmp_path: Path) -> None:
    # GIVEN a loss in a loop, of which the first node that came is in the line behind the loop
    text = """
        # file: losses.py
        import torch
        def rollout_loss(xs, state):
            total = 0.0
            for x in xs:  # change
                total = total + torch.tanh(x * state)  # within
            return total.sum() * state / len(xs)  # forward
        # file: train.py
        from losses import rollout_loss
        for step, xs in enumerate(loader):
            rollout_loss(xs, state).backward()  # backward
    """
    files = project(tmp_path, text)
    changes = [
        Change(None, name, "node", None, "", forward=marked(files, mark))
        for name, mark in (("MulBackward0", "forward"), ("MulBackward0", "within"))
    ]

    found = located(files, tmp_path, "CA203", changes=[*changes, changes[-1]])

    assert _place(found.location) == _place(marked(files, "change"))
    assert found.is_located


def test_a_loop_that_makes_most_of_the_nodes_though_one_is_aligned_with_another_function(
    tmp_path: Path,
) -> None:
    # GIVEN steps of an inner loop, of which one node is aligned with the line that ends the forward
    text = """
        # file: net.py
        import torch
        class Inner(torch.nn.Module):
            def adapt(self, x, head, steps):
                for _ in range(steps):  # change
                    head = head - self.rate * x.t() @ torch.tanh(x @ head)  # within
                return head
            def forward(self, x, steps):
                return x @ self.adapt(x, self.start, steps)  # forward
        # file: train.py
        from net import Inner
        net = Inner()
        def episode(steps):
            total = 0.0
            for task in range(tasks):
                total = total + net(draw(task), steps).sum()
            total.backward()  # backward
        for step in range(100):
            episode(1 + step // 20)  # main
    """
    files = project(tmp_path, text)
    changes = [
        Change(None, name, "node", None, "", forward=marked(files, mark))
        for name, mark in (("MmBackward0", "forward"), *[("TanhBackward0", "within")] * 3)
    ]

    found = located(files, tmp_path, "CA203", changes=changes)

    assert _place(found.location) == _place(marked(files, "change"))


def test_what_is_left_over_needs_no_loader(tmp_path: Path) -> None:
    code, text, known = COLLECTED["a sampler that yields what is left over"]
    found = located(project(tmp_path, text), tmp_path, code, **known)

    assert found.fix == (
        "`waiting` is what the full batches leave over: do not give it, or fill it up to the size "
        "of the others; if you need those 8 samples, mark them"
    )


def test_a_memory_that_holds_less_than_a_batch(tmp_path: Path) -> None:
    code, text, known = COLLECTED["a replay memory that fills"]
    fix = "pad to one length, or compile both with dynamic=True; bucketing won't help"

    found = located(project(tmp_path, text), tmp_path, code, **known, fix=fix)

    assert found.fix == (
        "the batch is smaller while `self.memory` holds less than a whole one: start training once "
        f"it holds a full batch; or {fix}"
    )


def test_a_loader_out_of_a_table_is_told_by_its_call(tmp_path: Path) -> None:
    text = """
        # file: data.py
        from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler
        SAMPLERS = {
            "ordered": lambda rows, **options: BatchSampler(SequentialSampler(rows), **options),
            "random": lambda rows, **options: BatchSampler(RandomSampler(rows), **options),
        }
        def batches(rows, kind, **options):
            for chosen in SAMPLERS[kind](rows, **options):
                yield rows[chosen]
        # file: train.py
        from data import batches
        for x in batches(rows, config.kind, batch_size=8, drop_last=False):
            model(x).mean().backward()  # backward
    """
    subject = Subject("x", (0,), (8, 1))

    found = located(project(tmp_path, text), tmp_path, "CA101", subject=subject)

    assert found.location is not None
    assert "SAMPLERS[kind]" in found.location.code
    assert found.fix.startswith("pass drop_last=True to the loader that `SAMPLERS[kind]` makes; ")


def test_what_makes_batches_of_several_sizes_is_no_loader(tmp_path: Path) -> None:
    code, text, known = SIZES["groups of a plan, whose objects know how many rows they have"]

    found = located(project(tmp_path, text), tmp_path, code, **known)

    assert found.fix.startswith("make each batch of one size here: drop the smaller ones, or pad")
    assert "with a mask, or the results change" in found.fix


def test_rounds_of_a_loop_that_look_as_a_branch_are_told_as_a_loop(tmp_path: Path) -> None:
    """The first round of routing begins with zeros, which need no gradient: it has fewer nodes."""
    code, text, known = BACKWARDS["a loop that runs once more, and looks like a branch"]
    assert code == "CA202"

    found = located(project(tmp_path, text), tmp_path, code, **known)

    assert (found.code, found.key) == ("CA203", "unroll")
    assert "loop of varying length" in found.message
    assert "the same number of rounds" in found.fix


def test_a_loop_in_a_helper_of_the_loop_is_told_as_a_loop(tmp_path: Path) -> None:
    # GIVEN the first operation that came, in a function that the loop calls
    text = """
        # file: model.py
        import torch
        def squash(x):
            return x / x.norm()  # forward
        class Refiner(torch.nn.Module):
            def forward(self, x, turns):
                state = x.detach()
                for _ in range(turns):  # change
                    state = squash(state + self.net(x))
                return state
        # file: train.py
        from model import Refiner
        refiner = Refiner()
        for epoch in range(9):
            for x in loader:
                refiner(x, 1 + epoch // 3).sum().backward()  # backward
    """
    files = project(tmp_path, text)

    found = located(files, tmp_path, "CA202")

    assert (found.code, _place(found.location)) == ("CA203", _place(marked(files, "change")))


@pytest.mark.parametrize(
    "name", ["a branch of the forward", "a layer that is left out by continue"]
)
def test_other_branches_stay_branches(name: str, tmp_path: Path) -> None:
    code, text, known = PROGRAMS[name]

    assert located(project(tmp_path, text), tmp_path, code, **known).code == code


@pytest.mark.parametrize(
    ("receiver", "step", "model"),
    [
        ("netD", "step()", "netD"),
        ("self.opt", "self.opt.step()", "model"),
        ("adam", "scaler.step(adam)", "model"),
    ],
)
def test_gradients_are_kept_by_what_drops_them(
    tmp_path: Path, receiver: str, step: str, model: str
) -> None:
    text = f"""
        # file: train.py
        for x in loader:
            {receiver}.zero_grad()  # change
            netD(x).sum().backward()  # backward
            {step}
    """

    found = located(project(tmp_path, text), tmp_path, "CA201")

    assert found.is_located
    assert f"`for p in {model}.parameters():" in found.fix
    assert f"`{receiver}.zero_grad(set_to_none=False)`" in found.fix


def test_two_lines_of_one_function_are_no_choice_of_functions(tmp_path: Path) -> None:
    text = """
        # file: train.py
        def thaw(model):
            model.body.requires_grad_(True)  # first
            for p in model.head.parameters():
                p.requires_grad = False  # second
        STAGES = {3: thaw}
        for epoch in range(6):
            if epoch in STAGES:
                STAGES[epoch](model)
            for x, y in loader:
                (model(x) - y).square().mean().backward()  # backward
    """
    files = project(tmp_path, text)

    found = located(files, tmp_path, "CA207")

    assert not found.is_located
    marks = {_place(marked(files, name)) for name in ("first", "second")}
    assert {_place(one) for one in found.candidates} == marks


def test_an_order_that_a_branch_makes_is_no_list_to_sort(tmp_path: Path) -> None:
    for name, told in (("one side or the other", "one path"), ("a shuffled list", "sort")):
        code, text, known = ORDERS[name]
        folder = tmp_path / told
        folder.mkdir()
        found = located(project(folder, text), folder, code, fix="sort", **known)
        assert told in found.fix


def test_source_that_may_not_be_read_changes_nothing(tmp_path: Path) -> None:
    code, text, known = PROGRAMS["a branch of the forward"]
    files = project(tmp_path, text)
    (tmp_path / "elsewhere").mkdir()

    found = located(files, tmp_path / "elsewhere", code, **known)

    assert found.location == marked(files, "forward")


def test_a_file_that_was_changed_since_is_not_taken_for_the_one_that_ran(tmp_path: Path) -> None:
    code, text, known = PROGRAMS["a running total"]
    files = project(tmp_path, text)
    (file,) = files
    changed = ["import os", *files[file]]
    (tmp_path / "train.py").write_text("\n".join(changed))

    found = located(files, tmp_path, code, **known)

    assert found.location == found.noticed_at


LAYERS = """
class Layer{number}(Module):
    def __init__(self, width):
        self.norm = Norm{number}(width)
        self.act = Act{number}()
        self.pool = build(width)

    def forward(self, x, mask=None):
        x = self.norm(x)
        if mask is not None:
            x = self.act(x)
        x = self.pool(x)
        return x

class Norm{number}(Module):
    def forward(self, x):
        x = x * self.weight
        return x

class Act{number}(Module):
    def forward(self, x):
        return self.inner(x) if self.deep else x

def build(width):
    return Layer{number}(width)
"""


def test_the_search_ends_soon_in_a_program_of_many_files(tmp_path: Path) -> None:
    # GIVEN a library of layers as the user's own files, all with the same names in them, where a
    # search that asks each call for all it may run takes time by the cube of their number
    count = 150
    names = "".join(f"from layers{at} import Layer{at}\n" for at in range(count))
    layers = "".join(
        f"# file: layers{at}.py\nfrom torch.nn import Module\n{LAYERS.format(number=at)}"
        for at in range(count)
    )
    text = f"""
# file: train.py
from torch.utils.data import DataLoader
{names}
loader = DataLoader(data, batch_size=8)  # change
model = build(4)
for x, y in loader:
    loss = model(x).sum()  # main
{layers.replace("(self, x, mask=None):", "(self, x, mask=None):  # compiled", 1)}"""
    files = project(tmp_path, text)
    reason = "0/0: tensor 'x' size mismatch at index 0. expected 8, actual 6"

    def locate() -> None:
        found = located(files, tmp_path, "CA101", reason=reason, function="forward").location
        assert found is not None
        assert _place(found) == _place(marked(files, "change"))

    assert slopes.is_within(10, locate)


def test_self_of_an_optimizer_is_no_self_of_the_line_that_steps_it(tmp_path: Path) -> None:
    text = """
        # file: train.py
        import torch
        class Scale:
            def update(self, x):
                self.value = x
            def forward(self, x):
                self.update(x)
                return x / self.value
        class Agent:
            def __init__(self):
                self.scale = Scale()
            def update(self, x):
                loss = self.net(self.scale(x)).mean()
                loss.backward()
                self.optimizer.step()  # compiled
        agent = Agent()
        for x in data:
            agent.update(x)  # main
        """
    reason = "0/0: ___check_obj_id(self, 9), type=<class 'torch.optim.adam.Adam'>"
    adam = "/venv/lib/python3.11/site-packages/torch/optim/adam.py"
    files = project(tmp_path, text)
    found = located(files, tmp_path, "CA706", reason=reason, key="self", code_of=adam)
    assert found.location == found.noticed_at


def test_a_loop_that_always_goes_round_as_often_is_no_cause(tmp_path: Path) -> None:
    text = """
    # file: train.py
    def pit_loss(logits, labels):
        losses = []
        for order in (labels, labels.flip(-1)):
            losses.append(bce(logits, order).mean())  # forward
        return torch.stack(losses).amin(0)
    for feats, labels in loader:
        pit_loss(gru(feats), labels).backward()  # backward
    """
    assert not located(project(tmp_path, text), tmp_path, "CA203").is_located


@pytest.mark.parametrize(
    ("line", "is_decided"),
    [
        ("x = x if random.random() < self.drop else self.layer(x)", True),
        ("x = x * random.random()", False),
    ],
)
def test_what_an_untraceable_call_gives_is_a_tensor_where_it_decides(
    tmp_path: Path, line: str, *, is_decided: bool
) -> None:
    text = f"""
        # file: train.py
        import random
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                {line}  # forward
                return x
        for x in loader:
            model(x).sum().backward()  # backward
    """

    detail = SplitGraph(function="<unknown module>.Random.random")
    found = located(project(tmp_path, text), tmp_path, "CA804", detail=detail, fix="pass it in")

    assert found.known_by == "recorded"
    assert ("`torch.where` in the place of the branch" in found.fix) is is_decided


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("x = self.tables[int(x.argmax())] + x", "an index (train.py:"),
        ("x = x[: self.most or x.max().item()]", None),
        ("x = x * x.norm().item()", None),
        ("self.seen.append((1, float(x.norm())))", "put into a container (train.py:"),
        ("seen = []; seen.append(float(x.norm())); x = x * sum(seen)", None),
    ],
)
def test_a_number_stays_in_the_graph_where_nothing_asks_for_its_value(
    tmp_path: Path, line: str, needed: str | None
) -> None:
    text = f"""
        # file: train.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                {line}  # forward
                return x
        for x in loader:
            model(x).sum().backward()  # backward
    """
    general = "read it outside; or set capture_scalar_outputs"
    detail = SplitGraph(option="capture_scalar_outputs")

    found = located(project(tmp_path, text), tmp_path, "CA802", detail=detail, fix=general)

    assert found.fix == general if needed is None else needed in found.fix
    assert isinstance(found.remedy.edit, NoEdits)
    if needed is not None:
        assert needed in found.remedy.edit.reason


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("if x.abs().mean() > 4: break", "where the loop ends"),
        ("if x.abs().mean() > 4: continue", "whether a round is skipped"),
        ("if x.abs().mean() > 4: raise ValueError(step)", "`torch._assert_async`"),
        ("if x.abs().mean() > 4: print('large', step)", "return what it tests"),
        ("if x.abs().mean() > 4: x = x / 2", None),
    ],
)
def test_a_branch_on_a_tensor_is_replaced_by_what_it_does(
    tmp_path: Path, lines: str, words: str | None
) -> None:
    text = f"""
        # file: train.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):
                for step in range(3):
                    {lines}  # forward
                return x
        for x in loader:
            model(x).sum().backward()  # backward
    """
    general = "choose with torch.where"

    found = located(project(tmp_path, text), tmp_path, "CA801", fix=general)

    assert found.known_by == "recorded"
    assert found.fix == general if words is None else words in found.fix


@pytest.mark.parametrize(
    ("line", "words", "names_disable"),
    [
        ("self.state.append(grad.norm())", "add that to `self.state` after the backward", False),
        ("self.state[str(step)] = grad", "add that to `self.state` after the backward", False),
        ("grad = grad * self.state", "updates in place: only arithmetic uses it", False),
        ("grad = grad if self.state > 3 else -grad", "`self.state` is what a branch tests", True),
        ("grad = grad[self.state]", "`self.state` is an index", True),
        ("grad = grad * scale()", "decorate it", True),
    ],
)
def test_state_of_a_hook_is_kept_by_what_the_hook_does_with_it(
    tmp_path: Path, line: str, words: str, names_disable: bool
) -> None:
    text = f"""
        # file: train.py
        import torch
        class Watch:
            def __call__(self, grad):
                {line}  # hook
                return grad
        model.head.weight.register_hook(Watch())
        for x in loader:
            model(x).sum().backward()  # backward
    """
    general = "keep it in a tensor; or decorate it with `@torch.compiler.disable`"
    detail = KeptByHook("state", hook="`Watch.__call__`", state="self.state")

    files = project(tmp_path, text)
    found = located(files, tmp_path, "CA303", forward="hook", detail=detail, fix=general)

    assert words in found.fix
    assert ("compiler.disable" in found.fix) is names_disable


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("print([one.calls for one in watched])", "in `Watch.__call__`; where it is written into"),
        ("print(round(watch.calls, 1))", "; where it is made a Python number outside (train.py:8)"),
        ('print(f"{watch.calls}")', ": only arithmetic uses it"),
    ],
)
def test_a_number_of_a_hook_is_asked_for_elsewhere(tmp_path: Path, line: str, told: str) -> None:
    text = f"""
        # file: train.py
        class Watch:
            def __call__(self, grad):
                self.calls += 1  # hook
                return grad
        watch = Watch()
        for x in loader:
            model(x).sum().backward()  # backward
        {line}
    """
    detail = KeptByHook("calls", hook="`Watch.__call__`", state="self.calls")

    files = project(tmp_path, text)
    fix = located(files, tmp_path, "CA303", forward="hook", detail=detail, fix="general").fix

    assert told in fix
    assert (".item()" in fix) == ("outside" in told or "written" in told)


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (
            "math.exp(-10 * ctx.pace) * grad",
            "save `ctx.pace` as a tensor in the forward (`ctx.save_for_backward(torch.tensor(…))`),"
            " with `torch.exp` in place of Python's own: only arithmetic uses it",
        ),
        ("ctx.pace * grad", "(`ctx.save_for_backward(torch.tensor(…))`): only arithmetic uses it"),
        (
            "own.scaled(grad, ctx.pace)",
            "(`ctx.save_for_backward(torch.tensor(…))`), if `scaled` (train.py:9) accepts",
        ),
        ("round(ctx.pace, 1) * grad", "made a Python number (train.py:9), so that each value is"),
        ("math.gamma(ctx.pace) * grad", "needs of it in the forward, and save that as a tensor"),
        ("grad if ctx.pace > 1 else -grad", "with `torch.where` in the place of a branch it can"),
        ("grad[: ctx.pace]", "`ctx.pace` is the bound of a slice (train.py:9), so that each"),
    ],
)
def test_a_number_of_a_context_is_advised_by_its_uses(tmp_path: Path, read: str, told: str) -> None:
    text = f"""
        # file: train.py
        import math
        class Reverse(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, pace):
                ctx.pace = pace
                return x.view_as(x)
            @staticmethod
            def backward(ctx, grad):
                return {read}, None  # hook
        for x in loader:
            Reverse.apply(model(x), 0.1).sum().backward()  # backward
    """
    detail = KeptByHook("pace", of_function=True, state="ctx.pace")
    files = project(tmp_path, text)

    fix = located(files, tmp_path, "CA303", forward="hook", detail=detail, fix="general").fix

    assert told in fix
    assert ("only arithmetic" in fix) is ("only arithmetic" in told)


@pytest.mark.parametrize(("category", "is_left_out"), [("FutureWarning", True), ("None", False)])
def test_a_warning_over_several_lines_is_asked_for_its_category(
    tmp_path: Path, category: str, is_left_out: bool
) -> None:
    text = f"""
        # file: train.py
        import warnings
        def forward(x):
            warnings.warn(  # forward
                "old",
                {category},
            )
            return x
        forward(x)  # backward
    """
    detail = SplitGraph("reorderable_logging_functions")
    files = project(tmp_path, text)

    fix = located(
        files, tmp_path, "CA803", forward="forward", detail=detail, key="warnings.warn", fix="moved"
    ).fix

    assert ("ignore_logging_functions.add(warnings.warn)" in fix) is is_left_out
    assert (fix == "moved") is not is_left_out


@pytest.mark.parametrize(
    ("read", "told"),
    [
        ("grad * min(1.0, self.calls)", ", with `torch.clamp` in place of Python's own: only"),
        ("own.scaled(grad, self.calls)", ", if `scaled` (train.py:3) accepts a tensor"),
    ],
)
def test_what_a_hook_gives_its_number_to_is_told(tmp_path: Path, read: str, told: str) -> None:
    text = f"""
        # file: train.py
        class Watch:
            def __call__(self, grad):
                return {read}  # hook
        model.head.weight.register_hook(Watch())
        for x in loader:
            model(x).sum().backward()  # backward
    """
    detail = KeptByHook("calls", hook="`Watch.__call__`", state="self.calls")
    files = project(tmp_path, text)

    fix = located(files, tmp_path, "CA303", forward="hook", detail=detail, fix="general").fix

    assert fix.startswith(
        f"keep `self.calls` in a tensor that `Watch.__call__` updates in place{told}"
    )
    assert ("only arithmetic" in fix) is ("only" in told)
