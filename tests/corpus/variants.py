"""Variants of a program that mean the same: what `ca` says of it must not change.

Each kind is a function of `KINDS`, from a `Seed` to the sources of a `Variant`, or None where the
program has nothing that it can change. Sources are parsed, and changed at the positions of their
nodes; of each line it is known where it went, and of each new name which one it replaces.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

from tests.corpus.rewriting import Module, Rewriting, first_line, is_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Place = tuple[str, int]  # a file of the program, and a line of it
_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Scope = (*_Function, ast.ClassDef)
# Most rounds of a loop that is unrolled, and most lines that come of it.
_ROUNDS, _UNROLLED = 8, 60


@dataclass(frozen=True)
class Seed:
    """Sources by file name, and the places of the line to change and of where that was noticed."""

    sources: Mapping[str, str]
    places: Sequence[Place]

    @cached_property
    def modules(self) -> dict[str, Module]:
        return {name: Module(text) for name, text in self.sources.items()}

    @cached_property
    def words(self) -> set[str]:
        """Every name that occurs in a file, in code or in text."""
        return {*re.findall(r"\w+", "\n".join(self.sources.values()))}

    def new_name(self, like: str) -> str:
        """Return a name that no file has, of the same case as ``like``."""
        case = str.upper if like.isupper() else str.title if like[0].isupper() else str.lower
        return next(name for n in count(1) if (name := case(f"{like}{n}")) not in self.words)


@dataclass(frozen=True)
class Variant:
    """A program that means the same as its seed.

    ``lines`` is where each line of the seed went: several where it was copied, or where a part of
    it was moved. ``names`` has the seed's name of each new one.
    """

    sources: Mapping[str, str]
    lines: Mapping[Place, frozenset[Place]]
    names: Mapping[str, str] = field(default_factory=dict)


def _variant(
    seed: Seed,
    rewritings: Mapping[str, Rewriting],
    new: Mapping[str, str] | None = None,
    moved: Mapping[Place, Place] | None = None,
    names: Mapping[str, str] | None = None,
) -> Variant:
    """Return the seed with its files rewritten, and ``new`` ones, to which lines were ``moved``."""
    sources = dict(seed.sources)
    lines: dict[Place, frozenset[Place]] = {}
    for name, module in seed.modules.items():
        if name in rewritings:
            sources[name], went = rewritings[name].finish()
        else:
            went = {line: {line} for line in range(1, module.number_of_lines + 1)}
        for line, places in went.items():
            lines[name, line] = frozenset((name, place) for place in places)
    for place, there in (moved or {}).items():
        lines[place] |= {there}
    return Variant({**sources, **(new or {})}, lines, names or {})


# ---- names


def renamed(seed: Seed) -> Variant | None:
    """Give the program's own variables, parameters, functions, classes and fields other names."""
    own = _own_names(seed) - _untouchable(seed)
    fields = _own_fields(seed)
    if not (every := sorted(own | fields)):
        return None
    cases = "A", "Aa", "a"
    numbers = (n for n in count(1) if not {_neutral(like, n) for like in cases} & seed.words)
    new = {name: _neutral(name, number) for name, number in zip(every, numbers, strict=False)}
    rewritings = {}
    for name, module in seed.modules.items():
        rewriting = rewritings[name] = Rewriting(name, module)
        for start, end, word, is_attribute in _names_in(module):
            if word in (fields if is_attribute else own):
                rewriting.replace(start, end, new[word])
    return _variant(seed, rewritings, names={text: name for name, text in new.items()})


def _neutral(name: str, number: int) -> str:
    """Return a name that says nothing, of the same case."""
    if name.isupper():
        return f"ITEM_{number}"
    return f"Item{number}" if name[0].isupper() else f"item_{number}"


def _names_in(module: Module) -> Iterator[tuple[int, int, str, bool]]:
    """Yield start, end, text of each name, and whether it is an attribute's."""
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            start = module.offset(token.start[0], 0) + token.start[1]
            yield start, start + len(token.string), token.string, before == "."
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.string


def _own_names(seed: Seed) -> set[str]:
    """Names of variables, parameters, functions and classes that the program binds."""
    found: set[str] = set()
    for module in seed.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
    return found


