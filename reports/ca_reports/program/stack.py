"""Frames of Python stacks, and whose code they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENGINE_CALL = "_engine_run_backward"
_ENGINE_FILE = "torch/autograd/graph.py"
# Torch applies an `autograd.Function`, and runs its backward, in a method of this file; a captured
# graph runs the backward in a function of the other.
_APPLY = "apply"
_FUNCTION_FILE = "torch/autograd/function.py"
_CALL_BACKWARD = "call_backward"
_CALLED_FILE = "torch/_dynamo/external_utils.py"
_CHECKPOINT_FILE = "torch/utils/checkpoint.py"
_PASSES = ("forward", "backward")
_STANDARD_LIBRARY = expression(r"/lib/python3[^/]*/(?!site-packages/|dist-packages/)|/Lib/\w+\.py$")
_HELPERS = expression(r"[/\\]torch[/\\](?:_dynamo|_functorch)[/\\]")
_INSTALLED = ("/site-packages/", "/dist-packages/", "\\site-packages\\")
# Resume functions of Dynamo's own making: "torch_dynamo_resume_in_f_at_8" is f.
_RESUME = expression(r"^torch_dynamo_resume_in_(?P<name>.+)_at_(?P<line>\d{1,9})$")


@dataclass(frozen=True, slots=True)
class Frame:
    """One Python frame; ``code`` is its source line, stripped, or empty if not recorded."""

    file: str
    line: int
    function: str
    code: str


@dataclass(frozen=True, slots=True)
class FunctionPass:
    """The forward or the backward of an `autograd.Function`, out of which a call was made.

    ``method`` is the frame of that method, or torch's that runs it where the stack lacks its own.
    ``caller`` is the user's line that applied the Function, in a backward None.
    """

    method: Frame
    caller: Frame | None

    @property
    def is_backward(self) -> bool:
        """Return whether it is the Function's backward."""
        return self.caller is None

    @property
    def is_checkpoint(self) -> bool:
        """Return whether the Function is that of `checkpoint(…, use_reentrant=True)`."""
        return _is_of_checkpoint([self.method])

    def is_of(self, other: FunctionPass) -> bool:
        """Return whether both are methods of one Function, as far as its file tells."""
        is_unseen = _runs_function(self.method) or _runs_function(other.method)
        return is_unseen or self.method.file == other.method.file


def function_pass(stack: Sequence[Frame]) -> FunctionPass | None:
    """Find the innermost `autograd.Function` whose method is on ``stack``, torch's frames included.

    Its forward runs without gradients, so that one which computes the same in its backward, as a
    reentrant checkpoint does, calls everything in both modes.

    ``stack`` ends in the compiled code, and lacks the frame that calls it: where the method itself
    does, what runs the method comes last but one.
    """
    for position in range(len(stack) - 2, -1, -1):
        frame, method = stack[position], stack[position + 1]
        if not _runs_function(frame):
            continue
        outer = stack[:position]
        is_run = _is_backward(outer, frame)
        is_last = position == len(stack) - 2
        is_other = method.function not in _PASSES or (is_run and method.function == "forward")
        is_unseen = is_last and (is_other or _is_of_checkpoint(outer))
        is_backward = is_run if is_unseen else method.function == "backward"
        if is_unseen:
            method = outer[-1] if _is_of_checkpoint(outer) else frame
        if is_backward:
            return FunctionPass(method, None)
        if is_unseen or method.function in _PASSES:
            users = [one for one in outer if not in_torch(one.file)]
            return FunctionPass(method, own_frame(users) or frame)
    return None


def _is_of_checkpoint(outer: Sequence[Frame]) -> bool:
    """Return whether `torch.utils.checkpoint` applies a Function in the last frame."""
    return bool(outer) and outer[-1].file.replace("\\", "/").endswith(_CHECKPOINT_FILE)


def _is_backward(outer: Sequence[Frame], frame: Frame) -> bool:
    """Return whether ``frame``, below ``outer``, runs a backward: that of autograd's engine.

    A thread of a device's has no frame above it.
    """
    is_called = user_function(frame.function) == _CALL_BACKWARD
    return is_called or not outer or outer[-1].function == _ENGINE_CALL


def _runs_function(frame: Frame) -> bool:
    """Return whether ``frame`` is torch's that runs a method of an `autograd.Function`."""
    file = frame.file.replace("\\", "/")
    if user_function(frame.function) == _CALL_BACKWARD:
        return file.endswith(_CALLED_FILE)
    return frame.function == _APPLY and file.endswith(_FUNCTION_FILE)


def is_recomputed(stack: Sequence[Frame]) -> bool:
    """Return whether a captured backward runs code of the program's that is none of its graph.

    The backward of an `autograd.Function` that Dynamo left to Python, as a reentrant checkpoint's,
    called it: what it calls has graphs of its own. ``stack`` is whole, down to the compiled code.
    """
    calls = next((at for at in range(len(stack) - 3, -1, -1) if _runs_function(stack[at])), None)
    if calls is None or stack[calls + 1].function != "backward":
        return False
    if any(is_generated(frame.file) for frame in stack[calls:]):
        return False  # a graph of its own is run in there
    return not (in_torch(stack[-1].file) or "/ca_engine/" in stack[-1].file)


