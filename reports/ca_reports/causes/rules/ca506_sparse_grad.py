"""CA506."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_reports.causes.located import modes
from ca_reports.causes.rules import breaking, failing
from ca_reports.causes.rules.base import PATTERN, Rule
from ca_reports.words.numbers import agreeing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.events import CaptureFacts
    from ca_reports.facts.process import ProcessFacts

# What Dynamo says of one (torch 2.13), and what the fake tensors said before.
_WORDS = ("sparse tensor", "unsupportedfaketensorexception")


class SparseGrad(Rule):
    """Sparse gradients split the compiled backward, or make it fail.

    ## What it is

    The gradient of `nn.Embedding(sparse=True)` is a sparse tensor, which Dynamo cannot trace:
    where it is added to another gradient, or passed to a hook, the graph breaks. Where it is
    added to a sparse `.grad`, the backward fails.

    ## Why it costs

    The backward is compiled in pieces, and the addition runs eagerly in each step.

    ## Example

        table = nn.Embedding(50_000, 512, sparse=True)
        loss = head(table(words) + table(context)).sum()

    ## What to do

    Use dense gradients (`sparse=False`): compiled, they are one kernel. If the table is too
    large for that, keep its part of the backward out of the capture.

    ## Measured

    One table: one capture and 3 compiled graphs; dense, one of each. With torch 2.13 a sparse
    gradient that is used once and cleared in each step costs nothing and is not reported; added
    to an existing `.grad` it raises `IndexError: tuple index out of range`.

    ## When the rule can be wrong

    It relies on the wording of Dynamo's reason, and takes the parameter whose node follows the
    embedding's for the table.
    """

    code = "CA506"
    name = "sparse-grad"
    place = modes.sparse
    edits = ("dense_gradient",)
    specificity = PATTERN + 10  # a recompile after a break is the break's
    located_in_forward = True

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        breaks = [
            found
            for found in breaking.backward_breaks(facts)
            if any(words in found.text.lower() for words in _WORDS)
        ]
        if breaks:
            owner = facts.by_id.get(breaks[0].capture)
            has = agreeing(len(_named(owner)) or 1, "has", "have")
            where = f"{_tables(owner)} {has} a sparse gradient"
            yield breaking.match(
                facts, breaks, where, _fix(owner), key="sparse", belongs=_is_sparse
            )
        for failure in facts.failures:
            owner = with_sparse_gradient(facts, failure.text)
            if owner is not None:
                yield failing.match(
                    failure,
                    (
                        f"the backward fails where {_tables(owner)} adds a sparse gradient to an "
                        "existing `.grad`"
                    ),
                    _fix(owner),
                    severity="error",
                    confidence="medium",
                )


def with_sparse_gradient(facts: ProcessFacts, error: str) -> CaptureFacts | None:
    """Return the capture whose sparse gradient ``error`` comes of; None if it is another error."""
    if "tuple index out of range" not in error:
        return None
    return next((known for known in facts.captures if _sparse_parameters(known)), None)


def _tables(owner: CaptureFacts | None) -> str:
    return ", ".join(f"`{name}`" for name in _named(owner)) or "a parameter"


def _named(owner: CaptureFacts | None) -> list[str]:
    return [] if owner is None else _sparse_parameters(owner)


def _fix(owner: CaptureFacts | None) -> str:
    return (
        f"make the gradient of {_tables(owner)} dense: `nn.Embedding(…, sparse=False)`; a table "
        "too large for that is better off without compiled autograd (`_disable()`)"
    )


def _is_sparse(node: Mapping[str, Any]) -> bool:
    return bool((node.get("attributes") or {}).get("sparse"))


def _sparse_parameters(owner: CaptureFacts) -> list[str]:
    """Return parameters whose node follows an embedding's that is sparse."""
    sparse = False
    names = []
    for node in owner.nodes:
        if "Embedding" in str(node.get("name")):
            sparse = _is_sparse(node)
        elif node.get("parameter"):
            if sparse:
                names.append(str(node["parameter"]))
            sparse = False
    return names
