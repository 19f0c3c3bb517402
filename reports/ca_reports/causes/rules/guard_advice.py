"""Advice on a guarded thing, by what it is and how its values follow each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import (
    Detail,
    DictKeys,
    GuardedValue,
    LackedGradients,
    MadeAgain,
    MadeAlike,
    PassedFlag,
    SetLater,
    TensorSubclass,
)
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules.size_advice import MASKED
from ca_reports.causes.rules.structure import one_mode
from ca_reports.facts.break_kinds import kind_of
from ca_reports.facts.gradient_flags import MEANT
from ca_reports.facts.guard_paths import ON_STACK, GuardPath, guard_path, referring, verbatim
from ca_reports.facts.guarded_things import IS_SET, NOT_SET, expected_length, modules_of
from ca_reports.facts.shapes import given_shape
from ca_reports.sentences.compiles import function_of, function_of_thing, shared_part
from ca_reports.sentences.dynamic import marked
from ca_reports.sentences.limits import RAISE_LIMIT
from ca_reports.sentences.tensors import REBOUND
from ca_reports.torchlib.modules import WRAPPERS
from ca_reports.torchlib.optimizers import GROUPS, RATE, cycling
from ca_reports.torchlib.tensors import FLOATING
from ca_reports.words.values import first_few, listed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ca_reports.causes.findings import Holder
    from ca_reports.causes.remedies import Edits
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.guard_paths import GroupEntry
    from ca_reports.facts.guarded_things import GuardedThing, Subject

_TORCHS_MODULE = expression(r"(?:^|/)nn/modules/\w+\.py$")
_NUMBER = expression(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_MULTIPLE = expression(r" % (\d{1,9})\)")
# A class in a function: its qualified name has that of the function.
_LOCAL_CLASS = expression(r"(?<!\w)(\w+)\.<locals>\.\w+'>$")
# A class by what is of it, and one that is guarded itself.
_OF_CLASSES = ("type", "object")
_WHOLE = expression(r"-?\d+")
_NAMED = 4  # arguments that an advice names
_NUMBERS = frozenset(("int", "float", "bool"))
_OF_NUMBERS = ("int", "float", "attribute", "global")
# A tensor splits the graph, or raises, where Python asks for its value; the source may show where.
ONLY_IF = (
    "unless the compiled code needs its value (`if`, `range`, index, key): compute that outside"
)
# Which value that is depends on what is computed with it: no number is right for all.
CHANGING_NOTHING = (
    "with the value that changes nothing there (a mask of ones, a bias of zeros, a threshold that "
    "all pass)"
)
# Checkpoints that are there have no entry for it.
_BUFFER = 'as a buffer: `self.register_buffer("{name}", torch.tensor(0.0), persistent=False)`'
# So many values are few enough to compile for each of them.
_FEW = 4


def _is_set_by_hand(entry: GroupEntry) -> bool:
    """Return whether no scheduler writes an entry, which could be told to leave it or fill it."""
    return entry.key != RATE and not cycling(entry.key)


def of_group(entry: GroupEntry, *, is_dynamic_now: bool = False) -> str:
    """Say what to do about an entry of an optimizer's group that changes."""
    if is_dynamic_now and _is_set_by_hand(entry):
        return (
            "to save even that, compile with dynamic=True; or leave the optimizer's step uncompiled"
        )
    if entry.key == RATE:
        return (
            "make the learning rate a tensor where the optimizer or its groups are made: "
            "`lr=torch.tensor(…)`; a scheduler then fills it in place, and what sets it otherwise "
            'has to, too: `group["lr"].fill_(…)`'
        )
    several = " or ".join(cycling(entry.key))
    if several:
        return (
            f"keep `{entry.key}` as it is: with `cycle_momentum=False`, if {several} writes it, "
            "which changes the training; or leave the optimizer's step uncompiled"
        )
    return (
        f"keep `{entry.key}` one value, or leave the optimizer's step uncompiled: each value is "
        "compiled for"
    )


def fix_for(thing: GuardedThing) -> str:
    """Say what to change, with the thing's name and values."""
    if thing.guard.kind == "metadata":
        return _metadata(thing)
    write = _BY_SUBJECT.get(thing.subject)
    return _anything(thing) if write is None else write(thing)


