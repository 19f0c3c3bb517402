"""Splits the time of one compile into phases, by Dynamo's compilation metrics.

Measured on torch 2.13.0: ``entire_frame_compile_time_s`` holds everything,
``backend_compile_time_s`` what the backend took within it, AOT autograd included where the
backend uses it (``aot_autograd_cumulative_compile_time_us``), and that in turn holds
Inductor's part (``inductor_cumulative_compile_time_us``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import expression
from ca_reports.logs.fields import duration, integer, number

if TYPE_CHECKING:
    from collections.abc import Mapping


def split(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Return ``dynamo``, ``aot`` and ``backend`` in seconds; empty if the metrics do not tell.

    They add up to ``entire_frame_compile_time_s``. ``dynamo`` is tracing, guards and code
    generation; a log whose numbers contradict each other loses no second and invents none.
    """
    total = duration(metrics.get("entire_frame_compile_time_s"))
    if total is None:
        return {}
    inside = _within(duration(metrics.get("backend_compile_time_s")), total)
    aot = _within(_seconds(metrics, "aot_autograd_cumulative_compile_time_us"), inside)
    inductor = _within(_seconds(metrics, "inductor_cumulative_compile_time_us"), inside)
    aot = max(0.0, aot - inductor)
    parts = {"dynamo": total - inside, "aot": aot, "backend": inside - aot}
    return {phase: seconds for phase, seconds in parts.items() if seconds > 0}


# Keys of the metrics, less `_count`, by what they count.
_CACHES = {
    "fx_hit": "inductor_fx_local_cache_hit",
    "fx_miss": "inductor_fx_local_cache_miss",
    "fx_remote_hit": "inductor_fx_remote_cache_hit",
    "fx_remote_miss": "inductor_fx_remote_cache_miss",
    "aot_hit": "aotautograd_local_cache_hit",
    "aot_miss": "aotautograd_local_cache_miss",
    "aot_remote_hit": "aotautograd_remote_cache_hit",
    "aot_remote_miss": "aotautograd_remote_cache_miss",
}


def cache_lookups(metrics: Mapping[str, Any]) -> dict[str, int]:
    """Return hits and misses of FxGraphCache and AOTAutogradCache, without what did not happen.

    A miss of the local cache may still be a hit of the remote one.
    """
    found = {name: integer(metrics.get(f"{key}_count")) or 0 for name, key in _CACHES.items()}
    return {name: times for name, times in found.items() if times}


def kernel_seconds(metrics: Mapping[str, Any]) -> float | None:
    """Return what waiting for Triton's and the C++ compiler took, a part of the backend's time.

    ``triton_compile_time_us`` despite its name holds both (``_inductor/async_compile.py``).
    """
    return _seconds(metrics, "triton_compile_time_us")


def inductor_seconds(metrics: Mapping[str, Any]) -> float | None:
    """Return what inductor took, a part of the backend's time; None of another backend."""
    return _seconds(metrics, "inductor_cumulative_compile_time_us") or None


# Artifacts that say why a cache was not asked, and which.
BYPASSES = {"fx_graph_cache_bypass": "FxGraphCache", "aotautograd_cache_bypass": "AOTAutogradCache"}
_MAX_REASON = 300
_ADDRESS = expression(r" at 0x[0-9a-f]{1,16}\b")


def bypass_reason(name: str, payload: Mapping[str, Any]) -> str:
    """Return ``FxGraphCache: Custom backend``, one line, of an artifact of ``BYPASSES``."""
    found = payload.get("cache_bypass_reason")
    words = " ".join(found.split()) if isinstance(found, str) else "no reason given"
    words = _ADDRESS.sub("", words)  # of a function, and another one at each start
    return f"{BYPASSES[name]}: {words}"[:_MAX_REASON]


def seconds_saved(metrics: Mapping[str, Any]) -> float | None:
    """Add up what hits saved by torch's account; despite its name also those of the local cache."""
    return duration(metrics.get("remote_cache_time_saved_s"))


def _within(seconds: float | None, bound: float) -> float:
    return min(max(seconds or 0.0, 0.0), bound)


def _seconds(metrics: Mapping[str, Any], key: str) -> float | None:
    micro = number(metrics.get(key))
    return None if micro is None else micro / 1e6
