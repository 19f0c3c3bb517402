"""The guide in a real browser, from file://: it is searched without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.chromium import open_page
from tests.docs.building import build_guide

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("zensical")
pytestmark = pytest.mark.browser


@pytest.mark.long
def test_it_is_searched_without_a_server(chromium: Any, tmp_path: Path) -> None:
    page, watched = open_page(chromium, build_guide(tmp_path) / "index.html")
    page.wait_for_load_state("load")
    page.get_by_role("button", name="Search").first.click()
    search = page.get_by_role("combobox")
    search.wait_for()
    search.fill("drop_last")
    page.locator('a[href*="CA101"]:visible').first.wait_for()
    assert [url for url in watched.requests if not url.startswith("file:")] == []
    assert watched.errors == []
