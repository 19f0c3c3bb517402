"""Frames in the text of a traceback."""

from __future__ import annotations

import traceback

from hypothesis import given
from hypothesis import strategies as st

from ca_engine.tracebacks import TextFrame, frames_in


def test_frames_are_outermost_first_each_with_its_line_if_it_has_one() -> None:
    text = (
        'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n'
        '  File "<string>", line 1, in f\n  File "net.py", line 9, in forward\n'
        "    return x * s\n           ~~^~~\nValueError: no\n"
    )
    assert list(frames_in(text)) == [
        TextFrame("train.py", 3, "<module>", "main()"),
        TextFrame("<string>", 1, "f", ""),
        TextFrame("net.py", 9, "forward", "return x * s"),
    ]


def test_what_python_writes_is_read() -> None:
    try:
        int("x")
    except ValueError as error:
        (found,) = frames_in("".join(traceback.format_exception(error)))
    assert (found.file, found.function, found.code) == (
        __file__, "test_what_python_writes_is_read", 'int("x")',
    )  # fmt: skip


@given(st.text())
def test_any_text_has_frames_or_none(text: str) -> None:
    assert all(frame.line >= 0 for frame in frames_in(text))