def own_frame(stack: Sequence[Frame]) -> Frame | None:
    """Return the innermost frame of the user's own code; of installed packages, if no other.

    A trainer from a package (accelerate, Lightning) calls backward itself: its line is the
    same in every program, the line that called it is the one to change. So is that of a context
    manager of Python's (`contextlib`), through which a package's generator is called.
    """
    for frame in reversed(stack):
        file = frame.file
        if not (is_installed(file) or is_generated(file) or is_standard_library(file)):
            return frame
    return stack[-1] if stack else None


def user_frames(stack: tuple[Frame, ...], *, captured: bool) -> tuple[Frame, ...]:
    """Return the user's frames, outermost first.

    For the compile of a ``captured`` backward, those above the call into the autograd
    engine (``torch.autograd.graph._engine_run_backward``), without torch's own; empty if
    that call is not in the stack. Else the whole stack without torch's own frames.
    """
    package = None
    end = len(stack)
    for position, frame in enumerate(stack):
        file = frame.file.replace("\\", "/")
        if frame.function == _ENGINE_CALL and file.endswith(_ENGINE_FILE):
            package = file.removesuffix("autograd/graph.py")
            end = position
    if captured and package is None:
        return ()
    return tuple(_of_user(frame) for frame in stack[:end] if not in_torch(frame.file, package))


def _of_user(frame: Frame) -> Frame:
    name = user_function(frame.function)
    return frame if name == frame.function else replace(frame, function=name)


def is_wrapper(file: str) -> bool:
    """Return whether ``file`` holds Dynamo's closures around callables that it does not enter.

    A module of `torch.nn` that is compiled itself is called by one.
    """
    return file.replace("\\", "/").endswith(_CALLED_FILE)


def is_internal(stack: Sequence[Frame]) -> bool:
    """Return whether Dynamo met no user code: the engine runs a captured graph here.

    On the way from ``_engine_run_backward`` to the captured graph some versions of torch (2.14)
    have functions of Python's own compiled, such as ``inspect._check_class``: nobody can change
    these. ``stack`` is whole, with torch's frames. What a hook of the user's does is no such
    case: C++ calls it, or it is part of the captured graph.
    """
    return _runs_captured(stack) and is_library_file(stack[-1].file)


def is_captured_graph(stack: Sequence[Frame]) -> bool:
    """Return whether Dynamo met a captured graph: up to torch 2.6 no number says so."""
    return _runs_captured(stack) and is_generated(stack[-1].file)


def _runs_captured(stack: Sequence[Frame]) -> bool:
    """Return whether nothing but torch stands between the engine's call and the end of a stack."""
    begin = 0
    for position, frame in enumerate(stack):
        if frame.function == _ENGINE_CALL:
            begin = position + 1
    if not begin or begin == len(stack):
        return False
    entry = stack[begin].file.replace("\\", "/")
    enters = entry.endswith("torch/_dynamo/compiled_autograd.py") or "/ca_engine/" in entry
    # A hook may step a compiled optimizer: torch's code, but called by the user's.
    return enters and all(
        is_library_file(frame.file) or is_generated(frame.file) or "/ca_engine/" in frame.file
        for frame in stack[begin:]
    )


def is_helper(file: str) -> bool:
    """Return whether ``file`` holds functions that nobody but torch has compiled.

    Python's own, and Dynamo's. Of a text log without stacks it is all that tells who asked for it:
    on the way to a captured graph torch does, and a compiled optimizer is the user's.
    """
    return is_standard_library(file) or (in_torch(file) and _HELPERS.search(file) is not None)


def is_library_file(file: str) -> bool:
    """Return whether ``file`` is torch's or Python's own."""
    return in_torch(file) or is_standard_library(file)


def is_of_optimizer(file: str) -> bool:
    """Return whether ``file`` is of one of torch's optimizers."""
    return "/torch/optim/" in file.replace("\\", "/")


def is_standard_library(file: str) -> bool:
    """Return whether ``file`` is Python's own."""
    return _STANDARD_LIBRARY.search(file.replace("\\", "/")) is not None


def is_installed(file: str) -> bool:
    """Return whether ``file`` is of an installed package, torch included."""
    return any(part in file for part in _INSTALLED)


def package_of(frame: Frame) -> str:
    """Return ``transformers``, of ``…/site-packages/transformers/utils/generic.py``."""
    path = frame.file.replace("\\", "/")
    return path.partition("-packages/")[2].partition("/")[0] or "a library"


def is_generated(file: str) -> bool:
    """Return whether a program made the code, as a dataclass's constructor: no file has it."""
    return file == "<string>" or file.startswith(("<frozen ", "<eval_with_key>"))


def in_torch(file: str, package: str | None = None) -> bool:
    """Return whether ``file`` is torch's own; ``package`` is where torch lies, if that is known."""
    file = file.replace("\\", "/")
    if package is not None and file.startswith(package):
        return True
    return "/site-packages/torch/" in file or "/dist-packages/torch/" in file


def user_function(name: str) -> str:
    """Return the user's name of a function that Dynamo renamed to resume in it."""
    found = _RESUME.match(name)
    return found["name"] if found else name


def resume_line(name: str) -> int | None:
    """Return the line of the graph break after which a function of that name resumes; else None."""
    found = _RESUME.match(name)
    return int(found["line"]) if found else None
