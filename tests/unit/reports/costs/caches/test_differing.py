"""How two keys differ, in values that a reader knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.sentences import caches as words
from tests.unit.reports.costs.caches.made import GRAPH, PARTS, SIZE, start_of, started

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "now", "before", "after"),
    [
        ("example_inputs[0]", SIZE.replace("float32", "float16"), "float32", "float16"),
        (
            "example_inputs[0]",
            SIZE.replace("type='cpu'", "type='cuda', index=1"),
            "cpu",
            "cuda:1",
        ),
        (
            "example_inputs[0]",
            SIZE.replace("requires_grad=False", "requires_grad=True"),
            "requires_grad False",
            "requires_grad True",
        ),
        ("example_inputs[0]", SIZE.replace("(4, 1)", "(1, 6)"), "stride (4, 1)", "stride (1, 6)"),
        # Of a size that differs, the stride says nothing more.
        (
            "example_inputs[0]",
            SIZE.replace("[6, 4]", "[6, 5]").replace("(4, 1)", "(5, 1)"),
            "size [6, 4]",
            "size [6, 5]",
        ),
        ("example_inputs[0]", "s0", "size [6, 4], float32", "s0"),
        ("example_inputs[1]", SIZE, None, "size [6, 4], float32"),
        ("gm", GRAPH + "\n# more", None, "# more"),
        ("inductor_config[max_autotune]", "\ufffd", "False", None),
    ],
)
def test_values(tmp_path: Path, name: str, now: str, before: str | None, after: str | None) -> None:
    start = started(tmp_path, start_of({**PARTS, name: now}), start_of())
    (row,) = start.compiles[0].rows
    (found,) = row.differs
    assert (found.differing.name, found.differing.before, found.differing.after) == (
        name, before, after,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("relu = x / 2.0", "relu = x / 2.5", "number"),
        ("relu = torch.add(x, 1)", "relu = torch.add(x, 2)", "number"),
        # It takes a tensor for what it adds, and none for the factor of that.
        ("relu = torch.add(x, x, alpha = 2)", "relu = torch.add(x, x, alpha = 3)", "factor"),
        (
            "relu = torch.ops.aten.addmm.default(x, x, x, beta = 1, alpha = 1.0)",
            "relu = torch.ops.aten.addmm.default(x, x, x, beta = 1, alpha = 2.0)",
            "factor",
        ),
        ("relu = x.addcmul_(x, x, value = 0.1)", "relu = x.addcmul_(x, x, value = 0.2)", "factor"),
        ("relu = x.fill_(0.1)", "relu = x.fill_(0.2)", "number"),
        ("relu = torch.pad(x, (1, 2))", "relu = torch.pad(x, (1, 3))", "argument"),
        (
            "relu = torch.roll(x, 1, 0);  x = None",
            "relu = torch.roll(x, 2, 0);  x = None",
            "argument",
        ),
    ],
)
def test_kinds_of_numbers(tmp_path: Path, before: str, after: str, kind: str) -> None:
    graphs = (GRAPH.replace("relu = torch.relu(x)", line) for line in (before, after))
    first, second = (start_of({**PARTS, "gm": graph}) for graph in graphs)
    (cause,) = started(tmp_path, second, first).causes
    assert cause.differs[0].differing.fields == (kind,)


OPERATIONS = (
    "GraphModule()\n\ndef forward(self, p_0, p_1):\n    {0} = p_0 - p_1\n    abs_1 = {1}.abs()"
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("d", "d"), ("delta", "delta"), ("d", "delta", ("renamed",))),
        # The second operation takes another value.
        (("d", "d"), ("delta", "p_0"), ("d = p_0 - p_1", "delta = p_0 - p_1", ())),
        (("d", "p_0"), ("d", "p_1"), ("abs_1 = p_0.abs()", "abs_1 = p_1.abs()", ())),
    ],
)
def test_a_graph_that_differs_in_the_names_of_its_values_is_the_same(
    tmp_path: Path,
    before: tuple[str, str],
    after: tuple[str, str],
    expected: tuple[str, str, tuple[str, ...]],
) -> None:
    first, second = (
        start_of({**PARTS, "gm": OPERATIONS.format(*names)}) for names in (before, after)
    )
    (cause,) = started(tmp_path, second, first).causes
    found = cause.differs[0].differing
    assert (found.before, found.after, found.fields) == expected
    assert words.cause_title(cause) == (
        "Other names in the same graph: d → delta" if found.fields else "Another graph"
    )


def test_what_inductor_patches_by_another_setting_follows_from_it(tmp_path: Path) -> None:
    before = {f"inductor_config[{name}]": "False" for name in ("cpp_wrapper", "triton.store_cubin")}
    follower = {"inductor_config[triton.store_cubin]": "True"}
    log = start_of({**PARTS, **before})
    both = start_of({**PARTS, **before, **follower, "inductor_config[cpp_wrapper]": "True"})
    (cause,) = started(tmp_path / "1", both, log).causes
    assert words.cause_title(cause) == "inductor_config[cpp_wrapper]: False → True"
    (cause,) = started(tmp_path / "2", start_of({**PARTS, **before, **follower}), log).causes
    assert words.cause_title(cause) == "inductor_config[triton.store_cubin]: False → True"


def test_graphs_that_a_graph_holds_are_no_line_of_it(tmp_path: Path) -> None:
    header, _, code = GRAPH.partition("def forward")
    held = f"GraphModule(\n  (body_0): GraphModule()\n)\n\ndef forward{code}"
    later = held.replace("torch.relu(x)", "torch.ops.checkpoint(self.body_0, x)")
    (cause,) = started(
        tmp_path,
        start_of({**PARTS, "gm": later}),
        start_of({**PARTS, "gm": header + "def forward" + code}),
    ).causes
    found = cause.differs[0].differing
    assert (found.before, found.line) == ("relu = torch.relu(x)", 6)
