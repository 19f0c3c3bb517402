"""Text copied out of pages, editors and mails, with its characters restored.

No-break spaces, typographic quotes, a tab before each line; entities and tags of HTML where a
page's source was copied.
"""

from __future__ import annotations

import html
import re

from ca_engine.lazy_expressions import expression

_ENTITY = expression(rb"&(?:[gl]t|quot|amp|nbsp|#39|#x27);")
_RAW = expression(rb"[<\"]")
# What pages and results of tests put around a text. Torch's own texts have `<module>`, `<lambda>`.
_TAG = expression(
    rb"</?(?:pre|code|samp|span|div|p|br|b|i|em|strong|font|a|ul|ol|li|table|tbody|tr|td|body|html"
    rb"|details|summary|testsuites?|testcase|failure|error|system-err|system-out)\b[^<>\n]{0,1000}>"
    rb"|<\?xml[^<>\n]{0,200}>|<!\[CDATA\[|\]\]>"
)
_ENDS_LINE = expression(rb"<br ?/?>(?!\r?\n)")
_COPIED = expression(rb"\xc2\xa0|\xe2\x80[\x98\x99\x9c\x9d]")
_MEANT = {
    b"\xc2\xa0": b" ",
    b"\xe2\x80\x98": b"'",
    b"\xe2\x80\x99": b"'",
    b"\xe2\x80\x9c": b'"',
    b"\xe2\x80\x9d": b'"',
}
_UNTABBED = expression(rb"^[^\t\r\n]", re.M)
_TABS = expression(rb"\t+")


def is_escaped(text: bytes) -> bool:
    """Return whether ``text`` was escaped for HTML: entities, and no character that needs one.

    Tags of a page may stand around it.
    """
    if _ENTITY.search(text) is None:
        return False
    bare = _TAG.sub(b"", text)
    return (b"<" not in bare) if bare != text else _RAW.search(text) is None


def unescaped(text: bytes) -> bytes:
    """Return ``text`` without tags, with the characters that its entities stand for."""
    bare = _TAG.sub(b"", _ENDS_LINE.sub(b"\n", text))
    return html.unescape(bare.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def is_copied(text: bytes) -> bool:
    """Return whether ``text`` has characters that no logger writes, but pages and editors do."""
    return _COPIED.search(text) is not None


def as_written(text: bytes) -> bytes:
    """Return ``text`` with the characters that those of a page or an editor stand for."""
    return _COPIED.sub(lambda found: _MEANT[found[0]], text)


def tabs_before(text: bytes) -> bytes:
    """Return the tabs that stand before each line of ``text``; no bytes where one has none."""
    if not text.startswith(b"\t") or _UNTABBED.search(text) is not None:
        return b""
    return min(found[0] for found in map(_TABS.match, text.split(b"\n")) if found is not None)


def without_tabs(text: bytes, tabs: bytes) -> bytes:
    """Return ``text`` without ``tabs`` before each line."""
    return re.sub(rb"^" + tabs, b"", text, flags=re.M)