def unwrapped(thing: GuardedThing) -> str:
    """Say what to compile where a wrapper of torch's meets modules of several classes.

    Its code is one for all of them, and `fully_shard` gives each a class of its own. Empty for
    anything else.
    """
    code = thing.first.compiled.location
    file = "" if code is None else code.file.replace("\\", "/")
    wrapper = next((name for end, name in WRAPPERS.items() if file.endswith(end)), None)
    if wrapper is None or thing.guard.kind not in ("type", "identity"):
        return ""
    return (
        f"compile each layer before it is wrapped, and not what holds the wrappers: the code of "
        f"`{wrapper}` is one for all of them, and is compiled for each class that it meets, as "
        "sharding makes one for each layer"
    )


def fix_for_last(thing: GuardedThing) -> str:
    """Say what to change by the one guard that failed when a limit was reached.

    Empty of what has few values, a flag or a class: it cannot have made all versions by itself. The
    value is a constant of one version, so that the others may have any: nothing is said of how
    it changes.
    """
    value = value_of(thing)
    if value is None and thing.subject == "length" and _is_of_each_version(thing):
        return (
            f"{_collected(thing)}; if a call needs only what is put into it there, empty it before "
            "each call"
        )
    if value is None:
        return fix_for(thing) if thing.subject in ("object", "length") else ""
    if value.is_text:
        return (
            f"choose by `{thing.ref}` outside the compiled function, and pass what was chosen "
            "as a tensor"
        )
    if value.holder == "module" and not _is_read_by_torch(thing) and not _is_count(thing):
        return _constant(thing, value)
    if value.holder == "variable" and thing.subject == "int":
        return (
            f"pass `{thing.ref}` as a tensor, {ONLY_IF}; where the function is compiled with "
            "dynamic=False, leave that out"
        )
    return fix_for(thing)


def _is_of_each_version(thing: GuardedThing) -> bool:
    """Return whether the version whose guard failed is of a length that is its own number.

    So is each version of a container that gets one entry more in each call.
    """
    version = (thing.guard.failed or "").rpartition("/")[2]
    return bool(version) and version != "0" and expected_length(thing.guard) == version


def _constant(thing: GuardedThing, value: GuardedValue) -> str:
    """Advice on a number of a module's: one that changes, or another one in each module.

    Measured on torch 2.13.0, a step counter and the index of a layer with 8 versions: one compile
    with a buffer, and two with the option.
    """
    name = thing.name.rpartition(".")[2]
    buffer = f'`self.register_buffer("{name}", torch.tensor(float(…)), persistent=False)`'
    fix = f"keep `{thing.ref}` as a buffer, {buffer}, where it is set ({REBOUND}), {ONLY_IF}"
    if value.is_whole:
        fix += (
            "; or set torch._dynamo.config.allow_unspec_int_on_nn_module = True, which makes whole "
            "numbers of modules dynamic where no `range`, key or index of a list reads them"
        )
    return fix


def edits_for(thing: GuardedThing) -> Edits | NoEdits | None:
    """Return what is tried for a thing, or why nothing is; None where the rule's edits are."""
    if thing.guard.kind == "metadata":
        return NoEdits("`__tensor_flatten__` is to be changed by hand")
    if thing.path.of_gradients:
        return ("keep_gradients",)
    entry = thing.path.group_entry
    if entry is not None and entry.key != RATE:
        if _is_spared_from_the_start(thing) and _is_set_by_hand(entry):
            return ("dynamic_numbers",)
        return NoEdits(f"group[{entry.key!r}] has to stay a number")
    if entry is not None and thing.subject == "type" and "a tensor" in thing.values:
        return ("kept_rate",)
    if _subclass(thing) is not None:
        return ("plain_tensor",)
    if thing.values[:1] == ("None",) and _is_kept(thing):
        return ("made_before", "made_in_call")
    if thing.values[:1] == (NOT_SET,):
        return ("tensor_number", "made_before", "made_in_call")
    if thing.subject in _OF_CLASSES and _is_made_again(thing):
        return ("class_once",)
    if thing.subject == "type" and thing.source == "self" and thing.limit is not None:
        return ("raised_limit",)
    return None


