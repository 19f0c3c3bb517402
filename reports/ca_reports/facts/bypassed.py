"""Classifies why a cache was not asked, by torch's texts for it.

Read off torch 2.11.0, 2.12.1, 2.13.0, 2.14.1 and 2.15.0: ``autograd_cache.py`` below
``torch/_functorch``, ``torch/_inductor/codecache.py``, and of Dynamo's own cache
(``caching_precompile``) ``guards.py`` and ``output_graph.py``. Older versions say the same in fewer
words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.run.cached import CacheLookup
    from ca_reports.run.model import Compile, Process

BypassKind = Literal[
    "custom function", "function", "autocast", "captured", "higher-order", "checkpoint", "pass",
    "nested pass", "estimator", "frozen", "off", "unnameable", "method", "node", "bucket",
    "no sizes", "bisecting", "triton", "local class", "static address", "unsaved guard",
    "not asked", "all off", "failed", "other",
]  # fmt: skip

# 2.11 and later name the module and the function on lines of their own.
_FUNCTION = expression(
    r"Unsupported call_function target (?P<target>[^\n]*?)\.?\s*"
    r"(?:Function module: (?P<module>[^\n,]*),\s*Function name: (?P<name>[^\n]*))?",
    re.DOTALL,
)
_CUSTOM_FUNCTION = "autograd_function_apply"
_HIGHER_ORDER = "torch.ops.higher_order"
_AUTOCAST = "torch.amp.autocast_mode"
_CAPTURED = "torch._dynamo.compiled_autograd"
_KINDS: tuple[tuple[BypassKind, re.Pattern[str]], ...] = (
    ("higher-order", expression(r"Can't cache HigherOrderOperator: (?P<name>\S+)")),
    ("checkpoint", expression(r"SAC context_fn does not have a cache_hash")),
    ("pass", expression(r"Unsupported (?P<name>[\w ]{0,64}pass\w{0,8})$")),
    ("nested pass", expression(r"Uncacheable nested region config '(?P<name>[\w.]{1,100})'")),
    ("estimator", expression(r"(?P<name>CustomRuntimeEstimator|CustomKnapsackSolver)\.uuid\(\)")),
    (
        "estimator",
        expression(r"(?P<name>activation_memory_budget_\w{1,40}) is a raw callable"),
    ),
    ("frozen", expression(r"freezing enabled|frozen constants|Runtime constant folding")),
    ("off", expression(r"FX graph cache is not enabled")),
    (
        "unnameable",
        expression(r"Cannot produce stable cache key for unpicklable type (?P<name>[^\n]{1,200})"),
    ),
    # Python's own texts, and that of `torch.package`.
    ("local class", expression(r"<class '(?P<name>[^'\n]{1,200}<locals>[^'\n]{1,200})'>")),
    (
        "local class",
        expression(r"Can't (?:pickle|get) local object '?(?P<name>[^'\n]{1,200}<locals>[^'\n]+)"),
    ),
    ("unnameable", expression(r"Failed to pickle cache key|Reduce unsupported")),
    ("unnameable", expression(r"(?:cannot|[Cc]an't) pickle ")),
    ("unnameable", expression(r"mkldnn tensors|torchbind objects")),
    # Up to 2.14: what the method is called on, which for a method of no known kind is the method.
    (
        "method",
        expression(r"Unsupported call_method (?:target|method) (?P<name>[^\n]{1,200}?)\.?\s"),
    ),
    # 2.15
    ("method", expression(r"Unsupported call_method (?P<name>\S{1,200}) on receiver ")),
    ("method", expression(r"Unsupported call_method method (?P<name>\S{1,200})$")),
    ("node", expression(r"Unsupported node op (?P<name>\w{1,100})")),
    ("bucket", expression(r"fakify_first_call enabled")),
    ("no sizes", expression(r"No shape env")),
    ("bisecting", expression(r"compiler bisector enabled")),
    ("triton", expression(r"AOTAutogradCache requires triton (?P<name>[\d.]{1,20})")),
    ("local class", expression(r"Type <class '(?P<name>[^'\n]{1,200})'> (?:for object|cannot be)")),
    ("static address", expression(r"Graph contains named parameters")),
    ("unsaved guard", expression(r"(?P<name>\w{1,100}) guard cannot be serialized")),
    ("unsaved guard", expression(r"Guard evaluation failed")),
)
# Exceptions by which torch leaves a cache out; another may be that of a compile that failed.
_OF_CACHES = ("Bypass", "FXGraphCacheMiss")


@dataclass(frozen=True, slots=True)
class Bypass:
    """A graph for which a cache was not asked. ``target`` is the function or pass torch names.

    ``lookup`` is torch's record of it; of the kind ``not asked``, which leaves none, the look-up
    of inductor's cache for the same graph.
    """

    lookup: CacheLookup
    compiled: Compile | None
    kind: BypassKind
    target: str | None


def kind_of(lookup: CacheLookup, compiled: Compile | None) -> tuple[BypassKind, str | None]:
    """Return why the cache was not asked, and what torch names.

    Any exception keeps a graph out of AOTAutogradCache: also one of the compile itself, which then
    fails, and one of what its key is made of, after which it is compiled without the cache.
    """
    error = lookup.error
    is_of_compile = error is not None and not error.startswith(_OF_CACHES)
    if is_of_compile and compiled is not None and compiled.failed is not None:
        return "failed", error
    return classify(lookup.reason or "")


def classify(reason: str) -> tuple[BypassKind, str | None]:
    """Return the kind of a reason, and what it names."""
    found = _FUNCTION.fullmatch(reason)
    if found is not None:
        return _of_function(found)
    for kind, pattern in _KINDS:
        match = pattern.search(reason)
        if match is not None:
            return kind, match.groupdict().get("name")
    return "other", None


def _of_function(found: re.Match[str]) -> tuple[BypassKind, str | None]:
    module, name = found["module"], found["name"] or found["target"]
    if name == _CUSTOM_FUNCTION:
        return "custom function", None
    if module is None:
        return "function", name
    if module.startswith(_CAPTURED):
        return "captured", name
    if module == _AUTOCAST:
        return "autocast", name
    if module == _HIGHER_ORDER:
        return "higher-order", name
    return "function", f"{module}.{name}"


def operation_of(kind: BypassKind, target: str | None) -> str | None:
    """Return the name that the operation which keeps a graph out has in it; None for no operation.

    Of a setting there is none, and a custom autograd Function is an operation without a name.
    """
    if kind == "custom function":
        return _CUSTOM_FUNCTION
    if kind not in ("function", "autocast", "higher-order", "method") or target is None:
        return None
    return target.rpartition(".")[2]


def bypasses(process: Process) -> Iterator[Bypass]:
    """Give the graphs of a process for which a cache was not asked."""
    compiles = {compiled.compile_id: compiled for compiled in process.compiles}
    for lookup in process.cache_lookups:
        if lookup.state == "bypass":
            compiled = compiles.get(lookup.compile_id)
            yield Bypass(lookup, compiled, *kind_of(lookup, compiled))
    if process.captures:
        return  # it keeps no forward whose backward is captured (CA605)
    asked = {lookup.compile_id for lookup in process.cache_lookups if lookup.cache != "fx"}
    for lookup in process.cache_lookups:
        compiled = compiles.get(lookup.compile_id)
        if lookup.compile_id not in asked and is_on_its_own(lookup, compiled):
            yield Bypass(lookup, compiled, "not asked", None)


def is_on_its_own(lookup: CacheLookup, compiled: Compile | None) -> bool:
    """Return whether inductor's cache was asked for a graph of a forward by its own key.

    AOTAutogradCache is asked before it, for the whole forward, unless it is turned off.
    """
    return (
        lookup.cache == "fx"
        and lookup.key is not None
        and compiled is not None
        and compiled.is_forward
    )
