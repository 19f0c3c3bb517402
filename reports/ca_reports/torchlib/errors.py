"""Exceptions of torch whose words do not say what a program can do about them, and what that is."""

from __future__ import annotations

from ca_engine.lazy_classes import dataclass


@dataclass(frozen=True, slots=True)
class KnownError:
    """An exception that holds all of ``words``: ``says`` is what is wrong, ``fix`` what to do.

    With ``in_compile`` the line to edit is that of `torch.compile`, before which a setting is made.
    """

    words: tuple[str, ...]
    says: str
    fix: str
    in_compile: bool = False


KNOWN = (
    # torch 2.13.0: a block that is compiled for a second value of a float attribute, under DDP, is
    # given it as a symbol, which `DDPOptimizer.compile_fn` takes for a node of the graph.
    KnownError(
        ("backend='compile_fn' raised", "object has no attribute 'meta'"),
        "torch splits the graph at DDP's buckets, and a part is given a Python number, which "
        "torch's splitter cannot compile",
        "set `torch._dynamo.config.optimize_ddp = False` before the first call, which compiles the "
        "graph whole and reduces its gradients at its end; or keep the number in a buffer "
        "(`register_buffer`), as a tensor",
        in_compile=True,
    ),
    # torch/fx/experimental/symbolic_shapes.py raises it: `u0` has no value in a compile.
    KnownError(
        ("Could not guard on data-dependent expression",),
        "what is compiled asks for a number that only the values of tensors decide",
        "compute what depends on it outside the compiled code; or, where you know the answer for "
        "all data, say it with `torch._check` before the line",
    ),
    # Measured on torch 2.13.0 with a GAN: both ways end the error, with the losses of eager.
    KnownError(
        ("Trying to backward through the graph a second time",),
        "results of one compiled function have one backward, and a call of `backward` freed it",
        "keep it in the earlier call, `backward(retain_graph=True)`, or compile what each loss "
        "goes through in place of the function that computes both",
    ),
    # torch/_inductor/cudagraph_trees.py: the output of a graph lives until the next call of it.
    KnownError(
        ("CUDAGraphs", "has been overwritten by a subsequent run"),
        "an output of a CUDA graph is used after a later call of a compiled function has "
        "overwritten it",
        "`.clone()` what is kept of a step, or given to the next one, outside the compiled code; "
        "where nothing is, `torch.compiler.cudagraph_mark_step_begin()` before each step will do",
    ),
)


def known_error(text: str) -> KnownError | None:
    """Return what is known of an exception with this text; None if nothing is."""
    return next((one for one in KNOWN if all(words in text for words in one.words)), None)