def detail_of(thing: GuardedThing) -> Detail | None:
    """Return the facts of a guarded thing, from which its line and its edits are found."""
    if thing.values[:1] == (NOT_SET,):
        return SetLater(thing.path.attribute) if thing.path.attribute else None
    if thing.path.is_variable and set(thing.values) == {"True", "False"}:
        return PassedFlag(thing.source)
    if thing.subject == "keys":
        kinds = {found.guard.kind for found in thing.recompiles}
        return DictKeys(thing.last_keys, is_asked=kinds == {"membership"})
    if thing.path.of_gradients:
        return LackedGradients(thing.path.of_gradients)
    if thing.subject in _OF_CLASSES and _is_made_again(thing):
        return MadeAgain(thing.values[0])
    return value_of(thing) or made_alike(thing) or _subclass(thing)


def _subclass(thing: GuardedThing) -> TensorSubclass | None:
    """Return the argument that is known to be of a tensor's subclass in some calls, or None."""
    others = set(thing.values) - {"Tensor"}
    is_such = thing.subject == "type" and "Tensor" in thing.values and others
    return TensorSubclass(thing.source) if is_such and "Parameter" not in others else None


def _is_parameter_perhaps(thing: GuardedThing) -> bool:
    """Return whether a Parameter is one of a type's values, or can be the one that is not known.

    Torch's reason names the class that came, and of what the graph was compiled for that it is one
    of a tensor.
    """
    return "Parameter" in thing.values or set(thing.values) == {"Tensor"}


def module_of(thing: GuardedThing) -> str:
    """Return the module that a guard on its mode is about."""
    return thing.path.holder.ref


def value_of(thing: GuardedThing) -> GuardedValue | None:
    """Return the Python number or text that a guarded thing is; None for anything else."""
    is_text = thing.subject == "mode" and bool(thing.values) and all(map(_is_text, thing.values))
    is_result = thing.subject == "resumed" and thing.path.is_argument
    if thing.subject not in _OF_NUMBERS and not (is_text or is_result):
        return None
    if set(thing.values) & {NOT_SET, IS_SET} or thing.guard.kind != "value":
        return None
    return GuardedValue(
        source=thing.source,
        name=thing.name,
        holder=_holder(thing),
        values=thing.values,
        times=thing.times,
        is_whole=bool(thing.values) and all(map(_WHOLE.fullmatch, thing.values)),
        is_text=is_text,
        is_counter=thing.pattern == "counter",
        entry=thing.path.entry,
        is_of_global=thing.path.is_global,
        selects=thing.selects,
        is_held_static=any(one.compiled.settings.sizes == "static" for one in thing.recompiles),
        is_dynamic_now=_is_spared_from_the_start(thing),
    )


def _is_spared_from_the_start(thing: GuardedThing) -> bool:
    """Return whether `dynamic=True`, which is not set, spares a number its one compile more."""
    return thing.is_dynamic_now and thing.first.compiled.settings.sizes == "automatic"


def made_alike(thing: GuardedThing) -> MadeAlike | None:
    """Name tensors that the advice copies or converts before the call; None if it does neither."""
    if thing.subject == "alias":
        return MadeAlike(thing.tensors)
    if thing.guard.kind == "dtype":
        return MadeAlike((thing.source,), "dtype", _dtype(thing))
    if _is_lazy(thing):
        return MadeAlike((thing.source,), "form (no lazy conjugate)")
    if thing.subject == "type" and _is_parameter_perhaps(thing):
        return MadeAlike((thing.source,), "class")
    return None


def _holder(thing: GuardedThing) -> Holder:
    if thing.subject == "resumed":
        return "result"
    if thing.path.group_entry is not None:
        return "group"
    if thing.is_state_of_optimizer:
        return "state"
    if thing.subject == "global" or thing.path.is_of_import:
        return "global"
    if thing.subject == "attribute" and thing.is_of_module:
        return "module"
    is_part = thing.name != thing.source and any(step.is_dotted for step in thing.path.steps)
    return "attribute" if "." in thing.name or is_part else "variable"


def _is_text(value: str) -> bool:
    return value[:1] in ("'", '"')


def _int(thing: GuardedThing) -> str:
    if _holder(thing) == "global":
        return _global(thing)
    if thing.is_state_of_optimizer and (entry := thing.path.entry):
        return (
            f"keep `{entry}` in the optimizer's state as a tensor (`torch.tensor(0.0)`), and "
            f"compute with it by torch's operations: `beta ** {entry}`, where `math.pow` needs "
            "a Python number"
        )
    dynamic = (
        ""
        if thing.times > 1
        else "; where only arithmetic uses it, dynamic=True makes it dynamic from the first call"
    )
    return f"pass `{thing.ref}` as a tensor, {ONLY_IF}{dynamic}"


