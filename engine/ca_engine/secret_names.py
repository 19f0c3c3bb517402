"""Names of secrets, and values that make one of a name which is ordinary otherwise.

``password`` names a secret whatever it holds. ``license=MIT`` and ``pin=True`` do not, but
``license=8F3K-22QX-9PLM`` does: `may_hold_secret` knows such names, `holds_secret`
looks at both. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from ca_engine.lazy_expressions import expression


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Plain words are compared, not searched for: compiling expressions of them all takes 5 ms, at the
# start of each process that is recorded.
# Whose keys and tokens there are; also the names under which a program collects them.
_SERVICES = frozenset(
    _words(
        "anthropic aws azure cohere comet databricks datadog discord gemini gh github gitlab google"
        " groq hf huggingface hugging_face kaggle mistral neptune openai openrouter replicate slack"
        " telegram twilio wandb"
    )
)
# `api_key`, `AWS_ACCESS_KEY_ID`; a key alone may be a dictionary's.
_BEFORE_KEY = _SERVICES | frozenset(
    _words(
        "api access private secret auth signing encryption decryption account license licence"
        " master hmac ssh storage deploy recovery unlock vault kms cmk kek sse fernet aes rsa gpg"
        " pgp crypto cipher subscription consumer sas webhook"
    )
)
_BEFORE_TOKENS = _SERVICES | {"api", "access", "auth", "hub", "refresh", "secret"}
# `db_pass`, but `forward_pass` and `PWD` are none.
_SHORT = frozenset(("pass", "pw", "pwd"))
_BEFORE_SHORT = frozenset(
    _words(
        "admin bind cert db email ftp http key keystore ldap login mail my mysql pg postgres proxy"
        " redis root smtp ssh store sudo user vault wifi"
    )
)
# A name with a word that ends so is a secret's: `--db-password`, `client_secret`, `PGPASSWORD`.
_SECRET = _words(
    "password passwords passwd passw paswd pswd psw passwrd passphrase passcode passcodes"
    " passkey passkeys passwort kennwort contrasena psk secret secrets credential credentials"
    " creds authorization cookie bearer jwt"
)
# Words in one: `rootpw`, `apikey`, `HFTOKEN`.
_JOINED = tuple(
    (ends, tuple(before))
    for ends, before in (
        (("pass", "pw", "pwd"), _BEFORE_SHORT),
        (("key", "keys"), _BEFORE_KEY),
        (
            ("token", "tokens"),
            _words("access api auth bot csrf hf hub oauth refresh session xsrf"),
        ),
    )
)
# `pass_phrase`, `seed-phrase`, `unlock_code`; `lang_code` and `exit_code` are none.
_TOGETHER = expression(
    r"""pass\ (?:phrase|code|word|key)s? | seed\ phrases? | (?:recovery|mnemonic)\ (?:phrase|words?)
    | (?:unlock|mfa|fa|tfa|otp|totp|activation|recovery|backup|access|auth|authorization|pin
        |verification|security|pairing|invite|invitation|login|pass|sms|redeem)\ codes?
    | client\ assertion | (?:hash|hmac|password|pw|cookie|crypto|jwt|kdf|key)\ (?:salt|pepper)
    | connection\ string | (?:csrf|xsrf)\ (?:id|value) | (?:signing|wallet|encryption)\ seed""",
    re.VERBOSE,
)
# `--token`, `HF_TOKEN`; but these are parts of a vocabulary: `--eos-token`.
_BEFORE_NO_SECRET_TOKEN = frozenset(
    _words(
        "eos bos pad unk mask sep cls special image audio video start end stop max min num per next"
        " first last each blank break class decoder placeholder prompt"
    )
)
# As an option of its own: `--pass`, `--auth`.
_OPTION_WORD = expression(
    r"--(?:(?:(?:basic|hf|http|proxy|x)[-_])?auth|pass|pat|pin|pwd?|sas|t?otp|mnemonic)"
)
_WORD = expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

# What such a name holds that is no secret: a piece of a vocabulary, a switch, a part of noise.
_OF_VOCABULARY = expression(r"<[^<>]{0,60}>|\[[A-Z]{1,20}\d{0,4}\]|##.{0,20}|[\W_]{1,8}")
_SWITCH = expression(r"true|false|none|null|yes|no|on|off|auto|default|[01]", re.IGNORECASE)
_FRACTION = expression(r"\d?\.\d{0,8}|[01]")
# Licenses as SPDX and the Hugging Face hub name them, or the name of a file.
_LICENSE = expression(
    r"""(?:0?bsd|mit|apache|[al]?gpl|gnu|mpl|mozilla|cc0?|creative|unlicense|wtfpl|zlib|isc|epl
    |eclipse|eupl|afl|academic|artistic|bsl|boost|ofl|sil|ms-?[pr]l|ncsa|postgresql|psf|python|w3c
    |x11|odc|odbl|pddl|cdla|c-uda|etalab|gfdl|lppl|cecill|ecl|osl|upl|zpl|open(?:rail)?(?:\+\+)?
    |bigscience|bigcode|creativeml|llama\d?|gemma|deepfloyd|apple|intel|nvidia|qwen|deepseek|falcon
    |stability|h-research|fair|other|unknown|none|null|proprietary|commercial|custom|public|free
    |freeware|see|various|mixed|dual|any|all|licen[sc]e|copyright|research|non-?commercial|true
    |false|list|set)(?![^\W_]).{0,200}
    | .{0,200}(?:[/\\].{0,200}|\.[a-z]{1,5})""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# `PWD=/home/me` is a folder.
