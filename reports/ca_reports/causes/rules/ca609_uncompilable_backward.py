"""CA609."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import CalledInForward
from ca_reports.causes.located import graphs
from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import Rule
from ca_reports.causes.rules.ca506_sparse_grad import with_sparse_gradient
from ca_reports.causes.rules.ca607_unsupported_tensor import saved_sparse
from ca_reports.facts.failures import is_of_tracing, of_compiles
from ca_reports.sentences.failures import in_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.causes.located.trail import Search
    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Failure

_NODE = expression(r"compiled_autograd\.ops\.(?P<name>\w{1,100})")
# Errors with a rule of their own.
_OTHER_RULES = (
    "invalid gradient at index",
    "higher order gradients",
    "UnsupportedFakeTensorException",
    "C++ DDP Reducer",
    "You can disable compiled autograd for this operation",
)
# The class of an autograd function that Dynamo puts into the graph of a forward.
_IN_GRAPH = "ApplyTemplate"
_OTHER_TYPES = ("ConstraintViolationError", "FailOnRecompileLimitHit")


class UncompilableBackward(Rule):
    """Torch's compiler fails on a captured backward, and the program stops there.

    ## What it is

    The backward was captured, but Dynamo or the backend cannot compile the graph: an operation
    in it reads data that a trace does not have, as the backward of `pack_padded_sequence` does.

    ## Why it costs

    The error comes out of `backward()`, and the program stops.

    ## Example

        packed = pack_padded_sequence(x, lengths, batch_first=True)
        _, hidden = rnn(packed)
        backward(head(hidden[-1]).sum())

    ## What to do

    Leave this backward in eager:

        with torch._dynamo.compiled_autograd._disable():
            loss.backward()

    Or do without the operation: pad, and mask what is padding. An autograd `Function` of your own
    that a compiled forward calls stands in the graph as a copy of Dynamo's, which torch cannot
    capture (pytorch#155105): call it in a function with `@torch.compiler.disable`.

    ## Measured

    The example: `TorchRuntimeError` in `PackPaddedSequenceBackward0` at the first backward, under
    torch's own engine as well (torch 2.13.0, CPU); with padded inputs one capture and hits. A
    `Function` of a compiled forward: `TypeError` with the backend `eager`, `IndexError` with
    `aot_eager`, with either engine; in a disabled function one capture and hits.

    ## When the rule can be wrong

    It quotes torch's own error. Whether the operation is at fault or the compiler has a bug, it
    cannot tell; `ca run --engine torch` shows whether torch's own engine also fails.
    """

    code = "CA609"
    name = "uncompilable-backward"
    severity = "error"

    @classmethod
    def search(cls, finding: Finding) -> Search | None:
        """Search for the call of an autograd function of the program's."""
        return graphs.applied if isinstance(finding.detail, CalledInForward) else None

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in of_compiles(facts.failures):
            error = failure.text
            if has_custom_function(failure, facts):
                yield _of_custom_function(failure)
                continue
            if failure.stage != "compile" or failure.capture is None:
                continue
            if failure.type in _OTHER_TYPES or any(words in error for words in _OTHER_RULES):
                continue
            if with_sparse_gradient(facts, error) or (
                is_of_tracing(error) and saved_sparse(facts) is not None
            ):
                continue
            node = _NODE.search(error)
            what = f" ({node['name']})" if node is not None else ""
            operation = f"what makes {node['name']}" if node is not None else "what fails"
            yield failing.match(
                failure,
                f"torch cannot compile this backward{what}: {failure.type}: {in_one_line(failure)}",
                (
                    "call this backward under `torch._dynamo.compiled_autograd._disable()`, or do "
                    f"without {operation} in the forward; `ca run --engine torch` shows whether "
                    "torch's own engine fails, too"
                ),
                key=node["name"] if node is not None else failure.type,
            )


def has_custom_function(failure: Failure, facts: ProcessFacts) -> bool:
    """Return whether the backward that failed runs an autograd function of a compiled forward."""
    found = facts.by_id.get(-1 if failure.capture is None else failure.capture)
    return found is not None and any(
        str(node["function"].get("name", "")).rpartition(".")[2] == _IN_GRAPH
        for node in found.nodes
        if "function" in node
    )


def _of_custom_function(failure: Failure) -> Match:
    """Report a fault of torch's; the way around it is to leave the function out."""
    return replace(
        failing.match(
            failure,
            "an autograd Function that a compiled forward calls cannot be captured (pytorch#155105,"
            f" in torch 2.13 still): {failure.type}: {in_one_line(failure)}",
            "call the Function in a function of its own with `@torch.compiler.disable`, and the "
            "forward without fullgraph=True, as the graph ends there; or do not compile what calls "
            "it, or run this backward under `torch._dynamo.compiled_autograd._disable()`",
            key=_IN_GRAPH,
        ),
        detail=CalledInForward(),
    )
