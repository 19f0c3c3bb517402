"""Finds the line of the user's program that called a backward, and its tensors."""

from __future__ import annotations

import dis
import functools
import linecache
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, NamedTuple

import torch

from ca_engine import schema
from ca_engine.compat import autograd_nodes, dynamo
from ca_engine.recorder.loaders import MAX_LOADERS, describe, is_loader
from ca_engine.recorder.variables import (
    MAX_SIZES,
    grad_fn_of,
    held_tensors,
    is_leaf,
    is_plain_tensor,
    shape_of,
)
from ca_engine.tracebacks import TextFrame, frames_in

# Frames of deep call chains that are kept: the innermost ones.
MAX_FRAMES = 40
# Frames whose variables are looked through for the names of tensors, and how many of them.
MAX_NAMED_FRAMES = 4
MAX_NAMES = 1_000

_NOT_THE_USERS = (
    str(Path(torch.__file__).parent) + "/",
    str(Path(__file__).parents[1]) + "/",
)
_LAUNCHERS = ("<frozen ", "<string>/")
# Decorators of a method that are looked through.
_MAX_WRAPPERS = 8
# Torch wraps the step of every optimizer, a user's own too, in a function of this file.
_OPTIMIZER = torch.optim.Optimizer.__init__.__code__.co_filename

# From Python 3.13 on a function's frame answers with a view of its variables (PEP 667), until
# then with a dict that it keeps.
_FRAMES_KEEP_DICTS = sys.version_info < (3, 13)
# Code that uses one of these may hold that dict, or count on what is in it: attributes, and
# functions, which as attributes are something else (``model.eval()``).
_ATTRIBUTES_OF_USE = frozenset({"f_locals", "set_trace"})
_FUNCTIONS_OF_USE = frozenset({"breakpoint", "eval", "exec", "locals", "vars"})
# References to the dict while it is counted: the frame's, ours, the count's argument.
_REFERENCES_UNHELD = 3


class BackwardCall(NamedTuple):
    """The Python call that runs the backward in progress.

    ``roots`` are the tensors (or GradientEdges) to differentiate; ``inputs`` those that
    gradients were asked for, empty when they go to all leaves; ``stack`` the user's frames,
    outermost first; ``names`` maps the ``id`` of tensors to the variables that hold them in
    the innermost of these frames, ``outputs`` autograd nodes to the variables that hold what
    they computed, ``leaves`` variables that hold a leaf to its ``requires_grad``, ``sizes``
    variables that hold data to its sizes, ``modules`` variables to the modules that they hold;
    ``loaders`` are the data loaders that variables hold, innermost frames first.
    """

    roots: tuple[Any, ...]
    inputs: tuple[Any, ...]
    stack: list[schema.FrameRecord]
    names: dict[int, str]
    outputs: dict[Any, list[str]]
    leaves: dict[str, bool]
    sizes: dict[str, list[int]]
    modules: dict[str, torch.nn.Module]
    loaders: list[schema.LoaderRecord]

    def note_loader(self, value: Any, variable: str, place: tuple[str, int]) -> None:
        """``variable`` holds a loader in the frame that is at ``place``, its file and line."""
        if len(self.loaders) < MAX_LOADERS:
            self.loaders.append(describe(value, variable, place))

    def note_output(self, node: Any, variable: str) -> None:
        """``variable`` holds what ``node`` computed."""
        names = self.outputs.setdefault(node, [])
        if variable not in names:
            names.append(variable)


def find_backward_call() -> BackwardCall:
    """Read the running backward off the Python stack; costs nothing unless called.

    C++ calls the compiler from within ``torch.autograd.graph._engine_run_backward``, whose
    locals hold the roots. A backward started from C++ has no such frame: no roots then.
    """
    roots: tuple[Any, ...] = ()
    inputs: tuple[Any, ...] = ()
    frames: list[schema.FrameRecord] = []
    call = BackwardCall((), (), frames, {}, {}, {}, {}, {}, [])
    named = 0
    for frame in _frames_outward():
        if frame.f_code.co_name == autograd_nodes.ENTRY and not roots:
            local = variables_of(frame)
            roots = tuple(local.get("t_outputs", ()))
            args = local.get("args", ())
            # (grad_tensors, retain_graph, create_graph, inputs, ...)
            inputs = tuple(args[3]) if len(args) > 3 and args[3] else ()
        elif is_users(frame) and len(frames) < MAX_FRAMES:
            if named < MAX_NAMED_FRAMES:
                place = frame.f_code.co_filename, frame.f_lineno or 0
                _note_variables(variables_of(frame), call, place)
                named += 1
            frames.append(describe_frame(frame, frame.f_lineno))
        if _FRAMES_KEEP_DICTS and _runs_on_a_dict(frame):
            # That dict is likely a function's further out, which would write its variables
            # over what this text has assigned.
            named = MAX_NAMED_FRAMES
    frames.reverse()
    with dynamo.without_dynamo():
        return call._replace(roots=roots, inputs=inputs)


