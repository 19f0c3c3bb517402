"""The call runs uncompiled where a thing is not what it was when it was compiled first."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import expression
from ca_reports.facts.guard_paths import guard_path, verbatim
from ca_reports.patching import choices, loops, moving, sites
from ca_reports.patching.asked import kept_first, may_be_asked_twice, require_movable
from ca_reports.patching.calls import compiled_of
from ca_reports.patching.editing import CONSTANTS, has_call, stored
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.patching.stances import under_stance
from ca_reports.program.edits import words_in
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, For, default_of, is_starred
from ca_reports.torchlib.tensors import FLOATING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.patching.program import EditableProgram, SourceFile

# Values that can be written as they are shown: a text, a flag, None or a number.
_LITERAL = expression(r"True|False|None|-?\d{1,9}(?:\.\d{1,9})?|'[^'\\]{0,99}'")
# `with 'weight'`: whether a dict has a key.
_MEMBER = expression(r"(?P<with>with|without) '(?P<key>[^'\\{}]{1,99})'")
_ENUM = expression(r"[A-Za-z_]\w{0,99}\.([A-Z_a-z]\w{0,99})")
# The variable that an expression begins with.
# The keys of a dict as they are shown: `{area, age}`.
_KEY = expression(r"[^{}, ]{1,99}")
# How the values of what changes all the time follow each other.
_ALWAYS = ("drift", "counter", "growth")
_SELDOM = "for values that come seldom: each such call runs at eager's speed"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``set_stance("default" if mode == "train" else "force_eager")`` around each call.

    Raises `RefusedError` unless the source shows the mode where the function is called.
    """
    thing = program.guarded(finding)
    if thing is not None and thing.limit is not None:
        raise RefusedError(f"{thing.ref} has more values than recompile_limit")
    fills = thing is not None and _fills(thing, program)
    if (
        thing is not None
        and not fills
        and not _is_word(thing)
        and (_is_literal(thing) or thing.pattern in _ALWAYS)
    ):
        raise RefusedError(f"{thing.ref} is another one in most calls")
    test = None
    if thing is not None:
        test = f"len({{}}) == {thing.values[-1]}" if fills else _test(thing)
    is_other = test is None and thing is not None and (named := _one_other(thing)) is not None
    test = f'{{}}.name != "{named}"' if is_other else test
    if thing is None or test is None:
        raise RefusedError("the first value of what changes is not known")
    compiled = compiled_of(thing, program)
    root = thing.path.argument
    found = sites.calls(compiled, program, root if compiled.takes(root) else "")
    if not found:
        raise RefusedError("no call of the compiled function is seen")
    is_set_once = _is_set_once(thing) or _is_none_at_first(thing, found, compiled)
    if is_set_once:
        test = "{} is not None"
    changes: list[Replacement] = []
    decided: list[bool] = []
    for file, call, source, called in _outside(found, thing.source, compiled, program):
        known = _known(test, _given(call, source, called), thing.values[-1])
        if known is True:
            decided.append(known)
            continue  # it is compiled as before
        mode, made = "", None
        if known is None:
            may_be_none = "None" in thing.values
            mode, made = _mode(file, call, source, called, program, may_be_none=may_be_none)
        else:
            decided.append(known)
        statement: Any = file.statement(call)
        if file.is_line(statement) and has_call(statement, "backward"):
            raise RefusedError(f"{file.place(statement)} runs the backward as well")
        program.require_unchanged(file)
        torch = moving.name_of_torch(file, statement)
        stance = f'"default" if {test.format(mode, torch=torch)} else "force_eager"'
        if known is False:
            stance = '"force_eager"'
        changes.append(kept_first(file, made, mode, under_stance(file, call, stance, program)))
    if not changes or (decided and not any(decided) and len(decided) == len(changes)):
        raise RefusedError(f"each call has one value of {thing.ref}")
    if is_other:
        what = f"calls with {thing.values[0]} as {thing.ref} run uncompiled"
        return [_patch(what, changes, _SELDOM)]
    if fills:
        what = f"calls with fewer than {thing.values[-1]} in {thing.ref} run uncompiled"
        return [_patch(what, changes, "it is compiled once that is full")]
    if is_set_once:
        what = f"calls in which {thing.ref} is None run uncompiled"
        return [_patch(what, changes, "it is compiled once that is set")]
    of = f"length of {thing.ref}" if thing.is_counted else thing.ref
    what = f"calls with another {of} than {thing.values[0]} run uncompiled"
    return [_patch(what, changes, _SELDOM)]