def _float(thing: GuardedThing) -> str:
    entry = thing.path.group_entry
    if entry is not None:
        return of_group(entry, is_dynamic_now=_is_spared_from_the_start(thing))
    if _holder(thing) == "global":
        return _global(thing)
    return f"pass `{thing.ref}` as a 0-dim tensor (`torch.tensor(float(…))`), {ONLY_IF}"


def _is_kept(thing: GuardedThing) -> bool:
    """Return whether an object keeps it, as what `forward` makes when it is first called."""
    return thing.is_of_module or thing.path.is_of_self


def _is_set_once(thing: GuardedThing) -> bool:
    """Return whether an object keeps it and the other value never left, as far as compiles tell."""
    return thing.pattern == "changed" and thing.knows_last and _is_kept(thing)


def _mode(thing: GuardedThing) -> str:
    values = set(thing.values)
    if thing.values == ("None", "a tensor") and _is_kept(thing):
        return (
            f"make `{thing.ref}` before the compiled function runs, in `__init__` or by a first "
            "call outside of it: it was None in the first call, and a tensor since"
        )
    if thing.values[:1] == ("None",) and len(thing.values) == 2 and _is_set_once(thing):
        return (
            f"set `{thing.ref}` to {thing.values[1]} before the first compiled call, in which it "
            "was None: it has been that since; if both are meant, each is compiled once"
        )
    if thing.path.is_gradient:
        return (
            "if the optimizer has neither momentum nor weight_decay, leave zeros in place of None "
            "from before the first step on (`zero_grad(set_to_none=False)`): others move what has "
            "a gradient of zeros; then leave the optimizer's step uncompiled"
        )
    if thing.path.of_gradients:
        return (
            f"let every parameter in `{referring(thing.path.of_gradients)}` have a gradient in "
            "each call, of zeros where there is none: make them once before the first step, "
            "`p.grad = torch.zeros_like(p)`, and keep them by `zero_grad(set_to_none=False)`; you "
            "need both, and momentum or weight_decay then moves what had none; or leave what "
            "tests `.grad` out of the compiled function"
        )
    if values == {"None"} and _is_kept(thing) and thing.times == 1:
        return (
            f"set `{thing.ref}` before the first compiled call, in which it was None: in "
            "`__init__`, if the compiled function makes it there; if both are meant, each is "
            "compiled once"
        )
    if {"None", "a tensor"} <= values:
        return (
            f"always pass a tensor for `{thing.ref}`, {CHANGING_NOTHING}; if both are meant, each "
            "is compiled once"
        )
    if values == {"None"}:
        return (
            f"give `{thing.ref}` in every call, where it is None in some: if it is a tensor, "
            f"{CHANGING_NOTHING}; if both are meant, each is compiled once"
        )
    if thing.pattern == "drift" or len(values) > _FEW:
        return (
            f"keep `{thing.ref}` out of the compiled function: choose outside, and pass what was "
            "chosen as a tensor"
        )
    return (
        f"choose by `{thing.ref}` outside the compiled function, and pass what was chosen as a "
        "tensor; a few values cost one compile each"
    )


def _attribute(thing: GuardedThing) -> str:
    name = thing.name.rpartition(".")[2]
    if thing.values and set(thing.values) <= {NOT_SET, IS_SET}:
        return (
            f"set `{thing.ref}` in `__init__`, or outside the compiled function: it was not "
            "there in the first call, and is since"
        )
    if thing.is_of_each_module and all(map(_NUMBER.fullmatch, thing.values)):
        is_index = bool(thing.values) and all(value.isdecimal() for value in thing.values)
        otherwise = (
            "; or take what needs it out of their forward (return the result, and store it under "
            "that number outside)"
            if is_index
            else ""
        )
        return (
            f"compile the whole model instead of its layers: `{thing.ref}` is a constant of each "
            f"layer, and all share one code{otherwise}"
        )
    if _is_read_by_torch(thing):
        tensor = ": `x * (torch.rand_like(x) >= p) / (1 - p)`" if name == "p" else ""
        return (
            f"torch's module needs a Python number for `{thing.ref}`: keep it to few values, of "
            f"which each is compiled once, or compute that layer yourself with a tensor{tensor}"
        )
    if _is_count(thing):
        return (
            f"call `next` on `{thing.ref}` outside the compiled forward, or count with a buffer "
            "in its place: Dynamo compiles for where an `itertools.count` stands"
        )
    if thing.pattern == "counter":
        return (
            f"count `{thing.ref}` outside the compiled forward; "
            "torch._dynamo.config.allow_unspec_int_on_nn_module = True makes it dynamic, where "
            f"no `range`, key or index of a list reads it; {_BUFFER.format(name=name)}, "
            f"{REBOUND}, {ONLY_IF}"
        )
    if not thing.is_of_module:
        return (
            f"make `{thing.ref}` a 0-dim tensor (`torch.tensor(float(…))`) where it is set, "
            f"{ONLY_IF}"
        )
    return f"make `{thing.ref}` a tensor ({_BUFFER.format(name=name)}, {REBOUND}), {ONLY_IF}"


