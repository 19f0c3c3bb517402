"""Changes of a file's text, by its syntax: what stands around a change stays to the byte.

Each verb gives the replacements that do what it says: none where the source says it already. What
comes of them is parsed; where it would be no Python, or only half of what was asked, the verb
raises `RefusedError`, with the reason in one line for the user.
"""

from __future__ import annotations

import ast
import tokenize
from itertools import pairwise
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.bindings import TRIES
from ca_reports.program.files import parsed
from ca_reports.program.positions import walk
from ca_reports.words.places import is_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ca_reports.program.scopes import Function
    from ca_reports.program.syntax import Module

_COMPOUND = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor, ast.While,
    ast.With, ast.AsyncWith, ast.Match, *TRIES,
)  # fmt: skip
# What a method can be called on, and what binds tighter than any operator.
_WHOLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
# Tokens that hold what a text says; since Python 3.12 those of f-strings are apart.
_TEXTS = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1))
_BLOCKS = ("body", "orelse", "finalbody", "handlers")


class RefusedError(Exception):
    """No patch can be made; the message says why, in one line for the user."""


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """Characters ``start`` to ``end`` (exclusive) of ``file`` become ``text``.

    ``file`` is relative to the folder where the run was started.
    """

    file: str
    start: int
    end: int
    text: str


Edits = tuple[Replacement, ...]


def applied_to(text: str, edits: Iterable[Replacement], file: str = "the file") -> str:
    """Return ``text`` with all of ``edits``. Raises `RefusedError` if two change the same."""
    own = sorted(set(edits))
    for earlier, later in pairwise(own):
        if later.start < earlier.end:
            raise RefusedError(f"two patches change the same lines of {file}: apply one at a time")
    for one in reversed(own):
        text = text[: one.start] + one.text + text[one.end :]
    return text


def checked(file: Module, edits: Iterable[Replacement]) -> Edits:
    """Return ``edits`` without those that change nothing, if what comes of them is Python."""
    kept = tuple(one for one in edits if file.text[one.start : one.end] != one.text)
    if kept and parsed(applied_to(file.text, kept, file.file)) is None:
        first = min(kept)
        raise RefusedError(f"{file.file}:{file.line_of(first.start)} cannot be changed")
    return kept


# Expressions


def replace(file: Module, node: ast.AST, text: str) -> Edits:
    """Put ``text`` in the place of ``node``; brackets around it stay."""
    return checked(file, [Replacement(file.file, *file.span(node), text)])


def wrap(file: Module, node: ast.expr, function: str, *more: str) -> Edits:
    """Put a call of ``function`` around ``node``, with ``more`` arguments after it."""
    around = file.parents.get(node)
    is_first = isinstance(around, ast.Call) and around.args[:1] == [node]
    if isinstance(around, ast.Call) and is_first and file.code(around.func) == function:
        return ()
    if isinstance(node, ast.Starred):
        raise RefusedError(f"{file.place(node)} takes its arguments from a list")
    start, end = file.span(node)
    is_bare = isinstance(node, ast.GeneratorExp | ast.Tuple | ast.NamedExpr | ast.Yield)
    code = f"({file.code(node)})" if is_bare or isinstance(node, ast.YieldFrom) else file.code(node)
    text = f"{function}({', '.join((code, *more))})"
    return checked(file, [Replacement(file.file, start, end, text)])


def append(file: Module, node: ast.expr, text: str) -> Edits:
    """Put ``text``, such as a method's call, after an expression, in brackets if it needs them."""
    start, end = file.span(node)
    if file.text.startswith(text, end):
        return ()
    if isinstance(node, _WHOLE):
        return checked(file, [Replacement(file.file, end, end, text)])
    outer = file.whole(node)
    if outer != (start, end) and not isinstance(node, ast.GeneratorExp):
        if file.text.startswith(text, outer[1]):
            return ()
        return checked(file, [Replacement(file.file, outer[1], outer[1], text)])
    return checked(file, [Replacement(file.file, start, end, f"({file.code(node)}){text}")])


def operand(file: Module, node: ast.expr) -> str:
    """Return the code of ``node`` as it may stand beside any operator."""
    is_number = isinstance(node, ast.Constant) and not isinstance(node.value, str | bytes)
    return file.code(node) if isinstance(node, _WHOLE) or is_number else f"({file.code(node)})"


# Arguments


@dataclass(frozen=True, slots=True)
class GivenArgument:
    """One argument of a call: ``keyword`` is empty without a name, ``star`` is ``*`` or ``**``.

    ``node`` is all of it, ``value`` what is given.
    """

    node: ast.expr | ast.keyword
    value: ast.expr
    keyword: str = ""
    star: str = ""


