"""The group of ranks that a process is in: its collectives fail after a while, a compile or not."""

from __future__ import annotations

import time
from collections.abc import Callable

from ca_engine import schema, trace
from ca_engine.compat import process_groups


class Groups:
    """Write ``ca_group`` before the first compile in a group, and where it is another one later.

    ``before`` is called before a record is written.
    """

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before
        self.forget()

    def forget(self) -> None:
        """Write the group again at the next compile."""
        self._written: tuple[process_groups.Group, bool] | None = None

    def write(self) -> None:
        """Something is compiled, which other ranks may have to wait for."""
        if not trace.is_listening():
            return
        try:
            group = process_groups.default_group()
            shared = process_groups.shares_sizes()
        except Exception:
            return  # a diagnosis that fails must not take the user's compile with it
        if group is None or self._written == (group, shared):
            return
        self._written = group, shared
        record: schema.GroupRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "backend": group.backend,
            "ranks": group.ranks,
            "timeout": group.timeout,
            "shares_sizes": shared,
        }
        self._before()
        trace.compact_artifact(schema.GROUP_RECORD, lambda: record)
