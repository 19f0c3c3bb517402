"""CA606."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.causes.rules import failing
from ca_reports.causes.rules.base import PATTERN, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.rules.base import Match
    from ca_reports.facts.process import ProcessFacts

_TEXT = "not compatible with C++ DDP Reducer"


class DdpCppReducer(Rule):
    """DistributedDataParallel reduces gradients in C++, which cannot be captured.

    ## What it is

    DDP's reducer puts C++ hooks on every parameter's gradient. Compiled autograd refuses a
    backward that has them.

    ## Why it costs

    The program stops at the first backward.

    ## Example

        torch._dynamo.config.compiled_autograd = True
        model = DistributedDataParallel(model)

    ## What to do

    Before you wrap the model:

        torch._dynamo.config.optimize_ddp = "python_reducer"

    Its hooks are Python, and are captured and compiled with the backward.

    ## Measured

    With gloo and one process: the error; with the fix, one capture.

    ## When the rule can be wrong

    It quotes torch's own error. Torch raises it before a capture begins, so it is known only if
    it ended the process, or if the program called another backward in the `except` block.
    """

    code = "CA606"
    name = "ddp-cpp-reducer"
    edits = ("python_reducer",)
    severity = "error"
    specificity = PATTERN

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        for failure in facts.failures:
            if _TEXT in failure.text:
                yield failing.match(
                    failure,
                    ("DDP uses its C++ reducer, whose hooks compiled autograd cannot capture"),
                    (
                        'set `torch._dynamo.config.optimize_ddp = "python_reducer"` before the '
                        "model is wrapped in DistributedDataParallel"
                    ),
                )