def arguments(call: ast.Call) -> list[GivenArgument]:
    """Return the arguments of a call, in the order of the source."""
    found = [
        GivenArgument(one, one.value, star="*")
        if isinstance(one, ast.Starred)
        else GivenArgument(one, one)
        for one in call.args
    ]
    found += [
        GivenArgument(one, one.value, one.arg or "", "" if one.arg else "**")
        for one in call.keywords
    ]
    return sorted(found, key=lambda one: (one.value.lineno, one.value.col_offset))


def add_keyword(file: Module, call: ast.Call, name: str, value: str) -> Edits:
    """Give ``name=value`` to ``call``, in the place of another value for it.

    One line stays one, and one argument a line stays so. Raises `RefusedError` if ``*`` or ``**``
    may give it already.
    """
    given = arguments(call)
    starred = next((one for one in given if one.star), None)
    if starred is not None:
        where = file.place(call)
        raise RefusedError(f"the call at {where} takes {starred.star}: add {name}={value} there")
    known = next((one for one in given if one.keyword == name), None)
    if known is not None:
        return replace(file, known.value, value)
    return add_argument(file, call, f"{name}={value}")


def add_argument(file: Module, call: ast.Call, text: str) -> Edits:
    """Put an argument after the others, laid out as they are; none where the last says it."""
    given = arguments(call)
    end = file.span(call)[1] - 1
    if not given:
        return checked(file, [Replacement(file.file, end, end, text)])
    last = given[-1]
    if file.code(last.node) == text:
        return ()
    if isinstance(last.value, ast.GeneratorExp) and not last.keyword and not last.star:
        raise RefusedError(f"the call at {file.place(call)} is given a generator")
    start = file.whole(last.value)[1] if not isinstance(last.value, ast.GeneratorExp) else end
    after = file.after(start)
    has_comma = after is not None and after.text == ","
    begin = after.end if after is not None and has_comma else start
    line_end = file.line_end(begin)
    rest = file.text[begin:line_end].strip()
    first = file.span(last.node)[0]
    is_own_line = file.text[file.line_begin(first) : first].strip() == ""
    if is_own_line and (not rest or rest.startswith("#")):
        added = f"{file.newline}{file.indent_at(first)}{text}{',' if has_comma else ''}"
        kept = ("" if has_comma else ",") + file.text[start:line_end]
        return checked(file, [Replacement(file.file, start, line_end, kept + added)])
    return checked(file, [Replacement(file.file, start, start, f", {text}")])


# Statements


def siblings(file: Module, statement: ast.AST) -> list[ast.stmt]:
    """Return the statements of the block that ``statement`` is in, itself among them."""
    around = file.parents.get(statement)
    for name in _BLOCKS:
        block = getattr(around, name, None)
        if isinstance(block, list) and any(one is statement for one in block):
            return block
    return []


def following(file: Module, statement: ast.AST) -> list[ast.stmt]:
    """Return what comes after ``statement`` in its block."""
    block = siblings(file, statement)
    at = next((at for at, one in enumerate(block) if one is statement), len(block))
    return block[at + 1 :]


def is_alone(file: Module, statement: ast.AST) -> bool:
    """Return whether no other statement begins or ends on the lines of ``statement``."""
    start, end = file.begin(statement), file.span(statement)[1]
    rest = file.text[end : file.line_end(end)].strip()
    is_first = not file.text[file.line_begin(start) : start].strip()
    return is_first and (not rest or rest.startswith("#"))


def is_simple(statement: ast.AST) -> bool:
    """Return whether it is a statement without a block."""
    return isinstance(statement, ast.stmt) and not isinstance(statement, _COMPOUND)


def above(file: Module, statement: ast.AST) -> int:
    """Return where a line before ``statement`` goes: above comments right above, and decorators."""
    at = file.line_begin(file.begin(statement))
    indent = file.indent_at(at)
    while at:
        start = file.line_begin(at - 1)
        if not file.text[start:at].startswith(f"{indent}#"):
            break
        at = start
    return at


def insert_before(
    file: Module, statement: ast.AST, lines: Sequence[str], *, below_comments: bool = False
) -> Edits:
    """Put ``lines`` before a statement and the comments right above it, or below these."""
    _require_alone(file, statement)
    at = file.line_begin(file.begin(statement)) if below_comments else above(file, statement)
    text = _block(file, statement, lines)
    if file.text[:at].endswith(text):
        return ()
    return checked(file, [Replacement(file.file, at, at, text)])


def insert_after(file: Module, statement: ast.AST, lines: Sequence[str]) -> Edits:
    """Put ``lines`` after a statement."""
    _require_alone(file, statement)
    at = file.line_end(file.span(statement)[1])
    indent = file.indent_at(file.span(statement)[0])
    text = "".join(f"{file.newline}{indent}{line}" if line else file.newline for line in lines)
    if file.text.startswith(text, at):
        return ()
    return checked(file, [Replacement(file.file, at, at, text)])


