"""Rewrites what breaks the graph of a compiled backward."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_reports.causes.findings import SplitGraph
from ca_reports.patching import choices, effects, imports, loops
from ca_reports.patching.editing import is_not, is_plain_comparison, is_string, only_statement
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.bindings import TRIES
from ca_reports.program.edits import above, arguments, following
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_OWN_HOOKS = "saved_tensors_hooks"
_ON_CPU = "torch.autograd.graph.save_on_cpu"
# Contexts that catch errors.
_CATCHING = ("contextlib.suppress", "pytest.raises")
_HOOKS = """def _to_host(tensor):
    return tensor.device, tensor.to("cpu")


def _from_host(packed):
    device, tensor = packed
    return tensor.to(device)


"""


def where(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA501: ``if c: return a`` and ``return b`` of a hook become one ``torch.where``.

    ``x.retain_grad()``, which nothing can trace, becomes a hook that keeps the gradient.
    """
    file = program.file(finding.location)
    if file is None:
        raise RefusedError("the line in the hook is not known")
    keeping = _keeping(file, finding, program)
    if keeping is not None:
        return [keeping]
    found = [
        node for node in file.all(ast.If) if loops.is_at(finding.location, file, node, program)
    ]
    branch = found[-1] if found else None
    after = following(file, branch) if branch is not None else []
    taken = _returned(file, branch.body) if branch is not None else None
    otherwise = _returned(file, after)
    if branch is None or taken is None or otherwise is None or branch.orelse:
        raise RefusedError("the hook does more than choose between two values to return")
    if _has_own_comments(file, file.span(branch.test)[1], file.begin(after[0])):
        raise RefusedError("comments lie between the two values to return")
    for value in (taken, otherwise):
        choices.require_value(file, value)
    program.require_unchanged(file)
    torch, added = imports.torch(file, branch)
    condition = _as_tensor(file, branch.test)
    told = effects.require_repeatable(file, (taken, otherwise), program, "backward")
    indent = file.indent_of(branch)
    start, end = file.line_start(branch), file.line_end(file.span(after[0])[1])
    values = f"{file.code(taken)}, {file.code(otherwise)}"
    text = f"{indent}return {torch}.where({condition}, {values})"
    return [
        Patch(
            f"torch.where instead of the branch at {file.place(branch)}",
            (*added, Replacement(file.name, start, end, text)),
            intention="; ".join(told),
        )
    ]


def _keeping(file: SourceFile, finding: Finding, program: EditableProgram) -> Patch | None:
    """Return a hook that sets ``x.grad``, instead of the one ``x.retain_grad()`` on the line."""
    found = [
        call
        for call in loops.nodes_at(finding.location, program, ast.Call)[1]
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "retain_grad"
        and isinstance(call.func.value, ast.Name | ast.Attribute)
        and isinstance(file.parent(call), ast.Expr)
    ]
    if len(found) != 1:
        return None
    program.require_unchanged(file)
    receiver: Any = found[0].func
    tensor = file.code(receiver.value)
    text = f'{tensor}.register_hook(lambda gradient, of={tensor}: setattr(of, "grad", gradient))'
    return Patch(
        f"a hook that keeps the gradient instead of retain_grad() at {file.place(found[0])}",
        (Replacement(file.name, *file.span(found[0]), text),),
        note=f"after several backwards {tensor}.grad is that of the last one, and no sum",
    )