def calling_modules() -> list[torch.nn.Module | None]:
    """Return the module whose method each of the user's frames runs, outermost first.

    The first argument tells it, whatever its name is. Of at most `MAX_FRAMES` frames.
    """
    found: list[torch.nn.Module | None] = []
    for frame in _frames_outward():
        if len(found) == MAX_FRAMES:
            break
        if is_users(frame):
            code = frame.f_code
            found.append(own_module(code, variables_of(frame)) if code.co_argcount else None)
    found.reverse()
    return found


def own_module(code: CodeType, variables: Mapping[str, Any]) -> torch.nn.Module | None:
    """Return the module whose method ``code`` is, by its first argument; None if it is none."""
    owner = variables.get(code.co_varnames[0]) if code.co_argcount else None
    is_own = isinstance(owner, torch.nn.Module) and _is_method(code, owner)
    return owner if is_own else None


def _is_method(code: CodeType, owner: torch.nn.Module) -> bool:
    """Return whether ``code`` is of one of ``owner``'s methods, and not a function it is given to.

    Such as ``evaluate(model, loader)``.
    """
    if code.co_varnames[0] == "self":
        return True
    for namespace in (vars(owner), *map(vars, type(owner).__mro__)):
        method = namespace.get(code.co_name)
        for _ in range(_MAX_WRAPPERS):
            # Nothing is asked that may run the user's code.
            if isinstance(method, MethodType | classmethod | staticmethod):
                method = method.__func__
            if not isinstance(method, FunctionType):
                break
            if method.__code__ is code:
                return True
            method = vars(method).get("__wrapped__")
    return False


def is_in_optimizer() -> bool:
    """Return whether an optimizer makes its step; a closure that it was given is a forward.

    Steps keep no gradients, but for those that work on `.data` and don't say so. A closure does.
    """
    own = next((one for one in _frames_outward() if one.f_code.co_filename == _OPTIMIZER), None)
    return own is not None and not (torch.is_grad_enabled() and _has_closure(own))


def _has_closure(step: FrameType) -> bool:
    """Return whether an optimizer's step, or what wraps it, was given a function."""
    variables = variables_of(step)
    given = (*variables.get("args", ())[1:], *variables.get("kwargs", {}).values())
    return any(map(callable, given))


def variables_of(frame: FrameType) -> dict[str, Any]:
    """Return the variables of ``frame``, in a dict of the caller's own, and touch none.

    Until Python 3.12 a function's frame that was asked keeps its answer, and with it all that
    the function deletes later, until it returns: gigabytes, if these are tensors. So the
    answer is emptied again where nobody else holds it. Where the function itself may hold it
    (``locals()``) or what is in it (``exec``), it is not asked, and there are none.
    """
    code = frame.f_code
    if not code.co_flags & CO_OPTIMIZED:  # a module, the body of a class, a text that is run
        namespace = frame.f_locals
        # A class or a text may have any mapping; whose code is not to be run.
        return dict.copy(namespace) if issubclass(type(namespace), dict) else {}
    if not _FRAMES_KEEP_DICTS:
        return dict(frame.f_locals)
    if _may_use_dict(code):
        return {}
    answer = frame.f_locals
    variables = dict(answer)
    # Python copies the dict back into the variables when a trace function returns, and those
    # that are missing would be gone.
    is_traced = sys.gettrace() is not None or sys.getprofile() is not None
    if not is_traced and sys.getrefcount(answer) <= _REFERENCES_UNHELD:
        answer.clear()
    return variables


def _may_use_dict(code: CodeType) -> bool:
    """Return whether ``code`` may hold the dict of its frame's variables, or store into it."""
    if not _ATTRIBUTES_OF_USE.isdisjoint(code.co_names):
        return True
    if _FUNCTIONS_OF_USE.isdisjoint(code.co_names):
        return False
    instructions = [found for found in dis.get_instructions(code) if found.opname != "CACHE"]
    return any(
        found.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        and found.argval in _FUNCTIONS_OF_USE
        and not (found.argval == "vars" and _takes_a_variable(instructions[at + 1 : at + 3]))
        for at, found in enumerate(instructions)
    )


def _takes_a_variable(after: list[dis.Instruction]) -> bool:
    """Return whether a function is called with one variable: `vars(args)` is of that alone."""
    if len(after) < 2:
        return False
    given, call = after
    is_call = call.opname in ("PRECALL", "CALL", "CALL_FUNCTION") and call.arg == 1
    return given.opname in ("LOAD_FAST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF") and is_call


def _runs_on_a_dict(frame: FrameType) -> bool:
    """Return whether ``frame`` runs a text, or a class's body, whose variables are no module's."""
    return not frame.f_code.co_flags & CO_OPTIMIZED and frame.f_locals is not frame.f_globals


