"""Why a cache was not asked."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.facts.bypassed import bypasses, classify
from tests.unit.reports.costs.caches.made import CacheLog

if TYPE_CHECKING:
    from collections.abc import Iterator

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
            "nested pass",
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
        ("No shape env", "no sizes", None),
        ("", "other", None),
    ],
)
def test_the_kind_and_what_is_named(reason: str, kind: str, target: str | None) -> None:
    assert classify(reason) == (kind, target)


# Each as one of 2.11 to 2.15 writes it, where that is not in all of them alike.
BY_VERSION = [
    ("2.11 to 2.14", "Unsupported call_method target gen. \nMethod module: None, \nMethod name: "
     "None", "method", "gen"),
    ("2.11 to 2.14", "Unsupported call_method method <method x>: 3", "method", "<method"),
    ("2.15", "Unsupported call_method seed on receiver gen, which has no example_value and so is "
     "not known to be a Tensor", "method", "seed"),
    ("2.15", "Unsupported call_method method 3", "method", "3"),
    ("2.11 to 2.15", "Unsupported node op call_thing", "node", "call_thing"),
    ("2.11 to 2.15", "Won't cache a graph with fakify_first_call enabled", "bucket", None),
    ("2.11 to 2.15", "Can't cache torchbind objects", "unnameable", None),
    ("2.11 to 2.15", "Reduce unsupported", "unnameable", None),
    ("2.11 to 2.15", "Unsupported joint custom pass", "pass", "joint custom pass"),
    ("2.11 to 2.15", "Unsupported _fuse_ddp_communication_pass", "pass",
     "_fuse_ddp_communication_pass"),
    ("2.13 to 2.15", "Unsupported pre grad custom pass", "pass", "pre grad custom pass"),
    ("2.13 to 2.15", "Unsupported _post_fusion_custom_pass", "pass", "_post_fusion_custom_pass"),
    ("2.14 to 2.15", "Uncacheable nested region config 'joint_custom_pre_pass': callable value",
     "nested pass", "joint_custom_pre_pass"),
    ("2.11", "Graph contains named parameters: either inline_inbuilt_nn_modules=False or there are "
     "static addresses.", "static address", None),
    ("2.12 to 2.15", "Graph contains named parameters due to static addresses.", "static address",
     None),
    ("2.11 to 2.14", "Guard evaluation failed: Type <class '__main__.make.<locals>.Scale'> for "
     "object <__main__.make.<locals>.Scale object at 0x7f> cannot be saved into torch.compile() "
     "package since it's defined in local scope. Please define the class at global scope (top "
     "level of a module).", "local class", "__main__.make.<locals>.Scale"),
    ("2.15", "Guard evaluation failed: Type <class '__main__.make.<locals>.Scale'> cannot be saved "
     "into torch.compile() package since it's defined in local scope. Please define the class at "
     "global scope (top level of a module).", "local class", "__main__.make.<locals>.Scale"),
    ("2.11 to 2.15", "Guard evaluation failed: ID_MATCH guard cannot be serialized.",
     "unsaved guard", "ID_MATCH"),
    ("2.15", "Guard evaluation failed: a guard reads a generator, which cannot be serialized",
     "unsaved guard", None),
]  # fmt: skip


@pytest.mark.parametrize(("versions", "reason", "kind", "target"), BY_VERSION)
def test_what_only_some_versions_say(
    versions: str, reason: str, kind: str, target: str | None
) -> None:
    assert classify(reason) == (kind, target), versions


def written_reasons(root: Path) -> Iterator[str]:
    """Give the text of each reason in torch's source, with a name for what it puts in there."""
    names = ("BypassAOTAutogradCache", "BypassFxGraphCache", "bypass", "bypass_package")
    for file in (
        "_functorch/_aot_autograd/autograd_cache.py",
        "_inductor/codecache.py",
        "_dynamo/guards.py",
        "_dynamo/output_graph.py",
    ):
        for node in ast.walk(ast.parse((root / file).read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                called = ast.unparse(node.func).rpartition(".")[2]
                match node.args[0] if called in names else None:
                    case ast.Constant(value=str(text)):
                        yield text
                    case ast.JoinedStr(values=parts):
                        yield "".join(
                            part.value
                            if isinstance(part, ast.Constant) and isinstance(part.value, str)
                            else "name"
                            for part in parts
                        )


def test_every_reason_in_the_installed_torch_is_known() -> None:
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        pytest.skip("without torch")
    reasons = set(written_reasons(Path(found.origin).parent))
    assert len(reasons) > 20
    assert {reason for reason in reasons if classify(reason)[0] == "other"} == set()


NOT_FOUND = "<class '__main__.make.<locals>.Pair'> was not found as __main__.make.<locals>.Pair"


@pytest.mark.parametrize(
    ("error", "reason", "failed", "kind", "target"),
    [
        ("CppCompileError", "C++ compile error", True, "failed", "CppCompileError"),
        # What a key can't be made of ends no compile.
        ("ObjNotFoundError", NOT_FOUND, False, "local class", "__main__.make.<locals>.Pair"),
        ("AttributeError", "Can't pickle local object 'make.<locals>.Pair'", False, "local class",
         "make.<locals>.Pair"),
        ("TypeError", "cannot pickle 'generator' object", False, "unnameable", None),
        ("RuntimeError", "something else", False, "other", None),
        ("BypassAOTAutogradCache", "FX graph cache is not enabled", True, "off", None),
    ],
)  # fmt: skip
def test_an_exception_is_of_the_compile_only_where_that_failed(
    tmp_path: Path, error: str, reason: str, kind: str, target: str | None, *, failed: bool
) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    log.bypassed("0/0", reason, error=error)
    raised: dict[str, Any] = {"fail_type": error, "fail_reason": reason} if failed else {}
    log.compiled("0/0", **raised)
    (process,) = ca_reports.load([log.write(tmp_path / "t.log")]).processes
    (found,) = bypasses(process)
    assert (found.kind, found.target) == (kind, target)


def test_the_graphs_of_a_process(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    log.bypassed("0/0", "FX graph cache is not enabled")
    log.looked_up("1/0", cache="aotautograd")
    log.looked_up("1/0")
    log.compiled("0/0")
    log.compiled("1/0")
    (process,) = ca_reports.load([log.write(tmp_path / "t.log")]).processes
    (found,) = bypasses(process)
    assert found.kind == "off"
    assert found.compiled is process.compiles[0]


def test_a_graph_that_inductors_cache_alone_was_asked_for_is_a_bypass_of_aotautograds(
    tmp_path: Path,
) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    log.looked_up("0/0", state="hit")
    # A function of Dynamo's own cache brings its graphs along, under no key of their own.
    log.looked_up("1/0", state="hit", cache="fx_graph", key=None)
    for compile_id in ("0/0", "1/0"):
        log.compiled(compile_id)
    (process,) = ca_reports.load([log.write(tmp_path / "t.log")]).processes
    (found,) = bypasses(process)
    assert (found.kind, found.lookup.compile_id) == ("not asked", "0/0")
    # Where backwards are captured it would keep no forward, and is turned off to save look-ups.
    log.looked_up("!0/2/0", state="hit")
    log.compiled("!0/2/0")
    (process,) = ca_reports.load([log.write(tmp_path / "captured.log")]).processes
    assert process.captures
    assert list(bypasses(process)) == []
