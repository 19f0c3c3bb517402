"""Debian's Chromium, driven by Playwright: where it is, and a page that watches itself."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

CHROMIUM = os.environ.get("CA_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"


@dataclass
class Watched:
    """What a page did that a report must not do."""

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


@contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


def open_page(browser: Any, path: Path, hash: str = "", **options: Any) -> tuple[Any, Watched]:
    """Open a report from file://; returns the page and what is seen of it from then on."""
    watched = Watched()
    page = browser.new_page(**options)
    page.on(
        "console",
        lambda said: (
            watched.errors.append(said.text) if said.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    page.on("request", lambda request: watched.requests.append(request.url))

    def dismiss(dialog: Any) -> None:
        watched.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.goto(path.resolve().as_uri() + hash)
    return page, watched
