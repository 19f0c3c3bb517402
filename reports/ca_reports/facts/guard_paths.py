"""Paths of what guards read, as Dynamo writes them: ``L['self']._modules['0'].cache[3]``.

A path is taken apart here and nowhere else. Rules, searches for lines, patches and sentences ask
its steps.
"""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from itertools import pairwise, takewhile
from keyword import iskeyword
from typing import TYPE_CHECKING, Literal, NamedTuple

from ca_engine import guards
from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.torchlib.optimizers import GROUPS
from ca_reports.words.guard_values import literal
from ca_reports.words.references import Reference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# How a step leads on. A module has its submodules, parameters and buffers in tables; `hook` is an
# entry of its table of hooks. A function has the variables of its closure in cells, and its default
# values in a tuple, or by name in a dict. `keyword` is what a `partial` binds, by name or place.
StepKind = Literal[
    "attribute",
    "item",
    "module",
    "parameter",
    "buffer",
    "cell",
    "default",
    "keyword",
    "hook",
    "call",
]

_TABLES: dict[str, StepKind] = {
    "_modules": "module",
    "_parameters": "parameter",
    "_buffers": "buffer",
}
_BY_NAME: dict[str, StepKind] = {**_TABLES, "keywords": "keyword", "__kwdefaults__": "default"}
_BY_PLACE: dict[str, StepKind] = {
    "__closure__": "cell",
    "__defaults__": "default",
    "args": "keyword",
}
_CONTENTS = "cell_contents"
_ATTRIBUTES = "__dict__"
_OF_NUMPY = "___from_numpy"
# The hooks of a captured graph; what a wrapper of torch's is given, by place and by name, and what
# it calls.
_HOOKS, _SIZES, _ARGUMENTS, _KEYWORDS, _WRAPPED = "hooks", "sizes", "args", "kwargs", "fn"
# What Dynamo calls the values that a function begins with which it resumes after a graph break.
ON_STACK = "___stack"
_IMPORT = "__import_"
# The module whose forward is compiled, also as Dynamo calls one that it compiles as it is.
_OWN = frozenset(("self", _WRAPPED))
_DEEPEST = 8

