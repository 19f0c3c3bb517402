"""CA703, CA704: what an object makes in its first call is made in `__init__`, or in every call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.patching.assignments import assigned
from ca_reports.patching.caches import TRAINED, functions_run, require_by_key
from ca_reports.patching.choices import new_name
from ca_reports.patching.editing import (
    is_none,
    is_not,
    is_plain_comparison,
    is_string,
    only_target,
)
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import arguments, dedented, insert_after, replace, unwrap
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, last_name

if TYPE_CHECKING:
    from typing import TypeGuard

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.edits import Edits


@dataclass(frozen=True, slots=True)
class _Lazy:
    """``if self.x is None:`` around the lines that set ``self.x``, in a method of a class.

    ``keys`` are lines that keep what it was made for, of ``if self.x is None or self.n != n:``.
    """

    file: SourceFile
    owner: ast.ClassDef
    method: Definition
    branch: ast.If
    store: ast.Assign
    keys: tuple[ast.Assign, ...] = ()

    @property
    def code(self) -> str:
        return self.file.code(self.store.targets[0])

    @property
    def lines(self) -> list[ast.stmt]:
        """Return what comes before the lines that set it, and what it was made for."""
        return [one for one in self.branch.body if one not in (self.store, *self.keys)]

    @property
    def names(self) -> set[str]:
        """Return the attributes that it sets."""
        return {last_name(one.targets[0]) for one in (self.store, *self.keys)}


def made_before(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Make it at the end of `__init__`, where nothing of the call is needed for it.

    Raises `RefusedError` where something is.
    """
    lazy = _lazy(finding, program)
    file = lazy.file
    if lazy.keys:
        raise RefusedError(f"{file.place(lazy.store)} makes it for each of several values")
    first = next(
        (one for one in lazy.owner.body if isinstance(one, Definition) and one.name == "__init__"),
        None,
    )
    if first is None or not file.is_line(first.body[-1]):
        raise RefusedError(f"{lazy.owner.name} has no __init__ that ends with a line of its own")
    if len(lazy.branch.body) != 1:
        raise RefusedError(f"{file.place(lazy.branch)} does more than set {lazy.code}")
    for node in walk(lazy.store.value):
        if isinstance(node, ast.Name) and not _is_known_before(file, node, lazy.method):
            raise RefusedError(
                f"{file.place(lazy.store)} makes it of {node.id}, which the call has"
            )
    if (buffer := _buffer_read(lazy, program)) is not None:
        raise RefusedError(f"{file.place(lazy.store)} makes it of {buffer}, which may be moved")
    program.require_unchanged(file)
    line = file.code(lazy.store)
    return [
        Patch(
            f"{lazy.code} made in {lazy.owner.name}.__init__",
            insert_after(file, first.body[-1], (line,)),
        )
    ]