def _untouchable(seed: Seed) -> set[str]:
    """Names that something else than the program's names may mean, or that text may hold."""
    found = {"self", "cls", "_", *dir(builtins)}
    for module in seed.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.keyword):
                found.add(node.arg or "")
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                source = getattr(node, "module", None) or ""
                is_own = f"{source}.py" in seed.sources
                found |= {*source.split(".")}
                for alias in node.names:
                    if not is_own or alias.asname:
                        found |= {*alias.name.split("."), alias.asname or ""}
            elif isinstance(node, ast.ClassDef):
                for own in node.body:
                    found |= {getattr(own, "name", "")}
                    found |= {*_fields_of(own)}
            elif isinstance(node, (ast.MatchAs, ast.MatchStar, ast.ExceptHandler)):
                found.add(node.name or "")
        found |= _in_texts(module)
    return {name for name in found if name} | {name for name in seed.words if name[:2] == "__"}


def _fields_of(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a class's body gives the class, but for methods."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return []
    nodes = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return [node.id for node in nodes if isinstance(node.ctx, ast.Store)]


def _in_texts(module: Module) -> set[str]:
    """Return words in strings that are no docstrings, and names within f-strings.

    Before Python 3.12 the latter have no positions of their own.
    """
    docstrings = {getattr(node, "value", None) for node in ast.walk(module.tree) if is_text(node)}
    found: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in docstrings:
                found |= {*re.findall(r"\w+", node.value)}
        elif isinstance(node, ast.JoinedStr):
            for inner in ast.walk(node):
                found |= {getattr(inner, "id", ""), getattr(inner, "attr", "")}
    return found


# Fields that a base class of a library's may read.
_FIELDS_OF_LIBRARIES = {
    "training", "weight", "bias", "data", "grad", "shape", "dtype", "device", "dataset",
    "batch_size", "sampler", "param_groups", "state", "defaults", "last_epoch", "base_lrs",
    "saved_tensors", "next",
}  # fmt: skip


def _own_fields(seed: Seed) -> set[str]:
    """Return fields that methods set on ``self``, and that are read of ``self`` alone."""
    stored: set[str] = set()
    excluded = _FIELDS_OF_LIBRARIES | _own_names(seed)
    for module in seed.modules.values():
        excluded |= _in_texts(module) | {*module.imported()}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute):
                is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
                if not is_own:
                    excluded.add(node.attr)
                elif isinstance(node.ctx, ast.Store):
                    stored.add(node.attr)
            elif isinstance(node, ast.keyword):
                excluded.add(node.arg or "")
            elif isinstance(node, ast.ImportFrom):
                excluded |= {alias.name for alias in node.names}
    return {name for name in stored - excluded if not name.startswith("__")}


def other_receiver(seed: Seed) -> Variant | None:
    """Let methods call their object otherwise than `self`."""
    new, rewritings = seed.new_name("this"), {}
    for name, module in seed.modules.items():
        found = [
            (start, end)
            for start, end, word, is_attribute in _names_in(module)
            if word == "self" and not is_attribute
        ]
        if not found:
            continue
        if "self" in _in_texts(module):
            return None
        rewriting = rewritings[name] = Rewriting(name, module)
        for start, end in found:
            rewriting.replace(start, end, new)
    return _variant(seed, rewritings, names={new: "self"}) if rewritings else None


def aliased(seed: Seed) -> Variant | None:
    """Import everything under another name."""
    rewritings, names = {}, {}
    for name, module in seed.modules.items():
        new = {
            bound: seed.new_name(f"{bound}_")
            for bound in _imported_once(module)
            if bound not in _in_texts(module)
        }
        if not new:
            continue
        rewriting = rewritings[name] = Rewriting(name, module)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name) and node.id in new:
                rewriting.replace(module.start(node), module.end(node), new[node.id])
        for statement in {*module.imported().values()}:
            for alias in statement.names:
                if (bound := alias.asname or alias.name) in new:
                    text = f"{alias.name} as {new[bound]}"
                    rewriting.replace(module.start(alias), module.end(alias), text)
        names.update({text: bound for bound, text in new.items()})
    return _variant(seed, rewritings, names=names) if rewritings else None


def _imported_once(module: Module) -> list[str]:
    """Return names that only one import at the top of the module binds."""
    bound: list[str] = []
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound += [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.append(node.id)
        elif isinstance(node, ast.arg):
            bound.append(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)):
            bound.append(node.name or "")
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound += node.names
    return [
        alias.asname or alias.name
        for node in dict.fromkeys(module.imported().values())
        if getattr(node, "module", "") != "__future__"
        for alias in node.names
        if bound.count(alias.asname or alias.name) == 1
    ]


# ---- code that moves


