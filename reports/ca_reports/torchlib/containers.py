"""What the methods of Python's containers do to them: `list`, `dict`, `set`, `collections.deque`.

Read off Python 3.10 to 3.14; a test holds each name to the classes that have it. They are in an
order: calls are searched for by them, and what comes first may be the answer.
"""

from __future__ import annotations

# Their only argument is a new element.
APPENDS = ("append", "appendleft", "add")
# A list, a set or a deque is longer afterwards.
GROWS = (*APPENDS, "extend", "extendleft", "insert")
# Something is put in, if only for what had its key.
PUTS_IN = (*GROWS, "update", "setdefault")
TAKES_OUT = ("pop", "popleft", "popitem", "remove", "discard", "clear")
REORDERS = ("sort", "reverse", "rotate")
# It holds something else afterwards.
FILLS = (*PUTS_IN, *TAKES_OUT)
CHANGES = (*FILLS, *REORDERS)
# Those of `GROWS` that no tensor has: `x.add(n)` keeps nothing.
KEEPS = tuple(name for name in GROWS if name != "add")
# Their first argument is a key.
LOOKS_UP = ("get", "pop", "setdefault")
# They set or take out what has that key, and leave the rest.
OF_ONE_KEY = ("pop", "setdefault")
# What gives the content of a dict to a loop.
VIEWS = ("items", "keys", "values")
# They make a class of fields, which their second argument names.
MAKES_FIELDS = ("namedtuple", "NamedTuple")
MAKES_CLASSES = (*MAKES_FIELDS, "make_dataclass")
