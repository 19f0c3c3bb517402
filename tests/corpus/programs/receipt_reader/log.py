"""Notes to the console, when wanted."""

import os
import sys
import time

WANTED = os.environ.get("READER_NOTES", "")


def stamp():
    return time.strftime("%H:%M:%S")


def note(what, **values):
    line = f"{stamp()} {what} {values}"
    if what in WANTED.split(","):
        sys.stderr.write(line + "\n")
