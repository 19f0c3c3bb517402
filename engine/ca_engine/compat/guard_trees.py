"""Dynamo's guards of an earlier compile, asked for more than the first that fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ca_engine.guards import as_written, parse


def newest(entries: Any) -> Any:
    """Return the guards of the newest compile of Dynamo's cache ``entries``.

    None without any, or with a torch that makes no copies of guards. Torch keeps them in a list
    from 2.12 on, until then each leads to the next.
    """
    entry = entries[0] if isinstance(entries, list) and entries else entries or None
    root = getattr(getattr(entry, "guard_manager", None), "root", None)
    return root if hasattr(root, "clone_manager") else None


def failing(root: Any, variables: Mapping[str, Any]) -> Iterator[str]:
    """Yield what fails of a compile's guards, in torch's words and order, the first one included.

    ``root`` is `newest`'s, ``variables`` are the frame's locals. Torch looks no further than the
    first that fails. So what that one is about, and what is read of it, is left out of a copy of
    the guards, and they are asked again: no more is run than at a call. Ends where a guard is about
    no one thing, as on sizes of two, or global state.
    """
    left_out: set[str] = set()
    asked = root
    while True:
        answer = asked.check_verbose(variables)
        if answer.result or len(answer.verbose_code_parts) != 1:
            return
        text = as_written(answer.verbose_code_parts[0])
        source = parse(text)[0].source
        if source in left_out:
            return
        yield text
        if not source:
            return
        left_out.add(source)
        asked = root.clone_manager(lambda manager: as_written(manager.get_source()) not in left_out)
