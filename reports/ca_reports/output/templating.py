"""Environment of every page's templates, and how text gets into it."""

from __future__ import annotations

from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from ca_reports.sentences.places import at_line
from ca_reports.words import numbers
from ca_reports.words.clean import visible
from ca_reports.words.values import in_words

_TEMPLATES = Path(__file__).parent / "templates"


def environment() -> jinja2.Environment:
    """Return a new environment: all is escaped and cleaned, and what is undefined is an error."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["ticks"] = ticks
    made.filters["counted"] = numbers.counted
    made.filters["agreeing"] = numbers.agreeing
    made.filters["and_more"] = numbers.and_more
    made.filters["times"] = numbers.times
    made.filters["percent"] = numbers.percent
    made.filters["at_line"] = at_line
    made.filters["in_words"] = in_words
    return made


def finalize(value: object) -> object:
    """Return what a template prints, with no character in it that a reader cannot see."""
    if isinstance(value, Markup):
        return Markup(visible(value))
    return visible(value) if isinstance(value, str) else value


def ticks(text: str) -> Markup:
    """Return ``text``, escaped, with what stands between backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )
