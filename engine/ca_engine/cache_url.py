"""Fetches a cache file from a server: `ca run --cache URL`, which only reads."""

from __future__ import annotations

import base64
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from ca_engine.cache_file import CacheFileError

if TYPE_CHECKING:
    from http.client import HTTPMessage as Message
    from urllib.request import Request

# What is loaded runs code: on the way nobody may change it. On this machine nobody can.
_ENCRYPTED, _PLAIN = "https", "http"
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_TIMEOUT = 60.0
_LARGEST = 4 << 30


def is_url(place: str) -> bool:
    """Return whether ``place`` is to be fetched, and is no path."""
    return place.startswith((f"{_ENCRYPTED}://", f"{_PLAIN}://"))


def is_safe(url: str) -> bool:
    """Return whether nobody between the server and us can change what it sends."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and (
        parts.scheme == _ENCRYPTED or (parts.scheme == _PLAIN and host in _LOOPBACK)
    )


def shown(url: str) -> str:
    """Return the address without user, password and query, which may be what opens it."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def fetch(url: str) -> bytes:
    """Return what lies at ``url``. Raises `CacheFileError`."""
    # Half of it is the TLS library's: nobody else is to wait for that.
    import http.client
    import urllib.error
    import urllib.request

    class SafeRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(
            self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
        ) -> Request | None:
            if not is_safe(newurl):
                raise CacheFileError("it leads to an address that is not encrypted")
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    parts = urlsplit(url)
    own = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    request = urllib.request.Request(urlunsplit(own))
    if parts.username is not None:
        word = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        # For this server alone, and not for one that it leads to.
        request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(word).decode()}")
    try:
        with urllib.request.build_opener(SafeRedirects).open(request, timeout=_TIMEOUT) as answer:
            data: bytes = answer.read(_LARGEST + 1)
    except urllib.error.HTTPError as error:
        raise CacheFileError(f"the server says {error.code} {error.reason}") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise CacheFileError(f"it can't be fetched: {reason}") from None
    if len(data) > _LARGEST:
        raise CacheFileError("it is larger than 4 GiB")
    return data