_PLACE = expression(r"[/\\~.$]")
_OF_VALUES = frozenset(
    (
        "license",
        "licence",
        "salt",
        "pepper",
        "pin",
        "otp",
        "totp",
        "mnemonic",
        "pw",
        "pwd",
        "key",
        "keys",
    )
)
# What holds several by service: `tokens = {"hf": "…"}`.
COLLECTS = expression(r"(?i)(?:\w{0,60}_)?(?:tokens?|keys?|pins)")
_COLLECTED = frozenset(("key", "keys", "token", "tokens"))  # `tokens.hf`, `keys_openai`
_GROUPS = expression(r"[A-Z\d]{4,8}(?:-[A-Z\d]{4,8}){2,15}")
_OPAQUE = expression(r"(?=[a-zA-Z]{0,400}\d)(?=\d{0,400}[a-zA-Z])[a-zA-Z\d]{16,400}")
_RUN = expression(r"[\w/+=-]+", re.ASCII)
# A digit between letters: `layers_12` has none, hexadecimal digits and base64 have many.
_TURN = expression(r"[a-zA-Z]\d{1,40}(?=[a-zA-Z])")


def is_secret(name: str, patterns: Iterable[str] = ()) -> bool:
    """Return whether an option, variable or key of this name holds a secret.

    ``patterns`` are more names, with ``*`` for anything; case, ``-`` and ``_`` make no difference.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if any(word.endswith(_SECRET) or _is_joined(word) for word in words):
        return True
    for before, word in zip(["", *words], words, strict=False):
        if word in ("key", "keys") and before in _BEFORE_KEY:
            return True
        if word == words[-1] == "token" and before not in _BEFORE_NO_SECRET_TOKEN:
            return True
        if word == "tokens" and before in _BEFORE_TOKENS:
            return True
        if word == words[-1] and before in _COLLECTED and word in _SERVICES:
            return True
        if word in _SHORT and before in _BEFORE_SHORT:
            return True
        if before and _TOGETHER.fullmatch(f"{before} {word}"):
            return True
    if _OPTION_WORD.fullmatch(name):
        return True
    plain = _plain(name)
    return any(fnmatchcase(plain, _plain(pattern)) for pattern in patterns)


def _is_joined(word: str) -> bool:
    return any(
        word[: -len(end)].endswith(before)
        for ends, before in _JOINED
        for end in ends
        if word.endswith(end)
    )


def holds_secret(name: str, value: str, patterns: Iterable[str] = ()) -> bool:
    """Return whether ``value`` is a secret under this name: some also hold ordinary ones."""
    last = _last_word(name)
    if is_secret(name, patterns):
        if last == "tokens":
            return not value.isdigit()
        return not (last == "token" and _OF_VOCABULARY.fullmatch(value))
    if last in ("license", "licence"):
        return bool(value) and not _LICENSE.fullmatch(value)
    if last in ("salt", "pepper"):
        return bool(value) and not _FRACTION.fullmatch(value)
    if last in ("pin", "otp", "totp"):
        return bool(value) and not _SWITCH.fullmatch(value)
    if last == "mnemonic":
        return value.count(" ") > 4
    if last in ("pw", "pwd"):
        return bool(value) and not _PLACE.search(value) and not _SWITCH.fullmatch(value)
    return last in ("key", "keys") and is_random(value)


def may_hold_secret(name: str) -> bool:
    """Return whether it depends on the value whether this name holds a secret."""
    return _last_word(name) in _OF_VALUES


def is_of_service(name: str) -> bool:
    """Return whether it is whose key or token an item is: ``tokens = {"hf": "…"}``."""
    return name.lower().replace("-", "_") in _SERVICES


def is_random(value: str) -> bool:
    """Return whether it is 16 or more letters and digits in turns, or ``8F3K-22QX-9PLM``."""
    if _GROUPS.fullmatch(value):
        return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    is_run = 16 <= len(value) <= 400 and _RUN.fullmatch(value) is not None
    return is_run and len(_TURN.findall(value)) > 3


def is_opaque(value: str) -> bool:
    """Return whether it is 16 or more letters and digits, and no words with signs between."""
    return _OPAQUE.fullmatch(value) is not None


def _last_word(name: str) -> str:
    words = _WORD.findall(name[-80:])
    return words[-1].lower() if words else ""


def _plain(name: str) -> str:
    return name.lstrip("-+~").lower().replace("-", "_")
