"""Takes the literals of secrets out of Python source: by the name before them, and by their place.

`source_redaction` asks for it where a text may name a secret: all its expressions take some
milliseconds to compile. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ca_engine.lazy_expressions import expression
from ca_engine.redaction import (
    NAME,
    REDACTED,
    as_many_lines,
    by_form,
    of_lists,
    redact_text,
)
from ca_engine.secret_literals import FIELD, LITERAL, closing_quotes, secret_span, spans
from ca_engine.secret_names import holds_secret, is_secret, may_hold_secret

# Text of an f-string, and what it computes.
_TEXT_OR_FIELD = expression(r"\{[^{}]*\}|[^{}]+")
# Before the first of a list or of a text in parts, and between them.
_OPENED = expression(r"[(\[]\s{0,200}")
_BETWEEN = expression(r"\s{0,200}[,+]?\s{0,200}")
# A text in parts without brackets: `"a" + "b"`.
_ADDED = expression(r"[ ]{0,4}\+[ ]{0,4}")
# One that has no end is taken to the end of its line: else each quote is searched from.
_COMMENT_OR_LITERAL = expression(
    rf"(?P<comment>\#[^\n]*) | {LITERAL.pattern} | [\"'][^\n]*", LITERAL.flags
)
_GAP = r"(?:\s|\\\n){0,40}"
_NAME_IN_SOURCE = expression(
    rf"""(?:(?<![\w.-])(?P<name>-{{0,2}}{NAME})
      (?P<keys>(?:["']?\]|\[["']?[\w.-]{{0,60}}){{0,8}})["']?{_GAP}
      (?::[ ]?[\w.|\[\](), ]{{1,60}})?(?::=|==|!=|[=:]){_GAP}
    | (?:(?<=\()|(?<=\bsetattr\()[\w.]{{1,80}},[ ])
      ["'](?P<first>-{{0,2}}{NAME})["'][ ]?,(?:[^()\n]{{0,200}}?\bdefault=|{_GAP}))
    (?:(?:str|bytes|Secret|SecretStr)\()?""",
    re.VERBOSE,
)
# `class ApiToken:`, after which a docstring comes; a dictionary's key has a quote there.
_BEFORE_BLOCK = expression(r"""[^"'=]:[ \t]{0,40}\n\s{0,200}\Z""")
_NAMES = expression(NAME)
# After a literal: `"…" == self.password`.
_COMPARED = expression(rf"[ ]{{0,4}}[!=]=[ ]{{0,4}}(?P<name>{NAME})")
# `user, password = "…", "…"`; without the spaces it may be an argument of a call.
_TARGETS = expression(
    rf"""^[ \t]{{0,100}}(?P<names>\(?{NAME}(?:,[ ]?{NAME}){{1,8}})\)?
    (?P<gap>[ ]?)=(?!=)[ ]?\(?""",
    re.MULTILINE | re.VERBOSE,
)
_ELEMENT = expression(
    rf"(?:{LITERAL.pattern}(?=[ ]{{0,4}}(?:[,)#;\n]|\Z)))?[^,\n]*(?P<more>,[ ]?)?",
    LITERAL.flags,
)
# `password = read() or "…"`: what is taken if there is no other.
_FALLBACK = expression(rf"\b(?:or|else)[ ]{{1,4}}\(?(?P<literal>{LITERAL.pattern})", LITERAL.flags)
_LONGEST_VALUE = 400  # characters, in which fallbacks are looked for


def without_secrets(source: str, patterns: Sequence[str]) -> str:
    """Return source as `redact_source` does, whatever it says."""
    source = _by_place(source, patterns)
    source, told_apart = _of_tuples(of_lists(by_form(source), patterns), patterns)
    parts: list[str] = []
    end = 0
    closing = closing_quotes(source)
    for head in _NAME_IN_SOURCE.finditer(source):
        names = [head["name"] or head["first"], *_NAMES.findall(head["keys"] or "")]
        if head.start() < end or not any(is_secret(name, patterns) for name in names):
            continue
        if source.rfind("=", head.start(), head.end()) in told_apart:
            continue
        if head["name"] and _BEFORE_BLOCK.search(head[0]):
            continue
        opened = _OPENED.match(source, head.end())
        value = LITERAL.match(source, head.end() if opened is None else opened.end())
        while value is not None and value.start() not in closing:
            begin, after = secret_span(value)
            if begin < after and any(
                holds_secret(name, source[begin:after], patterns) for name in names
            ):
                parts += (source[end:begin], as_many_lines(source[begin:after]))
                end = after
            between = (_BETWEEN if opened else _ADDED).match(source, value.end())
            value = None if between is None else LITERAL.match(source, between.end())
        for found in _FALLBACK.finditer(source, max(end, head.end()), _end_of_value(source, head)):
            begin, after = secret_span(found)
            if begin < after:
                parts += (source[end:begin], REDACTED)
                end = after
    source = "".join((*parts, source[end:]))
    return _COMMENT_OR_LITERAL.sub(lambda found: _in_literal(found, patterns), source)


def _by_place(source: str, patterns: Sequence[str]) -> str:
    """Return source without the literals that are secrets by where they stand."""
    parts: list[str] = []
    end = 0
    for begin, after in spans(source, patterns):
        parts += (source[end:begin], as_many_lines(source[begin:after]))
        end = after
    return "".join((*parts, source[end:]))


def _end_of_value(source: str, head: re.Match[str]) -> int:
    """Return where the line ends in which a value begins, or the part of it that is looked at."""
    end = min(len(source), head.end() + _LONGEST_VALUE)
    newline = source.find("\n", head.end(), end)
    return end if newline < 0 else newline


def _of_tuples(source: str, patterns: Sequence[str]) -> tuple[str, set[int]]:
    """Take out the secrets of ``user, password = "…", "…"``.

    Returns where the equals signs then stand after which it is known which value is whose; for
    the others all literals are taken out.
    """
    parts: list[str] = []
    told_apart: set[int] = set()
    end = length = 0
    for found in _TARGETS.finditer(source):
        names = _NAMES.findall(found["names"])
        if not any(is_secret(name, patterns) or may_hold_secret(name) for name in names):
            continue
        literals = _elements(source, found.end(), len(names) + 1)
        is_clear = bool(found["gap"]) and len(literals) == len(names)
        if is_clear:
            told_apart.add(length + found.end("gap") - end)
        for index, (begin, after) in enumerate(literals):
            of = names[index : index + 1] if is_clear else names
            text = source[begin:after]
            if begin < after and any(holds_secret(name, text, patterns) for name in of):
                parts += (source[end:begin], REDACTED)
                length += begin - end + len(REDACTED)
                end = after
    return "".join((*parts, source[end:])), told_apart


def _elements(source: str, begin: int, most: int) -> list[tuple[int, int]]:
    """Find the texts of the literals in a line of values; of another value an empty span."""
    spans: list[tuple[int, int]] = []
    while len(spans) < most:
        value = _ELEMENT.match(source, begin)
        assert value is not None  # it matches an empty text
        begin = value.end()
        spans.append((begin, begin) if value["prefix"] is None else secret_span(value))
        if not value["more"]:
            break
    return spans


def _in_literal(found: re.Match[str], patterns: Sequence[str]) -> str:
    """Return a comment or a literal without the secrets that it names."""
    kind = found.lastgroup
    if kind is None:
        return found[0]
    compared = _COMPARED.match(found.string, found.end())
    if (
        compared is not None
        and found[kind]
        and holds_secret(compared["name"], found[kind], patterns)
    ):
        text = REDACTED
    elif "f" in (found["prefix"] or "").lower():
        text = _in_format(found[kind], patterns)
    else:
        text = redact_text(found[kind], patterns)
    lines = "\n" * (found[kind].count("\n") - text.count("\n"))
    begin, end = found.span(kind)
    return f"{found[0][: begin - found.start()]}{text}{lines}{found[0][end - found.start() :]}"


def _in_format(text: str, patterns: Sequence[str]) -> str:
    """Return the text of an f-string without the secrets between what it computes.

    One with braces in braces is left as it is: what stands in them may be code.
    """
    if re.search(r"[{}]", FIELD.sub("", text)):
        return text
    return "".join(
        part if part[0] == "{" else redact_text(part, patterns)
        for part in _TEXT_OR_FIELD.findall(text)
    )
