"""What may have bound the variable of a read, by a table, and by running programs made at random.

In the sources of the table a comment `?x` marks the line with the read that is asked about, and
`!x` the lines of all that it may see.
"""

from __future__ import annotations

import ast
import re
import sys
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ca_reports.program.bindings import Bindings

CASES = {
    "last of two": """\
x = 1
x = 2  # !x
print(x)  # ?x
""",
    "both sides": """\
import random
if random.random():
    x = 1  # !x
else:
    x = 2  # !x
print(x)  # ?x
""",
    "one side": """\
import random
x = 0  # !x
if random.random():
    x = 1  # !x
print(x)  # ?x
""",
    "return ends a side": """\
def f(c):
    x = 0  # !x
    if c:
        x = 1
        return 2
    return x  # ?x
""",
    "raise ends a side": """\
def f(c):
    if c:
        x = 1  # !x
    else:
        raise ValueError
    return x  # ?x
""",
    "augmented": """\
def f():
    x = 0
    x += 1  # !x
    return x  # ?x
""",
    "tuple": """\
def f(p):
    a, (b, *c) = p  # !c
    return c  # ?c
""",
    "parameter": """\
def f(x):  # !x
    return x  # ?x
""",
    "default keyword": """\
def f(*, x=3):  # !x
    return x  # ?x
""",
    "carried by for": """\
def f(net, data, state):  # !state
    for x in data:
        y, state = net(x, state)  # ?state !state
    return y
""",
    "carried by while": """\
def f(n):
    i = 0  # !i
    while i < n:  # ?i
        i = i + 1  # !i
    return i
""",
    "read before written in loop": """\
def f(data):
    last = None  # !last
    for x in data:
        print(last)  # ?last
        last = x  # !last
""",
    "after loop": """\
def f(data):
    best = 0  # !best
    for x in data:
        if x > 1:
            best = x  # !best
    return best  # ?best
""",
    "loop variable after": """\
def f(data):
    for x in data:  # !x
        pass
    return x  # ?x
""",
    "break": """\
def f(data):
    k = 0  # !k
    for x in data:
        k = 1  # !k
        if x:
            break
        k = 2  # !k
    return k  # ?k
""",
    "continue": """\
def f(data):
    k = 0  # !k
    for x in data:
        print(k)  # ?k
        k = 1  # !k
        if x:
            continue
        k = 2  # !k
""",
    "for else": """\
def f(data):
    for x in data:
        if x:
            r = x  # !r
            break
    else:
        r = None  # !r
    return r  # ?r
""",
    "while true": """\
def f(q):
    h = None
    while True:
        h = q()  # !h
        if h:
            break
    return h  # ?h
""",
    "inner loop carries out": """\
def f(es, data):
    t = 0  # !t
    for e in es:
        for x in data:
            t = t + x  # ?t !t
    return t
""",
    "closure": """\
def outer():
    n = 1  # !n
    def inner():
        return n  # ?n
    return inner
""",
    "closure sees later": """\
def outer():
    n = 1
    def inner():
        return n  # ?n
    n = 2  # !n
    return inner
""",
    "nonlocal": """\
def outer():
    n = 0  # !n
    def inner():
        nonlocal n
        n = 5  # !n
    inner()
    return n  # ?n
""",
    "global": """\
n = 0  # !n
def step():
    global n
    n += 1  # !n
def read():
    return n  # ?n
""",
    "shadowed": """\
n = 0
def f():
    n = 1  # !n
    return n  # ?n
""",
    "class scope is no function's": """\
n = 0  # !n
class A:
    n = 1
    def f(self):
        return n  # ?n
""",
    "lambda": """\
def f(k):  # !k
    return lambda x: x + k  # ?k
""",
    "lambda parameter": """\
x = 0
f = lambda x: (  # !x
    x  # ?x
)
""",
    "comprehension": """\
def f(rows):
    x = 1
    return [
        x  # ?x
        for x in rows  # !x
    ]
""",
    "walrus": """\
def f(q):
    if (n := q()) > 1:  # !n
        return n  # ?n
""",
    "walrus in comprehension": """\
def f(rows):
    any((hit := r) for r in rows)  # !hit
    return hit  # ?hit
""",
    "del": """\
def f():
    x = 1
    del x
    x = 2  # !x
    return x  # ?x
""",
    "import under a name": """\
import os.path as p  # !p
print(p)  # ?p
""",
    "with": """\
def f(path):
    with open(path) as h:  # !h
        return h  # ?h
""",
    "after with": """\
def f(lock):
    x = 0
    with lock:
        x = 1  # !x
    return x  # ?x
""",
    "try body or handler": """\
def f(a):
    try:
        x = a()  # !x
    except ValueError:
        x = 0  # !x
    return x  # ?x
""",
    "before try in handler": """\
def f(a):
    x = 0  # !x
    try:
        x = a()  # !x
        x = a(x)
    except ValueError:
        print(x)  # ?x
""",
    "finally": """\
def f(a):
    x = 0  # !x
    try:
        x = a()  # !x
    finally:
        print(x)  # ?x
""",
    "exception name": """\
def f(a):
    try:
        a()
    except ValueError as e:  # !e
        return e  # ?e
""",
    "except star": """\
def f(a):
    try:
        x = a()  # !x
    except* ValueError:
        x = 0  # !x
    return x  # ?x
""",
    "match": """\
def f(c):
    match c:
        case [a, *_]:  # !a
            r = a  # ?a
""",
    "match both": """\
def f(c):
    match c:
        case 1:
            r = 1  # !r
        case _:
            r = 2  # !r
    return r  # ?r
""",
    "match none fits": """\
def f(c):
    r = 0  # !r
    match c:
        case 1:
            r = 1  # !r
    return r  # ?r
""",
}
CASES |= {
    "a function is called in between": """\
def outer():
    n = 1  # !n
    def inner():
        return n  # ?n
    inner()
    n = 2  # !n
""",
    "a call before the function is made does not run it": """\
def outer(other):
    n = 1
    other()
    n = 2  # !n
    def inner():
        return n  # ?n
    return inner
""",
    "a comprehension sees what is there now": """\
def f(rows):
    k = 1  # !k
    found = [
        k  # ?k
        for _ in rows
    ]
    k = 2
    return found, k
""",
    "a global in its own function": """\
n = 0
def f(c):
    global n
    n = 1  # !n
    return n  # ?n
""",
    "a global in one branch": """\
n = 0  # !n
def f(c):
    global n
    if c:
        n = 1  # !n
    return n  # ?n
""",
    "what is suppressed": """\
from contextlib import suppress
def f(a):
    x = 0  # !x
    with suppress(ValueError):
        x = a()  # !x
    return x  # ?x
""",
    "an earlier call": """\
def outer():
    n = 0  # !n
    def inner():
        nonlocal n
        print(n)  # ?n
        n = 1  # !n
    inner()
    inner()
""",
    "a handler takes its name away": """\
def f(a):
    e = 1  # !e
    try:
        a()
    except ValueError as e:
        pass
    return e  # ?e
""",
    "`:=` on one side of an `and`": """\
def f(a, b):
    x = 0  # !x
    a() and (x := b())  # !x
    return x  # ?x
""",
    "a class reads what is around it": """\
def f():
    k = 1  # !k
    class A:
        j = k  # ?k
    k = 2
    return A
""",
    "a default is evaluated outside": """\
k = 1  # !k
def f(k=k):  # ?k
    return k
""",
    "a finally sees a return": """\
def f(a):
    x = 0  # !x
    try:
        x = 1  # !x
        return a(x)
    finally:
        print(x)  # ?x
""",
}
if sys.version_info < (3, 11):
    del CASES["except star"]