def insert_first(file: Module, function: Function | ast.ClassDef, lines: Sequence[str]) -> Edits:
    """Put ``lines`` before the first statement of a function, after its docstring."""
    body = [] if isinstance(function, ast.Lambda) else function.body
    rest = [one for one in body if not is_docstring(one)]
    if not rest or not is_alone(file, rest[0]):
        raise RefusedError(f"{file.place(function)} has no statement of its own")
    return insert_before(file, rest[0], lines)


def remove(file: Module, statement: ast.AST) -> Edits:
    """Take the lines of a statement out. Raises `RefusedError` if its block has no other."""
    _require_alone(file, statement)
    if len(siblings(file, statement)) < 2:
        raise RefusedError(f"nothing else is in the block of {file.place(statement)}")
    start = file.line_begin(file.begin(statement))
    return checked(file, [Replacement(file.file, start, _next_line(file, statement), "")])


def move_before(
    file: Module,
    statement: ast.AST,
    target: ast.AST,
    edits: Sequence[Replacement] = (),
    *,
    blank_lines: int = 0,
) -> Edits:
    """Cut ``statement`` out and put it before ``target``, as deep as that, with ``edits`` of it."""
    if len(siblings(file, statement)) < 2:
        raise RefusedError(f"nothing else is in the block of {file.place(statement)}")
    _require_alone(file, statement)
    _require_one_line_texts(file, statement)
    start, end = file.line_begin(file.begin(statement)), _next_line(file, statement)
    old, new = file.indent_at(file.begin(statement)), file.indent_at(file.begin(target))
    lines = _edited(file, start, end, edits).split("\n")
    text = "\n".join(new + line[len(old) :] if line.startswith(old) else line for line in lines)
    if not text.endswith("\n"):
        text += file.newline
    if blank_lines:
        # The blank lines after it separated it from the rest of its old block.
        while file.text[end:].startswith(file.newline):
            end += len(file.newline)
    at = above(file, target)
    added = Replacement(file.file, at, at, text + file.newline * blank_lines)
    return checked(file, [added, Replacement(file.file, start, end, "")])


def unwrap(file: Module, statement: ast.stmt, body: Sequence[ast.stmt]) -> Edits:
    """Put the lines of ``body``, a block of ``statement``, in its place, as deep as it is."""
    _require_alone(file, statement)
    text = dedented(file, statement, body)
    start, end = file.line_begin(file.span(statement)[0]), file.line_end(file.span(statement)[1])
    return checked(file, [Replacement(file.file, start, end, text)])


def dedented(file: Module, statement: ast.stmt, body: Sequence[ast.stmt]) -> str:
    """Return the lines of ``body`` as deep as ``statement``, which has it, without the last end."""
    for one in body:
        _require_one_line_texts(file, one)
    first, last = file.begin(body[0]), file.line_end(file.span(body[-1])[1])
    if file.line_begin(first) == file.line_begin(file.span(statement)[0]):
        return file.indent_at(first) + file.text[first:last]
    step = len(file.indent_at(first)) - len(file.indent_at(file.span(statement)[0]))
    lines = file.text[file.line_begin(first) : last].split("\n")
    return "\n".join(line[step:] if line[:step].isspace() else line for line in lines)


def _edited(file: Module, start: int, end: int, edits: Sequence[Replacement]) -> str:
    """Return the text from ``start`` to ``end`` with ``edits`` of it."""
    text = file.text[start:end]
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start - start] + edit.text + text[edit.end - start :]
    return text


def put_under(
    file: Module,
    statement: ast.AST,
    head: str,
    *,
    before: Sequence[str] = (),
    within: Edits = (),
    last: ast.AST | None = None,
    after: Sequence[str] = (),
) -> Edits:
    """Indent the lines of ``statement`` below ``head``, such as ``with torch.no_grad():``.

    And those up to ``last``, a later one of its block. Lines ``before`` come above the head, and
    ``after`` below all that is indented; ``within`` are edits of the statement itself.
    """
    _require_alone(file, statement)
    last = last or statement
    for one in (statement, *following(file, statement)):
        _require_one_line_texts(file, one)
        if one is last:
            break
    around = file.parents.get(statement)
    is_there = around is not None and file.text.startswith(head, file.span(around)[0])
    if is_there and len(siblings(file, statement)) == 1:
        return ()
    start, end = file.line_begin(file.begin(statement)), file.line_end(file.span(last)[1])
    lines = _edited(file, start, end, within).split("\n")
    body = "\n".join(f"{file.unit}{line}" if line.strip() else line for line in lines)
    indent = file.indent_at(start)
    above_it = "".join(f"{indent}{line}{file.newline}" for line in (*before, head))
    below_it = "".join(f"{file.newline}{indent}{line}" for line in after)
    return checked(file, [Replacement(file.file, start, end, f"{above_it}{body}{below_it}")])


