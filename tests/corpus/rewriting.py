"""A file of a program, parsed, and changes of its text that know where each line went."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class Module:
    """A file's text, its tree, and the offsets of its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Return where a node's line and column, which counts bytes, are in the text."""
        if line > len(self._lines):
            return len(self.text)
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())

    def start(self, node: ast.expr | ast.stmt | ast.alias) -> int:
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt | ast.alias) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def text_of(self, node: ast.expr | ast.stmt) -> str:
        return self.text[self.start(node) : self.end(node)]

    def line_of(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def first_character(self, line: int) -> int:
        """Return the offset of the first character of a line that is no space."""
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return self.offset(line, 0) + len(text) - len(text.lstrip(" \t"))

    @property
    def number_of_lines(self) -> int:
        return len(self._lines)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node stands in, the innermost first."""
        while (above := self.parents.get(node)) is not None:
            yield above
            node = above

    def top_level(self, node: ast.AST) -> ast.stmt:
        """Return the statement of the module that a node stands in."""
        found = node
        for above in self.around(node):
            if above is not self.tree:
                found = above
        assert isinstance(found, ast.stmt)
        return found

    def statement_at(self, line: int) -> ast.stmt | None:
        """Return the innermost statement whose own lines, without its body's, have ``line``."""
        found = None
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.stmt):
                continue
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno
            if first_line(node) <= line <= max(last or 0, node.lineno):
                found = node
        return found

    def imported(self) -> dict[str, ast.Import | ast.ImportFrom]:
        """Return the statement that imports each name at the top of the module."""
        return {
            bound: node
            for node in self.tree.body
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
            if (bound := alias.asname or alias.name.partition(".")[0]) != "*"
        }

    def defined(self) -> dict[str, ast.FunctionDef | ast.ClassDef]:
        """Return functions and classes of the module."""
        return {
            node.name: node
            for node in self.tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        }

    def after_imports(self) -> int:
        """Return the offset of the first line after the docstring and the first imports."""
        last = 0
        for number, node in enumerate(self.tree.body):
            is_docstring = number == 0 and is_text(node)
            if not isinstance(node, (ast.Import, ast.ImportFrom)) and not is_docstring:
                break
            last = node.end_lineno or 0
        return self.offset(last + 1, 0)


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


class Rewriting:
    """Edits of one module, and where its lines went."""

    def __init__(self, name: str, module: Module) -> None:
        self.name = name
        self.module = module
        self._edits: list[_Edit] = []
        self._moves: dict[int, list[tuple[_Edit, int]]] = defaultdict(list)

    def replace(self, start: int, end: int, text: str) -> None:
        self._edits.append(_Edit(start, end, text))

    def insert(self, at: int, text: str, lines: Mapping[int, Iterable[int]] | None = None) -> None:
        """Insert ``text``, to whose ``lines``, from 0, lines of the module went."""
        edit = _Edit(at, at, text)
        self._edits.append(edit)
        for line, places in (lines or {}).items():
            self._moves[line] += [(edit, place) for place in places]

    def rewrite(self, start: int, end: int, text: str, lines: Mapping[int, Iterable[int]]) -> None:
        """Replace whole lines, of which ``lines`` says where in ``text`` they went."""
        self.replace(start, end, "")
        self.insert(start, text, lines)

    def finish(self) -> tuple[str, dict[int, set[int]]]:
        """Return the new text, and the new lines of each old one."""
        edits = sorted(self._edits, key=lambda edit: (edit.start, edit.end))
        parts, at, shift = [], 0, 0
        begins: dict[int, int] = {}  # edit → offset of its text in the new one
        for edit in edits:
            assert edit.start >= at, "edits overlap"
            parts += [self.module.text[at : edit.start], edit.text]
            begins[id(edit)] = edit.start + shift
            shift += len(edit.text) - (edit.end - edit.start)
            at = edit.end
        text = "".join([*parts, self.module.text[at:]])
        lines: dict[int, set[int]] = {}
        for line in range(1, self.module.number_of_lines + 1):
            first = self.module.first_character(line)
            own = lines.setdefault(line, set())
            if (kept := _moved(first, edits)) is not None:
                own.add(text.count("\n", 0, kept) + 1)
            for edit, place in self._moves.get(line, ()):
                own.add(text.count("\n", 0, begins[id(edit)]) + 1 + place)
        return text, lines


def _moved(offset: int, edits: Sequence[_Edit]) -> int | None:
    """Return where a character is after ``edits``, or None if it was cut out."""
    moved = offset
    for edit in edits:
        if edit.end <= offset:
            moved += len(edit.text) - (edit.end - edit.start)
        elif edit.start <= offset:
            return moved - (offset - edit.start) if edit.text else None
    return moved


def first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def is_text(node: ast.AST) -> bool:
    """Return whether a statement is a string: of those some are docstrings."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
