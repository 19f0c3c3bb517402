"""A cache file from a server: where it may come from, and what goes wrong on the way."""

from __future__ import annotations

import base64
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from ca_engine import cache_url
from ca_engine.cache_file import CacheFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTENT = b"ca-cache\n\x00" * 1000
SEEN: list[tuple[str, str | None]] = []
ELSEWHERE = "http://example.invalid/warm.cache"


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        SEEN.append((path, self.headers.get("Authorization")))
        if path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", ELSEWHERE)
            self.end_headers()
        elif path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/warm.cache")
            self.end_headers()
        elif path == "/warm.cache":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(CONTENT)
        else:
            self.send_error(404, "Not Found")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answers) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()
        thread.join()


def test_what_lies_there_is_fetched_also_where_it_was_moved_to(server: str) -> None:
    assert cache_url.fetch(f"{server}/warm.cache?signature=x") == CONTENT
    assert cache_url.fetch(f"{server}/moved") == CONTENT


def test_user_and_password_go_to_the_server_that_is_named_alone(server: str) -> None:
    SEEN.clear()
    named = server.replace("http://", "http://me:my%20word@")
    assert cache_url.fetch(f"{named}/moved") == CONTENT
    basic = base64.b64encode(b"me:my word").decode()
    assert [("/moved", f"Basic {basic}"), ("/warm.cache", None)] == SEEN


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/nothing", "the server says 404 Not Found"),
        ("/elsewhere", "it leads to an address that is not encrypted"),
    ],
)
def test_what_is_not_there_or_not_safe_is_said(server: str, path: str, why: str) -> None:
    with pytest.raises(CacheFileError) as raised:
        cache_url.fetch(f"{server}{path}")
    assert str(raised.value) == why


def test_a_server_that_does_not_answer_is_said() -> None:
    with HTTPServer(("127.0.0.1", 0), Answers) as closed:
        port = closed.server_port
    with pytest.raises(CacheFileError, match=r"it can't be fetched: .*refused"):
        cache_url.fetch(f"http://127.0.0.1:{port}/warm.cache")


@pytest.mark.parametrize(
    ("place", "is_url", "is_safe"),
    [
        ("https://example.com/warm.cache", True, True),
        ("http://localhost:8000/warm.cache", True, True),
        ("http://[::1]/warm.cache", True, True),
        ("http://example.com/warm.cache", True, False),
        ("http://localhost.example.com/warm.cache", True, False),
        ("http://localhost@example.com/warm.cache", True, False),
        ("https:///warm.cache", True, False),
        ("http://[::1/warm.cache", True, False),
        ("warm.cache", False, False),
        ("/tmp/https://warm.cache", False, False),
        ("ftp://example.com/warm.cache", False, False),
    ],
)
def test_what_is_run_comes_encrypted_or_from_this_machine(
    place: str, is_url: bool, is_safe: bool
) -> None:
    assert (cache_url.is_url(place), cache_url.is_safe(place)) == (is_url, is_safe)


def test_what_opens_an_address_is_not_shown() -> None:
    url = "https://me:word@example.com:8443/a/warm.cache?X-Amz-Signature=abc#more"
    assert cache_url.shown(url) == "https://example.com:8443/a/warm.cache"