_ROOT = expression(r"(?P<scope>[LG])\['(?P<variable>[^'\\]*)'\]|(?P<name>[^\W\d]\w*)")
_STEP = expression(
    r"\.(?P<name>[^\W\d]\w*)|\[(?:'(?P<word>[^'\\]*)'|(?P<number>-?\d{1,18}))\]|(?P<open>[\[(])"
)
_TABLE_OF_HOOKS = expression(r"_\w{1,60}_hooks(?:_\w{1,60})?")
_ALIAS = expression(r"\"([^\"]*)\"")
_TOKEN = expression(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[()\[\]]", re.DOTALL)
_CLOSING = {"(": ")", "[": "]"}
# What stands between paths.
_OTHER = expression(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d\w*|\.\w+|[^\w.'\"]+", re.DOTALL)


# What Dynamo names by an object's address and the compile: ``___unnamed_scope_1402_c3/0``, or
# counts: ``__builtins_dict___4``.
_IDS = expression(r"_\d{4,}_c\d+(?:[/_]\d+)*|(?<=__builtins_dict__)_\d+", re.ASCII)


class GroupEntry(NamedTuple):
    """An entry of an optimizer's parameter group; ``part`` of a pair, such as ``betas``."""

    group: int
    key: str
    part: int | None = None


class Step(NamedTuple):
    """A step of a path: ``text`` as guards write it, ``key`` the name or number in it.

    ``key`` is None of a call, whose arguments `given` has, and where it is no text and no number.
    ``table`` is the attribute that an entry is read from, where that says what the entry is.
    """

    kind: StepKind
    key: str | int | None
    text: str
    table: str = ""

    @property
    def is_entry(self) -> bool:
        """Return whether it reads a dict's entry by a text."""
        return self.kind in ("item", "keyword", "default") and isinstance(self.key, str)

    @property
    def is_nth_key(self) -> bool:
        """Return whether it reads a dict's entry by the number of its key, as Dynamo writes."""
        return self.text.startswith("[list(dict.keys(")

    @property
    def is_dotted(self) -> bool:
        """Return whether it begins with an attribute."""
        return self.text.startswith(".")

    @property
    def is_name(self) -> bool:
        """Return whether the program reads it by a dot."""
        return self.kind in ("attribute", "module", "parameter", "buffer")

    @property
    def given(self) -> str:
        """Return the arguments of a call as they are written, else an empty text."""
        return self.text[1:-1] if self.kind == "call" else ""


@dataclass(frozen=True, slots=True)
class GuardPath:
    """The path of what a guard reads; ``root`` is the variable that it begins with.

    ``scope`` is how Dynamo names that: ``L`` of the frame (``L['x']``), ``G`` of the module
    (``G['x']``), empty where the guard has the variable itself. A text that is no path has an empty
    root and no steps.
    """

    text: str
    root: str = ""
    scope: Literal["", "L", "G"] = ""
    steps: tuple[Step, ...] = ()

    @property
    def is_global(self) -> bool:
        """Return whether it is reached from a global of a module."""
        return self.scope == "G"

    @property
    def is_variable(self) -> bool:
        """Return whether it is a variable of the function itself: ``x``."""
        return bool(self.root) and not self.scope and not self.steps

    @property
    def is_argument(self) -> bool:
        """Return whether it is a variable of the function and not its ``self``."""
        return self.is_variable and self.root != "self"

    @property
    def is_of_own(self) -> bool:
        """Return whether it begins with the module or object whose method is compiled."""
        return not self.scope and self.root in _OWN

    @property
    def is_of_self(self) -> bool:
        """Return whether an attribute of ``self`` leads to it."""
        is_attribute = bool(self.steps) and self.steps[0].is_dotted
        return self.root == "self" and not self.scope and is_attribute

    @property
    def last(self) -> Step | None:
        """Return its last step; None of a variable."""
        return self.steps[-1] if self.steps else None

    @property
    def kind(self) -> StepKind | None:
        """Return how its last step leads to it; None of a variable."""
        return self.steps[-1].kind if self.steps else None

    def has(self, kind: StepKind) -> bool:
        """Return whether a step of that kind leads to it."""
        return any(step.kind == kind for step in self.steps)

    @property
    def attribute(self) -> str:
        """Return the name of the attribute that it is; empty if it is none."""
        return str(self.steps[-1].key) if self.kind == "attribute" else ""

    @property
    def own_attribute(self) -> str:
        """Return the attribute of ``self`` that it is: ``scale`` of ``self.scale``; else empty."""
        return self.attribute if self.is_of_self and len(self.steps) == 1 else ""

    @property
    def name(self) -> str:
        """Return the last name in it, an attribute's or else the variable's."""
        names = (str(step.key) for step in reversed(self.steps) if step.is_name)
        return next(names, self.root)

    @property
    def entry(self) -> str:
        """Return the key by which a dict has it; empty if none does."""
        last = self.last
        return str(last.key) if last is not None and last.is_entry else ""

    @property
    def element(self) -> int | None:
        """Return its place in a list that is a variable of the function: 1 of ``xs[1]``."""
        key = self.steps[0].key if len(self.steps) == 1 and not self.scope else None
        return key if isinstance(key, int) and self.steps[0].kind == "item" else None

    @property
    def place(self) -> int | None:
        """Return which argument of a call it is, where it has no name: 1 of ``args[1]``."""
        return self.element if self.root == _ARGUMENTS else None

    @property
    def of_object(self) -> tuple[str | int, ...] | None:
        """Return what leads to it from the object whose method is compiled; None of another's.

        Torch's wrapper of an optimizer's step is given that object as ``args[0]``.
        """
        if self.argument == "args[0]":
            return self.parts[1:]
        return self.parts if self.argument == "self" and not self.scope else None

    @property
    def argument(self) -> str:
        """Return the variable, or the argument of a call that has a place alone: ``args[1]``."""
        first = self.steps[0] if self.root == _ARGUMENTS and self.steps else None
        is_place = first is not None and isinstance(first.key, int) and not self.scope
        return f"{self.root}{first.text}" if first is not None and is_place else self.root

    @property
    def keyword(self) -> str:
        """Return by which name it is given to a wrapper: ``x`` of ``kwargs['x']``; else empty."""
        is_such = self.root == _KEYWORDS and not self.scope and len(self.steps) == 1
        return self.entry if is_such else ""

    @property
    def is_wrapped(self) -> bool:
        """Return whether it is what a wrapper of torch's calls."""
        return self.root == _WRAPPED and not self.scope and not self.steps

    @property
    def unnamed(self) -> GuardPath | None:
        """Return the part that has no name of the program's: ``args[0]``, ``kwargs['x']``, ``fn``.

        Or the variable that a hook keeps in its closure. None if the program has its names.
        """
        if self.scope or not self.steps:
            return None
        first, *others = self.steps
        count = {_ARGUMENTS: 1, _KEYWORDS: 1, _WRAPPED: 0, _HOOKS: 2}.get(self.root)
        is_such = {
            _ARGUMENTS: first.kind == "item" and isinstance(first.key, int),
            _KEYWORDS: first.kind == "item" and isinstance(first.key, str),
            _WRAPPED: first.is_dotted,
            _HOOKS: self.hook is not None and bool(others) and others[0].kind == "cell",
        }
        if count is None or not is_such[self.root]:
            return None
        steps = self.steps[:count]
        return GuardPath(self.root + "".join(one.text for one in steps), self.root, "", steps)

    @property
    def rest(self) -> str:
        """Return what leads on from that argument, as guards write it: ``.state['step']``."""
        return self.text.removeprefix(self.argument)

    @property
    def holder(self) -> GuardPath:
        """Return what has it: ``self.attn`` of ``self.attn.scale``; empty of a variable."""
        last = self.last
        if last is None:
            return GuardPath("")
        text = self.text.removesuffix(last.text)
        return GuardPath(text, self.root, self.scope, self.steps[:-1])

    @property
    def is_plain(self) -> bool:
        """Return whether it is a variable with attributes, keys and places, without a call."""
        return bool(self.root) and all(
            step.kind != "call" and step.key is not None for step in self.steps
        )

    @property
    def parts(self) -> tuple[str | int, ...]:
        """Return the attributes, keys and places that lead on from the variable.

        Tables of modules and of attributes are left out: nobody writes them.
        """
        found: list[str | int] = []
        for step in self.steps:
            if step.table and step.table not in _TABLES:
                found.append(step.table)
            if step.key is not None and step.key not in (*_TABLES, _ATTRIBUTES):
                found.append(step.key)
            if step.kind == "cell":
                found.append(_CONTENTS)
        return tuple(found)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the variable, attributes and keys: ``self, attn, scale``; none past a call."""
        if not self.root or self.has("call"):
            return ()
        return (self.root, *(part for part in self.parts if isinstance(part, str)))

    @property
    def inner(self) -> GuardPath:
        """Return what a call is given that is all of it: ``x.y`` of ``___from_numpy(x.y)``."""
        last = self.last
        if last is None or last.kind != "call" or not last.given:
            return self
        return guard_path(last.given).inner

    @property
    def cell(self) -> int | None:
        """Return the number of the closure's cell that holds it; None if none does."""
        return int(self.steps[-1].key or 0) if self.kind == "cell" else None

    @property
    def is_in_module(self) -> bool:
        """Return whether a module leads to it that another one has."""
        return self.has("module")

    @property
    def is_parameter(self) -> bool:
        """Return whether it is a parameter or buffer: another size is that of another module.

        A weight that is computed before each call, as by `weight_norm`, is a plain attribute.
        """
        is_held = self.has("parameter") or self.has("buffer")
        return is_held or self.own_attribute in ("weight", "bias")

    @property
    def is_inner_parameter(self) -> bool:
        """Return whether it is a parameter or buffer of a module within a module.

        That may be one of torch's own, whose properties are static by a setting of their own.
        """
        return any(
            one.kind == "module" and other.kind in ("parameter", "buffer")
            for one, other in pairwise(self.steps)
        )

    @property
    def given_module(self) -> str:
        """Return the argument that is, or holds as an attribute, the module that leads to it.

        ``head`` and ``job.head``; empty if none does.
        """
        if self.scope or self.is_of_own:
            return ""
        name = self.root
        for step in self.steps:
            if step.kind in ("module", "parameter", "buffer"):
                return name
            if step.kind != "attribute" or str(step.key).startswith("_"):
                return ""
            name += step.text
        return ""

    @property
    def is_of_module(self) -> bool:
        """Return whether it is an attribute of a module: of the compiled one, or of one within."""
        if not self.attribute:
            return False
        holder = self.steps[-2:-1]
        return holder[0].kind == "module" if holder else self.is_of_own

    @property
    def imported(self) -> str:
        """Return the module that it is a global of, if another one: ``einops._backends``."""
        is_such = self.root.startswith(_IMPORT)
        return self.root.removeprefix(_IMPORT).replace("_dot_", ".") if is_such else ""

    @property
    def is_of_import(self) -> bool:
        """Return whether it is a global of another module."""
        return bool(self.imported and self.attribute) and len(self.steps) == 1

    @property
    def is_called(self) -> bool:
        """Return whether the variable itself is called: ``len(x)``."""
        return bool(self.steps) and self.steps[0].kind == "call"

    @property
    def is_given_paths(self) -> bool:
        """Return whether it is a function's that is given something: ``torch.sym_float(x)``."""
        call = next((step for step in self.steps if step.kind == "call"), None)
        return call is not None and next(paths_in(call.given), None) is not None

    @property
    def before_call(self) -> GuardPath:
        """Return it without what is called of it: ``x.size`` of ``x.size()[0]``."""
        kept = tuple(takewhile(lambda step: step.kind != "call", self.steps))
        left = sum(len(step.text) for step in self.steps[len(kept) :])
        return GuardPath(self.text[: len(self.text) - left], self.root, self.scope, kept)

    @property
    def is_on_stack(self) -> bool:
        """Return whether it was computed before a graph break, and has no name of the program's."""
        return self.root.startswith(ON_STACK)

    @property
    def is_of_hooks(self) -> bool:
        """Return whether it is a hook of a module or all of its hooks, not what a hook keeps."""
        tables = (step.table or str(step.key) for step in self.steps)
        is_such = any(_TABLE_OF_HOOKS.fullmatch(name) for name in tables)
        return is_such and not self.has("cell")

    @property
    def hooked(self) -> GuardPath:
        """Return the module whose hooks they are."""
        path = self
        while path.holder.is_of_hooks:
            path = path.holder
        return path.holder

    @property
    def lifted(self) -> int | None:
        """Return which of a captured graph's sizes it is: 38 of ``sizes[38]``."""
        return self.element if self.root == _SIZES else None

    @property
    def sized(self) -> tuple[GuardPath, int] | None:
        """Return the tensor and the dimension whose size it is: ``x.size()[1]``; else None."""
        match [step.text for step in self.steps[-3:-1]], self.last:
            case [".size", "()"], Step(key=int(dimension)):
                return self.before_call.holder, dimension
        return None

    @property
    def hook(self) -> int | None:
        """Return the number of the captured graph's hook that leads to it; None if none does."""
        first = self.steps[0] if self.steps and self.root == _HOOKS else None
        key = first.key if first is not None and first.kind == "item" else None
        return key if isinstance(key, int) else None

    @property
    def group_entry(self) -> GroupEntry | None:
        """Return the entry of a parameter group that it is, or leads to; None if there is none."""
        keys = [step.key for step in self.steps]
        match keys[keys.index(GROUPS) + 1 :] if GROUPS in keys else []:
            case [int(group), str(key), int(part), *_]:
                return GroupEntry(group, key, part)
            case [int(group), str(key), *_]:
                return GroupEntry(group, key)
        return None

    @property
    def is_gradient(self) -> bool:
        """Return whether it is the gradient of a parameter of a group."""
        entry = self.group_entry
        is_of_parameter = entry is not None and entry.key == "params" and entry.part is not None
        return is_of_parameter and self.attribute == "grad"

    @property
    def of_gradients(self) -> str:
        """Return what has the parameter whose gradient it is: ``params`` of ``params[3].grad``.

        Empty of anything else: each parameter of a list has or lacks its gradient by itself.
        """
        if self.attribute != "grad" or len(self.steps) < 2:
            return ""
        parameter = self.steps[-2]
        is_of_list = parameter.kind == "item" and isinstance(parameter.key, int)
        return self.holder.holder.text if is_of_list else ""

    @property
    def in_frame(self) -> str:
        """Return how torch writes it in a tree of guards: ``L['batch'].ids`` for ``batch.ids``."""
        if self.scope or not self.root:
            return self.text
        return f"L['{self.root}']{''.join(step.text for step in self.steps)}"

    def leads_to(self, other: GuardPath) -> bool:
        """Return whether ``other`` is a part of it."""
        return bool(self.root) and other.text.startswith((f"{self.text}.", f"{self.text}["))

    def is_related(self, other: GuardPath) -> bool:
        """Return whether they are one thing, or one is a part of the other."""
        return self == other or self.leads_to(other) or other.leads_to(self)

    @property
    def said(self) -> str:
        """Return it as users write it: ``model.0.training``."""
        return readable(self.text)

    @property
    def ref(self) -> str:
        """Return the same for a sentence, which refers to what has no name of the program's."""
        return referring(self.text)


@lru_cache(maxsize=8192)
def guard_path(text: str) -> GuardPath:
    """Take a path apart; never raises."""
    found = _path_at(text, 0) if len(text) <= guards.MAX_EXPRESSION else None
    return found if found is not None and found.text == text else GuardPath(text)


@lru_cache(maxsize=8192)
def readable(text: str, hook: str = "") -> str:
    """Return a guard, or what it reads, with its paths as users write them.

    ``model.0.training`` of ``L['model']._modules['0'].training``. ``hook`` names the hook that
    has what is read.
    """
    return _Spelled(hook).text(text)


@lru_cache(maxsize=8192)
def referring(text: str) -> str:
    """Return the same for a sentence, which refers to what has no name of the program's."""
    return _Spelled(refers=True).text(text)


@lru_cache(maxsize=8192)
def verbatim(text: str, depth: int = 0) -> str:
    """Return a guard as torch writes it, with references to what has no name of the program's."""
    if depth == _DEEPEST or len(text) > guards.MAX_EXPRESSION:
        return text
    return "".join(
        piece if isinstance(piece, str) else _verbatim(piece, depth + 1) for piece in _pieces(text)
    )


def _verbatim(path: GuardPath, depth: int) -> str:
    steps = sum(len(step.text) for step in path.steps)
    unnamed = path.unnamed
    head = path.text[: len(path.text) - steps] if unnamed is None else unnamed.text
    # What a call is given, and what reads an entry, may have paths of their own.
    rest = verbatim(path.text.removeprefix(head), depth)
    return head + rest if unnamed is None else str(Reference(head, rest))


def without_ids(text: str) -> str:
    """Leave out of a name what is another in each process."""
    return _IDS.sub("", text)


def aliases(source: str) -> tuple[str, ...]:
    """Return the arguments that were one tensor, of torch's list: ``["x", "y"]``."""
    return tuple(_ALIAS.findall(source))


def paths_in(expression: str) -> Iterator[GuardPath]:
    """Yield each path in an expression, without what is called: ``n`` of ``Mod(n, 7) == 2``.

    Nor is a function one that is given something: `torch.sym_float(…)`, where `x.size()` is.
    """
    at = 0
    while at < len(expression):
        found = _path_at(expression, at)
        if found is None:
            at = _after_other(expression, at)
        elif iskeyword(found.root) or found.is_called:
            at += len(found.root)
        elif found.is_given_paths:
            at += len(found.before_call.text)
        else:
            yield found.before_call
            at += len(found.text)


def _path_at(text: str, begin: int) -> GuardPath | None:
    """Return the longest path that begins there; None if none does."""
    root = _ROOT.match(text, begin)
    if root is None:
        return None
    at, steps = root.end(), []
    while step := _STEP.match(text, at):
        end: int | None = step.end()
        if step["open"]:
            end = _closings(text).get(at)
        if end is None:
            break
        steps.append(_step(step, text[at:end]))
        at = end
    scope: Literal["", "L", "G"] = root["scope"] or ""  # type: ignore[assignment]
    variable = root["name"] or root["variable"] or ""
    return GuardPath(text[begin:at], variable, scope, tuple(_joined(steps)))


def _step(found: re.Match[str], text: str) -> Step:
    if found["name"]:
        return Step("attribute", found["name"], text)
    if found["number"]:
        return Step("item", int(found["number"]), text)
    if found["word"] is not None:
        return Step("item", found["word"], text)
    if found["open"] == "(":
        return Step("call", None, text)
    try:
        key = literal(text[1:-1])
    except ValueError:
        key = None
    return Step("item", key if isinstance(key, str) else None, text)


def _joined(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the steps, those as one that read an entry of what torch or Python keeps in a table."""
    left = deque(steps)
    while left:
        step = left.popleft()
        kind = _entry_kind(step, left[0]) if left else None
        if kind is None or (kind == "cell" and (len(left) == 1 or left[1].key != _CONTENTS)):
            yield step
            continue
        entry = left.popleft()
        contents = left.popleft().text if kind == "cell" else ""
        text = f"{step.text}{entry.text}{contents}"
        yield Step(kind, entry.key, text, str(step.key))


def _entry_kind(table: Step, entry: Step) -> StepKind | None:
    """Return how an entry of an attribute leads on; None if it is any list's or dict's."""
    if table.kind != "attribute" or entry.kind != "item":
        return None
    name = str(table.key)
    if _TABLE_OF_HOOKS.fullmatch(name):
        return "hook"
    if isinstance(entry.key, str):
        return _BY_NAME.get(name)
    return _BY_PLACE.get(name) if isinstance(entry.key, int) else None


@lru_cache(maxsize=8)
def _closings(text: str) -> dict[int, int]:
    """Return where each bracket's text ends, by where it begins; none that is left open."""
    found: dict[int, int] = {}
    begun: list[int] = []
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in _CLOSING:
            begun.append(token.start())
        elif begun and sign == _CLOSING[text[begun[-1]]]:
            found[begun.pop()] = token.end()
    return found


def _after_other(text: str, at: int) -> int:
    """Return where what is no path ends."""
    other = _OTHER.match(text, at)
    return at + 1 if other is None else other.end()


def _pieces(text: str) -> Iterator[str | GuardPath]:
    """Yield the paths of an expression, and what stands between them."""
    at = 0
    while at < len(text):
        path = _path_at(text, at)
        end = _after_other(text, at) if path is None else at + len(path.text)
        yield text[at:end] if path is None else path
        at = end


class _Spelled(NamedTuple):
    """Spell paths: ``hook`` has what is read of one, ``refers`` if as references."""

    hook: str = ""
    refers: bool = False

    def text(self, text: str, depth: int = 0) -> str:
        """Return an expression with its paths as users write them."""
        if depth == _DEEPEST or len(text) > guards.MAX_EXPRESSION:
            return text
        return "".join(
            piece if isinstance(piece, str) else self._path(piece, depth) for piece in _pieces(text)
        )

    def _path(self, path: GuardPath, depth: int) -> str:
        steps = deque(path.steps)
        unnamed = path.unnamed if self.refers and path.hook is None else None
        told = path.imported or path.root
        if unnamed is not None:
            told = ""
            for _ in unnamed.steps:
                steps.popleft()
        elif path.is_called and path.root == _OF_NUMPY:
            told = self.text(steps.popleft().given, depth + 1)
        elif path.hook is not None:
            told = _hook_said(steps, self.hook)
        while steps:
            step = steps.popleft()
            if step.key == _ATTRIBUTES and steps and steps[0].is_entry:
                entry = steps.popleft()
                is_table = entry.key in _TABLES and steps and steps[0].is_entry
                told += f".{(steps.popleft() if is_table else entry).key}"
            elif step.kind in ("module", "parameter", "buffer"):
                told += f".{step.key}"
            elif step.kind == "cell":
                told += "'s closure"
            elif step.kind == "keyword" and isinstance(step.key, str):
                told += f"({step.key}=…)"
            elif step.kind == "hook":
                told = f"a hook of {_whole(told, unnamed)}"
                unnamed = None
            elif step.key == GROUPS and len(steps) > 1 and steps[1].is_entry:
                steps.popleft()
                told = f'group["{steps.popleft().key}"]'
                unnamed = None
            elif step.is_nth_key and unnamed is not None:
                told += "[…]"
            elif step.kind in ("item", "call"):
                within = self.text(step.text[1:-1], depth + 1)
                told += f"{step.text[0]}{within}{step.text[-1]}"
            else:
                told += step.text
        return _whole(told, unnamed)


def _whole(told: str, unnamed: GuardPath | None) -> str:
    return told if unnamed is None else str(Reference(unnamed.text, told))


def _hook_said(steps: deque[Step], name: str) -> str:
    """Take the steps that lead to a hook and return what it is called.

    ``self`` of ``hooks[0].__self__``, as its own method says it, ``limit`` of an argument that a
    `partial` binds, else ``name``.
    """
    number = steps.popleft()
    wrapped = [steps.popleft()] if steps and steps[0].text == ".func" else []
    if steps and steps[0].text == ".__self__":
        steps.popleft()
        return "self"
    if name and steps and steps[0].kind == "keyword" and isinstance(steps[0].key, str):
        return str(steps.popleft().key)
    if name:
        return name
    steps.extendleft(wrapped)
    return f"{_HOOKS}{number.text}"
