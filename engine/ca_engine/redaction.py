"""Removes whatever names itself a secret before anything is written.

Arguments, error messages and URLs are recorded for people to read, and end up in folders and
pages that are handed on. What counts as the name of a secret is in `secret_names`; projects add
names of their own (``secrets`` in ``[tool.ca]``). Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ca_engine.lazy_expressions import expression
from ca_engine.secret_names import COLLECTS, holds_secret, is_of_service, is_secret, may_hold_secret

REDACTED = "[redacted]"

NAME = r"[^\W\d][\w.-]{0,200}"
# What stands before a value: `name=`, `"name": `, `name[0] = `, `--name `.
_HEAD = expression(
    rf"""(?:(?<![\w.-])|(?<=\]\.)) (?:
        (?P<option>--?{NAME})\s{{1,4}}
        | (?P<name>-{{0,2}}{NAME}) (?:\[\d{{1,9}}\])? \\{{0,7}}["'%]?\]? \s{{0,4}}
          (?:=>|==|:=|\?=|[=:]) \s{{0,4}}
    )""",
    re.VERBOSE,
)
# A quote that is open at the end of a text was cut off there.
_VALUE = expression(
    r"""\[redacted\] | (?:basic|bearer|digest|token)[ ]+[^\s"']+ | \\+"[^"]*"? | \\+'[^']*'?
    | "(?:[^"\\]|\\.)*"? | '(?:[^'\\]|\\.)*'? | (?P<open>[\[({]) | [^\s&;,"'}\)\]]+""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_COOKIES = expression(r"""\[redacted\]|[^"'\n]+""")
_BRACKETS = expression(r"[\[({]|(?P<close>[\])}])")
# A text without one of these names no secret: looked for in a fiftieth of the time of the rest.
_HINTS = (
    "pass", "secret", "credential", "auth", "cookie", "bearer", "key", "token", "pw", "@", "hf_",
    "gh", "glpat", "sk-", "xox", "akia", "asia", "aiza", "ya29", "npm_", "pypi", "dapi", "k_live_",
    "sg.", "eyj", "slack", "sig", "code=", "-u ", "-user", "creds", "jwt", "login", "webhooks",
    "telegram", "nvapi", "gsk_", "r8_", "hvs.", "dckr_", "wandb_v", "xapp-", "gocspx", "xai-",
    "pplx-", "dop_v", "glsa_", "shp", "atatt", "lin_", "whsec_", "--sas", "--pat", "-u'", '-u"',
    "--pin", "jdbc", "otp", "mfa", "mnemonic", "seed", "assertion", "--basic", "psk", "kennwort",
    "contrase",
)  # fmt: skip
# Of what no other text has to be read for.
_HINT = expression(
    r"""(?i:salt|pepper|[\b_]pin\b|\bpins?\b|licen[sc]e|fernet|phrase|\bkms)|AES|FTP|Experiment\(
    |connect(?:ion)?\(|_bind|Serializer|Signer|Git(?:hub|lab)\(|scrypt|PBKDF|pbkdf|hashpw|Minio|Redis\(|comet_ml|derive\(
    |(?i:unlock|activation|recovery|backup|verification|security|pairing|invit\w{1,6}|sms|redeem)
    [-_ ]?codes?|\.new\(|encrypt|sign_in""",
    re.VERBOSE,
)
# `name: DB_PASSWORD, value: x`, as variables are listed in JSON.
_PAIR = expression(
    rf"""(?P<before>\b(?:name|key|variable)\\?["']?[ ]?[:=][ ]?\\?["']?(?P<name>{NAME})
    \\?["']?,\s{{0,40}}\\?["']?(?:value|val)\\?["']?[ ]?[:=][ ]?)(?P<quote>\\?["']|)
    (?:(?<=["'])[^"'\\]*(?P=quote)|[^\s"',}}\])]+)""",
    re.VERBOSE | re.IGNORECASE,
)
_OPTION = expression(rf"(?:-|--\d?){NAME}")
_BARE = expression(rf"{NAME}")
_ASSIGNMENT = expression(r"\A(?P<name>(?:[-+~]{0,2}|%)[^\W\d][\w.-]*%?)=(?P<value>.+)", re.DOTALL)
# `-v`, `-O2`, `--lr=3`; what begins with a dash and has no such form may be a password.
_LIKE_OPTION = expression(r"-(?:[^\W\d]\d*|[^\W\d]+(?:=.*)?|-(?:[^\W\d][\w.-]*(?:=.*)?)?)?")
_LOGIN_OPTION = expression(r"-[uU]|--(?:(?:proxy-)?user|userpass|login|basic)")
# `me:password`, but not `1000:1000`, `root:root`, `C:\x` or a URL.
_LOGIN = r"""(?P<user>[^\s:/"'\\=]{1,64}):(?![/\\:]|(?:\d{1,10}|(?P=user))(?![^\s"']))"""
_LOGIN_ARGUMENT = expression(rf"{_LOGIN}.+", re.DOTALL)
_LOGIN_IN_TEXT = expression(
    rf"""(?<![\w-])(?P<option>(?:{_LOGIN_OPTION.pattern})[ =]["']?){_LOGIN}[^\s"']+"""
)
_RANDOM = expression(r"\A(?=\D*\d)(?=[^a-zA-Z]*[a-zA-Z])[\w/+=.-]{16,}")
_USERINFO = expression(
    # All before the last @ of the host; or a user and a password that holds a slash, if what
    # follows the colon is no port.
    r"""(?<=://)(?:[^/\s?#"']{1,400}@
    | [^/\s?#"'@:]{0,200}:(?!\d{1,5}(?:[/?#]|$))[^\s"'@]{1,400}@)""",
    re.VERBOSE,
)
# `user:password@proxy:3128`; `image:tag@sha256:…` names a container.
_USER_AT_HOST = expression(r"(?<![\w/.:@+-])[\w.+-]{1,64}:[^\s/@:\"']{1,200}@(?=\w)(?!sha\d)")
_QUERY = expression(
    r"(?<=[?&])(?P<name>auth|code|key|pass|pwd?|sig|(?:X-(?:Amz|Goog)-)?Signature)=[^&\s\"'#]+",
    re.IGNORECASE,
)
# Tokens that say by their form whose they are: Hugging Face, GitHub, GitLab, OpenAI, Slack, AWS,
# Google, npm, PyPI, Databricks, Stripe, SendGrid, NVIDIA, Groq, Replicate, Vault, Docker, W&B, xAI,
# Perplexity, DigitalOcean, Grafana, Shopify, Tailscale, age, Linear, Atlassian;
# JSON web tokens, private keys, webhooks and bots of chats.
_TOKEN = expression(
    r"""\b(?:hf_\w{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|sk-[\w-]{20,}
    |xox[a-z]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}
    |npm_\w{30,}|pypi-[\w-]{40,}|dapi[0-9a-f]{32}|[rs]k_live_\w{20,}|SG\.[\w-]{16,80}\.[\w-]{16,}
    |eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{8,}
    |nvapi-[\w-]{20,}|gsk_\w{20,}|r8_\w{20,}|hvs\.[\w-]{20,}|dckr_pat_[\w-]{20,}
    |wandb_v\d_\w{20,}|xapp-[\w-]{10,}|GOCSPX-[\w-]{10,}|xai-[\w-]{20,}|pplx-[\w-]{20,}
    |dop_v1_\w{20,}|glsa_\w{20,}|whsec_[\w+/=-]{16,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}
    |tskey-[a-z]{2,20}-[\w-]{10,}|AGE-SECRET-KEY-1\w{10,}|lin_(?:api|oauth)_\w{20,}
    |ATATT3[\w=-]{16,}
    |hooks\.slack\.com/services/[\w/]{8,}|discord(?:app)?\.com/api/webhooks/\d{1,30}/[\w-]{8,}
    |api\.telegram\.org/bot\d{1,20}:[\w-]{8,})
    |-----BEGIN[ ][A-Z ]{0,40}PRIVATE[ ]KEY-----[^-]*(?:-----END[ ][A-Z ]{0,40}-----)?""",
    re.VERBOSE,
)
# `Invalid API key: …`, `API key provided: …`, `password '…'`: names as people write them.
_IN_WORDS = expression(
    r"""(?P<name>\b(?:
      (?:api|access|account|secret|private)[ ]keys?(?:[ ]provided)?(?:[ ]?[:=][ ]?["']?|[ ]["'])
    | password[ ](?:(?:is[ ])?["']|is:[ ])
    ))(?P<value>[^\s"',;)]+)""",
    re.VERBOSE | re.IGNORECASE,
)
# `Uid=sa;Pwd=…` of a connection, `login me password …` of a netrc, `wandb login …`.
_IN_CONNECTION = expression(
    r"""(?P<name>;[ ]?(?:pwd|pass)=|\blogin[ ][^\s"']{1,100}[ ]password[ ]|\bwandb[ ]login[ ](?!-))
    [^\s;"']+""",
    re.VERBOSE | re.IGNORECASE,
)
_TEXT = r"""(?:"[^"\n]*"|'[^'\n]*')"""
# `auth=("me", "…")`, `auth=HTTPBasicAuth("me", "…")`, `smtp.login("me", "…")`, `login(key="…")`.
_LOGIN_CALL = expression(
    rf"""(?P<before>(?:\bauth[ ]?=[ ]?(?:[\w.]{{0,60}}auth)?\(?|\blogin\(
      |\bHTTP(?:Basic|Digest|Proxy)Auth\()
    (?:{_TEXT}[ ]?,[ ]?|key=))(?P<value>{_TEXT})""",
    re.VERBOSE | re.IGNORECASE,
)
# Calls whose last text is a secret: `keyring.set_password("service", "me", "…")`,
# `AzureKeyCredential("…")`, `SecretStr("…")`, `jwt.encode(data, "…")`; `login("…")`.
_SECRET_CALL = expression(
    rf"""(?P<before>(?:\bset_password\(|\b[A-Z]\w{{0,60}}Credentials?\(|\bSecret(?:Str|Bytes)\()
      (?:(?:{_TEXT}|[\w.]{{1,60}})[ ]?,[ ]?){{0,3}}
    | \blogin\((?={_TEXT}[ ]?(?:\)|,[ ]?\w{{1,40}}=))
    | \bjwt\.(?:en|de)code\([\w.]{{1,60}}[ ]?,[ ]?)(?P<value>"[^"\n]+"|'[^'\n]+')(?=[ ]?[,)])""",
    re.VERBOSE,
)
# `jdbc:oracle:thin:me/…@host`; those with `password=` are known by that.
_JDBC = expression(
    r"""(?P<before>\bjdbc:\w{1,20}(?::\w{1,20})?:[^\s/@:"']{1,100}/)[^\s/@"']{1,200}(?=@)"""
)
# `["train", "--api-key", "…"]`: a command line as Python writes it.
_IN_LIST = expression(
    rf"""["'](?P<option>--?{NAME})["'],\s{{0,40}}(?P<value>"(?!-)[^"\n]*"|'(?!-)[^'\n]*')"""
)
# What `_IN_WORDS` and `_IN_CONNECTION` need, which begin at every word.
_SAYS_ONE = expression(r"[ ]key|password|;[ ]?p|login", re.IGNORECASE)


def redact_arguments(arguments: Sequence[str], patterns: Sequence[str] = ()) -> list[str]:
    """Return a command line with the values of secrets replaced, one argument for each."""
    redacted: list[str] = []
    named = ""  # an option, or as in `db.password x`, whose value comes
    follows_login = False
    for argument in arguments:
        login = _LOGIN_ARGUMENT.fullmatch(argument) if follows_login else None
        follows_login = _LOGIN_OPTION.fullmatch(argument) is not None
        assigned = _ASSIGNMENT.fullmatch(argument)
        if (
            named
            and not _LIKE_OPTION.fullmatch(argument)
            and holds_secret(named, argument, patterns)
        ):
            redacted.append(REDACTED)
            named = named if named.endswith(("s", "S")) else ""
            continue
        if login is not None:
            redacted.append(f"{login['user']}:{REDACTED}")
        elif assigned is not None and (
            holds_secret(assigned["name"], assigned["value"], patterns) or _is_random_key(assigned)
        ):
            redacted.append(f"{assigned['name']}={REDACTED}")
        elif re.match(r"-\w.", argument) and is_secret(argument[:2], patterns):
            redacted.append(f"{argument[:2]}{REDACTED}")
        elif argument.startswith("{") and COLLECTS.fullmatch(named.lstrip("-")):
            redacted.append(redact_text(f"tokens={argument}", patterns).removeprefix("tokens="))
        else:
            redacted.append(redact_text(argument, patterns))
        named = argument if _names_value(argument, patterns) else ""
    return redacted


def _is_random_key(assigned: re.Match[str]) -> bool:
    """Return whether it is ``key=9fJ2…``: a key may be a dictionary's, but not such a one."""
    return assigned["name"].lstrip("-+~").lower() == "key" and bool(
        _RANDOM.fullmatch(assigned["value"])
    )


def _names_value(argument: str, patterns: Sequence[str]) -> bool:
    """Return whether it may name what follows: an option, or as in ``db.password x``."""
    if _OPTION.fullmatch(argument):
        return True
    return bool(_BARE.fullmatch(argument)) and is_secret(argument.rpartition(".")[2], patterns)


def redact_text(text: str, patterns: Sequence[str] = ()) -> str:
    """Return any text with the values of secrets replaced, in time linear to its length."""
    if not (patterns or may_name_one(text)):
        return text
    text = of_lists(by_form(text), patterns)
    if _SAYS_ONE.search(text):
        text = _IN_WORDS.sub(rf"\g<name>{REDACTED}", text)
        text = _IN_CONNECTION.sub(rf"\g<name>{REDACTED}", text)
    text = _QUERY.sub(rf"\g<name>={REDACTED}", text)
    text = _USER_AT_HOST.sub(f"{REDACTED}@", text)
    text = _LOGIN_IN_TEXT.sub(rf"\g<option>\g<user>:{REDACTED}", text)
    text = _PAIR.sub(lambda found: _of_pair(found, patterns), text)
    parts: list[str] = []
    end = 0
    collected = 0  # where what collects keys or tokens by service ends
    for head in _HEAD.finditer(text):
        name = head["option"] or head["name"]
        if head.start() < end:
            continue
        if not is_secret(name, patterns) and not (head.start() < collected and is_of_service(name)):
            if _holds_by_chance(head, text):
                value = _VALUE.match(text, head.end())
                if value is not None and holds_secret(name, value[0].strip("\"'\\")):
                    parts += (text[end : head.end()], REDACTED)
                    end = value.end()
            elif (
                head.start() >= collected
                and COLLECTS.fullmatch(name)
                and text.startswith("{", head.end())
            ):
                collected = _end_of_brackets(text, head.end())
            continue
        pattern = _COOKIES if name.lower().endswith("cookie") else _VALUE
        value = pattern.match(text, head.end())
        if value is not None and (
            head.start() < collected or holds_secret(name, value[0], patterns)
        ):
            parts += (text[end : head.end()], REDACTED)
            end = value.end()
            if value.groupdict().get("open"):
                end = _end_of_brackets(text, value.start())
    return "".join((*parts, text[end:]))


def _holds_by_chance(head: re.Match[str], text: str) -> bool:
    """Return whether it is ``pin=…``, ``--license …`` or ``"salt": …``, and no sentence."""
    if not may_hold_secret(head["option"] or head["name"]):
        return False
    sign = text[head.start() : head.end()]
    return head["option"] is not None or "=" in sign or '":' in sign or "':" in sign


def _of_pair(found: re.Match[str], patterns: Sequence[str]) -> str:
    """Return ``"name": "password", "value": "…"`` without the value."""
    if not is_secret(found["name"], patterns):
        return found[0]
    return f"{found['before']}{found['quote']}{REDACTED}{found['quote']}"


def may_name_one(text: str) -> bool:
    lowered = text.lower()
    return any(hint in lowered for hint in _HINTS) or _HINT.search(text) is not None


def by_form(text: str) -> str:
    """Return a text without what is a secret wherever it stands."""
    text = _USERINFO.sub(f"{REDACTED}@", text)
    text = _LOGIN_CALL.sub(
        lambda found: f"{found['before']}{found['value'][0]}{REDACTED}{found['value'][0]}", text
    )
    text = _SECRET_CALL.sub(
        lambda found: f"{found['before']}{found['value'][0]}{REDACTED}{found['value'][0]}", text
    )
    text = _JDBC.sub(rf"\g<before>{REDACTED}", text)
    return _TOKEN.sub(lambda found: as_many_lines(found[0]), text)


def of_lists(text: str, patterns: Sequence[str]) -> str:
    """Return a text without the secrets of command lines that are written as lists."""

    def without(found: re.Match[str]) -> str:
        value = found["value"][1:-1]
        if _LOGIN_OPTION.fullmatch(found["option"]):
            login = _LOGIN_ARGUMENT.fullmatch(value)
            told = value if login is None else f"{login['user']}:{REDACTED}"
        else:
            told = REDACTED if value and is_secret(found["option"], patterns) else value
        return f"{found[0][: -len(value) - 1]}{told}{found[0][-1]}"

    return _IN_LIST.sub(without, text)


def _end_of_brackets(text: str, begin: int) -> int:
    """Find the end of what the bracket at ``begin`` opens."""
    depth = 0
    for found in _BRACKETS.finditer(text, begin):
        depth += -1 if found["close"] else 1
        if depth == 0:
            return found.end()
    return len(text)


def as_many_lines(secret: str) -> str:
    """Return what stands for ``secret``: the lines after it keep their numbers."""
    return REDACTED + "\n" * secret.count("\n")