def _is_read_by_torch(thing: GuardedThing) -> bool:
    """Return whether a module of torch's reads a number: the `p` of a Dropout."""
    place = thing.guard.place
    return place is not None and _TORCHS_MODULE.search(place.file) is not None


def _is_count(thing: GuardedThing) -> bool:
    """Return whether it is where an `itertools.count` stands."""
    return thing.guard.text.startswith("___normalize_count_iter(")


def _global(thing: GuardedThing) -> str:
    return (
        f"make `{thing.ref}` a tensor (`torch.tensor(float(…))`), {REBOUND}, or pass it as an "
        f"argument that is a tensor, {ONLY_IF}"
    )


def _object(thing: GuardedThing) -> str:
    if _is_made_again(thing):
        return _class_once(thing)
    if thing.selects and guard_path(thing.guard.source).given_module:
        return f"{shared_part(f'`{thing.ref}`')}; each module of other sizes is compiled once"
    if thing.guard.kind in ("size", "stride"):
        return (
            "compile each module for itself, once: modules of one class that differ in the sizes "
            "of their parameters share a cache of recompile_limit entries"
        )
    if thing.path.attribute == "__code__" and _is_one_of_few(thing):
        function = _function(thing).ref
        return (
            f"call `{function}` outside the compiled code and pass in what it returns; a few "
            "functions cost one compile each"
        )
    if thing.path.attribute == "__code__":
        return (
            f"make the function `{_function(thing).ref}` once, before the first "
            "call: each exec, eval or new class makes new code; where several functions are meant, "
            "call them outside the compiled code, or compile each before a decorator wraps it"
        )
    if _is_one_of_few(thing):
        return f"use one object for `{thing.ref}`; a few objects cost one compile each"
    return (
        f"make `{thing.ref}` once, outside of the loop, and share it: each object gets its own "
        "compile"
    )


def _function(thing: GuardedThing) -> GuardPath:
    """Return the function whose code it is, else the thing itself."""
    return thing.path.holder if thing.path.attribute == "__code__" else thing.path


def _is_one_of_few(thing: GuardedThing) -> bool:
    """Return whether several objects take turns, as far as we noted: one comes back.

    Functions of several places in the source are several, too, and none that was made anew.
    """
    seen = [found.held.identity for found in thing.recompiles if found.held is not None]
    name = _function(thing).text
    given = [found.compiled.argument(name) for found in thing.recompiles]
    places = {(one.file, one.line) for one in given if one is not None and one.line is not None}
    return len(seen) > len(set(seen)) or len(places) > 1


def _is_made_again(thing: GuardedThing) -> bool:
    """Return whether the one class of a thing, by its whole name, is defined more than once."""
    is_alike = len(set(thing.values)) == 1 and (thing.knows_last or thing.times > 1)
    if not is_alike or _LOCAL_CLASS.search(thing.guard.expected or "") is not None:
        return is_alike
    # Of two modules, whose classes have one name, they would be two.
    expected = {found.guard.expected or "" for found in thing.recompiles}
    held = {f"<class '{found.held.type}'>" for found in thing.recompiles if found.held is not None}
    return len(expected) == 1 and expected == held


def _class_once(thing: GuardedThing) -> str:
    """Say that the class, which each call of a function may define, is another one each time."""
    made_in = _LOCAL_CLASS.search(thing.guard.expected or "")
    again = (
        f"each call of `{made_in[1]}` defines another one"
        if made_in
        else ("there is another one of that name at each recompile")
    )
    once = "at module level" if made_in else "where it is not defined again"
    return (
        f"define the class `{thing.values[0]}` once, {once}: {again}, and each gets its own compile"
    )


