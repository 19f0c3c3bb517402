"""What nothing uses, by vulture: part of ``make check``.

Vulture reads Python only. Here templates count as users of the names in them, and a rule as used:
`ca_reports.causes.rules` finds it by its file's name. Everything else that others call by name is
listed in ``pyproject.toml``, with who calls it; a name there that hides nothing is reported, too.
"""

from __future__ import annotations

import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

from vulture.config import make_config
from vulture.core import Vulture

_RULE = re.compile(r"ca\d{3}_\w+\.py")
_NAME = re.compile(r"\.([a-z_]\w*)")


def main() -> int:
    """Print what is unused, and what of the list of names is; 1 if there is anything."""
    config = make_config([])
    found = Vulture(ignore_decorators=config["ignore_decorators"])
    found.scavenge(config["paths"], exclude=config["exclude"])
    for template in Path("reports").rglob("*.j2"):
        names = _NAME.findall(template.read_text("utf-8"))
        found.scan("\n".join(f"_.{name}" for name in names), filename=template)
    unused = [
        item
        for item in found.get_unused_code(config["min_confidence"])
        if not (item.typ == "class" and _RULE.fullmatch(Path(item.filename).name))
    ]
    listed: list[str] = config["ignore_names"]
    told = [
        item.get_report()
        for item in unused
        if not any(fnmatchcase(item.name, name) for name in listed)
    ]
    told += [
        f"pyproject.toml: '{name}' hides nothing"
        for name in listed
        if not any(fnmatchcase(item.name, name) for item in unused)
    ]
    print(*told, sep="\n", end="\n" if told else "")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
