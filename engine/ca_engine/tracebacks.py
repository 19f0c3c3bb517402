"""The frames in the text of a Python traceback, for the recorder and for the readers of logs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ca_engine.lazy_expressions import expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# As `traceback` writes a frame: its place, then its line of source if that could be read.
_FRAME = expression(
    r'^ *File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}), in (?P<function>[^\n]*)'
    r"(?:\n(?! *File \")(?P<code> +[^\n]*))?",
    re.M,
)


HEAD = "Traceback (most recent call last):"
_RAISED = expression(r"^(?:[A-Za-z_]\w*\.)*(?P<type>[A-Za-z_]\w*)(?:: (?P<text>.*))?\Z", re.S)
# Files of torch of which a frame is on the stack only while something is compiled. Backends of
# debugging also run the graph that they made.
COMPILERS = (
    "_dynamo/convert_frame.py",
    "_dynamo/output_graph.py",
    "_dynamo/symbolic_convert.py",
    "_dynamo/backends/",
    "_functorch/_aot_autograd/graph_compile.py",
    "_inductor/compile_fx.py",
)
RUNS_GRAPHS = "_dynamo/backends/debugging.py"
# The file of a graph that FX made code of.
_GENERATED = "<eval_with_key>"
# Functions of torch that run a graph node by node (backend aot_eager up to torch 2.9), and that
# autograd calls for the backward of a compiled forward.
_RUNNING = (
    ("fx/interpreter.py", "run_node"),
    ("_functorch/_aot_autograd/runtime_wrappers.py", "backward"),
)
# Modules of the exceptions that torch's compilers raise.
COMPILERS_ERRORS = (
    "torch._dynamo.exc", "torch._inductor.exc", "torch.fx.experimental.symbolic_shapes"
)  # fmt: skip


def is_compilers_file(own: str) -> bool:
    """Return whether a frame of the file ``own``, below torch's folder, is of a compile."""
    return own.startswith(COMPILERS) and own != RUNS_GRAPHS


def is_graphs_frame(own: str, function: str) -> bool:
    """Return whether a frame runs a compiled graph: FX's code of it, or what torch runs it with.

    ``own`` is its file, below torch's folder if it is in that.
    """
    return own.startswith(_GENERATED) or (own, function) in _RUNNING


class TextFrame(NamedTuple):
    """One frame; ``code`` is its line of source, stripped, or empty."""

    file: str
    line: int
    function: str
    code: str


def frames_in(text: str) -> Iterator[TextFrame]:
    """Yield the frames in ``text``, outermost first; any other line is skipped."""
    for found in _FRAME.finditer(text):
        yield TextFrame(
            found["file"],
            int(found["line"]),
            found["function"].strip(),
            (found["code"] or "").strip(),
        )


def split(traceback: str) -> tuple[str, str]:
    """Return the frames of a traceback, and the exception below them, as texts.

    The lines of frames are indented, and the exception's first line is not.
    """
    _, _, rest = traceback.partition(HEAD)
    lines = rest.strip("\n").split("\n")
    end = next((at for at, line in enumerate(lines) if line[:1] not in (" ", "")), len(lines))
    return "\n".join(lines[:end]), "\n".join(lines[end:])


def exception(text: str) -> tuple[str, str]:
    """Return the class of an exception, without its module, and what it says; ``text`` has both."""
    found = _RAISED.match(text.strip())
    return ("", text.strip()) if found is None else (found["type"], found["text"] or "")
