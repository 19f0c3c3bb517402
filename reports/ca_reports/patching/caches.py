"""CA711: what a function keeps in a dict for each key is made in every call."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_expressions import expression
from ca_reports.patching import choices, effects, loops
from ca_reports.patching.assignments import assigned
from ca_reports.patching.editing import (
    is_plain_comparison,
    only_statement,
    only_target,
    positional,
    stored,
)
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import above, arguments, following, words_in
from ca_reports.program.positions import walk
from ca_reports.program.syntax import (
    Definition,
    For,
    is_starred,
    keyword,
    last_name,
)
from ca_reports.torchlib import shapes, tensors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

# What gives a thing another meaning when it is made again, as attributes, and as names.
_ONCE = frozenset(("detach", "data", "grad", "item"))
_WITHOUT_GRADIENTS = frozenset(("no_grad", "inference_mode"))
# What may be asked of an argument beside the key: it is the same for all that is computed with it.
_OF_KIND = (*tensors.OF_A_KIND, *shapes.OF_ANOTHER)
TRAINED = ("Parameter(", "Embedding(", "Linear(", "Conv", "Module", "Sequential(")
# A size, a device or a dtype, as a call passes it: `x.shape[1]`, `self.width`, 16.
# After the last dot.
_SIZE = expression(r"device|dtype|ndim|shape\[[^\].]*\]|size\([^().]*\)|\d+")
_NUMBER_TYPES = ("int", "float", "bool", "str", "torch.device", "torch.dtype")
_NOTE = "if it is costly, make it in the call instead, and pass it in"


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Return ``if k not in d: d[k] = x`` and ``return d[k]`` become ``return x``.

    Also where lines before compute what is kept, where ``if k in d: return d[k]`` comes first, and
    where ``x = d.get(k)`` is None. Raises `RefusedError` unless the key decides what is kept.
    """
    file, found = loops.nodes_at(finding.location, program, ast.Assign)
    if file is None or len(found) != 1:
        raise RefusedError("the line that adds the key is not known")
    first = _made(file, found[0], program)
    owner = file.class_around(found[0])
    others = [
        one
        for node in (walk(owner) if owner is not None else ())
        if isinstance(node, ast.Assign) and node is not found[0]
        for one in _others(file, node, program)
    ]
    if not others:
        return [first]
    # What one call fills is guarded together: without one dict, the next is what recompiles.
    every = replace(
        first,
        what=", ".join(one.what for one in (first, *others)),
        replacements=tuple(change for one in (first, *others) for change in one.replacements),
    )
    return [every, first]


def _others(file: SourceFile, store: ast.Assign, program: EditableProgram) -> Iterator[Patch]:
    with suppress(RefusedError):
        yield _made(file, store, program)


def _made(file: SourceFile, store: ast.Assign, program: EditableProgram) -> Patch:
    """Return what ``store`` keeps, made in every call. Raises `RefusedError`."""
    target = store.targets[0]
    function = file.function(store)
    if not isinstance(target, ast.Subscript) or not file.is_line(store):
        raise RefusedError(f"{file.place(store)} adds no key to a dict")
    if not _is_function(function):
        raise RefusedError(f"{file.place(store)} is in no function that could make it again")
    kept = _Kept(file, function, store, target)
    text = kept.as_looked_for() or kept.as_returned_before() or kept.as_got()
    if text is None:
        raise RefusedError(f"{file.place(store)} does more than keep what it returns")
    made, seen, changes = text
    kept.require_no_other_use(seen, program)
    require_by_key(file, [*made, store.value], _names_of(kept.key), program)
    program.require_unchanged(file)
    what = f"{file.code(target)} made in every call at {file.place(store)}"
    return Patch(what, tuple(changes), note=_NOTE)


def _names_of(key: Any) -> set[str]:
    """Find the variables that a key consists of: none of ``x.shape[1]``, which tells little."""
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    return {one.id for one in parts if isinstance(one, ast.Name)}


def _is_function(node: Any) -> bool:
    return isinstance(node, Definition)


