"""Parts of the keys of torch's caches: what each means, and where a program or a user sets it.

Read off torch 2.11.0 to 2.15.0: ``FxGraphHashDetails`` (``torch/_inductor/codecache.py``) and
``AOTAutogradCacheDetails`` (``torch/_functorch/_aot_autograd/autograd_cache.py``).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.torchlib.dynamo import JOB_VARIABLE, OF_GRAPHS, OF_SIZES, SET_BY_DYNAMIC
from ca_reports.torchlib.inductor import VARIABLES_OF_AOTAUTOGRAD, variables_of_inductor
from ca_reports.torchlib.optimizers import RATE, WITH_RATE

# A ``setting`` decides what graphs become, ``inputs`` and the ``graph`` itself are what is
# compiled; ``derived`` components follow from those.
Family = Literal["setting", "inputs", "graph", "derived"]

GRAPH = "gm"
INPUTS = "example_inputs"
TORCH = "torch_version"
THREADS = "cpp_runtime_thread_count"
INDUCTOR = "inductor_config"
AUTOGRAD = "autograd_config"
AOT = "aot_config"
# Of what may be meant: the next start with the same finds what this one compiled.
KEPT = "kept as it is now, the next start is warm again"
# What is said of a component that a key lacks.
ABSENT = "absent"
_NEXT = "the next start finds what this one compiled"
# Of a number that the program may make afresh in each start, such as the time: it promises nothing.
_REPEATED = "only a start with the same number as this one is warm"
# No part of a key: it decides what the graph is.
DYNAMO = "dynamo_config"

_NAME = expression(r"([^\[]+)(?:\[(.*)\])?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One part of a key. ``meaning`` says in a few words what it is; where its name says no less,
    ``is_named_by_it``.

    ``variables`` of the environment set it, and so do assignments to the attributes, and calls of
    the functions, that ``code`` names by their dotted ends, and ``arguments``, keywords of calls:
    ``("compile", "dynamic")``. ``remedy`` is what makes two starts agree, where that is not simply
    to keep the value. What ``changes_graph`` makes another graph of the same code. ``written`` is
    what a program writes to set it. ``values`` name the entries of one that is a tuple. ``given``
    is what a function of ``code`` is given for a value that the key calls otherwise. Where those
    functions are entered, ``left_out`` is what the key has without them: a value, or ``absent``.
    ``method`` of what is assigned returns what the key has.
    """

    meaning: str
    family: Family = "setting"
    variables: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    remedy: str | None = None
    changes_graph: bool = False
    is_named_by_it: bool = False
    arguments: tuple[tuple[str, str], ...] = ()
    written: str | None = None
    values: tuple[str, ...] = ()
    given: tuple[tuple[str, str], ...] = ()
    left_out: str | None = None
    method: str | None = None