def _patch(what: str, changes: list[Replacement], note: str) -> Patch:
    return Patch(what, tuple(dict.fromkeys(changes)), note=note, runs_eager=True)


def _is_set_once(thing: GuardedThing) -> bool:
    """Return whether an object keeps it, and it was None in the first call alone."""
    is_pair = thing.values[:1] == ("None",) and len(thing.values) == 2
    return is_pair and thing.pattern == "changed" and thing.path.is_of_self


def _is_none_at_first(
    thing: GuardedThing, found: list[tuple[SourceFile, ast.Call]], compiled: sites.CompiledSite
) -> bool:
    """Return whether all calls pass a state that is None in the first round of their loop alone."""
    given = [(file, sites.argument(call, thing.source, compiled)) for file, call in found]
    return thing.values[:1] == ("None",) and all(
        isinstance(one, ast.Name) and loops.begins_as_none(file, one) for file, one in given
    )


def _fills(thing: GuardedThing, program: EditableProgram) -> bool:
    """Return whether a container grew to a length that the source gives it.

    By ``deque(maxlen=n)``, or by a line that takes the oldest out: ``del x[:-n]``, ``x.pop(0)``.
    The run may have ended before: the last length that was seen has to be a number of the source.
    """
    sizes = [int(one) for one in thing.values if one.isdigit()]
    is_growing = len(sizes) == len(thing.values) > 1 and sizes == sorted(sizes)
    if not (thing.is_counted and is_growing and thing.knows_last) or thing.limit is not None:
        return False
    name = re.escape(thing.path.name)
    bounded = re.compile(
        rf"\b{name}(?:: [^=\n]{{1,99}})? = (?:\w+\.)?deque\([^\n]{{0,199}}maxlen="
        rf"|\bdel (?:\w+\.){{0,9}}{name}\[: ?-"
        rf"|\b{name}\.(?:pop\(0\)|popleft\(\))"
    )
    written = re.compile(rf"\b{sizes[-1]}\b")
    texts = [file.text for file in program.files.values()]
    return any(map(bounded.search, texts)) and any(map(written.search, texts))


