"""Pictures of every view of a report, at three widths in both themes, and of the terminal.

``python -m tests.browser.screenshots RUN FOLDER``; those of the guide replace the ones in
``docs/images``, beside which stands what they were made from.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.browser import pictures
from tests.browser.chromium import browser, open_page

WIDTHS = {"wide": (1440, 900), "tablet": (1024, 768), "phone": (390, 844)}
VIEWS = {
    "overview": "#overview",
    "timeline": "#timeline",
    "captures": "#captures",
    "capture": "#capture=0/2",
    "graph": "#view=graph&capture=0/1",
    "node": "#view=graph&capture=0/1&node=28",
    "difference": "#view=graph&capture=0/1&difference=1",
    "sizes": "#sizes",
    "source": "#source",
    "log": "#log",
}
# What the guide shows: the view, its theme, and how much of it.
GUIDE = {
    "overview": ("light", 800),
    "timeline": ("dark", 470),
    "capture": ("light", 860),
    "node": ("light", 760),
    "difference": ("dark", 700),
    "sizes": ("light", 760),
    "source": ("light", 760),
}
GUIDE_WIDTH = 1200
SCALE = 1.5
COLOURS = 256
MAX_BYTES = 250_000
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
        guide(chromium, run, pictures.IMAGES)
    shrink(folder / "terminal.png", pictures.IMAGES / "terminal.png")
    pictures.renew()


def guide(chromium: Any, run: Path, folder: Path) -> None:
    """The pictures of the guide, sharp on a fine screen and small."""
    for view, (theme, height) in GUIDE.items():
        page, _ = open_page(
            chromium,
            run / "report.html",
            VIEWS[view],
            viewport={"width": GUIDE_WIDTH, "height": height},
            color_scheme=theme,
            device_scale_factor=SCALE,
        )
        page.wait_for_timeout(600)
        path = folder / f"{view}.png"
        page.screenshot(path=path)
        page.close()
        shrink(path, path)


def shrink(source: Path, target: Path) -> None:
    """Write ``source`` with few colours, which is what an interface has."""
    from PIL import Image

    with Image.open(source) as picture:
        small = picture.convert("RGB").quantize(
            COLOURS,
            # Keeps the small patches of colour that a legend is made of.
            method=Image.Quantize.MAXCOVERAGE,
            dither=Image.Dither.NONE,
        )
    small.save(target, optimize=True)
    size = target.stat().st_size
    print(f"{target.name}: {size / 1000:.0f} kB")
    if size > MAX_BYTES:
        sys.exit(f"{target} has {size:,} bytes: too large for a repository")


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
            # A browser has a colour of its own for links.
            code_format="<style>a{{color:inherit}}</style>"
            '<body style="margin:0;background:#1c1c1c;color:#d4d4d4">'
            f'<pre style="{style}">{{code}}</pre></body>',
        )
    )
    page.locator("pre").screenshot(path=folder / "terminal.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
