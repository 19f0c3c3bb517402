"""References in sentences: names that are known once the program's source was read.

Rules make their sentences from the records. An argument that guards know by its place alone
(``args[0]``) has a name in the user's call, which is read later. Until then a sentence holds a
reference: what guards call it, and what is read of it, between signs that no name has. A text is
taken apart by these signs, and its words are searched for nothing.
"""

from __future__ import annotations

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression

_BEGIN, _WITHIN, _END = "\x02", "\x1f", "\x03"
_SIGN = expression(f"[{_BEGIN}{_END}]")
# No sentence has more references within each other: what has, a log was made to have.
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class Reference:
    """What guards call ``name``, and what is read of that: ``.ids`` of ``args[0]``.

    ``rest`` may hold references in turn: a dict is named once more in the key of its first entry.
    """

    name: str
    rest: str = ""

    def __str__(self) -> str:
        """Return it as a part of a sentence."""
        return f"{_BEGIN}{self.name}{_WITHIN}{self.rest}{_END}"


def parts(text: str) -> tuple[str, list[tuple[Reference, str]]]:
    """Return what ``text`` begins with, and each reference with the words up to the next.

    A text that a log was made to have may be torn between the signs, or lead on without end: it is
    returned as it is.
    """
    words, found, begin, depth, at = [], [], 0, 0, 0
    for sign in _SIGN.finditer(text):
        if sign[0] == _BEGIN:
            begin = begin if depth else sign.start()
            depth += 1
            if depth > _DEEPEST:
                return text, []
        elif depth:
            depth -= 1
            if not depth:
                name, _, rest = text[begin + 1 : sign.start()].partition(_WITHIN)
                words.append(text[at:begin])
                found.append(Reference(name, rest))
                at = sign.end()
    first, *others = *words, text[at:]
    return first, list(zip(found, others, strict=True))


def plain(text: str) -> str:
    """Return ``text`` with each reference as guards have it."""
    first, found = parts(text)
    return first + "".join(f"{one.name}{plain(one.rest)}{words}" for one, words in found)