def made_in_call(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Make it in every call. Raises `RefusedError` where what is made may differ."""
    lazy = _lazy(finding, program)
    file = lazy.file
    program.require_unchanged(file)
    return [
        Patch(
            f"{lazy.code} made in every call at {file.place(lazy.store)}",
            _in_variable(lazy, program)
            if lazy.keys
            else unwrap(file, lazy.branch, lazy.branch.body),
            note="if it is costly, make it once before the first call instead",
        )
    ]


def _in_variable(lazy: _Lazy, program: EditableProgram) -> Edits:
    """Make it in a variable, without the branch and what it keeps beside.

    Raises `RefusedError` where another method reads it, or what it was made for.
    """
    file, own = lazy.file, last_name(lazy.store.targets[0])
    within = set(walk(lazy.branch))
    reads: list[ast.Attribute] = []
    for other in program.files.values():
        for node in other.all(ast.Attribute):
            if node.attr not in lazy.names or node in within or _is_in_init(other, node):
                continue
            if other.function(node) is not lazy.method or node.attr != own:
                raise RefusedError(f"{other.place(node)} reads {node.attr} as well")
            reads.append(node)
    if file.lines(lazy.store)[0] != file.lines(lazy.store)[1]:
        raise RefusedError(f"{file.place(lazy.store)} runs over several lines")
    variables = {getattr(one, "id", getattr(one, "arg", "")) for one in file.nodes}
    name = own.lstrip("_")
    name = new_name(file, "made_here", f"{name}_made") if name in variables else name
    before = dedented(file, lazy.branch, lazy.lines) + file.newline if lazy.lines else ""
    made = f"{file.indent_of(lazy.branch)}{name} = {file.code(lazy.store.value)}"
    start, end = file.line_start(lazy.branch), file.line_end(file.span(lazy.branch)[1])
    return (
        Replacement(file.name, start, end, before + made),
        *(edit for one in reads for edit in replace(file, one, name)),
    )


def _buffer_read(lazy: _Lazy, program: EditableProgram) -> str | None:
    """Return a buffer that is read for it: in `__init__` it is not yet on its device."""
    made: list[tuple[SourceFile, ast.AST]] = [(lazy.file, lazy.store.value)]
    for node in walk(lazy.store.value):
        if isinstance(node, ast.Call):
            made += functions_run(node, program)
    buffers = {
        ast.literal_eval(call.args[0])
        for _, call in program.methods_named("register_buffer")
        if call.args and is_string(call.args[0])
    }
    read = (node.attr for _, one in made for node in walk(one) if isinstance(node, ast.Attribute))
    return next((name for name in read if name in buffers), None)


def _lazy(finding: Finding, program: EditableProgram) -> _Lazy:
    """Return the one place that sets what the finding is about. Raises `RefusedError`."""
    thing = program.guarded(finding)
    name = "" if thing is None else thing.path.name
    found = [
        lazy
        for file in program.files.values()
        if name and name in file.text
        for branch in file.all(ast.If)
        if (lazy := _of_branch(file, branch, name)) is not None
    ]
    if len(found) != 1:
        raise RefusedError("can't find a single line that sets it in the first call")
    (lazy,) = found
    for file in program.files.values():
        for one in assigned(file) if name in file.text else ():
            if last_name(one.target) not in lazy.names or one.node in (lazy.store, *lazy.keys):
                continue
            is_first = isinstance(one.target, ast.Name) or _is_in_init(file, one.node)
            begins = one.value is None or isinstance(one.value, ast.Constant)
            if not is_first or not begins:
                raise RefusedError(f"{file.place(one.node)} sets {last_name(one.target)}, too")
    kept = {key.value.id for key in lazy.keys if isinstance(key.value, ast.Name)}
    _require_no_module(lazy, program)
    require_by_key(lazy.file, [*lazy.lines, lazy.store.value], kept, program)
    return lazy


def _require_no_module(lazy: _Lazy, program: EditableProgram) -> None:
    """Raise `RefusedError` where what is made may have parameters: a module, or any object."""
    made = {
        last_name(node.func)
        for line in lazy.branch.body
        for node in walk(line)
        if isinstance(node, ast.Call)
    }
    code = lazy.file.code_of(lazy.branch.body)
    if made & program.names.program.classes.keys() or any(word in code for word in TRAINED):
        raise RefusedError(f"{lazy.file.place(lazy.store)} may make what is trained")


def _of_branch(file: SourceFile, branch: ast.If, name: str) -> _Lazy | None:
    """Find ``if self.x is None:`` or ``if not hasattr(self, "x"):`` that only makes and sets it.

    Also ``if self.x is None or self.n != n:`` that sets ``self.n = n`` after it.
    """
    method = file.function(branch)
    owner = file.owner(method) if isinstance(method, Definition) else None
    tests = branch.test.values if _is_either(branch.test) else [branch.test]
    stores = [one for one in branch.body if _sets_own(one)]
    keys = tuple(one for one in stores if any(_tells(file, test, one) for test in tests))
    makers = [one for one in stores if one not in keys]
    is_plain = not branch.orelse and file.is_line(branch.body[0]) and not file.is_side(branch)
    if owner is None or not isinstance(method, Definition) or len(makers) != 1 or not is_plain:
        return None
    (store,) = makers
    lazy = _Lazy(file, owner, method, branch, store, keys)
    is_last = branch.body == [*lazy.lines, *lazy.branch.body[-len(stores) :]]
    asked = [one for one in tests if not any(_tells(file, one, key) for key in keys)]
    only_asks = all(_asks(file, one, lazy.code) for one in asked)
    is_made = name in lazy.names and (keys or asked) and only_asks
    return lazy if is_made and is_last else None


def _is_either(test: Any) -> TypeGuard[ast.BoolOp]:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)


def _sets_own(node: ast.stmt) -> TypeGuard[ast.Assign]:
    """Return whether a statement sets one attribute of `self`."""
    target = only_target(node)
    return isinstance(target, ast.Attribute) and last_name(target.value) == "self"


def _tells(file: SourceFile, test: ast.expr, store: ast.Assign) -> bool:
    """Return whether ``test`` asks if the attribute is another one than what ``store`` sets it."""
    if not is_plain_comparison(test) or not isinstance(test.ops[0], ast.NotEq):
        return False
    sides = {file.code(test.left), file.code(test.comparators[0])}
    is_variable = isinstance(store.value, ast.Name)
    return is_variable and sides == {file.code(store.targets[0]), file.code(store.value)}


def _asks(file: SourceFile, test: Any, code: str) -> bool:
    if is_plain_comparison(test):
        is_asked = isinstance(test.ops[0], ast.Is) and is_none(test.comparators[0])
        return is_asked and file.code(test.left) == code
    if not is_not(test) or not isinstance(test.operand, ast.Call):
        return False
    call, (owner, _, name) = test.operand, code.rpartition(".")
    given = [one.value for one in arguments(call)]
    return (
        last_name(call.func) == "hasattr"
        and len(given) == 2
        and file.code(given[0]) == owner
        and is_string(given[1])
        and ast.literal_eval(given[1]) == name
    )


def _is_in_init(file: SourceFile, node: ast.AST) -> bool:
    function = file.function(node)
    return isinstance(function, Definition) and function.name == "__init__"


def _is_known_before(file: SourceFile, name: ast.Name, method: Definition) -> bool:
    """Return whether a name of what is made is ``self``, a module's, or the expression's own."""
    if name.id == "self":
        return True
    owner = file.variable(name).owner
    return owner is None or owner.node is not method
