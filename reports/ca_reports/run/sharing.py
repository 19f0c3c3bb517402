"""A run as one may show it to strangers: what it would tell about its people is left out.

Taken out are source lines, arguments, error messages, host names and user names; a home folder
becomes ``~``. Names of functions, files below the home folder, modules and parameters stay: without
them no finding could be understood. Whatever is worked out of the result knows no more than it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from ca_engine.lazy_expressions import expression
from ca_reports.logs.stored import StoredText
from ca_reports.program.stack import Frame
from ca_reports.run.model import Capture, End, Process, Recorded, Run

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

_HOME = expression(
    r"(?:/home|/Users|/var/home|[A-Za-z]:\\+Users)[/\\]+(?P<user>[^/\\:\s\"'<>|]+)|/root\b"
)
# In place of a user's line, these say what torch itself put there.
_NODE_CALL = expression(r"(?<![\w:<>, ])[\w:<>, ]{1,300} \(NodeCall \d{1,9}\)")
_IGNORE = expression(r"#\s*ca:\s*ignore(?:\[[\w\s,*-]*\])?")
# `# File: train.py:4 in forward, code: return y * n` in the code of a graph
_CODE_OF_GRAPH = expression(r"(?P<place># File: [^\n]{0,4096}?), code: (?P<code>[^\n]*)")
# `n == 1.0  # return y * n  # train.py:5 in forward` of a guard
_GUARD = expression(r"(?<=[^ \n])[ ]{2,}# [^\n]*")
_PLACE = expression(r"(?<!\S)\S{1,1000}:\d{1,9} in \S+")
# The line of code below a frame of a traceback.
_TRACEBACK = expression(
    r'(?P<frame>File "[^"\n]*", line \d{1,9}[^\n]*\n)(?:(?![ \t]*File ")[ \t]+[^\n]+(?:\n|$))+'
)
# A name that is no one's: `/root` is everywhere.
_NOBODY = frozenset(("root", "user", "home"))


def shared(run: Run) -> Run:
    """Return `run` without what is not to be shared; the original stays as it is."""
    return _Sharing(run).value(run)


class _Sharing:
    def __init__(self, run: Run) -> None:
        known: list[Recorded | Process] = [*run.recorded, *run.processes, *run.helpers]
        hosts = {one.host for one in known if one.host and one.host != "localhost"}
        paths = [*run.paths, *run.files, *(one.cwd for one in known if one.cwd)]
        users = {found["user"] for path in paths for found in _HOME.finditer(path)}
        users -= {None, *_NOBODY}
        self._names = dict.fromkeys(hosts, "host") | {user: "user" for user in users if user}
        self._any_name = _any_of(self._names)

    def value(self, value: T) -> T:
        """Return any part of a run with nothing in it that is not to be shared."""
        return self._value(value)  # type: ignore[no-any-return]

    def text(self, text: str) -> str:
        """Return a text without homes, hosts, users and lines of source."""
        text = _CODE_OF_GRAPH.sub(_without_code, text)
        text = _TRACEBACK.sub(lambda found: found["frame"], _GUARD.sub(_without_comment, text))
        text = _HOME.sub("~", text)
        if self._any_name is None:
            return text
        return self._any_name.sub(lambda found: self._names[found[0]], text)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, StoredText):
            return StoredText.pack(self.text(value.text).encode())
        if isinstance(value, Mapping):
            return {self._value(key): self._value(one) for key, one in value.items()}
        if isinstance(value, tuple) and hasattr(value, "_make"):
            return value._make(map(self._value, value))
        if isinstance(value, (tuple, list, frozenset)):
            return type(value)(map(self._value, value))
        if is_dataclass(value) and not isinstance(value, type):
            return self._dataclass(value)
        return value

    def _dataclass(self, value: Any) -> Any:
        names = [one.name for one in fields(value) if one.init]
        changed = {name: self._value(getattr(value, name)) for name in names}
        if isinstance(value, Frame):
            changed["code"] = _what_is_not_the_users(value.code)
        elif isinstance(value, Capture) and value.autograd_json is not None:
            changed["autograd_json"] = self._json(value.autograd_graph)
        elif isinstance(value, Process):
            changed |= {"argv": changed["argv"][:1], "host": None}
        elif isinstance(value, Recorded):
            script = value.script and PurePath(value.script).name
            changed |= {"command": ("ca", "run", script) if script else (), "host": None}
            changed["script"] = script
        elif isinstance(value, End):
            changed["error_text"] = value.error
        elif isinstance(value, Run):
            changed |= {"source_roots": (), "source": {}, "is_shared": True}
        return replace(value, **changed)

    def _json(self, nodes: list[dict[str, Any]]) -> StoredText:
        shared = _without_keys(self._value(nodes))
        return StoredText.pack(b"\n".join(map(orjson.dumps, shared)))


def _what_is_not_the_users(code: str) -> str:
    """Keep a comment that silences a finding, or the node that torch wrote for source."""
    if _NODE_CALL.fullmatch(code):
        return code
    found = _IGNORE.search(code)
    return "" if found is None else found[0]


def _without_code(found: re.Match[str]) -> str:
    code = found["code"].strip()
    return found[0] if _NODE_CALL.fullmatch(code) else found["place"]


def _without_comment(found: re.Match[str]) -> str:
    _, sign, place = found[0].rstrip().rpartition("  # ")
    return f"{sign}{place}" if sign and _PLACE.fullmatch(place) else ""


def _without_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: "" if key == "code" else _without_keys(one) for key, one in value.items()}
    return [_without_keys(one) for one in value] if isinstance(value, list) else value


def _any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern for the names as words of their own, the longest first."""
    escaped = [re.escape(name) for name in sorted(names, key=len, reverse=True)]
    return re.compile(rf"(?<![\w])(?:{'|'.join(escaped)})(?![\w])") if escaped else None
