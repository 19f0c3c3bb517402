import logging

logger = logging.getLogger("once")
_told = set()


def log_once(text):
    if text not in _told:
        _told.add(text)
        logger.info(text)
