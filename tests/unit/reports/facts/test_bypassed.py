"""Why a cache was not asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.facts.bypassed import bypasses, classify
from tests.unit.reports.costs.caches.made import CacheLog

if TYPE_CHECKING:
    from pathlib import Path

# As torch 2.13.0 writes them
FUNCTION = "Unsupported call_function target {0}. \n Function module: {1}, \nFunction name: {2}"


@pytest.mark.parametrize(
    ("reason", "kind", "target"),
    [
        (
            FUNCTION.format(
                "autograd_function_apply", "torch.ops.higher_order", "autograd_function_apply"
            ),
            "custom function",
            None,
        ),
        (
            FUNCTION.format("<function scaled at 0x7f03e26740e0>", "model.parts", "scaled"),
            "function",
            "model.parts.scaled",
        ),
        (
            FUNCTION.format(
                "torch._dynamo.compiled_autograd.ops.validate_outputs",
                "torch._dynamo.compiled_autograd.ops",
                "validate_outputs",
            ),
            "captured",
            "validate_outputs",
        ),
        (FUNCTION.format("cond", "torch.ops.higher_order", "cond"), "higher-order", "cond"),
        # Older versions name nothing else.
        ("Unsupported call_function target <function scaled>", "function", "<function scaled>"),
        ("Can't cache HigherOrderOperator: print", "higher-order", "print"),
        (
            "SAC context_fn does not have a cache_hash attribute. To enable caching with …",
            "checkpoint",
            None,
        ),
        ("Unsupported post grad custom pass", "pass", "post grad custom pass"),
        ("Cannot cache a graph with freezing enabled", "frozen", None),
        ("Skipping graph with frozen constants", "frozen", None),
        ("FX graph cache is not enabled", "off", None),
        ("Unsupported _pre_fusion_custom_pass", "pass", "_pre_fusion_custom_pass"),
        (
            "Uncacheable nested region config 'post_grad_custom_post_pass': custom pass",
            "pass",
            "post_grad_custom_post_pass",
        ),
        (
            "CustomKnapsackSolver.uuid() returned None, bypassing cache",
            "estimator",
            "CustomKnapsackSolver",
        ),
        (
            "activation_memory_budget_solver is a raw callable without uuid() method, bypassing "
            "cache. Use CustomKnapsackSolver for cache support.",
            "estimator",
            "activation_memory_budget_solver",
        ),
        (
            "Runtime constant folding can introduce constants that aren't static across runs",
            "frozen",
            None,
        ),
        ("Failed to pickle cache key", "unnameable", None),
        (
            "Cannot produce stable cache key for unpicklable type Generator",
            "unnameable",
            "Generator",
        ),
        ("mkldnn tensors unpickleable", "unnameable", None),
        ("compiler bisector enabled", "bisecting", None),
        ("AOTAutogradCache requires triton 3.2.0", "triton", "3.2.0"),
        ("No shape env", "other", None),
        ("", "other", None),
    ],
)
def test_the_kind_and_what_is_named(reason: str, kind: str, target: str | None) -> None:
    assert classify(reason) == (kind, target)


def test_a_compile_that_fails_is_no_reason_of_the_cache() -> None:
    assert classify("C++ compile error", "CppCompileError") == ("failed", "CppCompileError")
    assert classify("FX graph cache is not enabled", "BypassAOTAutogradCache") == ("off", None)


def test_the_graphs_of_a_process(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    log.bypassed("0/0", "FX graph cache is not enabled")
    log.looked_up("1/0")
    log.compiled("0/0")
    (process,) = ca_reports.load([log.write(tmp_path / "t.log")]).processes
    (found,) = bypasses(process)
    assert found.kind == "off"
    assert found.compiled is process.compiles[0]
