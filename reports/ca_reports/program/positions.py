"""Where the nodes of a syntax tree stand in its text, in characters, and what stands between them.

`ast` counts bytes within lines and keeps neither comments nor brackets; edits need all of it.
"""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENING = {"(": ")", "[": "]", "{": "}"}
# What has no place of its own in the text, or one that nobody asks for.
_UNPLACED = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
_NO_CODE = frozenset(
    (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
)


class Token(NamedTuple):
    """A token of the text, from character ``start`` to ``end``."""

    kind: int
    text: str
    start: int
    end: int


class Text:
    """The text of a file, with the places of the nodes of its tree."""

    def __init__(self, text: str) -> None:
        """Count nothing yet."""
        self.text = text

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return where ``node`` begins and ends, without brackets around it.

        A function or class begins after its decorators. Raises ValueError for what has no place,
        such as an operator.
        """
        if isinstance(node, ast.comprehension | ast.withitem | ast.arguments | ast.Module):
            parts = [self.span(part) for part in children(node)]
            if not parts:
                raise ValueError(f"{type(node).__name__} has no place")
            return parts[0][0], parts[-1][1]
        place = _place(node)
        if place is None:
            raise ValueError(f"{type(node).__name__} has no place")
        line, column, end_line, end_column = place
        start, end = self.offset(line, column), self.offset(end_line, end_column)
        if isinstance(node, ast.Tuple | ast.GeneratorExp) and self._is_in_brackets(start, end):
            inner = self.text[start + 1 : end - 1]
            start += 1 + len(inner) - len(inner.lstrip())
            end = start + len(inner.strip())
        return start, end

    def _is_in_brackets(self, start: int, end: int) -> bool:
        """Return whether one pair of round brackets is around all of it."""
        return self.text[start : start + 1] == "(" and self.closing(start) == end - 1

    def code(self, node: ast.AST) -> str:
        """Return the text of ``node``."""
        start, end = self.span(node)
        return self.text[start:end]

    def whole(self, node: ast.AST) -> tuple[int, int]:
        """Return where ``node`` begins and ends, with all round brackets around it alone.

        The brackets of a call are the call's.
        """
        start, end = self.span(node)
        while True:
            before, after = self.before(start), self.after(end)
            if before is None or after is None or (before.text, after.text) != ("(", ")"):
                return start, end
            outer = self.before(before.start)
            is_call = outer is not None and before.start == outer.end and _ends_operand(outer)
            if is_call:
                return start, end
            start, end = before.start, after.end

    def begin(self, node: ast.AST) -> int:
        """Return where ``node`` begins: of a function or class its first decorator's ``@``."""
        decorators = getattr(node, "decorator_list", ())
        if not decorators:
            return self.span(node)[0]
        at = self.before(self.whole(decorators[0])[0])
        assert at is not None
        return at.start

    def lines(self, node: ast.AST) -> tuple[int, int]:
        """Return the first and last line of ``node``, one-based."""
        start, end = self.span(node)
        return self.line_of(start), self.line_of(end)

    def line_of(self, offset: int) -> int:
        """Return the one-based line that a character is in."""
        return bisect_right(self._starts, offset)

    def line_start(self, node: ast.AST) -> int:
        """Return where the line begins that ``node`` begins on."""
        return self.line_begin(self.span(node)[0])

    def indent_of(self, node: ast.AST) -> str:
        """Return the white space before the line that ``node`` begins on."""
        return self.indent_at(self.span(node)[0])

    def line_begin(self, offset: int) -> int:
        """Return where the line begins that a character is in."""
        return self._starts[self.line_of(offset) - 1]

    def line_end(self, offset: int) -> int:
        """Return where the line ends that a character is in, before its newline."""
        end = self.text.find("\n", offset)
        if end < 0:
            return len(self.text)
        return end - 1 if self.text[end - 1 : end] == "\r" else end

    def next_line(self, offset: int) -> int:
        """Return where the line after that of a character begins; the end of the text after it."""
        return min(len(self.text), self.line_end(offset) + len(self.newline))

    def indent_at(self, offset: int) -> str:
        """Return the white space that the line of a character begins with."""
        start = self.line_begin(offset)
        line = self.text[start : self.line_end(start)]
        return line[: len(line) - len(line.lstrip())]

    def offset(self, line: int, column: int) -> int:
        """Return the character at a one-based line and a column in bytes of UTF-8."""
        start = self._starts[line - 1]
        text = self.text[start : start + column]
        if not text.isascii():
            encoded = self.text[start : self.line_end(start)].encode()
            return start + len(encoded[:column].decode(errors="ignore"))
        return start + column

    @cached_property
    def newline(self) -> str:
        """Return the characters that end its lines."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @cached_property
    def unit(self) -> str:
        """Return what a block is indented by: as the first one is."""
        return next((each.text for each in self.tokens if each.kind == tokenize.INDENT), "    ")

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts[:-1]

    # Tokens

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Return all tokens, comments too; those before the first that is none."""
        found: list[Token] = []
        starts = self._starts
        try:
            for kind, text, start, end, _ in tokenize.generate_tokens(
                io.StringIO(self.text, newline="").readline
            ):
                if kind == tokenize.ENDMARKER:
                    break
                first, last = starts[start[0] - 1] + start[1], starts[end[0] - 1] + end[1]
                found.append(Token(kind, text, first, last))
        except (tokenize.TokenError, SyntaxError, IndexError):
            pass
        return tuple(found)

    @cached_property
    def _code_tokens(self) -> tuple[Token, ...]:
        return tuple(each for each in self.tokens if each.kind not in _NO_CODE)

    @cached_property
    def _token_starts(self) -> list[int]:
        return [each.start for each in self._code_tokens]

    def before(self, offset: int) -> Token | None:
        """Return the last token of code that ends at a character, or before it."""
        at = bisect_left(self._token_starts, offset) - 1
        return self._code_tokens[at] if at >= 0 else None

    def after(self, offset: int) -> Token | None:
        """Return the first token of code that begins at a character, or after it."""
        at = bisect_left(self._token_starts, offset)
        return self._code_tokens[at] if at < len(self._code_tokens) else None

    def closing(self, offset: int) -> int | None:
        """Return where the bracket closes that opens at a character; None if it opens none."""
        return self._closing.get(offset)

    @cached_property
    def _closing(self) -> dict[int, int]:
        found: dict[int, int] = {}
        open_: list[Token] = []
        for each in self._code_tokens:
            if each.kind != tokenize.OP:
                continue
            if each.text in _OPENING:
                open_.append(each)
            elif open_ and each.text == _OPENING[open_[-1].text]:
                found[open_.pop().start] = each.start
        return found

    def comments(self, start: int, end: int) -> list[str]:
        """Return the comments that begin between two characters."""
        return [
            each.text
            for each in self.tokens
            if each.kind == tokenize.COMMENT and start <= each.start < end
        ]


def _ends_operand(token: Token) -> bool:
    """Return whether what a bracket right after ``token`` opens is a call's, or a function's."""
    if token.kind == tokenize.NAME:
        return token.text not in _WORDS
    return token.text in (")", "]", "}") or token.kind == tokenize.STRING


# Words of Python after which a bracket only groups, however close it is.
_WORDS = frozenset(
    (
        "and", "as", "assert", "await", "del", "elif", "else", "except", "for", "from", "if", "in",
        "is", "lambda", "not", "or", "raise", "return", "while", "with", "yield",
    )
)  # fmt: skip


def _place(node: ast.AST) -> tuple[int, int, int, int] | None:
    line = getattr(node, "lineno", None)
    end = getattr(node, "end_lineno", None)
    if line is None or end is None:
        return None
    return line, node.col_offset, end, node.end_col_offset  # type: ignore[attr-defined]


def children(node: ast.AST) -> list[ast.AST]:
    """Return what a node consists of, in the order of the source: no operators and contexts."""
    found = [each for each in ast.iter_child_nodes(node) if not isinstance(each, _UNPLACED)]
    if len(found) < 2:
        return [each for each in found if _first(each) is not None]
    placed = [(place, each) for each in found if (place := _first(each)) is not None]
    return [each for _, each in sorted(placed, key=lambda pair: pair[0])]


def _first(node: ast.AST) -> tuple[int, int] | None:
    """Return the line and column of the first thing in ``node``; None of `()` as parameters."""
    decorators = getattr(node, "decorator_list", ())
    if decorators:
        return decorators[0].lineno, decorators[0].col_offset
    place = _place(node)
    if place is not None:
        return place[0], place[1]
    return min(
        (first for part in ast.iter_child_nodes(node) if (first := _first(part)) is not None),
        default=None,
    )


def parents_in(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """Return each node in ``tree`` → the node that it is a part of, outer ones first.

    Contexts (`ast.Load`) are left out: one object stands for all of a tree's.
    """
    found: dict[ast.AST, ast.AST] = {}
    nodes = [tree]
    # Twice as fast as `ast.walk`, which asks a generator for the parts of each node.
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            for part in value if isinstance(value, list) else (value,):
                if isinstance(part, ast.AST) and not isinstance(part, ast.expr_context):
                    found[part] = node
                    nodes.append(part)
    return found


def nodes_of(node: ast.AST) -> tuple[ast.AST, ...]:
    """Return ``node`` and all that is in it, outer ones first."""
    return (node, *parents_in(node))


def walk(*nodes: ast.AST) -> Iterator[ast.AST]:
    """Yield ``nodes`` and all that is in them, outer ones first, in the order of the source."""
    waiting = [*reversed(nodes)]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(children(each))


_APART = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def own_nodes(*nodes: ast.AST, apart: tuple[type[ast.AST], ...] = _APART) -> Iterator[ast.AST]:
    """Yield ``nodes`` and all that is in them, but for functions and classes: they run later."""
    waiting = [*reversed(nodes)]
    while waiting:
        each = waiting.pop()
        if not isinstance(each, apart):
            yield each
            waiting += reversed(children(each))
