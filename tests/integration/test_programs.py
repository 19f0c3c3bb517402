"""Every sample under our engine and under torch's: the same output, captures and graphs.

Each program is run twice through the command line, and what `ca explain-recompiles` says
is held against what is known to happen in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.oracle import (
    SAMPLES,
    SampleRun,
    aot_names,
    captured_graphs,
    capturing_engines,
    dynamo_compiles,
    normalise_graph,
    run_sample,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BACKENDS = ["eager", "aot_eager", "inductor"]
# Only a new autograd node has a node that says something; see `captures_of`.
FIRST = ("first", None)
SHAPES = ("changed_shapes", None)
GRAD_FLIPPED = ("new_autograd_node", "AccumulateGrad")
NEW_AOT_BACKWARD = ("new_autograd_node", "CompiledFunctionBackward")


@dataclass(frozen=True)
class Program:
    """A sample and what is true of it: its captures as (kind, node), hits, and more.

    `recompiled`: Dynamo compiles the graph of the last capture a second time.
    """

    script: str
    captures: list[tuple[str, str | None]]
    hits: int
    arguments: tuple[str, ...] = ()
    recompiled: bool = False
    more: Callable[[SampleRun, dict[str, Any]], None] | None = None

    @property
    def name(self) -> str:
        return "-".join([self.script, *(a.lstrip("-") for a in self.arguments)])


def _hook_is_in_the_graph(run: SampleRun, explained: dict[str, Any]) -> None:
    (graph,) = captured_graphs(run.records)
    hooks = [line for line in normalise_graph(graph) if "call_hook(" in line]
    assert len(hooks) == 1
    assert "hook_type='tensor_pre_hook'" in hooks[0]


def _breaks_are_on_their_lines(run: SampleRun, explained: dict[str, Any]) -> None:
    assert run.stdout.splitlines()[:2] == [
        "graphs without compiled autograd: 3",
        "graphs with compiled autograd: 1",
    ]
    breaks = explained["graph_breaks"]
    assert explained["summary"]["graph_breaks"] == sum(b["count"] for b in breaks) == 2
    lines = (SAMPLES / "graph_breaks.py").read_text().splitlines()
    written = [i for i, line in enumerate(lines, 1) if line.strip().endswith("graph_break()")]
    assert sorted(b["location"]["line"] for b in breaks) == written


def _breaks_of_the_wrapping_are_not_the_users(run: SampleRun, explained: dict[str, Any]) -> None:
    assert explained["graph_breaks"] == []


def _the_guard_is_quoted(run: SampleRun, explained: dict[str, Any]) -> None:
    (recompile,) = [r for r in explained["dynamo_recompiles"] if r["capture"] is not None]
    assert recompile["compile_id"].startswith("!1/")
    assert "expected 100, actual 10" in recompile["reason"]
    _breaks_of_the_wrapping_are_not_the_users(run, explained)


def _nodes_are_the_second(run: SampleRun, explained: dict[str, Any]) -> None:
    assert [c["node"]["index"] for c in explained["captures"][1:]] == [2, 2, 2]


PROGRAMS = [
    Program("linear", [FIRST], hits=4),
    Program("context_manager", [FIRST], hits=4),
    Program("backward_lambda", [FIRST], hits=3, more=_breaks_of_the_wrapping_are_not_the_users),
    Program("graph_breaks", [FIRST], hits=0, more=_breaks_are_on_their_lines),
    Program("tensor_hook", [FIRST], hits=1, more=_hook_is_in_the_graph),
    Program(
        "new_nodes",
        [
            FIRST,
            ("new_autograd_node", "SubBackward0"),
            ("new_autograd_node", "MulBackward0"),
            ("new_autograd_node", "DivBackward0"),
        ],
        hits=0,
        more=_nodes_are_the_second,
    ),
    Program("changed_shapes", [FIRST, SHAPES], hits=2, recompiled=True, more=_the_guard_is_quoted),
    Program(
        "gpt_ragged",
        [FIRST, GRAD_FLIPPED, NEW_AOT_BACKWARD, GRAD_FLIPPED, SHAPES],
        hits=15,
        recompiled=True,
    ),
    Program(
        "gpt_ragged",
        [FIRST, GRAD_FLIPPED, SHAPES],
        hits=17,
        arguments=("--forward", "eager"),
        recompiled=True,
    ),
    Program(
        "gpt_ragged",
        [FIRST],
        hits=17,
        arguments=("--drop-last", "--accumulate", "1"),
    ),
]
# The quick suite runs every program with the quickest backend, and of the others, whose
# compilers take their time, as much as shows that nothing in between depends on them.
QUICK = {("tensor_hook", "inductor"), ("linear", "aot_eager"), ("changed_shapes", "aot_eager")}
QUICK_GPT = {("gpt_ragged", "aot_eager")}


def cases() -> list[Any]:
    """Every program with every backend; the expensive ones marked long."""
    found = []
    for program in PROGRAMS:
        for backend in BACKENDS:
            long = backend != "eager" and (program.name, backend) not in QUICK
            if program.script == "gpt_ragged":
                long = (program.name, backend) not in QUICK_GPT
            marks = [pytest.mark.long, pytest.mark.timeout(600)] if long else []
            found.append(
                pytest.param(program, backend, id=f"{program.name}-{backend}", marks=marks)
            )
    return found


def expected_captures(program: Program, backend: str) -> list[tuple[str, str | None]]:
    """`program.captures`, where a forward under backend "eager" has no AOT backward."""
    if backend == "eager" and NEW_AOT_BACKWARD in program.captures:
        return [FIRST, GRAD_FLIPPED, SHAPES]
    return program.captures


def captures_of(explained: dict[str, Any]) -> list[tuple[str, str | None]]:
    """(kind, name of the new autograd node or None) of each capture."""
    return [
        (c["kind"], _bare(c["node"]["name"]) if c["kind"] == "new_autograd_node" else None)
        for c in explained["captures"]
    ]


@pytest.mark.long
@pytest.mark.parametrize(("program", "backend"), cases())
def test_engines_agree_with_each_other_and_with_the_truth(
    tmp_path: Path, program: Program, backend: str
) -> None:
    # GIVEN a sample that was run under either engine
    arguments = ("--backend", backend, *program.arguments)
    ours = run_sample(tmp_path / "ca", program.script, *arguments, engine="ca")
    torchs = run_sample(
        tmp_path / "torch", program.script, *arguments, engine="torch", kernels_of=tmp_path / "ca"
    )

    # THEN the script printed the same losses and gradients, to the last digit
    assert ours.stdout == torchs.stdout
    assert ours.stdout.strip()

    # THEN the engines captured the same graphs, and Dynamo compiled the same things
    our_records, torch_records = ours.records, torchs.records
    assert (capturing_engines(our_records), capturing_engines(torch_records)) == ({"ca"}, {"torch"})
    our_graphs, torch_graphs = captured_graphs(our_records), captured_graphs(torch_records)
    assert len(our_graphs) == len(torch_graphs) == len(expected_captures(program, backend))
    for our_graph, torch_graph in zip(our_graphs, torch_graphs, strict=True):
        assert normalise_graph(our_graph) == normalise_graph(torch_graph)
        assert aot_names(our_graph) == aot_names(torch_graph)
    assert dynamo_compiles(our_records) == dynamo_compiles(torch_records)

    # THEN the explanation of either run says what is true
    for run in (ours, torchs):
        explained = run.explain()
        check_explanation(explained, program, backend)
        if program.more is not None:
            program.more(run, explained)


def check_explanation(explained: dict[str, Any], program: Program, backend: str) -> None:
    expected = expected_captures(program, backend)
    captures, summary = explained["captures"], explained["summary"]
    hits = program.hits + len(program.captures) - len(expected)
    assert captures_of(explained) == expected
    assert [c["id"] for c in captures] == [f"!{i}" for i in range(len(expected))]
    assert summary["captures"] == len(expected)
    assert summary["recaptures"] == len(expected) - 1
    assert summary["hits"] == hits
    assert summary["backwards"] == hits + len(expected)
    assert explained["damage"] == []

    # Each capture says where the script called backward.
    for capture in captures:
        call = capture["backward_call"]
        assert call["file"].endswith(f"{program.script}.py")
        assert "backward(" in call["code"]
        script = (SAMPLES / f"{program.script}.py").read_text().splitlines()
        assert call["code"] in script[call["line"] - 1]

    # A recompile of a captured graph knows whose graph it is.
    below = [r for r in explained["dynamo_recompiles"] if r["compile_id"].startswith("!")]
    recompiled = [captures[-1]["id"]] if program.recompiled else []
    assert [r["capture"] for r in below] == recompiled
    for recompile in below:
        assert recompile["compile_id"].startswith(recompile["capture"] + "/")


def _bare(node: str) -> str:
    """A node's name without C++ namespaces, and without the AOT id at its end."""
    name = node.rpartition("::")[2]
    return name.rstrip("0123456789") if name.startswith("CompiledFunctionBackward") else name