class _Kept:
    """An entry of a dict, which the line ``store`` of a function sets."""

    def __init__(
        self, file: SourceFile, function: Any, store: ast.Assign, target: ast.Subscript
    ) -> None:
        self.file, self.function, self.store = file, function, store
        self.entry = file.code(target)
        self.owner = target.value
        self.key = target.slice
        self.code = file.code(self.owner)

    def as_looked_for(self) -> tuple[list[Any], list[Any], list[Replacement]] | None:
        """Find ``if k not in d:`` around the line that ends it, and what is read after it."""
        file, branch = self.file, self.file.parent(self.store)
        if not self._ends(branch) or not self._asks(branch.test, ast.NotIn):
            return None
        reads = self._reads()
        end = file.span(branch)[1]
        if not reads or any(file.span(one)[0] < end for one in reads):
            return None
        lines = branch.body[:-1]
        value, name = self.store.value, ""
        text = self._dedented(branch, lines)
        after = following(file, branch)
        only = only_statement(file, after)
        indent = file.indent_of(branch)
        if len(reads) == 1 and isinstance(only, ast.Return) and only.value is reads[0]:
            start, last = file.line_start(branch), file.line_end(file.span(after[0])[1])
            text += f"{indent}return {file.code(value)}"
            return lines, [branch.test, *reads], [Replacement(file.name, start, last, text)]
        name = choices.new_name(file, "made", "made_here", "entry_made")
        text += f"{indent}{name} = {file.code(value)}"
        start, last = file.line_start(branch), file.line_end(end)
        return (
            lines,
            [branch.test, *reads],
            [
                Replacement(file.name, start, last, text),
                *(Replacement(file.name, *file.span(one), name) for one in reads),
            ],
        )

    def as_returned_before(self) -> tuple[list[Any], list[Any], list[Replacement]] | None:
        """Make ``if k in d: return d[k]`` in the block, before the line, and a return after it."""
        file = self.file
        block = file.block(self.store)
        at = block.index(self.store)
        first = [one for one in block[:at] if self._returns(one)]
        only = only_statement(file, block[at + 1 :])
        if len(first) != 1 or not isinstance(only, ast.Return) or only.value is None:
            return None
        returned, value = file.code(only.value), file.code(self.store.value)
        lines = block[block.index(first[0]) + 1 : at]
        if returned not in (self.entry, value) or len(self._reads()) > 2:
            return None
        start, end = file.line_start(self.store), file.line_end(file.span(block[at + 1])[1])
        seen = [first[0], *([only.value] if returned == self.entry else [])]
        return (
            lines,
            seen,
            [
                Replacement(file.name, *self._whole(first[0]), ""),
                Replacement(file.name, start, end, f"{file.indent_of(self.store)}return {value}"),
            ],
        )

    def as_got(self) -> tuple[list[Any], list[Any], list[Replacement]] | None:
        """Return ``x = d.get(k)`` and ``if x is None:`` around the line that ends it."""
        file, branch = self.file, self.file.parent(self.store)
        block = file.block(branch) if branch is not None else []
        if not self._ends(branch) or block.index(branch) == 0 or self._reads():
            return None
        before = only_statement(file, [block[block.index(branch) - 1]])
        target = only_target(before)
        if target is None:
            return None
        name, got = file.code(target), before.value
        is_got = (
            isinstance(got, ast.Call)
            and file.code(got.func) == f"{self.code}.get"
            and [file.code(one.value) for one in arguments(got)] == [file.code(self.key)]
        )
        if not is_got or file.code(branch.test) != f"{name} is None":
            return None
        if file.code(self.store.value) != name or not branch.body[:-1]:
            return None
        lines = branch.body[:-1]
        text = self._dedented(branch, lines).removesuffix(file.newline)
        start, end = file.line_start(before), file.line_end(file.span(branch)[1])
        return lines, [got], [Replacement(file.name, start, end, text)]

    def require_no_other_use(self, seen: Sequence[Any], program: EditableProgram) -> None:
        """Raise `RefusedError` unless the dict begins empty, and only those nodes read it."""
        name = last_name(self.owner)
        known = {part for node in (*seen, self.store) for part in walk(node)}
        for file in program.files.values():
            for node in file.nodes if name in file.text else ():
                is_of_it = isinstance(node, ast.Name | ast.Attribute) and last_name(node) == name
                if is_of_it and node not in known and not _is_emptied(file, node):
                    raise RefusedError(f"{file.place(node)} uses {self.code} as well")

    def _reads(self) -> list[Any]:
        """Return the other places of the function that look the key up."""
        target = self.store.targets[0]
        return [
            one
            for one in walk(self.function)
            if isinstance(one, ast.Subscript)
            and one is not target
            and self.file.code(one) == self.entry
        ]

    def _ends(self, branch: Any) -> bool:
        """Return whether ``branch`` is an `if` alone whose last line sets the entry."""
        return (
            isinstance(branch, ast.If)
            and not branch.orelse
            and not isinstance(self.file.parent(branch), ast.If)
            and self.file.is_line(branch.body[0])
            and branch.body[-1] is self.store
            and len(self.store.targets) == 1
        )

    def _asks(self, test: Any, operator: type[Any]) -> bool:
        return (
            is_plain_comparison(test)
            and isinstance(test.ops[0], operator)
            and self.file.code(test.left) == self.file.code(self.key)
            and self.file.code(test.comparators[0]) == self.code
        )

    def _returns(self, statement: Any) -> bool:
        """Return whether it is ``if k in d: return d[k]``."""
        if not isinstance(statement, ast.If) or statement.orelse:
            return False
        only = only_statement(self.file, statement.body)
        is_entry = isinstance(only, ast.Return) and only.value is not None
        return (
            is_entry
            and self.file.code(only.value) == self.entry
            and self._asks(statement.test, ast.In)
        )

    def _dedented(self, branch: Any, lines: Sequence[Any]) -> str:
        """Return lines of ``branch`` as deep as it is, with comments above; nothing for none."""
        if not lines:
            return ""
        file = self.file
        first, end = above(file, lines[0]), file.line_end(file.span(lines[-1])[1])
        step = len(file.indent_of(lines[0])) - len(file.indent_of(branch))
        text = file.text[first:end].split("\n")
        cut = [one[step:] if one[:step].isspace() else one for one in text]
        return "\n".join(cut) + file.newline

    def _whole(self, statement: Any) -> tuple[int, int]:
        """Return the lines of a statement, with the end of the last."""
        file = self.file
        end = file.line_end(file.span(statement)[1]) + len(file.newline)
        return file.line_start(statement), min(len(file.text), end)