def _type(thing: GuardedThing) -> str:
    if _is_made_again(thing):
        return _class_once(thing)
    if _subclass(thing) is not None:
        return (
            f"pass `{thing.ref}` as a plain tensor in every call, "
            f"`{thing.ref}.as_subclass(torch.Tensor)`, where the function needs nothing of the "
            "classes; a few classes cost one compile each"
        )
    if _is_parameter_perhaps(thing):
        return (
            f"pass `{thing.ref}` always as a Tensor or always as a Parameter "
            "(`.detach()` makes a Tensor of both)"
        )
    entry = thing.path.group_entry
    if entry is not None and entry.key == RATE and "a tensor" in thing.values:
        return (
            "let the learning rate stay the tensor that it is: fill it in place, "
            '`group["lr"].fill_(…)`, where a number replaces it, or put a new one there '
            '(`torch.full_like(group["lr"], …)`) where groups share it'
        )
    if "a tensor" in thing.values and _NUMBERS.intersection(thing.values):
        return (
            f"pass `{thing.ref}` as a tensor in every call: where it is a number, "
            "`torch.full(…)` in the shape that the other calls have"
        )
    if thing.path.is_in_module and _is_of_one_module(thing):
        return (
            f"put what `{thing.ref}` is to be in its place before the first compiled call: it was "
            "replaced after it; each class costs one compile"
        )
    if thing.path.is_in_module:
        return (
            f"use one class for `{thing.ref}` in all modules that share this code; where several "
            "are meant, each costs one compile"
        )
    if thing.source == "self":
        return (
            "compile their caller as a whole, and not each of them: "
            "classes that inherit a method share its code, and each gets its own compile; or "
            f"{RAISE_LIMIT}"
        )
    return (
        f"pass `{thing.ref}` as one class in every call: convert it before; a few classes cost "
        "one compile each"
    )


def _is_of_one_module(thing: GuardedThing) -> bool:
    """Return whether one module is compiled again, as far as we noted, and no other of its code."""
    return len(modules_of(thing.recompiles)) == 1 and not thing.is_of_each_module


def _tensor(thing: GuardedThing) -> str:
    name = thing.ref
    kind = thing.guard.kind
    if kind == "dtype" and (dtype := _dtype(thing)):
        return f"convert `{name}` to one dtype before the call (`.to(torch.{dtype})`)"
    if kind == "dtype":
        return (
            f"give `{name}` one dtype where it is made: integers that are converted for the call "
            "mean something else"
        )
    if kind == "device" and thing.path.attribute:
        return (
            f"move `{name}` to one device before the first call; as a buffer "
            "(`register_buffer(…, persistent=False)`) it goes along with `.to(device)`"
        )
    if kind == "device":
        return f"move `{name}` to one device before the call"
    if thing.is_of_parameters:
        what = "these parameters" if thing.path.is_parameter else "these tensors"
        return (
            f"leave requires_grad of {what} on from the first call and, before `optimizer.step()`, "
            "set the `.grad` of what is to stay frozen to None, which the optimizer then leaves out"
        )
    if kind == "requires_grad":
        return _same_flag(thing)
    if _is_lazy(thing):
        return f"pass `{name}.resolve_conj()` in every call"
    if kind == "dispatch_keys":
        return (
            f"make `{name}` the same way in every call: all calls under `torch.inference_mode()`, "
            "or all under `torch.no_grad()`; no other subclass of Tensor"
        )
    return f"make `{name}` the same way in every call"


def _is_lazy(thing: GuardedThing) -> bool:
    """Return whether a tensor is a conjugate that is not computed yet, in some calls."""
    return thing.subject == "tensor" and any("Conjugate" in value for value in thing.values)


def is_meant(thing: GuardedThing) -> bool:
    """Return whether tensors with and without requires_grad are both to be (`gradient_flags`)."""
    return thing.guard.kind == "requires_grad" and all(
        found.gradient_flag in MEANT for found in thing.recompiles
    )


