"""Pictures of every view of a report, at three widths in both themes, and of the terminal.

python -m tests.browser.screenshots RUN FOLDER
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.browser.chromium import browser, open_page

WIDTHS = {"wide": (1280, 800), "tablet": (768, 900), "phone": (390, 844)}
VIEWS = {
    "overview": "#overview",
    "timeline": "#timeline",
    "captures": "#captures",
    "capture": "#capture=0/2",
    "graph": "#view=graph&capture=0/1",
    "node": "#view=graph&capture=0/1&node=28",
    "difference": "#view=graph&capture=0/1&difference=1",
    "source": "#source",
    "log": "#log",
}
COLUMNS = 112


def main(run: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as chromium:
        for width, (across, down) in WIDTHS.items():
            for theme in ("light", "dark"):
                page, watched = open_page(
                    chromium,
                    run / "report.html",
                    viewport={"width": across, "height": down},
                    color_scheme=theme,
                )
                for view, hash in VIEWS.items():
                    page.evaluate("hash => { location.hash = hash }", hash)
                    page.wait_for_timeout(400)
                    page.screenshot(path=folder / f"{view}-{width}-{theme}.png")
                print(f"{width} {theme}", *watched.errors)
                page.close()
        page, _ = open_page(chromium, run / "report.html", color_scheme="dark")
        page.pdf(path=folder / "paper.pdf", format="A4")
        terminal(chromium, run, folder)


def terminal(chromium: Any, run: Path, folder: Path) -> None:
    """What ``ca explain-recompiles`` prints, as a terminal shows it."""
    from rich.console import Console
    from rich.terminal_theme import DIMMED_MONOKAI
    from rich.text import Text

    done = subprocess.run(
        [sys.executable, "-m", "ca_cli", "explain-recompiles", str(run)],
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS)},
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(done.stdout), soft_wrap=True)
    page = chromium.new_page(viewport={"width": 960, "height": 400})
    style = "margin:0;padding:14px;font:13px/1.35 monospace;display:inline-block;white-space:pre"
    page.set_content(
        console.export_html(
            theme=DIMMED_MONOKAI,
            inline_styles=True,
            code_format=f'<body style="margin:0;background:#1c1c1c;color:#d4d4d4">'
            f'<pre style="{style}">{{code}}</pre></body>',
        )
    )
    page.locator("pre").screenshot(path=folder / "terminal.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
