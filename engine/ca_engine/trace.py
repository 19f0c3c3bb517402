"""Writing to torch's structured trace, and only when someone reads it.

``TORCH_TRACE=dir`` gives every process of a program one trace file; all our records and the
engine's own go through it, so any reader of that format can read them.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from ca_engine import full_disk, slow_storage
from ca_engine.compat import structured_trace


def is_listening() -> bool:
    """Return whether a trace is being written at all; if not, no payload is worth building."""
    return bool(structured_trace.LOGGER.handlers)


def has_file() -> bool:
    """Return whether a trace goes into a file: not only to handlers of others, such as pytest's."""
    return bool(structured_trace.file_handlers())


def settle() -> None:
    """Wait until the files hold all that was recorded, as long as their storage answers."""
    slow_storage.settle()


def without_others() -> AbstractContextManager[None]:
    """Meanwhile no handler gets the trace that only happens to listen to every logger."""
    return _without(lambda handler: not isinstance(handler, structured_trace.TraceHandler))


def only_to(chosen: logging.Handler) -> AbstractContextManager[None]:
    """Meanwhile ``chosen`` alone gets the trace."""
    return _without(lambda handler: handler is not chosen)


@contextmanager
def _without(left_out: Callable[[logging.Handler], bool]) -> Iterator[None]:
    logger = structured_trace.LOGGER
    others = [handler for handler in logger.handlers if left_out(handler)]
    for handler in others:
        logger.removeHandler(handler)
    try:
        yield
    finally:
        for handler in others:
            logger.addHandler(handler)


@contextmanager
def written_to(folder: Path) -> Iterator[logging.Handler]:
    """Write a trace into ``folder`` as if ``TORCH_TRACE`` had named it, beside any other.

    The ``with`` statement binds the handler that does so.
    """
    logger, handler = structured_trace.LOGGER, structured_trace.new_handler(str(folder))
    level = logger.level
    logger.setLevel(logging.DEBUG)
    logger.addHandler(handler)
    # In front: torch's own handler, without a folder, removes itself from this list when it
    # gets its first record, while that goes through the list; whoever comes next misses it.
    logger.handlers.sort(key=lambda found: found is not handler)
    full_disk.keep_quiet(str(folder.absolute()))
    slow_storage.do_not_wait(str(folder.absolute()))
    structured_trace.keep(handler)
    try:
        yield handler
    finally:
        structured_trace.let_go(handler)
        logger.removeHandler(handler)
        handler.close()
        logger.setLevel(level)


def artifact(
    name: str,
    payload: Callable[[], object],
    *,
    encoding: str = "json",
    capture: int | None = None,
) -> None:
    """Write an ``artifact`` record; ``payload`` is called only when a trace is written.

    With ``capture`` the record belongs to that capture, else to the process.
    """
    metadata = {"name": name, "encoding": encoding}
    _write("artifact", name, payload, metadata=lambda: metadata, capture=capture)


def compact_artifact(name: str, payload: Callable[[], Any], *, capture: int | None = None) -> None:
    """Write the same for our own records, which can be large: JSON on a single line.

    Values that JSON doesn't know (a device, a dtype) are written as their text.
    """
    artifact(
        name,
        lambda: json.dumps(payload(), separators=(",", ":"), default=str),
        capture=capture,
    )


def record(name: str, payload: Callable[[], str], *, capture: int) -> None:
    """Write a record of a kind of its own, such as ``compiled_autograd_graph``."""
    _write(name, name, payload, metadata=dict, capture=capture)


def _write(
    kind: str,
    name: str,
    payload: Callable[[], object],
    *,
    metadata: Callable[[], dict[str, Any]],
    capture: int | None,
) -> None:
    """Write a record; nothing that goes wrong with it reaches the program.

    Memory may run out while it is made, and a graph be one that FX can't print: one line says
    what is lost.
    """
    try:
        structured_trace.write(kind, metadata=metadata, payload=payload, capture=capture)
    except Exception as error:
        full_disk.say_lost(name, error)