def _is_emptied(file: SourceFile, node: ast.AST) -> bool:
    """Return ``self.kept = {}`` or ``self.kept.clear()``."""
    around = file.parent(node)
    if isinstance(around, ast.Attribute):
        return around.value is node and around.attr == "clear"
    value = around.value if isinstance(around, ast.Assign | ast.AnnAssign) else None
    return value is not None and file.code(value) in ("{}", "dict()", "OrderedDict()")


def require_by_key(
    file: SourceFile, made: Sequence[Any], key: set[str], program: EditableProgram
) -> None:
    """Raise `RefusedError` unless ``made`` gives one thing for one key, whenever it runs.

    What is trained, drawn or kept from the first call would be another one later.
    """
    own = {
        name
        for node in made
        for part in walk(node)
        for target in ([part.target] if isinstance(part, For | ast.comprehension) else stored(part))
        for name in words_in(target)
    }
    for node in made:
        _require_plain(file, node)
        for part in walk(node):
            if isinstance(part, ast.Name):
                if part.id not in own | key:
                    _require_fixed(file, part, key, program)
            elif isinstance(part, ast.Call):
                for function in functions_run(part, program):
                    _require_plain(*function)
                    _require_of_objects(*function, program)
    effects.require_pure(file, made, program)


def _require_plain(file: SourceFile, node: Any) -> None:
    if any(map(_is_of_once, walk(node))):
        raise RefusedError(f"{file.place(node)} does more than make what the key is for")


def _is_of_once(node: ast.AST) -> bool:
    is_read = isinstance(node, ast.Attribute) and node.attr in _ONCE
    return is_read or isinstance(node, ast.Try) or last_name(node) in _WITHOUT_GRADIENTS