def _same_flag(thing: GuardedThing) -> str:
    """Advice on `requires_grad` of an argument, which decides what is trained."""
    name = thing.ref
    flag = thing.first.gradient_flag
    if flag == "unused":
        return (
            f"pass `{name}.detach()` in every call of {function_of(thing.first.compiled)}: none of "
            "them keeps "
            "gradients, so that the flag decides nothing but the compile"
        )
    if flag == "modules":
        return (
            "nothing: modules that share this code differ in which of their parameters train, as a "
            "model and its frozen copy do, and each kind is compiled once"
        )
    if is_meant(thing):
        return (
            "nothing, where both are meant (real and generated samples): each kind is compiled "
            f"once; only if `{name}` is data, no parameter and no copy of one, and its gradient in "
            "every step costs less than the compile, `.requires_grad_()` on it makes them one"
        )
    if flag == "parameter":
        return (
            f"`.detach()` `{name}` in every call, if no gradient is to pass in any; a parameter's "
            "flag decides what is trained and is not to be changed: where gradients pass in some "
            "calls, each kind is compiled once"
        )
    return (
        f"`.detach()` `{name}` in every call, if no gradient is to pass in any; if the step makes "
        "it, and it is no parameter and no copy of one, let it ask for its gradient in every call "
        "(`.requires_grad_()`, which costs that gradient); where both are meant (real and "
        "generated samples), each kind is compiled once"
    )


def _metadata(thing: GuardedThing) -> str:
    """Say what to do about a subclass's metadata: Dynamo compiles for it, unless it is a tensor."""
    path = thing.path
    told = f"`{path.attribute}`" if path.attribute else "what varies"
    owner = f"`{path.holder.ref}`" if path.attribute else "the object"
    return (
        f"let `__tensor_flatten__` name {told} among the inner tensors instead of the metadata, "
        f"and make it a 0-dim tensor where {owner} is made, without `.item()`"
    )


def _dtype(thing: GuardedThing) -> str:
    """Choose the dtype to convert to: float32 if it came in it, or the first; empty of integers."""
    if not all(value in FLOATING for value in thing.values):
        return ""
    return FLOATING["Float" if "Float" in thing.values or not thing.values else thing.values[0]]


def _rank(thing: GuardedThing) -> str:
    others = _of_other_rank(thing)
    them = listed([f"`{name}`" for name in (thing.ref, *others)], _NAMED)
    together = ", all of them in the same way" if others else ""
    return (
        f"give {them} one number of dimensions before the call: `.unsqueeze()`, "
        f"`.flatten()` or `.reshape()`{together}"
    )


def _of_other_rank(thing: GuardedThing) -> tuple[str, ...]:
    """Return the other arguments that come with another number of dimensions, in their order.

    What is computed with two of them needs both in one form.
    """
    found: dict[str, None] = {}
    for recompile in thing.recompiles:
        held, earlier = recompile.compiled.held, recompile.earlier
        for name, now in () if held is None else held.arguments:
            before = None if earlier is None else given_shape(earlier, name)
            if now.shape is None or before is None or ON_STACK in name:
                continue
            if len(before) != len(now.shape):
                found[name] = None
    found.pop(thing.source, None)
    return tuple(map(referring, found))


def _length(thing: GuardedThing) -> str:
    if thing.path.attribute == "_modules":
        return f"build all modules of `{thing.path.holder.ref}` before the first compiled call"
    if thing.path.attribute == GROUPS:
        return (
            "make the optimizer with all of its parameter groups, also of what is frozen at first; "
            "each number of groups is compiled once, and so is a first gradient that comes later"
        )
    if thing.pattern == "growth":
        advice = _collected(thing)
        # Lists that are given may merely be sorted by length; nothing is collected in them.
        if thing.path.is_argument:
            advice += (
                f"; if it is given: stack `{thing.ref}` into one tensor, or pad it to one length"
            )
        return advice
    held = thing.first.held
    if held is None and not thing.history and expected_length(thing.guard) == "0":
        return (
            f"fill `{thing.ref}` before the first compiled call, or keep it outside the compiled "
            "function"
        )
    if held is not None and (held.type == "dict" or held.keys):
        return (
            f"give `{thing.ref}` the same keys in every call: fill it before the first compiled "
            "call, or keep it outside the compiled function"
        )
    if thing.is_of_each_module and thing.path.is_variable:
        return (
            f"pass each module what it uses of `{thing.ref}`, as arguments, and keep the rest "
            "outside the compiled code: one graph then serves all modules; or pad it to one length"
        )
    return (
        f"stack `{thing.ref}` into one tensor, or pad it to one length (entries that a mask "
        "leaves out); or loop over it outside the compiled function"
    )


def _collected(thing: GuardedThing) -> str:
    return (
        "keep what is collected outside the compiled forward (return it, or sum it up in a "
        f"buffer), or make `{thing.ref}` one tensor of a fixed size with a mask of what is filled"
    )


