"""The statement of a line that a log quotes, where no source is at hand."""

from __future__ import annotations

import ast
from io import StringIO
from tokenize import OP, TokenError, generate_tokens
from typing import TYPE_CHECKING

from ca_reports.program.syntax import Module, Site
from ca_reports.torchlib import containers

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOSING = {"(": ")", "[": "]", "{": "}"}


def statement(code: str) -> Site | None:
    """Return the one statement that a quoted line is; None of a part of one over several lines.

    The head of a branch or a loop has a body that does nothing: ``if x.item() > 1:``. Its module
    has nothing else: where its names come from is not known.
    """
    text = code.strip()
    if text.endswith(":"):
        text += " pass"
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return Site(Module("", text, tree), tree.body[0]) if len(tree.body) == 1 else None


def lookups(code: str) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each key that a quoted line looks up, with the container: of `in`, `[]` and `.get()`.

    A key of several parts is yielded part by part.
    """
    for node in _parts(code):
        match node:
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[container]):
                yield key, container
            case ast.Subscript(value=container, slice=ast.Tuple(elts=keys)):
                yield from ((key, container) for key in keys)
            case ast.Subscript(value=container, slice=key):
                yield key, container
            case ast.Call(func=ast.Attribute(value=container, attr=name), args=[key, *_]):
                if name in containers.LOOKS_UP:
                    yield key, container


def filled(code: str) -> Iterator[ast.expr]:
    """Yield what a quoted line puts something in: `append` and its like, and `+=`."""
    for node in _parts(code):
        match node:
            case ast.Call(func=ast.Attribute(value=container, attr=name)):
                if name in containers.PUTS_IN:
                    yield container
            case ast.AugAssign(target=container, op=ast.Add()):
                yield container


def _parts(code: str) -> Iterator[ast.AST]:
    """Yield the nodes of a quoted line, also of one that goes on in the next."""
    line = code.strip()
    found = statement(line.removeprefix("el") if line.startswith("elif ") else line)
    found = found or statement(_closed(line))
    return iter(()) if found is None else ast.walk(found.node)


def _closed(line: str) -> str:
    """Return a line with its brackets closed that are open at its end."""
    open_ones: list[str] = []
    try:
        for token in generate_tokens(StringIO(line).readline):
            if token.type == OP and token.string in _CLOSING:
                open_ones.append(_CLOSING[token.string])
            elif token.type == OP and open_ones and token.string == open_ones[-1]:
                open_ones.pop()
    except (TokenError, SyntaxError):
        pass  # the end of the line, within brackets
    return line + "".join(reversed(open_ones))
