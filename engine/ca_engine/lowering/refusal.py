"""Why a graph goes the ordinary way."""

from __future__ import annotations

from ca_engine import schema


class RefusalError(Exception):
    """A graph that is not lowered, and why; nothing of it has run.

    ``detail`` is a phrase for the reader ("hook scale"), ``file`` and ``line`` where in the
    user's code the reason lies, if it lies there.
    """

    def __init__(
        self,
        reason: schema.LoweringReason,
        detail: str | None = None,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.file = file
        self.line = line