_DETERMINISTIC = Component(
    meaning="whether deterministic algorithms are asked for",
    code=("use_deterministic_algorithms",),
    written="torch.use_deterministic_algorithms",
)
_MATMUL = Component(
    meaning="the precision of matrix products",
    variables=("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",),
    code=("set_float32_matmul_precision", "matmul.allow_tf32", "matmul.fp32_precision"),
    written="torch.backends.cuda.matmul.fp32_precision",
    given=(("ieee", '"highest"'), ("tf32", '"high"'), ("bf16", '"medium"')),
)
_REGION_BUDGET = Component(meaning="the memory budget that a region of the graph was given")
_BACKEND = Component(meaning="a setting of a device's own backend")
_COMPONENTS: dict[str, Component] = {
    GRAPH: Component(meaning="the operations of the graph", family="graph"),
    INPUTS: Component(meaning="an input of the graph", family="inputs"),
    THREADS: Component(
        meaning="the number of threads that CPU kernels are compiled for",
        variables=("OMP_NUM_THREADS", "MKL_NUM_THREADS"),
        code=("set_num_threads",),
        written="torch.set_num_threads",
    ),
    TORCH: Component(
        meaning="the build of torch: its version, and its own source files",
        remedy="install the same build of torch in both places",
    ),
    "system_info": Component(
        meaning="the GPU, its driver, and the versions of CUDA and Triton",
        remedy="compile on the same kind of machine; nothing compiled for one GPU serves another",
        variables=("CUDA_VISIBLE_DEVICES",),
    ),
    INDUCTOR: Component(meaning="a setting of inductor"),
    "inductor_config_comms": Component(meaning="a setting of inductor's communication"),
    AUTOGRAD: Component(meaning="a setting of AOTAutograd"),
    DYNAMO: Component(meaning="a setting of Dynamo", changes_graph=True),
    "autocast_state": Component(
        meaning="the type that autocast computes in; absent without autocast",
        code=("autocast",),
        left_out=ABSENT,
        changes_graph=True,
    ),
    # Before 2.13, which did not keep the type.
    "disable_amp": Component(
        meaning="whether autocast is on", code=("autocast",), changes_graph=True, left_out="False"
    ),
    "grad_enabled": Component(
        meaning="whether gradients are kept",
        code=("no_grad", "inference_mode", "set_grad_enabled"),
        left_out="True",
        changes_graph=True,
    ),
    "default_dtype": Component(
        meaning="the default type of floating-point tensors",
        code=("set_default_dtype",),
        written="torch.set_default_dtype",
        changes_graph=True,
    ),
    "deterministic_algorithms": _DETERMINISTIC,
    "deterministic_algorithms_settings": replace(
        _DETERMINISTIC, values=("enabled", "warn_only", "fill_uninitialized_memory")
    ),
    "cuda_matmul_settings": replace(
        _MATMUL,
        values=(
            "fp32_precision",
            "allow_fp16_reduced_precision_reduction",
            "allow_bf16_reduced_precision_reduction",
        ),
    ),
    "provenance_tracking_level": Component(
        meaning="how much is noted of where each kernel comes from",
        variables=("INDUCTOR_PROVENANCE", "TORCH_COMPILE_DEBUG"),
    ),
    "provenance_tracking_to_timeline": Component(
        meaning="whether where each kernel comes from goes into the profiler's timeline",
        variables=("TORCH_COMPILE_DEBUG_EXTEND",),
        code=("trace.provenance_tracking_to_timeline",),
    ),
    "compile_on_one_rank": Component(
        meaning="whether one rank compiles for all",
        variables=("TORCH_COMPILE_ON_ONE_RANK", "TORCH_DISTRIBUTED_COMPILE_ON_ONE_RANK"),
        code=("config.compile_on_one_rank",),
    ),
    "cudagraph_override": Component(
        meaning="whether CUDA graphs are used for this graph", code=("override_cudagraphs",)
    ),
    "cudagraph_annotation": Component(
        meaning="whether CUDA graphs are used for the forward, and for the backward",
        code=("override_cudagraphs",),
    ),
    "nested_inductor_config_patches": Component(
        meaning="inductor's settings for a nested region of the graph",
        code=("nested_compile_region",),
    ),
    "cache_key_tag": Component(
        meaning="a tag that keeps caches apart",
        code=("config.cache_key_tag",),
        written="torch.compiler.config.cache_key_tag",
        variables=("TORCH_COMPILE_CACHE_KEY_TAG",),
    ),
    "precompile_enabled": Component(
        meaning="whether AOTAutogradCache holds the compiled code itself",
        code=("config.bundled_autograd_cache",),
        written="torch._functorch.config.bundled_autograd_cache",
    ),
    "default_cuda_device_index": Component(
        meaning="the current device of a graph without tensors among its inputs",
        code=("set_device",),
        remedy="show each rank one device: `CUDA_VISIBLE_DEVICES=$LOCAL_RANK`, and use device 0",
    ),
    "user_defined_triton_source": Component(
        meaning="the source of a Triton kernel of the program", family="graph"
    ),
    "triton_kernel_source_codes": Component(
        meaning="the source of a Triton kernel of the program", family="graph"
    ),
    "sac_context_fn_hashes": Component(
        meaning="the `cache_hash` of a checkpoint's `context_fn`", code=("cache_hash",)
    ),
    "saved_tensors_hooks_fx_wrap_cache_hashes": Component(
        meaning="the `cache_hash` of hooks on saved tensors"
    ),
    "region_activation_memory_budget": _REGION_BUDGET,
    "region_activation_memory_budget_annotations": _REGION_BUDGET,
    "custom_backend_codegen_configs": _BACKEND,
    "custom_backend_codegen_implications": _BACKEND,
    "custom_estimator_solver_uuids": Component(
        meaning="the `uuid()` of a runtime estimator or knapsack solver",
        remedy="return the same `uuid()` for the same code",
    ),
    "var_to_hint_override": Component(
        meaning="sizes that dynamic dimensions are optimised for", family="inputs"
    ),
    AOT: Component(
        meaning="which inputs are parameters, and where inputs come from", family="derived"
    ),
    "act_input_paths": Component(
        meaning="which tensors within its inputs inductor computes ahead", family="derived"
    ),
    "inputs_to_check": Component(
        meaning="which inputs are checked for alignment", family="derived"
    ),
    "fx_kwargs": Component(meaning="how inductor was called for the graph", family="derived"),
}  # fmt: skip
# Entries of tuples, by the tuple's name and their own.
_ENTRIES: dict[tuple[str, str], Component] = {
    ("deterministic_algorithms_settings", "enabled"): _DETERMINISTIC,
    ("deterministic_algorithms_settings", "warn_only"): replace(
        _DETERMINISTIC, meaning="whether what is not deterministic is a warning, and no error"
    ),
    ("deterministic_algorithms_settings", "fill_uninitialized_memory"): Component(
        meaning="whether memory that nothing is written to is filled, where deterministic "
        "algorithms are asked for",
        code=("deterministic.fill_uninitialized_memory",),
        written="torch.utils.deterministic.fill_uninitialized_memory",
    ),
    ("cuda_matmul_settings", "fp32_precision"): _MATMUL,
    **{
        ("cuda_matmul_settings", name): Component(
            meaning="whether sums in matrix products of half precision are as precise",
            code=(f"matmul.{name}",),
            written=f"torch.backends.cuda.matmul.{name}",
        )
        for name in (
            "allow_fp16_reduced_precision_reduction",
            "allow_bf16_reduced_precision_reduction",
        )
    },
}
# What two inputs, two graphs or two calls of AOTAutograd differ in, the most telling first.
FIELDS: dict[str, Component] = {
    "package": Component(
        meaning="the name under which Dynamo's own cache (`caching_precompile`) keeps a graph, "
        "another one whenever Dynamo compiles it",
        variables=("TORCH_CACHING_PRECOMPILE",),
        code=("config.caching_precompile",),
        remedy="save Dynamo's cache at the end, which then serves the next start: "
        "`ca run --cache FILE`, or `torch.compiler.save_cache_artifacts()`; or leave "
        "`caching_precompile` off",
    ),
    "order": Component(
        meaning="the order in which the program comes to its operations and parameters",
        family="inputs",
        variables=("PYTHONHASHSEED",),
        remedy="go through names in one order: `sorted(…)` around a set, whose order is another "
        "one in each start (or `PYTHONHASHSEED=0`)",
    ),
    "name": Component(
        meaning="the name by which the compiled function takes an input",
        family="derived",
    ),
    "renamed": Component(
        meaning="the names of the program's variables, of which AOTAutograd's key has those of the "
        "graph; inductor's has none",
        family="graph",
        remedy=f"none needed for new names: {_NEXT}",
    ),
    "count": Component(
        meaning="how many inputs the graph has; a tensor that two modules share is one of them",
        family="inputs",
        remedy="none, if it was meant to differ: its next start finds what this one compiled",
    ),
    "number": Component(
        meaning="a number of the program that is written into the graph",
        family="graph",
        remedy="hand the number over as a tensor, so that one graph serves all values; "
        f"otherwise {_REPEATED}",
    ),
    "factor": Component(
        meaning="a factor of the program that is written into the graph",
        family="graph",
        remedy="this argument takes a Python number only: write the product out, with a tensor as "
        "the factor (`x + scale * y` for `torch.add(x, y, alpha=scale)`), so that one graph serves "
        f"all values; otherwise {_REPEATED}",
    ),
    "rate": Component(
        meaning="a number of an optimizer that is written into the graph",
        family="graph",
        arguments=tuple((name, RATE) for name in WITH_RATE),
        remedy="if it is the learning rate, a tensor lets one graph serve all of its values: "
        f"`lr=torch.tensor(…)`; of another number none: {_REPEATED}",
    ),
    "argument": Component(
        meaning="a number of the program that is written into the graph",
        family="graph",
        remedy="none, if it was meant to differ: this operation takes a Python number only; its "
        "next start finds what this one compiled",
    ),
    "dynamic": Component(
        meaning="whether a size of an input is a number or a symbol that stands for any",
        family="inputs",
        variables=(
            "TORCH_COMPILE_DYNAMIC_SOURCES",
            JOB_VARIABLE,
            "TORCH_DYNAMO_AUTOMATIC_DYNAMIC_SHAPES",
        ),
        code=(
            "mark_dynamic",
            "maybe_mark_dynamic",
            "mark_static",
            "config.assume_static_by_default",
            "config.automatic_dynamic_shapes",
        ),
        arguments=(("compile", "dynamic"),),
        remedy="let both starts take sizes alike: the same `dynamic=` of `torch.compile`, the same "
        "`mark_dynamic`, the same profile of PGO",
    ),
    "shape": Component(
        meaning="the size of an input",
        family="inputs",
        remedy="feed the same sizes, or let one graph serve all: `torch.compile(…, dynamic=True)`; "
        f"{KEPT}",
    ),
    "dtype": Component(
        meaning="the type of an input's numbers",
        family="inputs",
        remedy=f"give it the type that it had in the earlier run; {KEPT}",
    ),
    "device": Component(
        meaning="the device of an input",
        family="inputs",
        remedy="compile on the same device; nothing compiled for one kind serves another",
    ),
    "stride": Component(
        meaning="how an input lies in memory",
        family="inputs",
        arguments=(("to", "memory_format"), ("contiguous", "memory_format")),
        remedy="lay it out as in the earlier run: `.contiguous()`, or the same `memory_format`; "
        f"{KEPT}",
    ),
    "requires_grad": Component(
        meaning="whether gradients of an input are wanted",
        family="inputs",
        code=("requires_grad_", "requires_grad"),
        remedy="want gradients of the same tensors as the earlier run, unless others were meant; "
        f"{KEPT}",
    ),
}
# Sizes of what the model owns are fixed by its making: no dynamic size serves several of them.
PARAMETER = Component(
    meaning="the size of a parameter",
    family="inputs",
    remedy="none: this is a model of another size; its next start finds what this one compiled",
)
_PASSES = Component(
    method="uuid",
    meaning="the `uuid()` of a pass of the program's own over graphs",
    remedy=f"none needed where the pass was changed: {_NEXT}; otherwise return the same `uuid()` "
    "for the same pass in each start",
)
_PASS = expression(
    r"\w{0,64}custom_\w{0,64}pass\w{0,64}|_fuse_ddp_communication_passes|_custom_partitioner_fn"
)
_UNKNOWN = Component(meaning="a part of the key that this version of ca does not know")