def decorate(file: Module, function: ast.AST, decorator: str) -> Edits:
    """Put ``@decorator`` on a function or class, below those that it has."""
    if any(file.code(one) == decorator for one in getattr(function, "decorator_list", ())):
        return ()
    at = file.line_begin(file.span(function)[0])
    text = f"{file.indent_at(at)}@{decorator}{file.newline}"
    return checked(file, [Replacement(file.file, at, at, text)])


def undecorate(file: Module, decorator: ast.expr) -> Edits:
    """Take the line of a decorator out."""
    if file.lines(decorator)[0] != file.lines(decorator)[1]:
        raise RefusedError(f"{file.place(decorator)} is a decorator of several lines")
    start = file.line_begin(file.span(decorator)[0])
    return checked(file, [Replacement(file.file, start, file.next_line(start), "")])


# Names


def import_module(file: Module, name: str) -> Edits:
    """Import a module by its own name, where sorted imports have it.

    None where it is imported so. Raises `RefusedError` where the name is another thing's.
    """
    module = file.bindings.scopes.module
    bound = module.bindings.get(name.partition(".")[0], ())
    aliases = [one for one in bound if isinstance(one, ast.alias)]
    if any(one.asname is None and one.name == name for one in aliases):
        return ()
    if any(one not in aliases or one.asname for one in bound):
        raise RefusedError(f"{file.file} has another {name}")
    at, text = _place_of_import(file, name)
    return checked(file, [Replacement(file.file, at, at, text)])


def _place_of_import(file: Module, name: str) -> tuple[int, str]:
    line = f"import {name}{file.newline}"
    top = [one for one in file.tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
    parts = [
        one
        for one in top
        if isinstance(one, ast.Import) and one.names[0].name.startswith(f"{name}.")
    ]
    if parts:
        return file.line_begin(file.span(parts[0])[0]), line
    own = [
        one
        for one in top
        if isinstance(one, ast.ImportFrom)
        and not one.level
        and f"{one.module}.".startswith(f"{name}.")
    ]
    if own:
        first = own[0]
        for one in reversed(top[: top.index(own[0])]):
            follows = file.lines(one)[1] + 1 == file.lines(first)[0]
            if not follows or not isinstance(one, ast.ImportFrom):
                break
            first = one
        return file.line_begin(file.span(first)[0]), line
    if top:
        return _next_line(file, top[-1]), f"{file.newline}{line}"
    if not file.tree.body:
        raise RefusedError(f"{file.file} has no code")
    begin = file.tree.body[0]
    if is_docstring(begin):
        return _next_line(file, begin), f"{file.newline}{line}"
    # Of a cell the first line can be a magic, which has to stay there.
    at = file.line_begin(file.begin(begin)) if is_cell(file.file) else above(file, begin)
    return at, f"{line}{file.newline}"


# Questions


def is_docstring(statement: ast.AST) -> bool:
    """Return whether ``statement`` is a text alone."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str | bytes)


def words_in(node: ast.AST) -> set[str]:
    """Return every name in ``node``: of variables, attributes, parameters, keywords, imports."""
    found: set[str] = set()
    for one in walk(node):
        for field in ("id", "attr", "arg", "asname", "name", "rest"):
            value = getattr(one, field, None)
            if isinstance(value, str):
                found.update(value.split("."))
        if isinstance(one, ast.Global | ast.Nonlocal):
            found.update(one.names)
        elif isinstance(one, ast.ImportFrom) and one.module:
            found.update(one.module.split("."))
    return found


def _require_alone(file: Module, statement: ast.AST) -> None:
    if not is_alone(file, statement):
        raise RefusedError(f"{file.place(statement)} has other statements on its line")


def _require_one_line_texts(file: Module, statement: ast.AST) -> None:
    """Raise `RefusedError` where a text runs over lines: its own indent would change."""
    for part in walk(statement):
        is_text = isinstance(part, ast.JoinedStr) or (
            isinstance(part, ast.Constant) and isinstance(part.value, str | bytes)
        )
        if is_text and _has_inner_lines(file, part):
            raise RefusedError(f"{file.place(statement)} has a text over several lines")


def _has_inner_lines(file: Module, text: ast.AST) -> bool:
    """Return whether a line begins within one text, and not between two that are joined."""
    start, end = file.span(text)
    return any(
        each.kind in _TEXTS and "\n" in each.text
        for each in file.tokens
        if start <= each.start < end
    )


def _block(file: Module, statement: ast.AST, lines: Sequence[str]) -> str:
    indent = file.indent_at(file.begin(statement))
    return "".join(f"{indent}{line}{file.newline}" if line else file.newline for line in lines)


def _next_line(file: Module, statement: ast.AST) -> int:
    return file.next_line(file.span(statement)[1])