def marked(source: str) -> tuple[int, str, set[int]]:
    """The line and name that are asked about, and the lines of what they may see."""
    asked, seen = [], set()
    for number, line in enumerate(source.splitlines(), 1):
        for mark, name in re.findall(r"([?!])(\w+)", line.partition("#")[2]):
            seen.add(number) if mark == "!" else asked.append((number, name))
    ((line_asked, name),) = asked
    return line_asked, name, seen


def all_seen(source: str) -> dict[tuple[int, str], set[int]]:
    """Line and name of each read → the lines of what it may see, of the first on its line."""
    tree = ast.parse(source)
    bindings = Bindings(tree)
    found: dict[tuple[int, str], set[int]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            lines = {one.lineno for one in bindings.definitions(node)}  # type: ignore[attr-defined]
            found.setdefault((node.lineno, node.id), lines)
    return found


@pytest.mark.parametrize("source", CASES.values(), ids=CASES.keys())
def test_a_read_sees_what_may_be_there(source: str) -> None:
    line, name, seen = marked(source)
    assert all_seen(source)[line, name] == seen


@pytest.mark.parametrize("source", CASES.values(), ids=CASES.keys())
def test_uses_are_definitions_the_other_way_round(source: str) -> None:
    tree = ast.parse(source)
    bindings = Bindings(tree)
    nodes = list(ast.walk(tree))
    pairs = {(read, one) for read in nodes for one in bindings.definitions(read)}
    assert pairs == {(read, one) for one in nodes for read in bindings.uses(one)}


def test_a_name_that_nothing_binds_has_no_definitions() -> None:
    tree = ast.parse("print(len)\n")
    bindings = Bindings(tree)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    assert not any(bindings.definitions(name) for name in names)
    assert all(bindings.variable(name)[0] is None for name in names)


def test_what_is_nested_too_deeply_is_not_followed() -> None:
    parts = " + ".join("x" for _ in range(sys.getrecursionlimit()))
    tree = ast.parse(f"x = 1\ny = {parts}\n")
    bindings = Bindings(tree)
    assert not any(bindings.definitions(node) for node in ast.walk(tree))


# Programs made at random. Each assignment assigns the number of its line, and each read says which
# number it finds: that line must be among those that the read may see.

NAMES = ("a", "b")


def indented(block: list[str]) -> list[str]:
    return [f"    {line}" for line in block]


@st.composite
def blocks(draw: st.DrawFn, depth: int = 3, in_loop: bool = False) -> list[str]:
    """The lines of a block."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(statements(depth, in_loop))
    return lines


@st.composite
def statements(draw: st.DrawFn, depth: int, in_loop: bool) -> list[str]:
    """The lines of a statement; ``LINE`` stands for the number of the line that it is on."""
    name = draw(st.sampled_from(NAMES))
    simple = [[f"{name} = LINE"], [f"look('{name}', LINE, {name})"], ["maybe_raise()"]]
    leaving = [["return"]] + ([["break"], ["continue"]] if in_loop else [])
    if not depth:
        return draw(st.sampled_from(simple))
    kind = draw(st.sampled_from(("simple", "simple", "if", "loop", "try", "leave", "with", "def")))
    inner = blocks(depth - 1, in_loop)
    if kind == "if":
        return ["if toss():", *indented(draw(inner)), "else:", *indented(draw(inner))]
    if kind == "loop":
        head = draw(st.sampled_from((f"for {name} in [LINE] * 2:", "while toss():")))
        return [head, *indented(draw(blocks(depth - 1, True))), "else:", *indented(draw(inner))]
    if kind == "try":
        last = ["finally:", *indented(draw(inner))] if draw(st.booleans()) else []
        handled = ["except ValueError:", *indented(draw(inner))]
        return ["try:", *indented(draw(inner)), *handled, *last]
    if kind == "leave":
        return ["if toss():", *indented(draw(st.sampled_from(leaving)))]
    if kind == "with":
        return ["with nothing():", *indented(draw(inner))]
    if kind == "def":
        own = draw(st.booleans())
        body = [*([f"nonlocal {name}"] if own else []), *draw(closed(name, own))]
        return ["def inner():", *indented(body), "inner()"]
    return draw(st.sampled_from(simple))


@st.composite
def closed(draw: st.DrawFn, name: str, own: bool) -> list[str]:
    """The body of a function within the function: it reads a variable, or sets it as well."""
    look = f"look('{name}', LINE, {name})"
    return [look, f"{name} = LINE", look] if own and draw(st.booleans()) else [look]


class TossedError(ValueError):
    """What `maybe_raise` raises."""


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(blocks(), st.lists(st.booleans(), max_size=30))
def test_what_a_run_sees_is_among_what_may_be_seen(block: list[str], tosses: list[bool]) -> None:
    begin = ["def f():", "    a = LINE", "    b = LINE", "    def inner(): pass"]
    numbered = enumerate([*begin, *indented(block)], 1)
    source = "\n".join(line.replace("LINE", str(number)) for number, line in numbered) + "\n"
    seen: list[tuple[str, int, int]] = []
    left = list(tosses)

    def toss() -> bool:
        return left.pop() if left else False

    def maybe_raise() -> None:
        if toss():
            raise TossedError

    class Nothing:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    def look(name: str, line: int, value: int) -> None:
        seen.append((name, line, value))

    scope = {"toss": toss, "maybe_raise": maybe_raise, "look": look, "nothing": Nothing}
    exec(compile(source, "<made>", "exec"), scope)
    with suppress(TossedError):
        scope["f"]()  # type: ignore[operator]
    reads = all_seen(source)
    for name, line, value in seen:
        assert value in reads[line, name], source