@pytest.mark.long
@pytest.mark.parametrize("engine", ["ca", "torch"])
def test_torch_logs_still_show_the_graph_and_the_reasons(tmp_path: Path, engine: str) -> None:
    # WHEN a run asks for torch's own logs
    logs = "compiled_autograd,compiled_autograd_verbose"
    run = run_sample(
        tmp_path, "gpt_ragged", "--epochs", "1", "--layers", "1", engine=engine, torch_logs=logs
    )

    # THEN its stderr has every captured graph, with the names of the AOT backwards
    graphs = captured_graphs(run.records)
    assert len(graphs) == 3
    printed = [line.partition("[__compiled_autograd] ")[2] for line in run.stderr.splitlines()]
    assert sum("===== Compiled autograd graph =====" in line for line in printed) == len(graphs)
    for graph in graphs:
        names = aot_names(graph)
        assert names
        for name in names:
            assert any(line.strip().startswith(f"{name} = ") for line in printed), name

    # THEN it has the reasons
    reasons = [line for line in run.stderr.splitlines() if "Cache miss due to" in line]
    assert len(reasons) == len(graphs)
    assert "[__compiled_autograd_verbose]" in reasons[0]
    assert "AccumulateGrad" in reasons[1]
    assert "CompiledFunctionBackward" in reasons[2]


@pytest.mark.long
@pytest.mark.parametrize("engine", ["ca", "torch"])
def test_nothing_is_added_to_stderr(tmp_path: Path, engine: str) -> None:
    run = run_sample(tmp_path, "new_nodes", "--backend", "eager", engine=engine)
    assert run.stderr == ""
