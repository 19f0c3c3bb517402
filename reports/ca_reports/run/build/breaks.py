"""The text of a ``dynamo_graph_break_reason`` artifact, taken apart.

Three places of torch 2.13 write it: ``_dynamo/symbolic_convert.py`` (a break that resumes),
``_dynamo/convert_frame.py`` (one that skips the whole frame) and ``_dynamo/exc.py`` (an
error of the fake tensors). Older versions begin the second line with ``Reason:``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import PurePath

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_engine.tracebacks import frames_in
from ca_reports.program.stack import Frame, user_function
from ca_reports.run.frames import frame

_MAX_FRAMES = 200
_PLACE = expression(r"^Graph [Bb]reak in user code at (?P<file>.+):(?P<line>\d{1,9})$", re.M)
_REASON = expression(r"^(?:Graph Break )?Reason: *(?P<text>.*)$", re.M)
_EXCEPTION = expression(r"^(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*: (?P<text>.+)$", re.M)
# torch.autograd.backward(loss) is met as a function that Dynamo skips.
_BACKWARD_SKIPPED = "module: torch.autograd, qualname: backward, skip reason"
# What torch 2.1 writes in one line: ``Graph break: … from user code at   File "a.py", line 3, in``.
_OLD_HEAD, _AT_CODE = "Graph break: ", " from user code at "
# First lines that tell how Dynamo met the break; what it was comes below.
_BOILERPLATE = (
    "Encountered graph break when attempting to trace ",
    "Failed to handle graph break ",
)
_NUMBER = expression(r"\bgraph break, please visit: \S*/(?P<number>gb\d{1,6})\.html")
_CONTEXT = "  Developer debug context: "
_HINT = expression(r"^  Hint: (?P<text>.+)$", re.M)
_MAX_HINTS = 8
# What comes before the frames in the text of an error of Dynamo's.
_TRACED = "\nfrom user code:\n"
# What torch 2.8 and later say where they give up the whole function, not only this place of it.
_GIVEN_UP = "Skipping the function and falling back to eager"
_IN_LOOP = "detected a graph break in a for/while loop"
# Which function that is.
_SKIPPED = expression(
    r"frame skipped: (?P<function>\S{1,200}) \((?P<file>[^\n]{1,4096}) line (?P<line>\d{1,9})\)"
)
# Where Dynamo traces a function that is given to an operator, such as `checkpoint`, as one graph.
_IN_OPERATOR = expression(r"/higher_order_ops\.py\", line \d{1,9}, in speculate_subgraph")


@dataclass(frozen=True, slots=True)
class Break:
    """``reason`` is one line, torch's ``gb_type`` since 2.8; ``number`` torch's of that type.

    ``context`` is what torch's developers want to know: often the name of what was called. ``ours``
    says it is only Dynamo meeting a backward call. ``given_up``: the whole function runs in Python
    from then on; ``in_loop``: because the break is in a loop of that function, which is ``skipped``
    where torch names it. ``in_operator``: it is in a function that torch compiles whole, or not.
    """

    reason: str
    explanation: str | None
    location: Frame | None
    stack: tuple[Frame, ...]
    ours: bool
    number: str | None = None
    hints: tuple[str, ...] = ()
    context: str | None = None
    given_up: bool = False
    in_loop: bool = False
    skipped: Frame | None = None
    in_operator: bool = False


def of_error(text: str, place: Frame, ended_with: str) -> Break:
    """Read a break that was an error, as with ``fullgraph=True``, of its exception's ``text``.

    ``place`` is what torch's metrics tell of it. Where the process ended with it, the exception's
    text there, ``ended_with``, has the frames from the compiled function on.
    """
    found = parse(text)
    _, _, traced = ended_with.partition(_TRACED)
    frames = _frames(traced)
    stack = frames if frames and frames[-1].line == place.line else (place,)
    return replace(found, location=stack[-1], stack=stack)


def of_traceback(text: str) -> Break:
    """Read a break that was an error of the ``text`` of its exception alone; without frames none.

    Its frames are those from the compiled function on.
    """
    what, _, traced = text.partition(_TRACED)
    frames = _frames(traced)
    return replace(parse(what), location=frames[-1] if frames else None, stack=frames)


def parse(text: str) -> Break:
    """Take the artifact's text apart; never raises, an unknown text is its own reason."""
    head, _, rest = text.partition("User code traceback:\n")
    user, _, error = rest.partition("\nTraceback (most recent call last):")
    if not rest:
        head, _, error = text.partition("\nTraceback (most recent call last):")
        _, _, user = head.partition("The graph break occurred in the following user code:\n")
    if not user and _AT_CODE in head:
        head, _, user = head.removeprefix(_OLD_HEAD).partition(_AT_CODE)
    stack = _frames(user)
    location = _location(head, stack)
    if stack and location is not None and location not in stack:
        stack = (*stack, location)  # the end of a log that was cut: torch's own frames lead there
    reason = _reason(head, error)
    number = _NUMBER.search(head)
    hints = (found["text"].strip()[:500] for found in _HINT.finditer(head))
    return Break(
        reason=reason,
        explanation=_after("Explanation: ", head + error),
        location=location,
        stack=stack,
        ours=_is_backward_call(reason, head + error),
        number=number["number"].upper() if number else None,
        hints=tuple(islice(hints, _MAX_HINTS)),
        context=_after(_CONTEXT, head),
        given_up=_GIVEN_UP in head or _IN_LOOP in text,
        in_loop=_IN_LOOP in text,
        skipped=_skipped(text),
        in_operator=_IN_OPERATOR.search(text) is not None,
    )


def _skipped(text: str) -> Frame | None:
    found = _SKIPPED.search(text)
    if found is None:
        return None
    return Frame(found["file"], int(found["line"]), user_function(found["function"]), "")


def _reason(head: str, error: str) -> str:
    lines: list[str] = []
    found = _REASON.search(head)
    if found is not None:
        lines = [found["text"], *head[found.end() :].split("\n")]
        if lines[0].startswith(_BOILERPLATE):
            lines = lines[1:]
    elif raised := _EXCEPTION.findall(error):
        lines = [raised[-1]]
    else:
        lines = head.split("\n")
    return next((line.strip() for line in lines if line.strip()), "graph break")[:500]


def _after(label: str, text: str) -> str | None:
    _, found, rest = text.partition(label)
    line = rest.split("\n", 1)[0].strip()
    return line[:1000] if found and line else None


def _frames(text: str) -> tuple[Frame, ...]:
    return tuple(
        frame(found.file, found.line, user_function(found.function), found.code)
        for found in islice(frames_in(text), _MAX_FRAMES)
    )


def _location(head: str, stack: tuple[Frame, ...]) -> Frame | None:
    place = _PLACE.search(head)
    if place is None:
        return stack[-1] if stack else None
    file, line = place["file"], int(place["line"])
    for found in reversed(stack):
        if found.line == line and PurePath(found.file).name == PurePath(file).name:
            return found
    return Frame(file, line, "", "")


def _is_backward_call(reason: str, text: str) -> bool:
    """Return whether it is at ``torch.compile(lambda: loss.backward())``: no user's to change."""
    # Without brackets up to torch 2.6
    return "Tensor.backward" in reason or _BACKWARD_SKIPPED in text
