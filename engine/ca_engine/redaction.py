"""Removes whatever names itself a secret before anything is written.

Arguments, error messages and URLs are recorded for people to read, and end up in folders and
pages that are handed on. What counts as the name of a secret is `is_secret`; projects add
names of their own (``secrets`` in ``[tool.ca]``). Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

REDACTED = "[redacted]"

# A name with a word that ends so is a secret's: `--db-password`, `client_secret`, `PGPASSWORD`.
_SECRET = re.compile(
    r"(?:password|passwd|passphrase|passcode|secrets?|credentials?|authorization|cookie|apikey"
    r"|bearer|privatekey)\Z"
)
# `api_key`, `AWS_ACCESS_KEY_ID`; a key alone may be a dictionary's.
_BEFORE_KEY = re.compile(r"api|access|private|secret|auth|signing|encryption|account|license")
# `--token`, `HF_TOKEN`; but these are parts of a vocabulary: `--eos-token`.
_BEFORE_NO_SECRET_TOKEN = re.compile(
    r"eos|bos|pad|unk|mask|sep|cls|special|image|audio|video|start|end|stop|max|min|num|per|next"
    r"|first|last|each"
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAME = r"[A-Za-z_][\w.-]{0,200}"
# What stands before a value: `name=`, `"name": `, `--name `; and the value.
_HEAD = re.compile(
    rf"""(?<![\w.-])(?:(?P<option>--?{_NAME})[ ] | (?P<name>-{{0,2}}{_NAME})["']?[ ]?[=:][ ]?)""",
    re.VERBOSE,
)
_VALUE = re.compile(
    r"""\[redacted\] | (?:bearer|basic)[ ]+[^\s"']+ | "[^"]*" | '[^']*' | [^\s&;,"'}\)\]]+""",
    re.VERBOSE | re.IGNORECASE,
)
# In source only a literal can be a secret: `password = read()` is none.
_LITERAL = re.compile(r"""[rRbBuU]{0,2}(?P<quote>["'])(?P<text>[^"'\\\n]+)(?P=quote)""")
_NAME_IN_SOURCE = re.compile(
    rf"""(?<![\w.-])(?P<name>{_NAME})["']?\]?(?:[ ]?:[ ]?[\w.|\[\]]{{1,40}})?[ ]?[=:][ ]?"""
)
_OPTION = re.compile(rf"--?{_NAME}")
_ASSIGNMENT = re.compile(rf"(?P<name>[-+~]{{0,2}}{_NAME})=(?P<value>.+)", re.DOTALL)
_USERINFO = re.compile(r"(?<=://)[^/\s?#@\"']{1,400}@")
# Tokens that say by their form whose they are: Hugging Face, GitHub, GitLab, OpenAI, Slack, AWS.
_TOKEN = re.compile(
    r"\b(?:hf_\w{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|sk-[\w-]{20,}"
    r"|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16})\b"
)


def is_secret(name: str, patterns: Iterable[str] = ()) -> bool:
    """Return whether an option, variable or key of this name holds a secret.

    ``patterns`` are more names, with ``*`` for anything; case, ``-`` and ``_`` make no difference.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if any(map(_SECRET.search, words)):
        return True
    for before, word in zip(["", *words], words, strict=False):
        if word == "key" and _BEFORE_KEY.fullmatch(before):
            return True
        if word == words[-1] == "token" and not _BEFORE_NO_SECRET_TOKEN.fullmatch(before):
            return True
    plain = _plain(name)
    return any(fnmatchcase(plain, _plain(pattern)) for pattern in patterns)


def redact_arguments(arguments: Sequence[str], patterns: Sequence[str] = ()) -> list[str]:
    """Return a command line with the values of secrets replaced, one argument for each."""
    redacted: list[str] = []
    follows_secret = False
    for argument in arguments:
        assigned = _ASSIGNMENT.fullmatch(argument)
        if follows_secret and not argument.startswith("-"):
            redacted.append(REDACTED)
        elif assigned is not None and is_secret(assigned["name"], patterns):
            redacted.append(f"{assigned['name']}={REDACTED}")
        else:
            redacted.append(redact_text(argument, patterns))
        option = _OPTION.fullmatch(argument)
        follows_secret = option is not None and is_secret(argument, patterns)
    return redacted


def redact_text(text: str, patterns: Sequence[str] = ()) -> str:
    """Return any text with the values of secrets replaced, in time linear to its length."""
    text = _TOKEN.sub(REDACTED, _USERINFO.sub(f"{REDACTED}@", text))
    parts: list[str] = []
    end = 0
    for head in _HEAD.finditer(text):
        if head.start() < end or not is_secret(head["option"] or head["name"], patterns):
            continue
        value = _VALUE.match(text, head.end())
        if value is not None:
            parts += (text[end : head.end()], REDACTED)
            end = value.end()
    return "".join((*parts, text[end:]))


def redact_source(source: str, patterns: Sequence[str] = ()) -> str:
    """Return Python source with the literals of secrets replaced; it parses as before.

    ``password = "…"``, ``Client(api_key="…")``, ``os.environ["HF_TOKEN"] = "…"``, user and password
    of a URL, tokens known by their form.
    """
    source = _TOKEN.sub(REDACTED, _USERINFO.sub(f"{REDACTED}@", source))
    parts: list[str] = []
    end = 0
    for head in _NAME_IN_SOURCE.finditer(source):
        value = _LITERAL.match(source, head.end())
        if value is None or head.start() < end or not is_secret(head["name"], patterns):
            continue
        parts += (source[end : value.start("text")], REDACTED)
        end = value.end("text")
    return "".join((*parts, source[end:]))


def _plain(name: str) -> str:
    return name.lstrip("-+~").lower().replace("-", "_")