def functions_run(call: ast.Call, program: EditableProgram) -> Iterator[tuple[SourceFile, Any]]:
    """Yield the program's functions that a call may run, and those that they run."""
    waiting, seen = [last_name(call.func)], set[str]()
    while waiting:
        name = waiting.pop()
        if not name or name in seen:
            continue
        seen.add(name)
        for file, definition in program.definitions_of(name):
            yield file, definition
            waiting += [
                last_name(one.func) for one in walk(*definition.body) if isinstance(one, ast.Call)
            ]


def _require_fixed(
    file: SourceFile, name: ast.Name, key: set[str], program: EditableProgram
) -> None:
    """Raise `RefusedError` where a variable may be another one for the same key."""
    function: Any = file.function(name)
    parent = file.parent(name)
    if name.id == "self":
        _require_of_object(file, parent, program)
        return
    if not isinstance(function, Definition):
        return
    given = function.args
    every = (*given.posonlyargs, *given.args, *given.kwonlyargs)
    own = next((one for one in every if one.arg == name.id), None)
    if own is not None:
        is_of_kind = isinstance(parent, ast.Attribute) and parent.attr in _OF_KIND
        if not is_of_kind and not _is_size(file, own, function, program):
            raise RefusedError(f"{file.place(name)} keeps what it makes of the first {name.id}")
        return
    is_local = any(
        name.id in words_in(target) for one in walk(*function.body) for target in stored(one)
    )
    if is_local:
        value = loops.assigned_once(file, name)
        if value is None:
            raise RefusedError(f"{name.id} may be another one at {file.place(name)}")
        require_by_key(file, [value], key, program)


def _is_size(file: SourceFile, own: ast.arg, function: Any, program: EditableProgram) -> bool:
    """Return whether a parameter is a number or a device, as it says or as each call shows."""
    if own.annotation is not None and file.code(own.annotation) in _NUMBER_TYPES:
        return True
    name = own.arg
    names = file.own_parameters(function)
    given = []
    for other in program.files.values():
        for call in other.all(ast.Call) if function.name in other.text else ():
            if last_name(call.func) != function.name:
                continue
            by_name, in_order = keyword(call, name), positional(call)
            at = names.index(name) if name in names else len(in_order)
            if is_starred(call):
                return False
            if by_name is not None:
                given.append(other.code(by_name))
            elif at < len(in_order):
                given.append(other.code(in_order[at]))
    return bool(given) and all(
        one.startswith("len(") or _SIZE.fullmatch(one.rpartition(".")[2]) for one in given
    )


def _require_of_objects(file: SourceFile, node: Any, program: EditableProgram) -> None:
    for part in walk(node):
        if isinstance(part, ast.Attribute) and file.code(part.value) == "self":
            _require_of_object(file, part, program)


def _require_of_object(file: SourceFile, node: Any, program: EditableProgram) -> None:
    """Raise `RefusedError` unless ``self.x`` is a method, or set in `__init__` and not trained."""
    if not isinstance(node, ast.Attribute):
        raise RefusedError(f"{file.place(node)} hands the object on")
    name = node.attr
    call = file.parent(node)
    is_called = isinstance(call, ast.Call) and call.func is node
    if is_called:
        if not any(program.definitions_of(name)):
            raise RefusedError(f"{file.place(node)} may run what is trained")
        return
    values = []
    for other in program.files.values():
        for one in assigned(other) if name in other.text else ():
            if isinstance(one.target, ast.Attribute) and one.target.attr == name:
                function = other.function(one.node)
                if not _is_function(function) or function.name != "__init__":
                    raise RefusedError(f"{other.place(one.node)} sets {name} later")
                values.append(other.code(one.value) if one.value is not None else "")
    is_buffer = f'register_buffer("{name}"' in file.text
    # What nobody takes a gradient of stays what it is.
    may_be_trained = any(word in value for value in values for word in TRAINED)
    is_trained = may_be_trained and program.asks_for_gradients
    if is_trained or not (values or is_buffer):
        raise RefusedError(f"{file.place(node)} reads {name}, which may be trained")