def _note_variables(variables: dict[str, Any], call: BackwardCall, place: tuple[str, int]) -> None:
    """Those ``variables`` of the frame at ``place`` that hold tensors; an inner frame's win."""
    for name, value in list(variables.items())[:MAX_NAMES]:
        if is_plain_tensor(value):
            call.names.setdefault(id(value), name)
            node = grad_fn_of(value)
            if node is not None:
                call.note_output(node, name)
            elif is_leaf(value):
                call.leaves.setdefault(name, value.requires_grad)
                if type(value) is torch.Tensor and len(call.sizes) < MAX_SIZES:
                    call.sizes.setdefault(name, shape_of(value))
        elif issubclass(type(value), torch.nn.Module):
            call.modules.setdefault(name, value)
        elif is_loader(value):
            call.note_loader(value, name, place)
        elif name == "self" and type(value).__module__ != "builtins":
            _note_attributes(value, call, place)
        else:
            _note_held(name, value, call)


def _note_attributes(owner: Any, call: BackwardCall, place: tuple[str, int]) -> None:
    """Note what an object of the user's, whose method is running, holds in its ``__dict__``."""
    try:
        attributes = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return
    if type(attributes) is not dict:
        return
    for name, value in list(attributes.items())[:MAX_NAMES]:
        if issubclass(type(value), torch.nn.Module):
            call.modules.setdefault(f"self.{name}", value)
        elif is_loader(value):
            call.note_loader(value, f"self.{name}", place)
        elif is_plain_tensor(value):
            node = grad_fn_of(value)
            if node is not None:
                call.note_output(node, f"self.{name}")
        else:
            _note_held(f"self.{name}", value, call)


def _note_held(name: str, value: Any, call: BackwardCall) -> None:
    """Note the tensors in a container of a built-in type, one level deep."""
    for held, tensor in held_tensors(name, value):
        node = grad_fn_of(tensor)
        if node is not None:
            call.note_output(node, held)
        elif is_leaf(tensor) and type(tensor) is torch.Tensor and len(call.sizes) < MAX_SIZES:
            call.sizes.setdefault(held, shape_of(tensor))


def _frames_outward() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_users(frame: FrameType) -> bool:
    """Return whether the frame runs the user's code, not torch's, ours or a launcher's."""
    return is_users_file(frame.f_code.co_filename)


def users_frame(depth: int = 1) -> FrameType | None:
    """Return the innermost of the user's frames, ``depth`` frames above the caller's or more."""
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None and not is_users(frame):
        frame = frame.f_back
    return frame


_POP, _CACHE = (dis.opmap.get(name) for name in ("POP_TOP", "CACHE"))


def drops_result(frame: FrameType) -> bool:
    """Return whether a frame does nothing with what the call that it is in gives back."""
    code = frame.f_code.co_code
    position = frame.f_lasti + 2
    while position < len(code) and code[position] == _CACHE:
        position += 2
    return position < len(code) and code[position] == _POP


@functools.lru_cache(maxsize=4096)
def is_users_file(file: str) -> bool:
    """Return whether code compiled from ``file`` is the user's."""
    if file.startswith(_NOT_THE_USERS) or file.startswith(_LAUNCHERS):
        return False
    # What inductor wrote; torch sets the variable where nobody has.
    if (folder := os.environ.get("TORCHINDUCTOR_CACHE_DIR")) and file.startswith(f"{folder}/"):
        return False
    # Dynamo's generated continuations keep the user's file; `<eval_with_key>` code is FX's.
    return not file.startswith("<eval_with_key>")


def user_frames_of(error: BaseException) -> list[schema.FrameRecord]:
    """Return the user's frames that an exception came through, outermost first.

    At most `MAX_FRAMES` of them, the innermost.
    """
    frames: list[schema.FrameRecord] = []
    traceback = error.__traceback__
    while traceback is not None:
        if is_users(traceback.tb_frame):
            frames.append(describe_frame(traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames[-MAX_FRAMES:]


def frames_of_texts(stacks: Iterable[str]) -> list[schema.FrameRecord]:
    """Return the user's innermost frame of each stack in a traceback's text; each once."""
    found: dict[tuple[str, int], schema.FrameRecord] = {}
    for stack in stacks:
        frames = [frame for frame in frames_in(stack) if is_users_file(frame.file)]
        if frames:
            found[frames[-1].file, frames[-1].line] = with_source(frames[-1])
    return [found[place] for place in sorted(found)]


def with_source(frame: TextFrame) -> schema.FrameRecord:
    """Return a frame of a text, with the line of source that the file has there now."""
    code = linecache.getline(frame.file, frame.line).strip()
    return {"file": frame.file, "line": frame.line, "function": frame.function, "code": code}


def was_raised_by_engine(error: BaseException) -> bool:
    """Return whether autograd's engine itself raised ``error`` in C++, not Python that it ran."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_code.co_name == autograd_nodes.ENTRY


def describe_frame(frame: FrameType, lineno: int | None) -> schema.FrameRecord:
    """Return a frame at ``lineno``, with its source line."""
    file, line = frame.f_code.co_filename, lineno or 0
    try:
        code = linecache.getline(file, line, frame.f_globals).strip()
    except Exception:  # the module's loader, which may be the user's, has no source after all
        code = ""
    return {"file": file, "line": line, "function": frame.f_code.co_name, "code": code}