def _keys(thing: GuardedThing) -> str:
    if thing.has_keys_of_data:
        name, keys = thing.ref, first_few([f"`{one}`" for one in thing.last_keys], 3)
        return (
            f"the keys of `{name}` are data ({keys}), other ones at each recompile: give the "
            f"compiled function what `{name}` holds without them, as a list in a fixed order or "
            "stacked into one tensor, and keep the keys outside of it"
        )
    same = f"give `{thing.ref}` the same keys in the same order in every call"
    if thing.has_keys_in_another_order:
        return f"{same}: these are the same ones in another order (`sorted`)"
    if thing.path.is_argument:
        return f"{same}: a missing one gets a tensor, {CHANGING_NOTHING}"
    if any(_is_for_a_size(found) for found in thing.recompiles):
        return (
            f"keep one tensor for the longest in place of `{thing.ref}` (a buffer) and slice it, "
            "or make it in every call: each length that is a key gets its own compile"
        )
    if "membership" in {found.guard.kind for found in thing.recompiles}:
        return (
            f"fill `{thing.ref}` before the first compiled call, or look things up in it outside "
            "the compiled function"
        )
    return same


def _is_for_a_size(recompile: RecompileFacts) -> bool:
    """Return whether torch's reason names a size, by which a dictionary is filled."""
    return recompile.compiled.failed_guards[0].kind == "size"


def _size_condition(thing: GuardedThing) -> str:
    index, text = thing.guard.index, verbatim(thing.guard.text)
    size = f"`{thing.ref}`" if index is None else f"dimension {index} of `{thing.ref}`"
    multiple = _MULTIPLE.search(text)
    same = (
        f"pad {size} to a multiple of {multiple[1]}, {MASKED}"
        if multiple
        else f"keep {size} on one side of the condition `{text}`, by cutting or by padding {MASKED}"
    )
    return f"{same}, or move the branch on the size out of the compiled function"


def _duck_size(thing: GuardedThing) -> str:
    return (
        f"make the sizes of the first call differ, mark both with `torch._dynamo.mark_dynamic("
        f"{marked(thing.source)}, {thing.guard.index or 0})`, or set "
        "`torch.fx.experimental._config.use_duck_shape = False`"
    )


def _alias(thing: GuardedThing) -> str:
    return (
        "pass two different tensors in every call (`.clone()` where they may be one), or the same "
        "one always"
    )


def _training(thing: GuardedThing) -> str:
    return one_mode(f"`{module_of(thing)}`")


def _resumed(thing: GuardedThing) -> str:
    broken = thing.break_before
    if broken is not None and kind_of(broken) == "skipped" and "graph_break()" not in broken.reason:
        return (
            "let the function that Dynamo skips return a 0-dim tensor instead of a number, or call "
            "it before the compiled part"
        )
    return (
        "remove the graph break: keep the value a tensor (`torch.where` instead of `if`), or, if "
        "no `if`, `range`, index of a list, key or slice of two dimensions at once needs the "
        "number, set "
        "torch._dynamo.config.capture_scalar_outputs = True"
    )


def _backend(thing: GuardedThing) -> str:
    function = function_of_thing(thing, "the function")
    return f"call torch.compile once for {function}, outside the loop, with one backend object"


def _hooks(thing: GuardedThing) -> str:
    module = thing.path.hooked.ref
    return (
        f"register the hooks of `{module}` before the first compiled call and leave them on, if "
        "they only overwrite what they stored the last time (one that appends or writes would do "
        "so in every step: let it store a tensor, and read that in the steps that need it)"
    )


def _anything(thing: GuardedThing) -> str:
    name = f"`{thing.ref}`" if thing.source else "what the guard checks"
    return f"keep {name} the same in every step, or take this part out of the compiled region"


_BY_SUBJECT: dict[Subject, Callable[[GuardedThing], str]] = {
    "int": _int,
    "float": _float,
    "mode": _mode,
    "attribute": _attribute,
    "global": _global,
    "object": _object,
    "type": _type,
    "tensor": _tensor,
    "rank": _rank,
    "length": _length,
    "keys": _keys,
    "size_condition": _size_condition,
    "duck_size": _duck_size,
    "alias": _alias,
    "training": _training,
    "resumed": _resumed,
    "backend": _backend,
    "hooks": _hooks,
}
