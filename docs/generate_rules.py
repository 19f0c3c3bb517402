"""Writes ``docs/rules/*.md`` from the rules' docstrings: ``make docs-rules``."""

from pathlib import Path

from ca_reports.rules import all_rules
from ca_reports.rules.pages import pages

FOLDER = Path(__file__).parent / "rules"


def main() -> None:
    """Write all pages, and remove those of rules that are no more."""
    FOLDER.mkdir(exist_ok=True)
    written = pages(all_rules())
    for old in FOLDER.glob("*.md"):
        if old.name not in written:
            old.unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