def raised(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA802: ``n = x.item()`` and ``if n > 1: raise …`` become an assertion in the graph."""
    file, found = loops.nodes_at(finding.location, program, ast.Assign)
    if file is None or len(found) != 1 or len(found[0].targets) != 1:
        raise RefusedError("the line that reads the value is not known")
    statement = file.statement(found[0])
    after: Any = next(iter(following(file, statement)), None)
    message = _raised(file, after)
    value: Any = found[0].value
    name = file.code(found[0].targets[0])
    if message is None or not _is_item(value):
        raise RefusedError(f"{file.place(found[0])} is not only read to raise an error")
    test: Any = after.test
    function = file.function(statement)
    uses = [
        node for node in file.all(ast.Name) if node.id == name and file.function(node) is function
    ]
    if not is_plain_comparison(test) or file.code(test.left) != name or len(uses) != 2:
        raise RefusedError(f"{file.place(after)} is not a single comparison of {name}")
    _require_uncaught(file, after, program)
    program.require_unchanged(file)
    tensor = file.code(value.func.value)
    rest = file.text[file.span(test.left)[1] : file.span(test)[1]]
    return [_asserted(file, statement, after, f"~({tensor}{rest})", message)]


def checked(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA801: ``if x.isnan().any(): raise Error("text")`` becomes an assertion in the graph.

    Raises `RefusedError` where the branch does more, or where the program catches that error.
    """
    file, found = loops.nodes_at(finding.location, program, ast.If)
    branch: Any = found[-1] if found else None
    message = _raised(file, branch) if file is not None else None
    if file is None or message is None:
        raise RefusedError("the line isn't a check that only raises an error with a text")
    test = branch.test
    if any(isinstance(part, ast.BoolOp | ast.NamedExpr) for part in walk(test)):
        raise RefusedError(f"the test at {file.place(test)} is several in one")
    if any(isinstance(part, ast.Compare) and len(part.ops) > 1 for part in walk(test)):
        raise RefusedError(f"the test at {file.place(test)} is several in one")
    if any(isinstance(part, ast.Call) and _is_number(part) for part in walk(test)):
        raise RefusedError(f"the test at {file.place(test)} is made a Python number first")
    if file.code(branch).count("#") > file.code(message).count("#"):
        raise RefusedError(f"comments lie in the branch at {file.place(branch)}")
    if isinstance(file.parent(branch), ast.If):
        raise RefusedError(f"{file.place(branch)} is one of several sides")
    _require_uncaught(file, branch, program)
    program.require_unchanged(file)
    torch, added = imports.torch(file, branch)
    detail = finding.detail
    if isinstance(detail, SplitGraph) and detail.tests_number:
        return [_checked_number(file, branch, torch, added, message)]
    denied = f"{torch}.logical_not({file.code(test)})"
    holds = file.code(test.operand) if is_not(test) else denied
    return [_asserted(file, branch, branch, holds, message)]


def _require_uncaught(file: SourceFile, branch: ast.AST, program: EditableProgram) -> None:
    """Raise `RefusedError` where the program may catch the error, which is another one then."""
    if any(one.all(*TRIES) for one in program.files.values()) or program.calls(*_CATCHING):
        raise RefusedError(f"the program may catch what {file.place(branch)} raises")


def _asserted(
    file: SourceFile, first: ast.stmt, branch: ast.stmt, holds: str, message: ast.expr
) -> Patch:
    """Return an assertion that the graph has, from statement ``first`` to the end of ``branch``."""
    torch, added = imports.torch(file, first)
    start, end = file.span(first)[0], file.line_end(file.span(branch)[1])
    text = f"{torch}._assert_async({holds}, {file.code(message)})"
    return Patch(
        f"an assertion in the graph instead of the branch at {file.place(branch)}",
        (*added, Replacement(file.name, start, end, text)),
        intention="raises a RuntimeError; on a GPU at the next synchronization",
    )


def _checked_number(
    file: SourceFile,
    branch: ast.If,
    torch: str,
    added: Sequence[Replacement],
    message: ast.expr,
) -> Patch:
    """Return the check of a size in the graph, by the comparison that has to hold.

    `not` of a number of the graph's asks for its value, and so does `torch.logical_not`.
    """
    test: Any = branch.test
    opposite = _OPPOSITES.get(type(test.ops[0])) if is_plain_comparison(test) else None
    if opposite is None:
        raise RefusedError(f"the test at {file.place(test)} is no comparison of two numbers")
    holds = f"{file.code(test.left)} {opposite} {file.code(test.comparators[0])}"
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    text = f"{torch}._check({holds}, lambda: {file.code(message)})"
    return Patch(
        f"a check of the number in the graph instead of the branch at {file.place(branch)}",
        (*added, Replacement(file.name, start, end, text)),
        intention="raises a RuntimeError",
    )


_OPPOSITES: Mapping[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
}


def save_on_cpu(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA503: two functions of the program's in the place of torch's, which Dynamo does trace."""
    every = program.calls(_ON_CPU)
    found = [one for one in every if loops.is_at(finding.location, *one, program)] or every
    if len(found) != 1:
        raise RefusedError("can't find a single call of save_on_cpu")
    file, call = found[0]
    if arguments(call):
        raise RefusedError(
            f"save_on_cpu at {file.place(call)} has options: write its hooks by hand"
        )
    if "_to_host" in file.text or "_from_host" in file.text:
        raise RefusedError(f"{file.name} has names that the hooks would take")
    program.require_unchanged(file)
    outer = [one for one in file.around(call) if isinstance(one, Definition | ast.ClassDef)]
    if not outer:
        raise RefusedError(f"save_on_cpu at {file.place(call)} is at module level")
    at = above(file, outer[-1])
    imported: tuple[Replacement, ...] = ()
    if isinstance(call.func, ast.Attribute):
        name_start = file.span(call.func)[1] - len(call.func.attr)
    else:
        imported = (_imported_instead(file, call),)
        name_start = file.span(call.func)[0]
    hooks = _HOOKS.replace("    ", file.unit).replace("\n", file.newline)
    return [
        Patch(
            f"hooks of your own instead of save_on_cpu at {file.place(call)}",
            (
                Replacement(file.name, at, at, hooks),
                Replacement(
                    file.name,
                    name_start,
                    file.span(call)[1],
                    f"{_OWN_HOOKS}(_to_host, _from_host)",
                ),
                *imported,
            ),
        )
    ]


def _imported_instead(file: SourceFile, call: ast.Call) -> Replacement:
    """Import torch's context for hooks of one's own by its name, as ``save_on_cpu`` was."""
    name = file.code(call.func)
    known = [
        alias
        for statement in file.all(ast.ImportFrom)
        for alias in statement.names
        if alias.asname is None and alias.name == name
    ]
    uses = sum(node.id == name for node in file.all(ast.Name))
    if len(known) != 1 or uses != 1 or _OWN_HOOKS in file.text:
        raise RefusedError(f"save_on_cpu at {file.place(call)} is used by its name elsewhere")
    return Replacement(file.name, *file.span(known[0]), _OWN_HOOKS)


def _raised(file: SourceFile, statement: Any) -> Any:
    """Return the text of the error that ``if …: raise Error(text)`` raises, and nothing else."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return None
    only = only_statement(file, statement.body)
    error = only.exc if isinstance(only, ast.Raise) else None
    if not isinstance(error, ast.Call) or len(arguments(error)) != 1:
        return None
    text = arguments(error)[0].value
    return text if is_string(text) else None


def _has_own_comments(file: SourceFile, start: int, end: int) -> bool:
    """Return whether a comment between two characters has a line for itself."""
    lines = file.text[file.next_line(start) : end].splitlines()
    return any(line.lstrip().startswith("#") for line in lines)


def _is_item(value: Any) -> bool:
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "item"
        and not arguments(value)
    )


def _is_number(call: ast.Call) -> bool:
    """Return whether a call makes a Python number of a tensor."""
    named = call.func.id if isinstance(call.func, ast.Name) else ""
    return _is_item(call) or named in ("float", "bool", "int")


def _returned(file: SourceFile, lines: Sequence[Any]) -> Any:
    """Return what the only statement of ``lines`` returns."""
    only = only_statement(file, lines)
    return only.value if isinstance(only, ast.Return) else None


def _as_tensor(file: SourceFile, test: ast.expr) -> str:
    """Return the test without ``.item()``. Raises `RefusedError` unless it compares a tensor.

    With ``.item()`` on its right it would stay a number, and the answer one of Python's.
    """
    if not isinstance(test, ast.Compare) or not is_plain_comparison(test):
        raise RefusedError(f"the condition at {file.place(test)} is not a single comparison")
    is_counted = isinstance(test.left, ast.Call) and file.names(test.left.func) == {"builtins.len"}
    if is_counted or any(
        isinstance(part, ast.Call) and _is_number(part) for part in walk(*test.comparators)
    ):
        raise RefusedError(f"the condition at {file.place(test)} compares no tensor on its left")
    return choices.tensor_test(file, test)
