"""AOTAutogradCache: what its keys are made of."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from torch._functorch import config

LOGGER = "torch._functorch._aot_autograd.autograd_cache"


def settings() -> dict[str, Any]:
    """Return AOTAutograd's settings, as far as they are part of a key, by name."""
    try:
        return dict(config.save_config_portable())
    except Exception:  # a setting that can't be copied: the cache is bypassed, then
        return {}


def folder() -> str:
    """Return the folder of this and of inductor's other caches."""
    # Whoever asks a cache has imported inductor; nobody else is to wait for that.
    from torch._inductor.runtime.cache_dir_utils import cache_dir

    try:
        return str(cache_dir())
    except OSError:
        return ""


def describe_keys() -> Callable[[], None]:
    """Let AOTAutogradCache write the components of its keys; return what ends it.

    It does so while its logger is at level DEBUG. Nobody else gets what it logs then: a filter
    keeps from every handler what the logger's own level would not have let through.
    """
    logger = logging.getLogger(LOGGER)
    if logger.isEnabledFor(logging.DEBUG):
        return lambda: None
    before = logger.level

    def was_enabled(record: logging.LogRecord) -> bool:
        above = logger.parent.getEffectiveLevel() if logger.parent else logging.WARNING
        return record.levelno >= (before or above)

    logger.addFilter(was_enabled)
    logger.setLevel(logging.DEBUG)

    def end() -> None:
        logger.removeFilter(was_enabled)
        if logger.level == logging.DEBUG:
            logger.setLevel(before)

    return end
