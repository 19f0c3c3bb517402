"""Pictures of every view of a report, at two widths and in both themes.

python -m tests.browser.screenshots REPORT.html FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.browser.chromium import browser, open_page

WIDTHS = {"wide": (1400, 900), "narrow": (480, 900)}
VIEWS = {
    "overview": "#overview",
    "timeline": "#timeline",
    "captures": "#captures",
    "capture": "#capture=0/1",
    "graph": "#view=graph&capture=0/1&node=5",
    "difference": "#view=graph&capture=0/1&difference=1",
    "source": "#source",
    "log": "#log",
}


def main(report: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as chromium:
        for width, (across, down) in WIDTHS.items():
            for theme in ("light", "dark"):
                page, watched = open_page(
                    chromium,
                    report,
                    viewport={"width": across, "height": down},
                    color_scheme=theme,
                )
                for view, hash in VIEWS.items():
                    page.evaluate("hash => { location.hash = hash }", hash)
                    page.wait_for_timeout(400)
                    page.screenshot(path=folder / f"{view}-{width}-{theme}.png")
                print(f"{width} {theme}", *watched.errors)
                page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
