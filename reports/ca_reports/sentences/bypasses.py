"""Remedies for graphs that a cache does not take: the rules' and those of `ca caches`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ca_reports.torchlib.dynamo import ENTERED_BY
from ca_reports.words.clean import one_line

if TYPE_CHECKING:
    from ca_reports.facts.bypassed import BypassKind

_WIDTH = 200


class CacheRemedy(NamedTuple):
    """The change that lets a cache take a graph, and the command that explains it, if one does."""

    text: str
    command: str | None = None

    def __str__(self) -> str:
        """Return the change, and where to read about it."""
        return self.text if self.command is None else f"{self.text} (`{self.command}`)"


_REMEDIES: dict[BypassKind, CacheRemedy] = {
    "custom function": CacheRemedy(
        "set `torch._functorch.config.autograd_cache_allow_custom_autograd_functions = True` "
        "before the first compile, if the Function depends on its arguments alone",
        "ca rule CA620",
    ),
    "function": CacheRemedy(
        "before the first compile: `torch._inductor.config.unsafe_marked_cacheable_functions = "
        '{{"{target}": "1"}}`, with another text whenever its code changes',
        "ca rule CA621",
    ),
    "autocast": CacheRemedy(
        "enter `torch.autocast` around the call of the compiled function instead",
        "ca rule CA627",
    ),
    "checkpoint": CacheRemedy(
        'set `cache_hash = "…"` on what you pass as `context_fn` (of a functools.partial, on the '
        "partial), and another text whenever the policy changes",
        "ca rule CA622",
    ),
    "captured": CacheRemedy("none: it does not take captured backwards", "ca rule CA605"),
    "higher-order": CacheRemedy(
        "before the first compile: `torch._inductor.config.unsafe_marked_cacheable_functions = "
        '{{"torch.ops.higher_order.{target}": "1"}}`',
        "ca rule CA626",
    ),
    "pass": CacheRemedy(
        "derive the pass from `torch._inductor.custom_graph_pass.CustomGraphPass`, with a "
        "`uuid()` that changes whenever its code does",
        "ca rule CA623",
    ),
    "estimator": CacheRemedy(
        "derive it from `CustomRuntimeEstimator` or `CustomKnapsackSolver` of "
        "`torch._inductor.custom_graph_pass`, with a `uuid()` that names its code"
    ),
    "frozen": CacheRemedy(
        "leave `torch._inductor.config.freezing` and `TORCHINDUCTOR_FREEZING` off, unless frozen "
        "code saves more than each cold start costs",
        "ca rule CA624",
    ),
    "off": CacheRemedy(
        "remove `fx_graph_cache = False`, and `TORCHINDUCTOR_FX_GRAPH_CACHE=0` from the "
        "environment",
        "ca rule CA625",
    ),
    "not asked": CacheRemedy(
        "leave `torch._functorch.config.enable_autograd_cache` on, and "
        "`TORCHINDUCTOR_AUTOGRAD_CACHE` at 1",
        "ca rule CA625",
    ),
    "all off": CacheRemedy(
        "unset `TORCHINDUCTOR_FORCE_DISABLE_CACHES`, and leave "
        "`torch.compiler.config.force_disable_caches` off",
        "ca rule CA625",
    ),
    "unnameable": CacheRemedy("keep what can't be pickled out of the graph: its key can't name it"),
    "nested pass": CacheRemedy(
        "set it in `torch._inductor.config` for all graphs, as a `CustomGraphPass` with a "
        "`uuid()`: no key can name a function among a nested region's own settings"
    ),
    "method": CacheRemedy(
        "keep the call of `{target}` out of the compiled function: what it is called on is no "
        "tensor, and no key can name it"
    ),
    "bucket": CacheRemedy(
        "none that keeps DDP's buckets: DDPOptimizer compiles each on its own, which inductor's "
        "cache serves. `torch._dynamo.config.optimize_ddp = False` compiles them as one, and "
        "gradients are then sent after the whole backward"
    ),
    "node": CacheRemedy("none: AOTAutograd's cache does not know nodes of the kind `{target}`"),
    "no sizes": CacheRemedy(
        "none: the graph came from elsewhere than Dynamo, whose guards say which sizes a cached "
        "one is for"
    ),
    "local class": CacheRemedy(
        "move `{target}` to the top level of its module, where a key can name it"
    ),
    "static address": CacheRemedy(
        "none: it does not take graphs whose tensors keep their addresses (`mark_static_address`)"
    ),
    "unsaved guard": CacheRemedy(
        "none: it can't keep a guard that the graph needs; inductor's and AOTAutograd's caches "
        "serve it all the same"
    ),
    "bisecting": CacheRemedy("none: the compiler's bisector compiles everything itself"),
    "triton": CacheRemedy("install Triton {target} or newer"),
}


def remedy(kind: BypassKind, target: str | None) -> CacheRemedy | None:
    """Return what lets a cache take a graph, by what keeps it out; None if nobody knows.

    ``target`` is the function, pass or operator that torch names.
    """
    manager = ENTERED_BY.get(target or "") if kind == "function" else None
    if manager is not None:
        return CacheRemedy(
            f"enter `{manager}` around each call of the compiled function, and not in it: it then "
            "holds for all that the function calls",
            "ca rule CA621",
        )
    found = _REMEDIES.get(kind)
    if found is None:
        return None
    return found._replace(text=found.text.format(target=one_line(target or "…", _WIDTH)))
