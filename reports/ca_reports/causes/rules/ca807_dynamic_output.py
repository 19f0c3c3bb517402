"""CA807."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules.splitting import Split, SplittingRule, option_for, setting_for

if TYPE_CHECKING:
    from ca_reports.facts.forward_breaks import ForwardBreak

_OPERATOR = expression(
    r"[Oo]perator `?(?P<name>[\w.]+)`?'s output shape|^(?P<context>aten\.\w+)", re.M
)
_TENSORS = ("sparse", "nested", "subclass")
_RECURRENT = "RNN, GRU, or LSTM"
# Torch's context is the module as it prints itself. With gradients AOTAutograd asserts on what an
# LSTM's operator saves on a CPU; a GRU and an RNN run (torch 2.13.0).
_LSTM = "LSTM("


class DynamicOutput(SplittingRule):
    """A result whose size depends on data splits the compiled forward; so do some tensors and RNNs.

    ## What it is

    How many elements `nonzero`, `unique` or a mask (`x[x > 0]`) give is known only when they
    run. Sparse and nested tensors and some subclasses Dynamo does not take into a graph at all, and
    `nn.RNN`, `nn.GRU` and `nn.LSTM` only if `torch._dynamo.config.allow_rnn` is set.

    ## Why it costs

    The graph ends there. What is left becomes a function of its own: one more to compile, with
    guards of its own and a call through Python in each step, and nothing is fused across the
    break. Sizes that differ each time recompile the rest once more.

    ## Example

        @torch.compile
        def positive_sum(x):
            hidden = torch.tanh(x)
            return hidden[hidden > 0].sum()

    ## What to do

    Compute with all elements, and set the unwanted ones to zero:

        return torch.where(hidden > 0, hidden, 0).sum()

    Where the sizes must depend on data,

        torch._dynamo.config.capture_dynamic_output_shape_ops = True

    makes them symbols in one graph. `repeat_interleave` takes the size of its result as
    `output_size`. Convert sparse tensors to dense ones before the compiled part. Where a
    module calls an `nn.GRU`, Dynamo leaves its whole forward uncompiled, without a word in torch's
    counters: compile the other modules instead, or set `allow_rnn`; not to train an `nn.LSTM`
    on a CPU, on which AOTAutograd fails then (torch 2.13.0).

    ## Measured

    The example: 2 compiled graphs; with `torch.where` 1. With another number of elements in the
    second call one more recompile (torch 2.13.0, CPU).

    ## When the rule can be wrong

    The line is Dynamo's own. With the setting, what needs the size as a number still breaks the
    graph.
    """

    code = "CA807"
    name = "dynamic-output"
    breaks = "tensor"
    edits = ("output_shapes",)

    def split(self, found: ForwardBreak) -> Split:
        name = _name(found)
        option, named = setting_for(found), option_for(found)
        if _RECURRENT in found.words:
            fix = "compile the modules around it, each on its own"
            if (found.first.context or "").startswith(_LSTM):
                fix = (
                    f"{fix}; or, where no gradients are kept, set {option}: with gradients an "
                    "`nn.LSTM` on a CPU fails in AOTAutograd (torch 2.13.0)"
                )
                option, named = None, ""
        elif found.first.number in ("GB0036", "GB0037", None):
            fix = "compute with all elements (`torch.where(mask, x, 0)`), so that sizes are known"
            if "repeat_interleave" in found.words:
                fix = "pass `output_size=`, the sum of the repeats, where it is known as a number"
            if "bincount" in found.words:
                # With the setting a Trainer's step failed in Dynamo (torch 2.13.0).
                option, named = None, ""
                fix = "count with `one_hot(x, n).sum(0)`, whose size is known, as a tensor"
        else:
            fix = "make it a dense, plain tensor before the compiled part"
        fix = f"{fix}; or set {option}" if option else fix
        return Split(name, fix, key=name, option=named)


def _name(found: ForwardBreak) -> str:
    """Return the operator, or the kind of the tensor."""
    operator = _OPERATOR.search(found.words)
    if operator is not None:
        name = (operator["name"] or operator["context"]).removesuffix(".default")
        return f"`{name}`, whose result's size depends on data,"
    if _RECURRENT in found.words:
        return "an `nn.RNN`, `nn.GRU` or `nn.LSTM`"
    text = found.words.lower()
    kind = next((kind for kind in _TENSORS if kind.lower() in text), None)
    return f"a tensor that Dynamo cannot take ({kind})" if kind else "an unsupported tensor"
