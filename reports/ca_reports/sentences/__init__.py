"""The words of every output, by subject. Plain text: the callers escape it."""