# Functions of torch that set one of inductor's settings.
_ALSO = {"deterministic": ("use_deterministic_algorithms",)}


def split(name: str) -> tuple[str, str | None]:
    """Return ``inductor_config`` and ``max_autotune`` of ``inductor_config[max_autotune]``."""
    match = _NAME.fullmatch(name)
    return (name, None) if match is None else (match[1], match[2])


def component(name: str) -> Component:
    """Return what is known of the component called ``name``, which may be one of a group."""
    group, entry = split(name)
    if group == INDUCTOR and entry is not None:
        return Component(
            meaning=f"inductor's setting `{entry}`",
            variables=variables_of_inductor(entry),
            code=(f"config.{entry}", *_ALSO.get(entry, ())),
            is_named_by_it=True,
            written=f"torch._inductor.config.{entry}",
        )
    if group == AUTOGRAD and entry is not None:
        return Component(
            meaning=f"AOTAutograd's setting `{entry}`",
            variables=VARIABLES_OF_AOTAUTOGRAD.get(entry, ()),
            code=(f"config.{entry}",),
            is_named_by_it=True,
            written=f"torch._functorch.config.{entry}",
        )
    if group == DYNAMO and entry is not None:
        return Component(
            meaning=f"Dynamo's setting `{entry}`, which is in no key, and makes other graphs",
            variables=(OF_SIZES | OF_GRAPHS).get(entry, ()),
            code=(f"config.{entry}",),
            arguments=(("compile", "dynamic"),) if entry in SET_BY_DYNAMIC else (),
            changes_graph=True,
            written=f"torch._dynamo.config.{entry}",
        )
    if entry is not None and (group, entry) in _ENTRIES:
        return _ENTRIES[group, entry]
    if group not in _COMPONENTS and _PASS.fullmatch(group):
        return replace(_PASSES, code=(f"config.{group}",))
    return _COMPONENTS.get(group, _UNKNOWN)
