"""CA607."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import Match, Rule
from ca_reports.facts.failures import is_of_tracing
from ca_reports.logs.fields import items, mapping
from ca_reports.words.values import short_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts

# Torch puts this advice below each of its errors about a backward that it cannot capture.
_ADVICE = "You can disable compiled autograd for this operation"
_KINDS = (
    ("NestedTensor", "nested tensors"),
    ("nested", "nested tensors"),
    ("omplex", "complex views"),
    ("sparse", "sparse tensors"),
)
_OTHER_RULES = ("C++ DDP Reducer", "anomaly mode")


class UnsupportedTensor(Rule):
    """The backward uses a tensor that compiled autograd cannot capture.

    ## What it is

    A captured graph cannot hold nested tensors or some views of complex ones: torch raises an
    error at a node that saved one. Nor can Dynamo trace a graph that a sparse tensor is passed to,
    such as the adjacency of a graph network.

    ## Why it costs

    The program stops.

    ## Example

        batch = torch.nested.nested_tensor(sentences, layout=torch.jagged)
        linear(batch).values().sum().backward()

    ## What to do

    Use plain tensors there (for layers that do not mix rows: `torch.cat`; `to_dense()`; edges by
    `index_add`), or leave this backward in eager:

        with torch._dynamo.compiled_autograd._disable():
            loss.backward()

    ## Measured

    The example: `NotImplementedError: NestedTensor support not implemented`; with the rows in
    one tensor one capture and hits. A sparse adjacency: `IndexError: tuple index out of range`
    from Dynamo at the first backward; dense, one capture and hits.

    ## When the rule can be wrong

    It quotes torch's own error. Torch raises it before a capture begins, so it is known only if
    it ended the process, or if the program called another backward in the `except` block.
    """

    code = "CA607"
    name = "unsupported-tensor"
    severity = "error"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in facts.failures:
            text = failure.text
            sparse = saved_sparse(facts) if is_of_tracing(text) else None
            if sparse is not None:
                yield failing.match(
                    failure,
                    (
                        f"the backward uses a sparse tensor ({sparse}), and Dynamo cannot trace "
                        f"its graph: {_head(text)}"
                    ),
                    (
                        "use a dense tensor there (`to_dense()`, or edges by `index_add`), or call "
                        "this backward under `torch._dynamo.compiled_autograd._disable()`"
                    ),
                )
                continue
            if _ADVICE not in text and "NestedTensor support not implemented" not in text:
                continue
            if any(words in text for words in _OTHER_RULES):
                continue
            head = _head(text)
            kind = next((kind for words, kind in _KINDS if words in head), "such a tensor")
            yield failing.match(
                failure,
                f"the backward uses {kind}, which cannot be captured: {head}",
                (
                    "use plain tensors there, or call this backward under "
                    "`torch._dynamo.compiled_autograd._disable()`"
                ),
            )


def _head(text: str) -> str:
    return text.split("\n", 1)[0].strip().rstrip(".")


def saved_sparse(facts: ProcessFacts) -> str | None:
    """Return the first sparse tensor that a captured node saved: ``MmBackward0 self, 300×300``."""
    for known in facts.captures:
        for node in known.nodes:
            for name, tensor in mapping(node.get("tensors")).items():
                if "sparse" in str(mapping(tensor).get("layout", "")):
                    shape = "×".join(str(size) for size in items(mapping(tensor).get("shape")))
                    return f"{short_name(str(node.get('name')))} {name}, {shape}"
    return None
