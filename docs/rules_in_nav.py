"""Puts every page of ``rules/`` into the navigation: MkDocs calls this (``hooks``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

RULES = Path(__file__).parent / "rules"


def on_config(config: Any) -> Any:
    """Lists the rules' pages, which `generate_rules.py` writes, under ``Rules``."""
    (section,) = (entry["Rules"] for entry in config["nav"] if "Rules" in entry)
    for page in sorted(RULES.glob("CA*.md")):
        code, _, name = page.stem.partition("-")
        section.append({f"{code} {name.replace('-', ' ')}": f"rules/{page.name}"})
    return config