def in_order(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA711: a dict that has its keys in another order in some calls is sorted in each.

    Calls with other keys run uncompiled. Raises `RefusedError` unless a set of keys has two orders.
    """
    thing = program.guarded(finding)
    orders = _orders(thing) if thing is not None else {}
    if thing is None or not any(len(found) > 1 for found in orders.values()):
        raise RefusedError("the keys do not come in another order")
    passed = sites.arguments(thing.source, compiled_of(thing, program), program)
    codes = {file.code(argument) for file, argument in passed}
    if not all(isinstance(argument, ast.Name | ast.Attribute) for _, argument in passed):
        raise RefusedError(f"{thing.ref} is made in the call")
    note = "if the order of the keys has a meaning, keep one where the dict is made"
    what = f"{thing.ref} with its keys in one order where it is passed"
    if len(orders) == 1:
        changes = [
            Replacement(file.name, *file.span(argument), _sorted(file.code(argument)))
            for file, argument in passed
        ]
        return [Patch(what, tuple(changes), note=note)]
    if len(codes) != 1:
        raise RefusedError(f"several variables are passed for {thing.ref}")
    (rare,) = patches(finding, program)
    (code,) = codes
    name = re.compile(rf"(?<![\w.]){re.escape(code)}(?![\w.])")
    changes = []
    for change in rare.replacements:
        head, body = change.text.split("\n", 1)
        changes.append(replace(change, text=f"{head}\n{name.sub(_sorted(code), body)}"))
    what = f"{what}; {rare.what}"
    return [Patch(what, tuple(changes), note=f"{note}; {rare.note}", runs_eager=True)]


def _sorted(code: str) -> str:
    return f"dict(sorted({code}.items()))"


def _orders(thing: GuardedThing) -> dict[frozenset[str], set[tuple[str, ...]]]:
    """Return the orders in which keys were seen, by the keys."""
    shown = [tuple(_KEY.findall(one)) for one in thing.values if one.startswith("{")]
    held = [found.held.keys for found in thing.recompiles if found.held is not None]
    orders: dict[frozenset[str], set[tuple[str, ...]]] = {}
    for keys in (*shown, *held):
        if keys:
            orders.setdefault(frozenset(keys), set()).add(tuple(keys))
    return orders


def _test(thing: GuardedThing) -> str | None:
    """Return the question whether a thing is as it was at first, with ``{}`` in its place.

    None where that is not known.
    """
    if not thing.knows_first or not thing.values:
        return None
    first = thing.values[0]
    if thing.is_counted:
        return f"len({{}}) == {first}" if first.isdigit() else None
    if _is_literal(thing):
        value = first.replace("'", '"')
        return f"{{}} is {value}" if value in CONSTANTS else f"{{}} == {value}"
    if thing.guard.kind == "type" and "None" in thing.values:
        return "{} is None" if first == "None" else "{} is not None"
    if thing.guard.kind == "type" and first == "a tensor":
        return "{torch}.is_tensor({})"
    if thing.guard.kind == "dtype" and len({one in FLOATING for one in thing.values}) == 2:
        return f"{'' if first in FLOATING else 'not '}{{}}.is_floating_point()"
    if thing.guard.kind == "type" and first.isidentifier():
        return f'type({{}}).__name__ == "{first}"'
    if thing.guard.kind == "rank" and first.isdigit():
        return f"{{}}.ndim == {first}"
    member = _MEMBER.fullmatch(first)
    if thing.guard.kind == "membership" and member is not None:
        return f'"{member["key"]}" {"in" if member["with"] == "with" else "not in"} {{}}'
    named = _ENUM.fullmatch(first)
    if thing.guard.kind == "identity" and named is not None:
        return f'{{}}.name == "{named[1]}"'
    return None


def _one_other(thing: GuardedThing) -> str | None:
    """Return the name of the one enum's member that came after the first, which is not known."""
    if thing.guard.kind != "identity" or thing.knows_first or not thing.knows_last:
        return None
    named = _ENUM.fullmatch(thing.values[0]) if len(set(thing.values)) == 1 else None
    return named[1] if named is not None else None


def _outside(
    found: list[tuple[SourceFile, ast.Call]],
    source: str,
    compiled: sites.CompiledSite,
    program: EditableProgram,
) -> Iterator[tuple[SourceFile, ast.Call, str, sites.CompiledSite]]:
    """Yield the calls, with what decides in each; of those in compiled code the calls of that.

    Where that hands on what it is given itself: ``def answer(tokens): self.embedded(tokens)``.
    """
    inner = [one for one in found if _in_compiled(*one, program) is not None]
    for file, call in inner or found:
        function = _in_compiled(file, call, program)
        path = guard_path(source)
        given = sites.argument(call, path.argument, compiled)
        if function is None or not isinstance(given, ast.Name):
            yield file, call, source, compiled
            continue
        outer = sites.CompiledSite(file, function, program.compiles_in(file, function))
        if outer.takes(given.id) and not _is_assigned(given.id, function):
            rest = given.id + path.rest
            yield from ((*one, rest, outer) for one in sites.calls(outer, program, given.id))
        else:
            yield file, call, source, compiled


def _in_compiled(file: SourceFile, call: ast.Call, program: EditableProgram) -> Definition | None:
    """Return the compiled function that ``call`` is in, if any."""
    function = file.function(call)
    is_function = isinstance(function, Definition)
    return function if is_function and program.is_compiled(file, function) else None


def _is_assigned(name: str, function: Definition) -> bool:
    return any(
        name in words_in(target)
        for one in walk(*function.body)
        for target in ([one.target] if isinstance(one, ast.NamedExpr | For) else stored(one))
    )


def _given(call: ast.Call, source: str, compiled: sites.CompiledSite) -> Any:
    """Find what ``call`` gives for a whole argument, also by its default; else None."""
    definition = compiled.definition
    if definition is None or not compiled.takes(source):
        return None
    given = sites.argument(call, source, compiled)
    if given is not None or is_starred(call):
        return given
    return default_of(definition, source)


def _known(test: str, given: Any, last: str) -> bool | None:
    """Return whether ``test`` holds for what the call has; None unless that is a constant.

    ``last`` is a value that was seen: an enum's has its class.
    """
    code = ast.unparse(given) if given is not None else ""
    wanted = test.rpartition(" ")[2]
    if "{}.name " in test:
        known = code.rpartition(".")[0] == last.rpartition(".")[0] != ""
        is_named = code.rpartition(".")[2] == wanted.strip('"')
        return is_named is (" == " in test) if known else None
    if _LITERAL.fullmatch(code.replace('"', "'")) is None or "{} " not in test[:3]:
        return None
    is_same = code.replace('"', "'") == wanted.replace('"', "'")
    return is_same is (" is not " not in test and " != " not in test)


def _is_literal(thing: GuardedThing) -> bool:
    """Return whether the first value can be written as it is shown: no length."""
    is_value = thing.guard.kind == "value" and bool(thing.values) and not thing.is_counted
    return is_value and _LITERAL.fullmatch(thing.values[0]) is not None


def _is_word(thing: GuardedThing) -> bool:
    """Return whether a thing is a text, a flag or None: no number, whose values never end."""
    return _is_literal(thing) and not thing.values[0].lstrip("-")[:1].isdigit()


def _mode(
    file: SourceFile,
    call: ast.Call,
    source: str,
    compiled: sites.CompiledSite,
    program: EditableProgram,
    *,
    may_be_none: bool,
) -> tuple[str, Any]:
    """Find the mode as an expression where the function is called, and the call that makes it.

    What a call makes is to be kept in a variable of that name. What ``may_be_none`` may be left
    out of a batch that is passed as ``**batch``. Raises `RefusedError`.
    """
    path = guard_path(source)
    name = path.argument
    rest = path.rest.replace("'", '"')
    given = sites.argument(call, name, compiled) or _options(call, name, compiled)
    if given is not None and may_be_asked_twice(given):
        return f"{file.code(given)}{rest}", None
    unpacked = [one.value for one in call.keywords if one.arg is None]
    if given is None and not rest and may_be_none and len(unpacked) == 1:
        (options,) = unpacked
        if isinstance(options, ast.Name | ast.Attribute) and name.isidentifier():
            return f'{file.code(options)}.get("{name}")', None
    if isinstance(given, ast.Call) and not rest:
        require_movable(file, call, given, program)
        return choices.new_name(file, name, f"{name}_given"), given
    is_attribute = path.is_of_self and all(step.kind == "attribute" for step in path.steps)
    func: Any = call.func
    definition = compiled.definition
    if is_attribute and definition is not None:
        is_plain = isinstance(func, ast.Name | ast.Attribute)
        if definition.name == "forward" and is_plain:
            return f"{file.code(func)}{rest}", None
        if isinstance(func, ast.Attribute) and func.attr == definition.name:
            return f"{file.code(func.value)}{rest}", None
    raise RefusedError(f"can't find {verbatim(source)} in the call at {file.place(call)}")


def _options(call: ast.Call, name: str, compiled: sites.CompiledSite) -> ast.expr | None:
    """Find the dict that ``call`` passes as ``**``, where a function takes it as ``name``."""
    taken = compiled.definition.args.kwarg if compiled.definition is not None else None
    whole = [one.value for one in call.keywords if one.arg is None]
    is_whole = taken is not None and taken.arg == name and len(call.keywords) == len(whole)
    return whole[0] if is_whole and len(whole) == 1 else None
