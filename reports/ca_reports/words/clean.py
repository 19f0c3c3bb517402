"""Cleans the texts of a log, so that nothing in them steers a terminal or a page.

Every way out (terminal, stderr, page, table, XML, JSON) cleans its texts here.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from ca_engine.lazy_expressions import expression

# Control characters but tab and newline; marks that reorder a line (U+202E and its kind); line
# separators; and what UTF-8 or XML cannot hold.
_UNSAFE = expression(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)
# CI systems run lines of a log: GitHub those that begin with `::`, others `##[…]`, `##vso[…]`.
_BEGINS = expression(r"^([^\S\n]*:)(?=:)", re.M)
_INSIDE = expression(r"#(?=#\w*\[)")
# Nobody sees it, and no machine reads across it.
BREAK = "\N{ZERO WIDTH SPACE}"
# A spreadsheet runs a cell that begins so as a formula.
_FORMULA = ("=", "+", "-", "@", "\t")


def visible(text: str) -> str:
    """Return ``text`` with U+FFFD for every character that would act instead of being shown."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def no_commands(text: str) -> str:
    """Return ``text`` with an invisible break in whatever a CI system would run."""
    return _INSIDE.sub(f"#{BREAK}", _BEGINS.sub(rf"\1{BREAK}", text))


def clean(text: str) -> str:
    """Return ``text`` for a stream: every character visible, no line a command."""
    return no_commands(visible(text))


def one_line(text: str, width: int | None = None) -> str:
    """Return ``text`` cleaned and on one line, cut to ``width`` characters."""
    return shorten(clean(" ".join(text.split())), width)


def shorten(text: str, width: int | None) -> str:
    """Return ``text``, its end replaced by ``…`` where it is longer than ``width`` characters."""
    return text if width is None or len(text) <= width else text[: width - 1] + "…"


def cell(text: str) -> str:
    """Return ``text`` as a cell of CSV: cleaned, and no formula."""
    cleaned = clean(text)
    return f"'{cleaned}" if cleaned.startswith(_FORMULA) else cleaned


def json_text(document: Any) -> str:
    """Return ``document`` as indented JSON that ends in a newline; see `json_safe`."""
    return json_safe(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode() + "\n")


def json_safe(text: str) -> str:
    """JSON that says the same, with unsafe characters as escapes."""
    escaped = _UNSAFE.sub(lambda found: rf"\u{ord(found[0]):04x}", text)
    return _INSIDE.sub(r"\\u0023", escaped)