def through_helper(seed: Seed) -> Variant | None:
    """Compute the expression in the line to change in a function of its own, beside it."""
    for name, line in seed.places:
        module = seed.modules[name]
        statement = module.statement_at(line)
        whole = None if statement is None else _expression_of(statement)
        if statement is None or whole is None or not _can_move(whole):
            continue
        names = _variables_of(module, whole)
        helper = seed.new_name("part")
        first, text = whole.lineno, module.text_of(whole)
        body = f"({text})" if "\n" in text else text
        rewriting = Rewriting(name, module)
        lines = {old: [1 + old - first] for old in range(first, (whole.end_lineno or first) + 1)}
        top = module.top_level(statement)
        head = f"def {helper}({', '.join(names)}):\n    return {body}\n\n\n"
        rewriting.insert(module.offset(first_line(top), 0), head, lines)
        call = f"{helper}({', '.join(names)})"
        rewriting.replace(module.start(whole), module.end(whole), call)
        return _variant(seed, {name: rewriting})
    return None


def _expression_of(statement: ast.stmt) -> ast.expr | None:
    """Return the expression that a statement, or the head of a compound one, computes."""
    if isinstance(statement, (ast.If, ast.While)):
        return statement.test
    if isinstance(statement, (ast.For,)):
        return statement.iter
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)):
        return statement.value
    if isinstance(statement, ast.With) and len(statement.items) == 1:
        return statement.items[0].context_expr
    return None


