"""Classifies graph breaks by torch's names for them.

torch numbers its kinds (``torch/_dynamo/graph_break_registry.json``; 2.8 and later print the
number) and keeps a number when it rewords its kind. The registries of 2.13.0 and of the development
version of November 2026 agree on all numbers here. Older versions are read by their words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from ca_reports.run.model import GraphBreak

# What ends a graph: a branch on a tensor, its value read into Python, output written, a call that
# Dynamo cannot trace, a function that it leaves out, a context manager, a tensor of sizes that data
# decide, a change that it does not follow.
BreakKind = Literal[
    "branch", "scalar", "output", "builtin", "skipped", "context", "tensor", "mutation", "other"
]

_NUMBERS: dict[BreakKind, str] = {
    "branch": "0034 0035 0170 0360",
    "scalar": "0033 0109 0124",
    "output": "0291 0296",
    "builtin": (
        "0005 0059 0147 0148 0151 0156 0177 0179 0193 0213 0231 0290 0293 0294 0297 0298 1220 2861 "
        "4198"
    ),
    "skipped": "0007 0008 0009 0025 0098 0099 0269 0275 0284 4297 4636",
    "context": (
        "0003 0024 0028 0050 0051 0057 0066 0088 0089 0094 0095 0120 0135 0142 0209 0212 0221 0253 "
        "0262 0263 0273 0274 0279 0370 2533 2549 8335"
    ),
    "tensor": (
        "0001 0014 0015 0016 0026 0036 0037 0038 0044 0090 0103 0163 0164 0227 0233 0245 0246 0277 "
        "0374 1501"
    ),
    "mutation": (
        "0004 0056 0058 0072 0084 0096 0097 0100 0101 0125 0126 0127 0128 0129 0130 0131 0169 0206 "
        "0220 0254 0271 0467 0781 3241 3697 4271 7324 7786 8887 8985"
    ),
}
_KINDS = {f"GB{number}": kind for kind, found in _NUMBERS.items() for number in found.split()}
# Words of versions without numbers, the more special first.
_WORDS: tuple[tuple[BreakKind, re.Pattern[str]], ...] = (
    ("output", expression(r"builtin:? `?print|BuiltinVariable\(print\)|\bLogger\b|logging\.")),
    ("branch", expression(r"generic_jump|[Dd]ata-dependent (?:branch|jump|expression|assert)")),
    ("scalar", expression(r"Tensor\.(?:item|tolist)\b|[Dd]ata dependent operator")),
    ("tensor", expression(r"[Dd]ynamic shape operator|sparse|[Nn]ested ?[Tt]ensor|subclass")),
    ("skipped", expression(r"torch\.compiler\.disable|_dynamo\.(?:disable|graph_break)")),
    ("skipped", expression(r"marked as skipped|skip function|skipfiles|inline in skip")),
    ("builtin", expression(r"call_function BuiltinVariable|\bbuiltin\b|C/C\+\+")),
    ("context", expression(r"context manager|ContextVariable|[Gg]enerator|exception|SETUP_")),
    ("mutation", expression(r"setattr|STORE_ATTR|mutat|inplace|in-place")),
)
# Kinds of torch's that hold different causes: what the words of the one at hand make of them.
# Up to torch 2.5 it has no quotes. Words of other breaks name a warning, too.
_WRITES = expression(
    r"`(?:print|_?warnings\.warn|_?warnings\.warn_explicit)`|\blogging\."
    r"|unsupported Python builtin _warnings\.warn"
)
_COMPILED_CODE = expression(r"Python builtin|C/C\+\+|C extension")


def kind_of(found: GraphBreak) -> BreakKind:
    """Return the kind of a break; ``other`` for what is none of the others."""
    words = f"{found.reason}\n{found.explanation or ''}\n{found.context or ''}"
    kind = _KINDS.get(found.number or "")
    if kind is None and found.number is None:
        kind = next((kind for kind, known in _WORDS if known.search(words)), None)
    if kind in ("builtin", "skipped") and _WRITES.search(words):
        return "output"
    if kind == "skipped" and _COMPILED_CODE.search(words):
        return "builtin"
    return kind or "other"
