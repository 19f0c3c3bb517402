"""Logs how long functions take."""

import functools
import logging
import time

logger = logging.getLogger("kiln")


def timed(function):
    @functools.wraps(function)
    def measured(*arguments):
        began = time.perf_counter()
        result = function(*arguments)
        elapsed = time.perf_counter() - began
        logger.info("%s took %.2f ms", function.__qualname__, 1000 * elapsed)
        return result

    return measured
