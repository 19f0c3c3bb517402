"""Remedies of findings: a sentence, an edit of the source, and the effects of that edit.

A remedy is made once, by the rule that finds the cause or by what reads the program's source. Every
output prints its sentence, and `ca fix` makes its edit (`ca_reports.patching.propose`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# What `ca fix` can change in the source, by what is done.
Edit = Literal[
    "limit_of_compile",  # the limit that was set, as an option of what another thread compiles
    "loss_in_float",  # compute the loss in float32
    "any_size",  # compile for any size
    "after_backward",  # call what only looks at gradients after the backward
    "batch_of_rows",  # index by a tensor
    "both_branches",  # compute a branch in every step
    "bucket_of_ddp",  # buckets that hold more than one gradient
    "checkpoint_alike",  # checkpoint in no step, or in every one
    "choose_in_graph",  # `torch.where` in the place of a branch on a tensor
    "choose_in_hook",  # `torch.where` in the place of a hook's branch
    "choose_on_bool",  # `torch.where` in the place of a branch that reads a tensor's value
    "choose_on_value",  # `torch.where` on what was read by `.item()`
    "class_once",  # define a class once
    "clock_in_eager",  # read a clock outside of graphs only
    "clone",  # copy a tensor that would come twice
    "compile_callee",  # compile what a function hands tensors to
    "compile_once",  # compile before a loop
    "compile_round",  # compile what each round of a loop calls
    "compile_wrapped",  # compile a function before it is wrapped
    "compiled_again",  # compile what was left out
    "dense_gradient",  # a dense gradient of an embedding
    "detach_state",  # detach what one step passes to the next
    "drawn_in_graph",  # torch's random numbers in the place of Python's, and `torch.where`
    "drop_frozen",  # compute all gradients, and drop those of what is frozen
    "duck_sizes",  # sizes that are equal at first are not taken for one
    "dynamic_counts",  # compile for any count
    "dynamic_ints",  # whole numbers of modules are dynamic
    "dynamic_marks",  # compile for any size where one is marked
    "dynamic_numbers",  # numbers are dynamic, which a program turned off, or from the first on
    "eager_differentiated",  # a forward whose gradient is differentiated runs uncompiled
    "eager_outlier",  # the one call that is unlike the others runs uncompiled
    "eager_rare_calls",  # calls with rare values run uncompiled
    "eager_small_sizes",  # calls with a size of 0 or 1 run uncompiled
    "few_lengths",  # pad to a few lengths, or compile for any
    "filled_cache",  # compute what a dict kept
    "fixed_rounds",  # run a loop equally often in every step
    "flag_as_tensor",  # pass a flag as a tensor that chooses
    "full_batches",  # leave short batches out, or compile for any size
    "hook_alike",  # have a hook in every step
    "hook_once",  # register a hook once
    "keep_gradients",  # zero gradients, and do not drop them
    "kept_rate",  # a learning rate that is a tensor stays one
    "kept_entry",  # set an entry of a tensor without reading the value
    "made_before",  # make in `__init__` what the first call makes
    "made_in_call",  # make in every call what the first one keeps
    "mark_unbacked",  # one graph for 0, 1 and all other sizes
    "mode_alike",  # train or evaluate in every step
    "not_reentrant",  # a checkpoint that runs its block with gradients both times
    "object_once",  # make an object once
    "one_class",  # pass a Tensor in every call
    "one_flag",  # an input asks for its gradient in every step
    "one_kind",  # one dtype, mode or flag of a tensor
    "one_layout",  # one memory layout of a tensor
    "one_order",  # iterate in one order
    "one_setting",  # one setting of torch's in every step
    "output_shapes",  # sizes that depend on data stay in the graph
    "own_offload",  # hooks that Dynamo can trace
    "parameter_sizes",  # sizes of parameters are dynamic
    "picked_outside",  # pick an element where a function is called
    "plain_tensor",  # a tensor without the name that a subclass gives it
    "pad_always",  # pad in every call
    "python_reducer",  # DDP's reducer in Python
    "raise_in_graph",  # raise an error from within the graph
    "raise_on_value",  # raise an error by what was read from within the graph
    "raised_limit",  # a limit of recompiles above a number of versions that does not grow
    "rebind_tensor",  # set a new tensor in place of changing the one that is there
    "record_outside",  # do not compile a function that only records
    "record_apart",  # record in a function that is not compiled
    "reordered_call",  # call what only writes after the graph
    "report_after_graph",  # report a condition after the graph
    "reset_between",  # forget what was compiled before each of several models
    "resumed_value",  # keep a value that was read in the graph
    "saved_tensor",  # save a number as a tensor for the backward
    "scalar_outputs",  # keep what was read in the graph, by an option
    "sorted_keys",  # pass a dict with its keys in one order
    "step_after",  # step after the backward
    "tensor_default",  # a hook's default or variable as a tensor
    "tensor_number",  # a number as a tensor where it is set or passed
    "tensor_operand",  # a number that an operation keeps as a tensor
    "tensor_state",  # a number that a hook reads as a tensor
    "whole_evaluation",  # compile an evaluation for any size, and leave no sample out
    "write_after",  # print after the graph
]
# What an edit may do besides: to what is trained, computed or written, and to the time of calls.
Effect = Literal[
    "leaves_out_samples",
    "computes_more",  # gradients, branches, rounds or padding that were not computed before
    "trains_on_zeros",  # zeros where there was no gradient: momentum and weight decay go on
    "cuts_gradients",
    "holds_gradients",  # until the backward ends, where each was dropped in it
    "mends_gradients",  # they were not those of eager's backward
    "other_precision",
    "other_random_numbers",
    "other_mode",  # a mode, a setting or a hook is on, or off, in more steps
    "raises_otherwise",
    "writes_otherwise",
    "runs_eager",
]

EFFECTS: Mapping[Edit, tuple[Effect, ...]] = {
    "loss_in_float": ("other_precision",),
    "made_in_call": ("computes_more",),
    "both_branches": (
        "computes_more",
        "trains_on_zeros",
    ),
    "choose_in_graph": (
        "computes_more",
        "trains_on_zeros",
        "other_random_numbers",
    ),
    "choose_in_hook": ("computes_more",),
    "choose_on_bool": (
        "computes_more",
        "trains_on_zeros",
        "other_random_numbers",
    ),
    "choose_on_value": ("computes_more",),
    "clock_in_eager": ("writes_otherwise",),
    "dense_gradient": ("trains_on_zeros",),
    "detach_state": ("cuts_gradients",),
    "drawn_in_graph": (
        "computes_more",
        "trains_on_zeros",
        "other_random_numbers",
    ),
    "drop_frozen": (
        "computes_more",
        "trains_on_zeros",
    ),
    "eager_differentiated": ("runs_eager",),
    "eager_outlier": ("runs_eager",),
    "eager_rare_calls": ("runs_eager",),
    "eager_small_sizes": ("runs_eager",),
    "few_lengths": ("computes_more",),
    "filled_cache": ("computes_more",),
    "fixed_rounds": (
        "computes_more",
        "trains_on_zeros",
    ),
    "flag_as_tensor": (
        "computes_more",
        "trains_on_zeros",
    ),
    "full_batches": ("leaves_out_samples",),
    "hook_alike": ("other_mode",),
    "hook_once": ("other_mode",),
    "keep_gradients": ("trains_on_zeros",),
    "mode_alike": ("other_mode",),
    "one_flag": ("computes_more",),
    "one_kind": (
        "computes_more",
        "other_precision",
        "trains_on_zeros",
    ),
    "one_layout": ("other_random_numbers",),
    "one_setting": ("other_mode",),
    "raise_in_graph": ("raises_otherwise",),
    "raise_on_value": ("raises_otherwise",),
    "rebind_tensor": ("mends_gradients",),
    "reordered_call": ("writes_otherwise",),
    "report_after_graph": ("writes_otherwise",),
    "resumed_value": ("computes_more",),
    "sorted_keys": ("runs_eager",),
    "step_after": ("holds_gradients",),
    "write_after": ("writes_otherwise",),
}
# Edits that every sentence of their rules asks for, so that whoever follows one has the effects.
# The others stand behind sentences of several ways, of which some have no effect.
_ASKED_FOR: frozenset[Edit] = frozenset(
    (
        "both_branches",
        "dense_gradient",
        "detach_state",
        "fixed_rounds",
        "full_batches",
        "keep_gradients",
        "loss_in_float",
        "mode_alike",
        "one_flag",
        "one_setting",
    )
)
# Sentences for edits that take the place of another one.
_OTHERWISE: Mapping[Edit, str] = {
    "after_backward": "call what only looks at the gradient after the backward, on `.grad`",
    "both_branches": "compute the branch in every step, and weight it by a tensor of 0 and 1",
    "choose_on_bool": "choose by `torch.where`",
    "choose_on_value": "keep the value a tensor, and choose by `torch.where`",
    "clock_in_eager": "read the clock outside the compiled code",
    "compile_callee": "compile the function that is given tensors, and call it from Python",
    "drawn_in_graph": "draw it by torch, in the graph, and choose by `torch.where`",
    "dynamic_ints": (
        "set `torch._dynamo.config.allow_unspec_int_on_nn_module = True` and compile with "
        "dynamic=True"
    ),
    "dynamic_numbers": "compile with dynamic=True in place of dynamic=False",
    "eager_outlier": (
        "run the call that is unlike the others uncompiled (`torch.compiler.set_stance`)"
    ),
    "eager_rare_calls": "run the calls with rare values uncompiled (`torch.compiler.set_stance`)",
    "eager_small_sizes": (
        "run the calls with a size of 0 or 1 uncompiled (`torch.compiler.set_stance`)"
    ),
    "filled_cache": "compute it in every call, in place of keeping it for each key",
    "fixed_rounds": "run the loop equally often in every step, and mask the rest",
    "kept_entry": "set the entry of the tensor without reading the value",
    "made_before": "make it in `__init__`",
    "made_in_call": "make it in every call",
    "picked_outside": "pick it where the function is called, and pass what was picked",
    "raise_in_graph": "assert the condition in the graph",
    "raise_on_value": "assert the condition in the graph",
    "parameter_sizes": "let the sizes of parameters be dynamic",
    "raised_limit": "raise the limit: each version is compiled once",
    "record_outside": "do not compile what only records (`torch.compiler.disable`)",
    "record_apart": (
        "record in a function of its own that is not compiled (`torch.compiler.disable`)"
    ),
    "report_after_graph": "report the condition in a function that is called after the graph",
    "saved_tensor": "save it by `ctx.save_for_backward`",
    "sorted_keys": "pass the keys in one order (`sorted`)",
    "tensor_number": "make it a tensor, with `torch.where` where it decides",
}


@dataclass(frozen=True, slots=True)
class NoEdits:
    """Why no edit of the source is known, in words that follow "no patch:".

    With ``is_in_sentence`` the remedy's sentence gives the reason already.
    """

    reason: str
    is_in_sentence: bool = False


# What is tried for a sentence, first the edit that it is about, or why there is none.
Edits = tuple[Edit | NoEdits, ...]

BY_HAND = NoEdits("it is changed by hand")


@dataclass(frozen=True, slots=True)
class Remedy:
    """The remedy of one finding.

    ``sentence`` names the values and names of the run. ``edit`` is what `ca fix` changes for it.
    ``alternatives`` are tried where the source does not allow that edit, the best first.
    """

    sentence: str
    edit: Edit | NoEdits = BY_HAND
    alternatives: tuple[Remedy, ...] = ()

    @property
    def effects(self) -> tuple[Effect, ...]:
        """Return the side effects of the edit; empty without an edit."""
        return () if isinstance(self.edit, NoEdits) else EFFECTS.get(self.edit, ())

    @property
    def sure_effects(self) -> tuple[Effect, ...]:
        """Return the side effects of following the sentence; empty where it need not have any."""
        return self.effects if self.edit in _ASKED_FOR else ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Return the edits to try: its own, then those of the alternatives."""
        every = (self.edit, *(one.edit for one in self.alternatives))
        return tuple(edit for edit in every if not isinstance(edit, NoEdits))

    def instead(self, sentence: str) -> Remedy:
        """Return what the source shows to be asked for, which the same edits do."""
        return replace(self, sentence=sentence)

    def said(self, say: Callable[[str], str]) -> Remedy:
        """Return it with its texts as ``say`` returns them."""
        edit = self.edit
        if isinstance(edit, NoEdits):
            edit = replace(edit, reason=say(edit.reason))
        return Remedy(say(self.sentence), edit, tuple(one.said(say) for one in self.alternatives))

    def by_hand(self, sentence: str) -> Remedy:
        """Return what is changed by hand, where the edits of this remedy are tried beside it."""
        return Remedy(sentence, BY_HAND, (replace(self, alternatives=()), *self.alternatives))


def remedy(sentence: str, edits: Edits | NoEdits = ()) -> Remedy:
    """Return the remedy that is made by the first of ``edits``, else by one of the others."""
    if isinstance(edits, NoEdits):
        return Remedy(sentence, edits)
    first, *others = edits or (BY_HAND,)
    return Remedy(
        sentence,
        first,
        tuple(otherwise(edit) for edit in others if not isinstance(edit, NoEdits)),
    )


def otherwise(edit: Edit) -> Remedy:
    """Return the alternative that an edit is."""
    return Remedy(_OTHERWISE[edit], edit)
