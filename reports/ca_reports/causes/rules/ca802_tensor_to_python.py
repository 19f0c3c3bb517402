"""CA802."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import SplitGraph
from ca_reports.causes.located import number_advice
from ca_reports.causes.located.trail import recorded_line
from ca_reports.causes.remedies import NoEdits, Remedy
from ca_reports.causes.rules.splitting import (
    Split,
    SplittingRule,
    option_for,
    setting_for,
)
from ca_reports.program.uses import reads_of_values, uses_of
from ca_reports.torchlib.dynamo import SCALARS

if TYPE_CHECKING:
    from ca_reports.causes.located.trail import Trail
    from ca_reports.facts.forward_breaks import ForwardBreak
    from ca_reports.program.syntax import Site

_METHOD = expression(r"\bTensor\.(?P<name>item|tolist)\b|TensorVariable\(\) (?P<called>\w+)")
# An operator that gives Python a value; those behind `.item()` and `bool()` are the line's own.
_OPERATOR = expression(r"`?aten\.(?!_local_scalar_dense|item|is_nonzero)(?P<name>\w+)\.")
_OF_TORCH = expression(r"\btorch\.[\w.]{1,80}(?=\()")
# Functions of torch's that read a tensor unless their caller says what they would find.
_SPARED_BY = {
    "_detect_is_causal_mask": (
        "is_causal",
        "pass `is_causal=True` beside the mask, or `is_causal=False` if it is another one: without "
        "it torch compares the mask's values",
    ),
}
_BUILTIN = expression(r"(?<![\w.])(?P<name>float|int|bool)\(")


_OUTSIDE = (
    "keep it a tensor (`torch.where`, `torch._assert_async` for a check), or read the value "
    "outside the compiled code"
)


class TensorToPython(SplittingRule):
    """A tensor is made a Python number inside the compiled forward.

    ## What it is

    `.item()`, `float()`, `int()`, `bool()` and `.tolist()` need the value, which is not there
    while Dynamo compiles. The graph ends there, and what follows is compiled with the number as
    an input.

    ## Why it costs

    The graph ends there. What is left becomes a function of its own: one more to compile, with
    guards of its own and a call through Python in each step, and nothing is fused across the
    break. A guard on the number recompiles the rest. On a GPU, reading it waits until all
    queued work is done.

    ## Example

        @torch.compile
        def forward(x):
            hidden = torch.tanh(x)
            norm = hidden.norm().item()
            return hidden * 2, norm

    ## What to do

    Keep the value a tensor, return it, and read it outside. Where the number is needed as such,

        torch._dynamo.config.capture_scalar_outputs = True

    makes it a symbol in one graph; not what is true or false, on which the program branches.
    `nn.TransformerEncoder` reads a mask to see whether it is causal, unless `is_causal` is passed.

    ## Measured

    The example: 2 compiled graphs; with the tensor returned 1 (torch 2.13.0, CPU). Computing with
    the number afterwards adds a recompile of the rest. A language model of `nn.Transformer`,
    trained and evaluated: 9 compiles and 6 breaks; with `is_causal=True` 6 and none.

    ## When the rule can be wrong

    The line is Dynamo's own. With `capture_scalar_outputs` a later branch on the number still
    breaks the graph (CA801). A function of torch's that asks for a value itself (`torch.cov` in
    2.13.0) is reported as info.
    """

    code = "CA802"
    name = "tensor-to-python"
    breaks = "scalar"
    edits = (
        "scalar_outputs",
        "raise_on_value",
        "choose_on_value",
        "choose_on_bool",
        "report_after_graph",
    )
    place = recorded_line

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By what is asked of the value: in the graph, one that decides is no number."""
        known = trail.finding.detail
        if site is None or not isinstance(known, SplitGraph) or known.option != SCALARS:
            return None
        uses = uses_of(trail.names, reads_of_values(site))
        needed = number_advice.value_needed(uses)
        if needed is None:
            apart = number_advice.cut_apart(uses)
            return trail.finding.remedy.instead(f"{trail.finding.fix}{apart}") if apart else None
        why = _why_no_number(needed)
        return Remedy(
            f"{_OUTSIDE}: {why}",
            NoEdits(why, is_in_sentence=True),
            trail.finding.remedy.alternatives,
        )

    def split(self, found: ForwardBreak) -> Split:
        called = _asking_inside(found)
        if called is not None:
            return Split(
                f"`{called[0]}`, which asks for a tensor's value inside (`aten.{called[1]}`),",
                f"nothing, unless you can call `{called[0]}` outside the compiled code, or "
                "compute the same of operators that ask for no value",
                key=called[0],
                severity="info",
                is_note=True,
            )
        what = _call(found)
        at = found.broken_at
        if at is not None and found.owner == "torch" and at.function in _SPARED_BY:
            argument, fix = _SPARED_BY[at.function]
            return Split(what, fix, key=what, argument=argument, is_of_call=True)
        option = setting_for(found)
        fix = _OUTSIDE + (f"; or set {option}" if option else "")
        code = found.line.code if found.line is not None else ""
        needed = number_advice.needed_in_line(code) if option_for(found) == SCALARS else None
        if needed is not None:
            fix = f"{_OUTSIDE}: {_why_no_number(needed)}"
        return Split(what, fix, key=what, option=option_for(found))


def _why_no_number(needed: str) -> str:
    return (
        f"it is {needed}, so that in the graph as a number (`{SCALARS}`) it would be compiled for, "
        "or end the graph"
    )


def _asking_inside(found: ForwardBreak) -> tuple[str, str] | None:
    """Name torch's function that asks for a value by itself, and the operator it asks with."""
    operator = _OPERATOR.search(found.words)
    code = found.line.code if found.line is not None else ""
    if operator is None or f"{operator['name']}(" in code:
        return None
    called = _OF_TORCH.findall(code)
    return (called[0], operator["name"]) if len(called) == 1 else None


def _call(found: ForwardBreak) -> str:
    """Name what makes the number: ``.item()``, or what calls it in the user's line."""
    code = found.line.code if found.line is not None else ""
    builtin = _BUILTIN.search(code)
    if ".tolist(" in code:
        return "`.tolist()`"
    if builtin is not None and ".item(" not in code:
        return f"`{builtin['name']}()` of a tensor"
    method = _METHOD.search(found.words)
    return f"`.{method['name'] or method['called']}()`" if method else "a tensor's value"
