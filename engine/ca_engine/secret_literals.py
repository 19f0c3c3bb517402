"""Finds the literals of Python source that are secrets by where they stand.

What stands right after a secret's name is `redaction`'s; here is what needs the brackets and
statements around a literal: items under a secret's name, arguments of calls that take a secret,
patterns of a ``match``, a text after one that says what comes. Source may be a single line of
a file, or torn: it is read as words, once, in time linear to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import pairwise

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_engine.secret_names import (
    COLLECTS,
    holds_secret,
    is_of_service,
    is_opaque,
    is_random,
    is_secret,
    may_hold_secret,
)

# In source only a literal can be a secret: `password = read()` is none.
LITERAL = expression(
    r"""(?P<prefix>[rRbBuUfF]{0,2})(?:
      \"{3}(?P<a>[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*)\"{3}
    | '{3}(?P<b>[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*)'{3}
    | "(?P<c>[^"\\\n]*(?:\\.[^"\\\n]*)*)"
    | '(?P<d>[^'\\\n]*(?:\\.[^'\\\n]*)*)' )""",
    re.DOTALL | re.VERBOSE,
)
# `'{token}'` within an f-string.
FIELD = expression(r"\{[^{}]*\}")
# A quote that has no end is taken to the end of its line: else each is searched from.
_WORD = expression(
    rf"""(?P<literal>{LITERAL.pattern}) | (?P<torn>["'][^\n]*) | (?P<comment>\#[^\n]*)
    | (?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*) | (?P<number>\d[\w.]*) | \\\n
    | (?P<line>\n[ \t]*) | (?P<open>[(\[{{]) | (?P<close>[)\]}}])
    | (?P<mark>==|!=|:=|->|[+|&]=|[=:,%+.;|])""",
    re.DOTALL | re.VERBOSE,
)
_ASSIGNS = frozenset(("=", ":=", "==", "!=", ":", "+=", "|="))

_CONTINUES = frozenset((".", "+", "or", "else"))  # before a call within a value

# What leaves a text what it is, or keeps several: `api_key = b64decode("…")`, `dict(hf="…")`.
_WRAPS = expression(
    r"""str|repr|bytes|bytearray|quote(?:_plus)?|unquote|\w{0,60}decode|\w{0,60}decode(?:string|bytes)|fromhex
    |unhexlify|join|strip|\w{0,60}encode|dict|list|tuple|set|frozenset|OrderedDict|(?:Simple)?Namespace
    |DictConfig|Field|field|Option|Argument|Param|Parameter|mapped_column|\w{0,60}Secret(?:Str|Bytes)?
    |Password|reversed|Munch|Box|EasyDict|edict|AttrDict|MappingProxyType""",
    re.VERBOSE,
)
# Their second text is what is taken if there is none: `password = settings.get("x", "…")`.
_GETS = expression(r"get|getenv|getattr|pop|setdefault|env|config|next")
_GETS_OR_DECODES = expression(
    rf"{_GETS.pattern}|b\d\ddecode|unhexlify|fromhex|str|bytes|\w{0, 60}Secret\w{0, 60}"
)
# What puts into a collection: `tokens.update(hf="…")`, `passwords.append("…")`.
_PUTS = expression(r"update|setdefault|append|add|extend|insert|__setitem__")
_COMPARES = expression(
    r"compare_digest|(?:assert|is_?)\w{0,60}[eE]quals?|eq|ne|compare|check(?:_?password|pw)|verify\w{0,60}"
)
_COMPARING_METHODS = expression(r"startswith|endswith|removeprefix|removesuffix|__eq__|__ne__|find")
_PRINTS = expression(
    r"(?:p?print|echo|log|debug|info|warn|warning|error|exception|critical|write|puts)"
)
# Their first text is a secret.
_FIRST = expression(
    r"""(?:Multi)?Fernet|AES(?:GCM|CCM|SIV|OCB3?|GCMSIV)|ChaCha20\w{0,60}|SecretBox|HMAC|CMAC|Poly1305
    |(?:Timestamp)?Signer|(?:Timed)?(?:JSONWebSignature|URLSafe|URLSafeTimed|Timed)Serializer
    |BestAvailableEncryption|scrypt|PBKDF2\w{0,60}|hashpw|checkpw|crypt|derive|bcrypt|argon2
    |from_(?:mnemonic|seed(?:_phrase)?|api_?key|(?:access|api|auth|bearer)_?token)
    |Github|WebClient|Slacker|setpassword|set(?:_secret)?_?key""",
    re.VERBOSE,
)
_FIRST_OF = expression(
    r"(?:hmac|\w{0,60}(?:AES|DES3?|ARC4|ARC2|Blowfish|CAST|Salsa20|ChaCha20)|Cipher)\.new"
    r"|comet_ml\.(?:init|start|login|API)"
    r"|(?:cohere|replicate|anthropic|groq|openai|mistralai|comet|twilio)\.(?:Async)?Client(?:V2)?"
)
_EXPERIMENT = expression(r"(?:Existing|API)?Experiment")
# From their second text on; from the third.
_FROM_SECOND = expression(
    r"(?:en|de)crypt\w{0,60}|Gitlab|Minio|pbkdf2_hmac|login|authenticate|simple_bind(?:_s)?|load_\w{0,60}key\w{0,60}|load_pkcs12"
    r"|with_credentials|PlainAuth\w{0,60}|UsernamePassword\w{0,60}|htpasswd|sign_in|log_?in|basic_auth"
)
_FROM_THIRD = expression(
    r"FTP(?:_TLS|S)?|(?:Strict)?Redis|SFTP|connect|Connection|create_connection|ftp_connect"
)
# `HTTPBasicAuth("me", "…")`, `OAuth1Session("…", "…")`, `TokenAuth("…")`.
_AUTH = expression(
    r"(?:[A-Z]\w{0,60})?(?:OAuth[12]?|(?<![A-Z])Auth)(?:Handler|Session|Provider|Strategy|Flow)?"
)
# `set_api_key("…")`, `ApiKey("…")`, `hash_password("…")`; not `get_password("name")`.
_GIVES = expression(
    r"(?:set|use|with|verify|check|hash|encrypt|decrypt|validate|register|save|store|update|change"
    r"|put|inject|configure|login|unlock|send|apply|add)(?=_|[A-Z])"
)
_NO_VALUES = ("Error", "Exception", "Warning")
_CAMEL = expression(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|\d+")
# What describes a secret instead of being it: `"password": {"type": "string"}`.
_DESCRIBES = expression(
    r"type|title|description|help|format|label|placeholder|hint|doc|dest|kind|name|env|env_?var"
    r"|alias|metavar|action|nargs|choices|model|path|file|encoding|mode|errors|sep"
)
_OF_NO_SECRET = expression(
    r"(?i)\[redacted\]|utf-?8|ascii|latin-?1|sha\d{1,3}|md5|hex|base64|HS256|RS256|utf-?16"
)
_PAIR_NAMES = frozenset(("name", "key", "variable", "var", "field", "option"))
_PAIR_VALUES = frozenset(("value", "val", "default", "secret"))
_PLURAL = expression(r"(?i)\w{0,60}(?:passwords|secrets?|credentials|creds|keys|tokens|passcodes)")
_OPTION = expression(r"--?[^\W\d][\w-]{0,80}")
# A text that says that a secret comes: `"the password is "`, `"password="`, `"--token %s"`.
_SAYS = expression(
    r"""(?P<name>[^\W\d][\w.-]{0,80}(?:[ ]key|[ ]code|[ ]token|[ ]phrase)?)['"]?
    (?P<sign>\s?(?::|=|->|=>)|\s(?:is|was|are|be|to|now)(?:\s?:)?)?\s?['"]?
    (?P<place>%[-\d.]{0,6}[srv]|\{[\w.!:]{0,30}\})?['"]?[ ]?\Z""",
    re.VERBOSE,
)
_SAYS_WITHIN = expression(
    r"(?P<name>[^\W\d][\w.-]{0,80})['\"]?(?:\s?[:=]\s?|\s(?:is\s)?)['\"]?(?:%[sr]|\{\d?\})"
)
_LONGEST_SAYING = 200  # characters at the end of a literal that are looked at
_MOST_TARGETS = 8  # of `a = b = "…"`
# No name of what is called, and where a statement begins that no bracket holds.
_KEYWORDS = frozenset(
    (
        "in",
        "and",
        "or",
        "not",
        "is",
        "return",
        "if",
        "elif",
        "else",
        "case",
        "match",
        "yield",
        "await",
        "assert",
        "raise",
        "del",
        "while",
        "for",
    )
)
_BEGINS = frozenset(("def", "class", "import", "return", "while", "assert", "raise"))


@dataclass(slots=True)
class _Literal:
    begin: int
    end: int
    text: str
    index: int
    keyword: str


@dataclass(slots=True)
class _Level:
    """An open bracket, or the statement itself.

    ``items``: its literals are secrets; ``by_service``: those are whose key says so;
    ``defaults``: of a call that reads, whose second text is what is taken otherwise; ``wraps``:
    of one that leaves a text what it is, the names that are given it.
    """

    callee: str = ""
    opener: str = ""
    items: bool = False
    by_service: bool = False
    defaults: bool = False
    index: int = 0
    is_tuple: bool = False
    wraps: list[str] = field(default_factory=list)
    target: str = ""
    targets: list[str] = field(default_factory=list)
    literals: list[_Literal] = field(default_factory=list)
    names_secret: bool = False
    says: str = ""


@dataclass(slots=True)
class _Block:
    """A ``match`` of a secret, or a class of them: what is indented further belongs to it."""

    kind: str
    indent: int
    is_secret: bool
    body: int = -1


def spans(source: str, patterns: Sequence[str] = ()) -> list[tuple[int, int]]:
    """Find the texts of the literals that are secrets by where they stand, in their order."""
    reader = _Reader(source, patterns)
    reader.read()
    return sorted(reader.found)


def closing_quotes(source: str) -> set[int]:
    """Find where literals are closed, in lines where no other quote is left.

    A line may begin within a text that is torn: there closing and opening look the same.
    """
    found: set[int] = set()
    of_line: list[int] = []
    for word in _WORD.finditer(source):
        if word.lastgroup == "literal":
            of_line.append(_text_span(word)[1])
        elif word.lastgroup == "torn":
            of_line = []
        elif word.lastgroup == "line":
            found.update(of_line)
            of_line = []
    found.update(of_line)
    return found


def secret_span(value: re.Match[str]) -> tuple[int, int]:
    """Return where the text of a literal stands; what an f-string computes is none."""
    begin, after = _text_span(value)
    is_format = "f" in value["prefix"].lower()
    text = value.string[begin:after]
    is_computed = "{" in text if is_format else FIELD.fullmatch(text)
    return (after, after) if is_computed else (begin, after)


def _text_span(literal: re.Match[str]) -> tuple[int, int]:
    """Return where the text within the quotes stands, of whichever kind they are."""
    return next(span for kind in "abcd" if (span := literal.span(kind)) != (-1, -1))


class _Reader:
    """Reads source word by word; ``found`` are the texts that are secrets."""

    def __init__(self, source: str, patterns: Sequence[str]) -> None:
        self.found: set[tuple[int, int]] = set()
        self._source = source
        self._patterns = patterns
        self._known: dict[str, bool] = {}
        self._is_comet = "comet" in source
        self._levels = [_Level()]
        self._blocks: list[_Block] = []
        self._indent = len(source) - len(source.lstrip(" \t"))
        self._statement = ""
        self._operand = ""  # the last name that is no keyword
        self._is_of_secret = False  # a `match` or `case` of one, a line of a class of them

    def read(self) -> None:
        before: re.Match[str] | None = None
        previous: re.Match[str] | None = None
        for word, following in pairwise(self._words()):
            assert word is not None
            kind = word.lastgroup
            if kind == "line":
                if len(self._levels) == 1:
                    self._begin_statement(len(word[0]) - 1)
                    before = previous = None
                continue
            level = self._levels[-1]
            if kind == "name":
                self._name(level, word, previous, following)
                level = self._levels[-1]
            elif kind == "literal":
                self._literal(level, word, previous, following)
            elif kind == "open":
                self._open(level, word, previous, before)
            elif kind == "close":
                self._close(level, following)
            elif kind == "mark":
                self._mark(level, word[0], following)
                if word[0] == ";":
                    before = previous = None
                    continue
            before, previous = previous, word

    def _words(self) -> Iterator[re.Match[str] | None]:
        for word in _WORD.finditer(self._source):
            if word.lastgroup not in (None, "comment"):
                yield word
        yield None

    def _is_secret(self, name: str) -> bool:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = is_secret(name, self._patterns)
        return known

    def _is_certain(self, name: str) -> bool:
        """Return whether it is one, and not what a vocabulary has: a ``token``."""
        if not self._is_secret(name):
            return False
        return name[-5:].lower() != "token" or self._is_secret(f"{name}s")

    def _holds_secret(self, name: str, text: str) -> bool:
        if not (self._is_secret(name) or may_hold_secret(name)):
            return False
        return holds_secret(name, text, self._patterns)

    # Statements

    def _begin_statement(self, indent: int) -> None:
        self._levels[0] = _Level()
        self._indent = indent
        self._statement = ""
        self._is_of_secret = False

    def _first_name(self, name: str, word: re.Match[str], following: re.Match[str] | None) -> None:
        while self._blocks and self._blocks[-1].indent >= self._indent:
            self._blocks.pop()
        block = self._blocks[-1] if self._blocks else None
        is_apart = following is not None and following.start() > word.end()
        if name == "match" and is_apart and following and following.lastgroup != "mark":
            self._statement = "match"
        elif name == "case" and is_apart and block is not None and block.kind == "match":
            self._statement = "case"
            self._is_of_secret = block.is_secret
        elif name == "class" and following is not None and following.lastgroup == "name":
            collects = _PLURAL.fullmatch(following[0]) and self._is_secret(following[0])
            self._blocks.append(_Block("class", self._indent, collects is not None))
        elif block is not None and block.kind == "class" and block.is_secret:
            block.body = self._indent if block.body < 0 else block.body
            self._statement = "item"
            self._is_of_secret = block.body == self._indent

    # Words

    def _name(
        self,
        level: _Level,
        word: re.Match[str],
        previous: re.Match[str] | None,
        following: re.Match[str] | None,
    ) -> None:
        name = word[0]
        if name in _BEGINS and len(self._levels) > 1:  # a bracket that had no end
            self._levels = [_Level()]
            level = self._levels[0]
            self._begin_statement(0)
        if previous is None and len(self._levels) == 1:
            self._first_name(name, word, following)
        if self._statement == "case" and name == "if" and len(self._levels) == 1:
            self._statement = ""
        if following is not None and following[0] in _ASSIGNS:
            self._target(level, name)
        if self._statement == "match" and (
            self._is_secret(_last(name)) or _last(name).lower() in ("pin", "otp")
        ):
            self._is_of_secret = True
        if name not in _KEYWORDS:
            self._operand = name
        if level.callee and not level.names_secret and _COMPARES.fullmatch(_last(level.callee)):
            level.names_secret = self._is_certain(_last(name))

    def _target(self, level: _Level, name: str) -> None:
        level.target = name
        if len(level.targets) < _MOST_TARGETS:
            level.targets.append(name)

    def _mark(self, level: _Level, mark: str, following: re.Match[str] | None) -> None:
        if mark == ";" and len(self._levels) == 1:
            self._begin_statement(self._indent)
        elif mark == ",":
            if not level.opener and not level.targets:
                level.is_tuple = True
            level.index += 1
            level.target = ""
            level.targets = []
        elif mark == ":" and len(self._levels) == 1:
            is_end = following is None or following.lastgroup == "line"
            if self._statement == "match" and is_end:
                self._blocks.append(_Block("match", self._indent, self._is_of_secret))
            if self._statement == "case" or (self._statement == "match" and is_end):
                self._statement = ""

    def _literal(
        self,
        level: _Level,
        word: re.Match[str],
        previous: re.Match[str] | None,
        following: re.Match[str] | None,
    ) -> None:
        begin, end = secret_span(word)
        text = self._source[begin:end]
        follows = following[0] if following is not None else ""
        if self._statement == "match" and self._is_secret(text[:_LONGEST_SAYING]):
            self._is_of_secret = True  # of `request["password"]`
        before = previous[0] if previous is not None else ""
        is_key = level.opener == "{" or (not level.opener and before in ("", ","))
        if follows == ":" and is_key and self._statement != "case":
            self._target(level, text[:_LONGEST_SAYING])
            return
        keyword = level.target if before in _ASSIGNS else ""
        literal = _Literal(begin, end, text, level.index, keyword)
        level.literals.append(literal)
        if text and self._is_secret_here(level, literal, before, previous):
            self.found.add((begin, end))
        level.says = "" if keyword else self._says(level, word, text, follows)

    def _is_secret_here(
        self, level: _Level, literal: _Literal, before: str, previous: re.Match[str] | None
    ) -> bool:
        text, keyword = literal.text, literal.keyword
        if keyword and _DESCRIBES.fullmatch(keyword):
            return False
        if level.items or (self._statement == "case" and self._is_of_secret):
            return not _OF_NO_SECRET.fullmatch(text) and holds_secret("token", text)
        if level.by_service and (
            is_random(text)
            or is_of_service(keyword)
            # A pair: `("hf", "…")`.
            or (level.opener == "(" and literal.index and is_of_service(level.literals[0].text))
        ):
            return True
        if any(self._holds_secret(name, text) for name in level.wraps):
            return True
        if level.defaults and (literal.index > 0 or keyword == "default"):
            return holds_secret("token", text)
        if self._statement == "item" and self._is_of_secret and before == "=":
            return len(self._levels) == 1
        if before in ("is", "in", "not"):
            return self._is_certain(_last(self._operand))
        if before in _ASSIGNS and not level.is_tuple:
            return any(self._holds_secret(target, text) for target in level.targets)
        goes_on = before in (",", "+", "%") or (previous is not None and previous["literal"])
        if level.says and goes_on and not (before == "," and level.opener in ("[", "{")):
            return not _OPTION.fullmatch(text) and holds_secret(level.says, text, self._patterns)
        return False

    def _says(self, level: _Level, word: re.Match[str], text: str, follows: str) -> str:
        """Return the name of the secret that a literal says to come after it."""
        if not text:  # an f-string that also computes
            text = word[0].rstrip("\"'")
        tail = text[-_LONGEST_SAYING:]
        found = _SAYS.search(tail)
        if found is not None and self._is_secret(found["name"]):
            is_said = found["sign"] or found["place"] or follows in ("+", "%")
            if is_said or (level.callee and _PRINTS.fullmatch(_last(level.callee))):
                return found["name"]
        for found in _SAYS_WITHIN.finditer(tail):
            if self._is_secret(found["name"]):
                return found["name"]
        return ""

    # Brackets

    def _open(
        self,
        level: _Level,
        word: re.Match[str],
        previous: re.Match[str] | None,
        before: re.Match[str] | None,
    ) -> None:
        callee = ""
        if previous is not None and previous.lastgroup == "name" and word[0] == "(":
            callee = "" if previous[0] in _KEYWORDS else previous[0]
        opened = _Level(callee, word[0])
        self._levels.append(opened)
        after = before if callee else previous
        is_index = word[0] == "[" and previous is not None and previous.end() == word.start()
        if is_index and previous is not None and previous.lastgroup in ("name", "close", "literal"):
            opened.opener, opened.callee = "index", previous[0]
            return
        last = _last(callee)
        is_value = (
            after is not None
            and (after[0] in _ASSIGNS or bool(callee and level.targets and after[0] in _CONTINUES))
            and not level.is_tuple
        )
        # `token = tokenizer.decode("text")` is none; nor is what its `{"text": …}` holds.
        is_sure = self._is_secret if _GETS_OR_DECODES.fullmatch(last) else self._is_certain
        is_secret = level.items or (is_value and any(map(is_sure, level.targets)))
        if not callee or _WRAPS.fullmatch(last):
            opened.items = is_secret or (not callee and self._holds_items(level, previous))
            opened.by_service = level.by_service or (
                is_value and any(map(COLLECTS.fullmatch, level.targets))
            )
            if callee and is_value:
                opened.wraps = [
                    name
                    for name in level.targets
                    if self._is_certain(name) or may_hold_secret(name)
                ]
            if callee and after is not None and after[0] in (",", "+", "%") and level.says:
                opened.items = True
            takes = level.callee and level.index == 0 and _FIRST.fullmatch(_last(level.callee))
            opened.items = opened.items or bool(callee and takes)
        elif _GETS.fullmatch(last):
            opened.defaults = is_secret
        elif _PUTS.fullmatch(last):
            owner = _last(callee.rpartition(".")[0])
            opened.items = self._is_certain(owner) and last != "add"
            opened.by_service = COLLECTS.fullmatch(owner) is not None
        elif last == "format":
            opened.items = bool(level.says)
        elif _COMPARING_METHODS.fullmatch(last):
            opened.items = self._is_certain(_last(callee.rpartition(".")[0]))

    def _holds_items(self, level: _Level, previous: re.Match[str] | None) -> bool:
        if previous is None:
            return False
        if previous[0] == "in":
            return self._is_certain(_last(self._operand))
        return (previous[0] == "%" and bool(level.says)) or self._takes_secret(level.callee)

    def _close(self, level: _Level, following: re.Match[str] | None) -> None:
        if len(self._levels) == 1:
            return
        self._levels.pop()
        outer = self._levels[-1]
        is_followed = following is not None and following[0] in _ASSIGNS
        if level.opener == "index":
            if level.literals and is_followed:
                text = level.literals[-1].text[:_LONGEST_SAYING]
                self._target(outer, text)
                self._target(outer, f"{_last(level.callee)}.{text}")
            return
        if is_followed and level.opener == "(":
            # `getattr(args, "password") == "…"`, `(args.password or "") == "…"`
            if not level.callee:
                self._target(outer, _last(self._operand))
            elif level.literals and _GETS.fullmatch(_last(level.callee)):
                self._target(outer, level.literals[0].text[:_LONGEST_SAYING])
        secrets = self._of_pairs(level) if level.opener != "[" else []
        if level.callee:
            secrets += self._of_call(level)
        for literal in secrets:
            if literal.text and not _OF_NO_SECRET.fullmatch(literal.text):
                self.found.add((literal.begin, literal.end))

    def _of_pairs(self, level: _Level) -> list[_Literal]:
        """Return the values of ``{"name": "password", "value": "…"}``."""
        if not any(
            literal.keyword in _PAIR_NAMES and self._is_secret(literal.text)
            for literal in level.literals
        ):
            return []
        return [literal for literal in level.literals if literal.keyword in _PAIR_VALUES]

    def _of_call(self, level: _Level) -> list[_Literal]:
        """Return the texts that a call takes as secrets."""
        callee, literals = level.callee, level.literals
        last = _last(callee)
        if level.names_secret:
            return literals
        given = [literal for literal in literals if not literal.keyword]
        if _FIRST.fullmatch(last) or _FIRST_OF.fullmatch(_last(callee, 2)):
            return [one for one in literals if one.index == 0 and one.keyword in ("", "key")]
        if _EXPERIMENT.fullmatch(last):
            return [
                literal
                for literal in given
                if literal.index == 0 and (self._is_comet or is_opaque(literal.text))
            ]
        if _FROM_SECOND.fullmatch(last):
            return [literal for literal in given if literal.index > 0]
        if _FROM_THIRD.fullmatch(last):
            return [literal for literal in given if literal.index > 1]
        if _AUTH.fullmatch(last) or self._takes_secret(callee):
            return given[-1:]
        if any(
            self._is_secret(literal.text)
            for literal in literals
            if literal.keyword == "dest" or _OPTION.fullmatch(literal.text)
        ):
            return [literal for literal in literals if literal.keyword == "default"]
        return []

    def _takes_secret(self, callee: str) -> bool:
        """Return whether a call's name says so: ``set_api_key("…")``, ``ApiKey("…")``."""
        last = _last(callee)
        if _GIVES.match(last):
            return self._is_certain(last) or (last[:3] != "add" and self._is_secret(last))
        if not last[:1].isupper() or last.endswith(_NO_VALUES):
            return False
        words = _CAMEL.findall(last)
        return self._is_certain("".join(words[-2:])) and not last.isupper() and last != "Secret"


def _last(name: str, parts: int = 1) -> str:
    """Return the last parts of a dotted name."""
    return ".".join(name.split(".")[-parts:])
