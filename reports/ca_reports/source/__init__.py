"""The user's source: which files of this machine may be read for a log, and their text."""