def _can_move(expression: ast.expr) -> bool:
    """Return whether an expression computes something, and means the same in another function."""
    bound_to_its_place = (
        ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda, ast.Starred,
    )  # fmt: skip
    nodes = [*ast.walk(expression)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return (
        any(isinstance(node, (ast.Call, ast.BinOp, ast.Compare, ast.Subscript)) for node in nodes)
        and not any(isinstance(node, bound_to_its_place) for node in nodes)
        and not names & {"super", "locals", "globals", "vars", "__class__"}
    )


def _variables_of(module: Module, expression: ast.expr) -> list[str]:
    """Return the variables that an expression reads and a function beside it doesn't see."""
    fixed = {*module.imported(), *module.defined(), *dir(builtins)}
    own = {
        node.id
        for node in ast.walk(expression)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    local: set[str] = set()
    for above in module.around(expression):
        if isinstance(above, _Scope):
            local |= _bound_in(above)
    names = [
        node.id
        for node in ast.walk(expression)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
    return [*dict.fromkeys(n for n in names if n not in own and (n in local or n not in fixed))]


def _bound_in(scope: ast.AST) -> set[str]:
    found = set()
    for node in ast.walk(scope):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node is not scope:
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def in_second_module(seed: Seed) -> Variant | None:
    """Move the function or class of the line to change, with what it needs, to another module."""
    for name, line in seed.places:
        module = seed.modules[name]
        statement = module.statement_at(line)
        if statement is None:
            continue
        top = module.top_level(statement)
        if not isinstance(top, (ast.FunctionDef, ast.ClassDef)) or top.name == "main":
            continue
        if (moving := _needed(module, top)) is not None:
            return _moved_out(seed, name, moving)
    return None


def _needed(module: Module, top: ast.stmt) -> list[ast.stmt] | None:
    """Return ``top`` and what it needs of the module, in order; None if that can't be moved.

    Functions, classes, and constants that are set once, before, to a literal.
    """
    binds: dict[str, list[ast.stmt]] = defaultdict(list)
    for node in module.tree.body:
        for name in _bound_by(node):
            binds[name].append(node)
    imported = module.imported()
    needed: list[ast.stmt] = []
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if node in needed:
            continue
        needed.append(node)
        is_literal = isinstance(node, ast.Assign) and _is_literal(node.value)
        if not (isinstance(node, (ast.FunctionDef, ast.ClassDef)) or is_literal):
            return None
        if any(isinstance(inner, (ast.Global, ast.Nonlocal)) for inner in ast.walk(node)):
            return None
        for name in {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}:
            if name not in imported and binds.get(name, [node]) != [node]:
                if len(binds[name]) > 1:
                    return None
                waiting += binds[name]
    changed = {
        name for one in ast.walk(module.tree) if isinstance(one, ast.Global) for name in one.names
    }
    if any(changed & {*_bound_by(node)} for node in needed):
        return None
    return sorted(needed, key=lambda node: node.lineno)


def _bound_by(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module binds there."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return []
    return [
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    ]


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except ValueError:
        return False
    return not any(isinstance(node, (ast.List, ast.Dict, ast.Set)) for node in ast.walk(value))


def _moved_out(seed: Seed, name: str, moving: Sequence[ast.stmt]) -> Variant:
    module, other = seed.modules[name], seed.new_name("parts")
    rewriting = Rewriting(name, module)
    imports = [
        module.text_of(node)
        for node in module.tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    text = "\n".join(imports) + "\n"
    moved: dict[Place, Place] = {}
    for node in moving:
        first, last = first_line(node), node.end_lineno or node.lineno
        start, end = module.offset(first, 0), module.offset(last + 1, 0)
        text += "\n\n"
        begins = text.count("\n") + 1
        moved |= {
            (name, line): (f"{other}.py", begins + line - first) for line in range(first, last + 1)
        }
        text += module.text[start:end]
        rewriting.replace(start, end, "")
    names = ", ".join(one for node in moving for one in _bound_by(node))
    rewriting.insert(module.after_imports(), f"from {other} import {names}\n")
    return _variant(seed, {name: rewriting}, {f"{other}.py": text}, moved)


# ---- calls


def by_partial(seed: Seed) -> Variant | None:
    """Bind the arguments of a call beforehand, by `functools.partial`."""
    for name, call in _own_calls(seed):
        module, bind = seed.modules[name], seed.new_name("bound")
        rewriting = Rewriting(name, module)
        start, after = module.start(call), module.end(call.func)
        arguments = [*call.args, *(one.value for one in call.keywords)]
        if any(isinstance(one, ast.GeneratorExp) for one in arguments):
            continue
        opening = module.text.index("(", after)
        rewriting.insert(start, f"{bind}(")
        rewriting.replace(after, opening + 1, ", " if arguments else "")
        rewriting.insert(module.end(call), "()")
        at = module.after_imports()
        if at > start:
            continue
        rewriting.insert(at, f"from functools import partial as {bind}\n")
        return _variant(seed, {name: rewriting})
    return None


def _own_calls(seed: Seed) -> Iterator[tuple[str, ast.Call]]:
    """Yield calls of the program's own functions: in the seed's lines first, then of compiled ones.

    A call in a decorator or of a method is none.
    """
    own = _own_names(seed) - {"_"}
    later = []
    for name, module in seed.modules.items():
        lines = {line for file, line in seed.places if file == name}
        compiled = _compiled_in(module)
        for node in ast.walk(module.tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            inside = [*module.around(node)]
            if any(isinstance(one, ast.JoinedStr) for one in inside):
                continue
            if node.func.id not in own or any(_is_decorator(one, node) for one in inside):
                continue
            if lines & {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}:
                yield name, node
            elif node.func.id in compiled:
                later.append((name, node))
    yield from later


def _is_decorator(node: ast.AST, call: ast.Call) -> bool:
    every = getattr(node, "decorator_list", ())
    return any(call in ast.walk(decorator) for decorator in every)


def _compiled_in(module: Module) -> set[str]:
    """Return names of functions that are decorated by `torch.compile`, or set to its result."""
    found: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef):
            if any("compile" in ast.dump(one) for one in node.decorator_list):
                found.add(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Attribute) and called.attr == "compile":
                found |= {one.id for one in node.targets if isinstance(one, ast.Name)}
    return found


def as_method(seed: Seed) -> Variant | None:
    """Make a function of a module a method of a class, and its calls those of an instance."""
    for name, line in seed.places:
        module = seed.modules[name]
        statement = module.statement_at(line)
        top = None if statement is None else module.top_level(statement)
        if isinstance(top, ast.FunctionDef) and (found := _made_method(seed, name, top)):
            return found
    for name, module in seed.modules.items():
        for compiled in sorted(_compiled_in(module)):
            top = module.defined().get(compiled)
            if isinstance(top, ast.FunctionDef) and (found := _made_method(seed, name, top)):
                return found
    return None


def _made_method(seed: Seed, name: str, function: ast.FunctionDef) -> Variant | None:
    module = seed.modules[name]
    uses = _calls_of(seed, name, function)
    own = {one.arg for one in ast.walk(function) if isinstance(one, ast.arg)}
    if uses is None or "self" in own:
        return None
    first, last = first_line(function), function.end_lineno or function.lineno
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(function)):
        return None
    if _has_lines_in_texts(module, first, last):
        return None
    holder, instance = seed.new_name("Steps"), seed.new_name("steps")
    rewriting = Rewriting(name, module)
    rewriting.insert(module.offset(first, 0), f"class {holder}:\n")
    for line in range(first, last + 1):
        if module.first_character(line) < module.offset(line + 1, 0) - 1:
            rewriting.insert(module.offset(line, 0), "    ")
    opening = module.text.index("(", module.text.index(function.name, module.start(function)))
    has_any = module.text[opening + 1 :].lstrip()[0] != ")"
    rewriting.insert(opening + 1, "self, " if has_any else "self")
    rewriting.insert(module.offset(last + 1, 0), f"\n\n{instance} = {holder}()\n")
    for use in uses:
        rewriting.insert(module.start(use), f"{instance}.")
    return _variant(seed, {name: rewriting})


def _calls_of(seed: Seed, name: str, function: ast.FunctionDef) -> list[ast.Name] | None:
    """Return the uses of a function, or None where it is not only called, in its own module."""
    for file, module in seed.modules.items():
        for node in ast.walk(module.tree) if file != name else ():
            imported = node.names if isinstance(node, ast.ImportFrom) else ()
            if any(alias.name == function.name for alias in imported):
                return None
    module = seed.modules[name]
    bound = [node for node in ast.walk(module.tree) if getattr(node, "name", "") == function.name]
    if len(bound) > 1 or function.name in _in_texts(module):
        return None
    uses = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id == function.name:
            above = module.parents[node]
            if not (isinstance(above, ast.Call) and above.func is node):
                return None
            uses.append(node)
        elif isinstance(node, ast.arg) and node.arg == function.name:
            return None
    return uses


def _has_lines_in_texts(module: Module, first: int, last: int) -> bool:
    """Return whether a string goes over several of these lines."""
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and first <= node.lineno <= last:
            is_text = isinstance(node, ast.JoinedStr) or isinstance(node.value, (str, bytes))
            if is_text and node.end_lineno != node.lineno:
                return True
    return False


# ---- loops


def unrolled(seed: Seed) -> Variant | None:
    """Write out the rounds of a small loop, of the one that is nearest to the seed's lines."""
    for name, module in _by_nearness(seed):
        lines = [line for file, line in seed.places if file == name]
        loops = [node for node in ast.walk(module.tree) if isinstance(node, ast.For)]
        loops.sort(key=lambda loop: (_distance(loop, lines), -loop.lineno))
        for loop in loops:
            values = _rounds(module, loop)
            if values is not None:
                return _written_out(seed, name, loop, values)
    return None


def _by_nearness(seed: Seed) -> list[tuple[str, Module]]:
    order = [name for name, _ in seed.places]
    return sorted(seed.modules.items(), key=lambda item: item[0] not in order)


def _distance(loop: ast.For, lines: Sequence[int]) -> int:
    end = loop.end_lineno or loop.lineno
    return min((max(loop.lineno - line, line - end, 0) for line in lines), default=0)


def _rounds(module: Module, loop: ast.For) -> list[str] | None:
    """Return what a loop's variable is in each round, as text; None where it isn't unrolled.

    Loops that run a backward are left: each copy of that would be another backward.
    """
    if loop.orelse or not isinstance(loop.target, ast.Name) or loop.lineno == loop.body[0].lineno:
        return None
    inside = [node for one in loop.body for node in ast.walk(one)]
    leaves = (ast.Break, ast.Continue, ast.FunctionDef, ast.ClassDef, ast.Lambda)
    if any(isinstance(node, leaves) for node in inside):
        return None
    if any(isinstance(node, ast.Attribute) and node.attr == "backward" for node in inside):
        return None
    first, last = loop.lineno, loop.end_lineno or loop.lineno
    if _has_lines_in_texts(module, first, last):
        return None
    values = _values_of(loop.iter)
    if {*(values or ())} & {name for one in loop.body for name in _bound_in(one)}:
        return None
    lines = last - first
    if values is None or not 0 < len(values) <= _ROUNDS or len(values) * lines > _UNROLLED:
        return None
    return values


def _values_of(expression: ast.expr) -> list[str] | None:
    """Return the values of a loop over a `range` of literals, or over literals and names."""
    if isinstance(expression, (ast.Tuple, ast.List)):
        if all(isinstance(one, (ast.Constant, ast.Name)) for one in expression.elts):
            return [ast.unparse(one) for one in expression.elts]
        return None
    if (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Name)
        and expression.func.id == "range"
        and not expression.keywords
        and all(_is_literal(one) for one in expression.args)
    ):
        return [str(n) for n in range(*(ast.literal_eval(one) for one in expression.args))]
    return None


def _written_out(seed: Seed, name: str, loop: ast.For, values: Sequence[str]) -> Variant:
    module = seed.modules[name]
    assert isinstance(loop.target, ast.Name)
    first, last = loop.lineno, loop.end_lineno or loop.lineno
    begin, end = module.offset(first, 0), module.offset(last + 1, 0)
    indent = " " * loop.col_offset
    inner = " " * loop.body[0].col_offset
    body_first = loop.body[0].lineno
    body = module.text[module.offset(body_first, 0) : end].splitlines(keepends=True)
    dedented = [line.replace(inner, indent, 1) if line.startswith(inner) else line for line in body]
    text, lines = "", defaultdict(list)
    for value in values:
        lines[first].append(text.count("\n"))
        text += f"{indent}{loop.target.id} = {value}\n"
        for number, line in enumerate(dedented):
            lines[body_first + number].append(text.count("\n"))
            text += line
    rewriting = Rewriting(name, module)
    rewriting.rewrite(begin, end, text, lines)
    return _variant(seed, {name: rewriting})


# ---- what has nothing to do with it


def crowded(seed: Seed) -> Variant | None:
    """Let an object of another class, with the same names, change in each loop.

    It is made and changed on lines that are there, so that what was recorded is recorded of it
    too. A line of ``places`` is left alone, as is one with a patch.
    """
    fields, methods = _fields_and_methods(seed)
    own, held, change = (seed.new_name(like) for like in ("Ledger", "ledger", "noted"))
    rewritings: dict[str, Rewriting] = {}
    for name, module in seed.modules.items():
        for loop in ast.walk(module.tree):
            line = _last_line(loop, module, {at for file, at in seed.places if file == name})
            if line is not None:
                rewriting = rewritings.setdefault(name, Rewriting(name, module))
                rewriting.insert(module.end(line), f"; {held}.{change}(1)")
    if not rewritings or not fields | methods:
        return None
    set_all = [f"        self.{name} = value" for name in (*sorted(fields), f"{change}_times")]
    lines = ["", "", f"class {own}:", "    def __init__(self, value):", *set_all]
    lines += ["", f"    def {change}(self, value):", *set_all]
    for name in sorted(methods):
        lines += ["", f"    def {name}(self, *values):", "        return values"]
    text = "\n".join([*lines, "", "", f"{held} = {own}(0)", ""])
    for name, rewriting in rewritings.items():
        rewriting.insert(len(seed.modules[name].text), text)
    return _variant(seed, rewritings)


# Methods that a library calls.
_METHODS_OF_LIBRARIES = {"forward", "backward", "step", "training_step", "setup_context", "vmap"}


def _fields_and_methods(seed: Seed) -> tuple[set[str], set[str]]:
    """Return the names of attributes that the program sets, and of its classes' methods."""
    nodes = [node for module in seed.modules.values() for node in ast.walk(module.tree)]
    methods = {
        own.name
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for own in node.body
        if isinstance(own, ast.FunctionDef) and own.name[:2] != "__"
    }
    fields = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.attr[:2] != "__"
    }
    return fields - methods - _FIELDS_OF_LIBRARIES, methods - _METHODS_OF_LIBRARIES


def _last_line(loop: ast.AST, module: Module, taken: set[int]) -> ast.stmt | None:
    """Return the last plain line of an innermost loop, outside of classes."""
    loops = (ast.For, ast.While)
    if not isinstance(loop, loops) or any(
        isinstance(node, loops) for one in loop.body for node in ast.walk(one)
    ):
        return None
    if any(isinstance(above, ast.ClassDef) for above in module.around(loop)):
        return None
    plain = (ast.Expr, ast.Assign, ast.AugAssign)
    lines = [
        one
        for one in loop.body
        if isinstance(one, plain) and one.lineno == one.end_lineno and one.lineno not in taken
    ]
    return lines[-1] if lines and not is_text(lines[-1]) else None


KINDS: dict[str, Callable[[Seed], Variant | None]] = {
    "renamed": renamed,
    "receiver": other_receiver,
    "aliased": aliased,
    "helper": through_helper,
    "module": in_second_module,
    "partial": by_partial,
    "method": as_method,
    "unrolled": unrolled,
}


def variants(seed: Seed) -> dict[str, Variant]:
    """Return the variants of a program by their kind. Raises SyntaxError if one is no program."""
    found = {kind: make(seed) for kind, make in KINDS.items()}
    made = {kind: one for kind, one in found.items() if one is not None}
    for one in made.values():
        for text in one.sources.values():
            ast.parse(text)
    return made
