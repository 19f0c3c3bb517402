"""Removes secrets from Python source, which a run folder keeps and a page shows.

What they are is in `secret_names` and `secret_literals`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence

from ca_engine.redaction import may_name_one


def redact_source(source: str, patterns: Sequence[str] = ()) -> str:
    """Return Python source with the literals of secrets replaced; it parses as before.

    ``password = "…"``, ``Client(api_key="…")``, ``os.environ["HF_TOKEN"] = "…"``, user and password
    of a URL, tokens known by their form.
    """
    if not (patterns or may_name_one(source)):
        return source
    from ca_engine.source_secrets import without_secrets  # late: few sources come here

    return without_secrets(source, patterns)
