"""CA801."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.causes.findings import SplitGraph
from ca_reports.causes.located.trail import recorded_line
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.remedies import remedy as remedy_of
from ca_reports.causes.rules.splitting import Split, SplittingRule
from ca_reports.program.branching import branch_at, effect_of
from ca_reports.program.quoted import statement
from ca_reports.program.syntax import last_name
from ca_reports.torchlib.dynamo import NUMBER_TESTED

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.forward_breaks import ForwardBreak
    from ca_reports.program.branching import BranchEffect
    from ca_reports.program.syntax import Site

_OUTSIDE = "loop outside the compiled code, and compile one round"
_MORE = "which computes more, and gives zero gradients where there were none"
# What takes the place of a branch, by what it does. Measured on torch 2.13.0, three blocks in a
# loop that a `break` leaves: 2 graphs and a function left uncompiled became 1 and none by
# `torch.where`, 2 and none with the loop outside. A `while` on a tensor: 3 graphs, 1 either way.
_BY_EFFECT: dict[BranchEffect, str] = {
    "repeats": (
        "a tensor decides how often the loop runs: always run the maximum number of rounds, and "
        f"keep finished results (`x = torch.where(done, x, next)`), {_MORE}; or {_OUTSIDE}"
    ),
    "leaves_loop": (
        "a tensor decides where the loop ends: run all its rounds, and keep finished results (`x = "
        f"torch.where(done, x, next)`), {_MORE}; or {_OUTSIDE}"
    ),
    "skips_round": (
        "a tensor decides whether a round is skipped: run it in every call, and keep the earlier "
        f"value (`x = torch.where(skipped, x, next)`), {_MORE}; or {_OUTSIDE}"
    ),
    "raises": (
        "let `torch._assert_async` check it in the graph, which raises a RuntimeError and on a GPU "
        "raises later; or check it outside the compiled code"
    ),
    "keeps": (
        "the branch changes what an object keeps, which neither `torch.where` nor `torch.cond` "
        "does: decide outside the compiled code, and compile what it chooses between, such as "
        "each block"
    ),
    "runs_calls": (
        "return what it tests, and let the caller run this branch, outside the compiled code"
    ),
}

# Measured on torch 2.13.0, rows that a mask picks: 2 graphs and a break became 1 and none, by each.
_CHECKED = (
    "let `torch._check` hold it in the graph, with the opposite comparison (`rows.shape[0] != 0`), "
    "which raises a RuntimeError; or check it outside the compiled code"
)
_ALWAYS = (
    "where one side is taken in every call, say so before it by `torch._check` (`torch._check("
    "rows.shape[0] > 0)`), which decides the branch in the graph and raises where it is not so; "
    "else choose outside the compiled code, or with `torch.cond`"
)

_STATEMENTS = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr
_BRANCHES = ast.IfExp | ast.BoolOp | ast.Not | ast.comprehension | ast.In | ast.NotIn | ast.Lambda


class TensorBranch(SplittingRule):
    """A branch on a tensor's value splits the compiled forward.

    ## What it is

    Which way an `if`, `while`, `and` or `assert` on a tensor goes is known only when the value
    is there, but Dynamo compiles before that. So Python decides it, between two graphs.

    ## Why it costs

    The graph ends there. What is left becomes a function of its own: one more to compile, with
    guards of its own and a call through Python in each step, and nothing is fused across the
    break. On a GPU the branch waits until all queued work is done.

    ## Example

        @torch.compile
        def normalise(x):
            scale = x.abs().mean()
            if scale > 0.5:
                x = x / scale
            return x * 2

    ## What to do

    Let the graph decide:

        return torch.where(scale > 0.5, x / scale, x) * 2

    Where the two sides are costly, `torch.cond` runs only one of them. An `assert` on a tensor
    becomes `torch._assert_async` or goes out of the forward; on a size that data decide, such as
    the number of rows that a mask picks, it becomes `torch._check`. A `break` or `continue` becomes
    `torch.where` in each round, or the loop goes out of the forward.

    ## Measured

    The example: 2 compiled graphs; with `torch.where` 1 (torch 2.13.0, CPU). In a loop of the
    function itself none: Dynamo leaves all of it to Python. Three blocks and a `break`: 2 graphs
    and the function uncompiled; with `torch.where` in each round 1 graph, and none uncompiled. A
    check of the number of rows that a mask picks: 2 graphs; with `torch._check` 1.

    ## When the rule can be wrong

    The line is Dynamo's own. A branch that is taken once, and costs little next to the kernels
    around it, can stay.
    """

    code = "CA801"
    name = "tensor-branch"
    breaks = "branch"
    edits = ("choose_in_graph", "raise_in_graph", "report_after_graph")
    place = recorded_line

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what the branch does, where the line has one."""
        branch = None if site is None else branch_at(site.module, site.line)
        detail = trail.finding.detail
        if isinstance(detail, SplitGraph) and detail.tests_number:
            return _of_number(branch)
        words = None if branch is None else _BY_EFFECT.get(effect_of(branch))
        return None if words is None else trail.finding.remedy.instead(words)

    def split(self, found: ForwardBreak) -> Split:
        line = found.line.code if found.line is not None else ""
        if called := _branching(line):
            is_error = any(one.is_error for one in found.breaks)
            whole = "; without fullgraph=True the graph only breaks there" if is_error else ""
            return Split(
                f"a branch on a tensor's value in `{called}` (`{line}`)",
                f"write what `{called}` computes with tensor operations, without its branch, or "
                f"call it outside the compiled code{whole}",
            )
        if NUMBER_TESTED in (found.first.context or ""):
            return Split(
                f"a branch on a number that data decide{f' (`{line}`)' if line else ''}",
                _ALWAYS,
                tests_number=True,
            )
        return Split(
            f"a branch on a tensor's value{f' (`{line}`)' if line else ''}",
            "choose with `torch.where(condition, a, b)`, or with `torch.cond` where only one "
            "side may run; a check that raises becomes `torch._assert_async`, or moves outside the "
            "compiled code",
        )


def _of_number(branch: ast.AST | None) -> Remedy:
    """By what a branch on a size does, which `torch.where` and `_assert_async` do not take."""
    if branch is None or effect_of(branch) != "raises":
        return remedy_of(_ALWAYS, NoEdits("which side is taken is not known"))
    return remedy_of(_CHECKED, ("raise_in_graph",))


def _branching(line: str) -> str:
    """Return the function that has the branch, where a line only calls it; empty if it has one.

    It is one of torch's or of Python's: in one of the program's, the line would be there.
    """
    quoted = statement(line)
    if quoted is None:
        return ""
    value = getattr(quoted.node, "value", None)
    is_plain = isinstance(quoted.node, _STATEMENTS) and value is not None
    if isinstance(quoted.node, ast.Expr) and not isinstance(value, ast.Call):
        return ""  # a part of a statement over several lines
    parts = list(ast.walk(quoted.node))
    if not is_plain or any(isinstance(one, _BRANCHES) for one in parts):
        return ""
    return next((last_name(one.func) for one in parts if isinstance(one, ast.Call)), "")
