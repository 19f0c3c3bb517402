"""Branches that Python decides by a tensor, or in some steps only: both sides, and a choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import imports, loops
from ca_reports.fixes.editing import only_statement
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.program import names_in, walk
from ca_reports.torchlib import tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_NOTE = "computes both sides: a side that is not finite makes gradients nan even if not chosen"
_SHARE = ("share", "is_early")
_ZEROS = ("0", "0.0")
# What needs no parentheses as an operand.
_SIMPLE = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float)


def on_tensor(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA801: ``if x.mean() > 1: y = a`` becomes ``y = torch.where(x.mean() > 1, a, y)``."""
    file = program.file(finding.location)
    branch = _branch(file, finding, program)
    if file is None or branch is None:
        raise RefusedError("the branch on the line is not known")
    program.require_unchanged(file)
    changes = chosen(file, branch, lambda test: tensor_test(file, test))
    return [
        Patch(
            f"torch.where instead of the branch at {file.place(branch)}",
            tuple(changes),
            note=_NOTE,
        )
    ]


def on_item(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA501, CA802, CA716: ``n = x.item()`` stays a tensor where branches and formulas read it.

    Raises `RefusedError` where Python needs the number.
    """
    file, found = loops.nodes_at(finding.location, program, cst.Assign)
    if file is None or len(found) != 1 or not isinstance(found[0].targets[0].target, cst.Name):
        raise RefusedError("the line that reads the value is not known")
    program.require_unchanged(file)
    assigned = found[0].targets[0].target
    value, function = found[0].value, file.function(found[0])
    changes = [without_item(file, value)]
    branches: dict[Any, None] = {}
    for node in file.all(cst.Name):
        is_other = node.value != assigned.value or node is assigned or is_label(file, node)
        if is_other or file.function(node) is not function:
            continue
        branch = next((one for one in file.around(node) if is_test(one, node, file)), None)
        if branch is not None:
            branches[branch] = None
            continue
        _require_formula(file, node)
    for branch in branches:
        changes += chosen(file, branch, lambda test: tensor_test(file, test))
    return [
        Patch(
            f"{assigned.value} stays a tensor at {file.place(found[0])}",
            tuple(changes),
            note=_NOTE if branches else "",
        )
    ]


def chosen(
    file: SourceFile, branch: Any, condition: Callable[[Any], str], *, once: bool = False
) -> list[Replacement]:
    """``branch``, an `if` statement or expression, as choices by ``torch.where``.

    ``once`` if the condition may be another one when it is asked again.

    Raises `RefusedError` unless both sides only assign variables, or return a value.
    """
    torch, added = imports.torch(file, branch)
    test = condition(branch.test)
    if isinstance(branch, cst.IfExp):
        for expression in (branch.body, branch.orelse):
            _require_value(file, expression)
        sides = f"{file.code(branch.body)}, {file.code(branch.orelse)}"
        start, end = file.span(branch)
        return [*added, Replacement(file.name, start, end, f"{torch}.where({test}, {sides})")]
    taken = _statements(file, branch.body)
    otherwise = _otherwise(file, branch)
    if any(isinstance(one, cst.Return) for one in taken):
        return [*added, _returned(file, branch, taken, otherwise, test, torch)]
    lines = []
    names = _assigned(taken) | _assigned(otherwise)
    if len(taken) + len(otherwise) > 1 and (once or names & names_in(branch.test)):
        if "is_taken" in names_in(file.tree):
            raise RefusedError(f"{file.name} has a name is_taken already")
        lines.append(f"is_taken = {test}")
        test = "is_taken"
    known = known_before(file, branch, names)
    for side, is_taken in ((taken, True), (otherwise, False)):
        for one in side:
            name, value = assignment(file, one)
            value = _guarded(file, one, branch.test, test, torch) or value
            if name not in known:
                lines.append(f"{name} = {value}")
                known.add(name)
                continue
            if _is_none_before(file, branch, name):
                raise RefusedError(
                    f"{name} is None where the branch at {file.place(branch)} does not set it"
                )
            pair = f"{value}, {name}" if is_taken else f"{name}, {value}"
            lines.append(f"{name} = {torch}.where({test}, {pair})")
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    lines = [*comments(file, branch), *lines]
    text = f"{file.newline}{file.indent_of(branch)}".join(lines)
    return [*added, Replacement(file.name, start, end, text)]


def on_number(file: SourceFile, branch: Any) -> list[Replacement]:
    """A branch that Python decides, in eager code: both sides in every step, and a choice.

    Of ``if c: continue`` the one statement after it is the other side. Raises `RefusedError`.
    """
    torch, added = imports.torch(file, branch)
    code = file.code(branch.test)
    if any(isinstance(one, cst.Return) for one in _small(branch.body)):
        return _returned_by_share(file, branch)
    skipped = _skipped(file, branch)
    names = [assignment(file, one)[0] for one in skipped or _statements(file, branch.body)]
    if not names:
        raise RefusedError(f"the branch at {file.place(branch)} does more than set a variable")
    if skipped is None:
        known = known_before(file, branch, set(names))
        like = next((name for name in names if name in known), None)
        if like is None:
            raise RefusedError(f"{names[0]} is not set before the branch at {file.place(branch)}")
        test = f"{torch}.tensor(bool({code}), device={like}.device)"
        return [*added, *chosen(file, branch, lambda _: test, once=True)]
    name, value = assignment(file, skipped[0])
    if len(skipped) != 1 or name not in known_before(file, branch, {name}):
        raise RefusedError(f"the branch at {file.place(branch)} skips more than one variable")
    test = f"{torch}.tensor(not ({code}), device={name}.device)"
    start, end = file.span(branch)[0], file.line_end(file.span(skipped[0])[1])
    text = f"{name} = {torch}.where({test}, {value}, {name})"
    lines = f"{file.newline}{file.indent_of(branch)}".join([*comments(file, branch), text])
    return [*added, Replacement(file.name, start, end, lines)]


def weighted(file: SourceFile, choice: cst.IfExp) -> Replacement:
    """``a if c else b`` in eager code as a sum, of which the side that is not meant is times 0."""
    for side in (choice.body, choice.orelse):
        _require_value(file, side)
    sides = [file.code(choice.body), file.code(choice.orelse)]
    names = [side if side.isidentifier() else f"({side})" for side in sides]
    test = file.code(choice.test)
    if sides[1] in _ZEROS:
        text = f"float({test}) * {names[0]}"
    elif sides[0] in _ZEROS:
        text = f"float(not ({test})) * {names[1]}"
    else:
        share = new_name(file, *_SHARE)
        text = f"({share} := float({test})) * {names[0]} + (1 - {share}) * {names[1]}"
    whole = text if choice.lpar else f"({text})"
    start, end = file.span(choice)
    return Replacement(file.name, start, end, whole)


def _returned_by_share(file: SourceFile, branch: Any) -> list[Replacement]:
    """``if c: return a``, formulas, and ``return b``, as one return of both, times 0 or 1."""
    taken = _small(branch.body)
    block = list(getattr(file.parent(branch), "body", ()))
    rest = block[block.index(branch) + 1 :]
    place = file.place(branch)
    if branch.orelse is not None or len(taken) != 1 or not rest:
        raise RefusedError(f"the branch at {place} does more than return a value")
    *formulas, last = [_only(file, line) for line in rest]
    if not isinstance(last, cst.Return) or last.value is None or taken[0].value is None:
        raise RefusedError(f"the branch at {place} returns on one side only")
    if not all(isinstance(one, cst.Assign | cst.AugAssign | cst.AnnAssign) for one in formulas):
        raise RefusedError(f"the branch at {place} returns early from more than formulas")
    parts = _that_differ(file, taken[0].value, last.value)
    for value in (one for pair in parts for one in pair):
        _require_value(file, value)
    if len(parts) != 1:
        raise RefusedError(f"the branch at {place} returns several other values")
    share, early = new_name(file, *_SHARE), new_name(file, "early", "returned_early")
    lines = [
        *comments(file, branch),
        f"{share} = float({file.code(branch.test)})",
        f"{early} = {file.code(parts[0][0])}",
    ]
    text = f"{file.newline}{file.indent_of(branch)}".join(lines)
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    value = parts[0][1]
    returned = f"{share} * {early} + (1 - {share}) * ({file.code(value)})"
    return [
        Replacement(file.name, start, end, text),
        Replacement(file.name, *file.span(value), returned),
    ]


def _that_differ(file: SourceFile, one: Any, other: Any) -> list[tuple[Any, Any]]:
    """The two values; of tuples of one length, the elements that are not alike."""
    if not isinstance(one, cst.Tuple) or not isinstance(other, cst.Tuple):
        return [(one, other)]
    if len(one.elements) != len(other.elements):
        return [(one, other)]
    return [
        (left.value, right.value)
        for left, right in zip(one.elements, other.elements, strict=True)
        if file.code(left.value) != file.code(right.value)
    ]


def chosen_code(file: SourceFile, branch: Any) -> str:
    """Return the code that a branch decides about: its sides, and what an early return skips."""
    if isinstance(branch, cst.IfExp):
        return file.code(branch.body) + file.code(branch.orelse)
    sides = file.code(branch.body)
    if branch.orelse is not None:
        sides += file.code(branch.orelse)
    if any(isinstance(one, cst.Return) for one in _small(branch.body)):
        block = list(getattr(file.parent(branch), "body", ()))
        sides += "".join(file.code(one) for one in block[block.index(branch) + 1 :])
    return sides


def _small(block: Any) -> list[Any]:
    """The small statements of a block's own lines."""
    lines = [one for one in getattr(block, "body", ()) if isinstance(one, cst.SimpleStatementLine)]
    return [small for line in lines for small in line.body]


def _only(file: SourceFile, line: Any) -> Any:
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        raise RefusedError(f"{file.place(line)} does more than set a variable")
    return line.body[0]


def new_name(file: SourceFile, *names: str) -> str:
    """The first of ``names`` that the file does not use. Raises `RefusedError` if it has all."""
    used = names_in(file.tree)
    found = next((name for name in names if name not in used), None)
    if found is None:
        raise RefusedError(f"{file.name} has names {', '.join(names)} already")
    return found


def _skipped(file: SourceFile, branch: Any) -> list[Any] | None:
    """Return what comes after ``if c: continue``; None if ``branch`` is another one."""
    only = only_statement(getattr(branch.body, "body", ()))
    if not isinstance(only, cst.Continue) or branch.orelse is not None:
        return None
    around = list(getattr(file.parent(branch), "body", ()))
    return _of_lines(file, around[around.index(branch) + 1 :])


def _branch(file: SourceFile | None, finding: Finding, program: EditableProgram) -> Any:
    """The `if` whose test is on the line, the innermost one."""
    if file is None or finding.location is None:
        return None
    found = [
        node
        for node in file.nodes
        if isinstance(node, cst.If | cst.IfExp)
        and file.lines(node.test)[0] <= finding.location.line <= file.lines(node.test)[1]
    ]
    return found[-1] if found else None


def is_label(file: SourceFile, node: cst.Name) -> bool:
    """Return whether a name is no variable, but an attribute's or a keyword's."""
    parent = file.parent(node)
    return getattr(parent, "attr", None) is node or getattr(parent, "keyword", None) is node


def is_test(branch: Any, node: cst.CSTNode, file: SourceFile) -> bool:
    return isinstance(branch, cst.If | cst.IfExp) and (
        branch.test is node or branch.test in file.around(node)
    )


def _statements(file: SourceFile, block: Any) -> list[Any]:
    """The assignments of a block, or its one return. Raises `RefusedError` for anything else."""
    return _of_lines(file, getattr(block, "body", ()))


def _of_lines(file: SourceFile, lines: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for line in lines:
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            raise RefusedError(f"{file.place(line)} does more than set a variable")
        only = line.body[0]
        apart = _one_by_one(only)
        if apart:
            for one in apart:
                _require_value(file, one.value)
            found += apart
            continue
        value: Any = getattr(only, "value", None)
        is_set = (
            isinstance(only, cst.Assign)
            and len(only.targets) == 1
            and isinstance(only.targets[0].target, cst.Name)
        ) or (isinstance(only, cst.AugAssign) and isinstance(only.target, cst.Name))
        if not is_set and (not isinstance(only, cst.Return) or value is None):
            raise RefusedError(f"{file.place(line)} does more than set a variable")
        _require_value(file, value)
        found.append(only)
    if len(found) != 1 and any(isinstance(one, cst.Return) for one in found):
        raise RefusedError(f"{file.place(found[0])} does more than return a value")
    return found


def _one_by_one(only: Any) -> list[cst.Assign]:
    """``a = x`` and ``b = y`` for ``a, b = x, y``; empty if that is not the same."""
    target = only.targets[0].target if isinstance(only, cst.Assign) else None
    value = only.value if isinstance(only, cst.Assign) else None
    if not isinstance(target, cst.Tuple) or not isinstance(value, cst.Tuple):
        return []
    if len(only.targets) != 1 or len(target.elements) != len(value.elements):
        return []
    found: list[cst.Assign] = []
    before: set[str] = set()
    for name, new in zip(target.elements, value.elements, strict=True):
        if not isinstance(name.value, cst.Name) or before & names_in(new.value):
            return []
        before.add(name.value.value)
        found.append(cst.Assign([cst.AssignTarget(name.value)], new.value))
    return found


def _otherwise(file: SourceFile, branch: cst.If) -> list[Any]:
    """The other side of an `if`: its `else`, or the one statement after it that returns."""
    if isinstance(branch.orelse, cst.Else):
        return _statements(file, branch.orelse.body)
    if branch.orelse is not None:
        raise RefusedError(f"the branch at {file.place(branch)} has more than two sides")
    return []


def _returned(
    file: SourceFile, branch: cst.If, taken: list[Any], otherwise: list[Any], test: str, torch: str
) -> Replacement:
    """``if c: return a`` and ``return b`` as one ``return torch.where(c, a, b)``."""
    last: Any = branch
    if not otherwise:
        body = list(getattr(file.parent(branch), "body", ()))
        rest = body[body.index(branch) + 1 :]
        if len(rest) != 1:
            raise RefusedError(f"the branch at {file.place(branch)} returns early")
        last = rest[0]
        otherwise = _of_lines(file, rest)
    given, other = taken[0].value, otherwise[0].value
    if not isinstance(otherwise[0], cst.Return) or other is None:
        raise RefusedError(f"the branch at {file.place(branch)} returns on one side only")
    start, end = file.span(branch)[0], file.line_end(file.span(last)[1])
    sides = f"{file.code(given)}, {file.code(other)}"
    told = [*comments(file, branch), *(comments(file, last) if last is not branch else ())]
    lines = [*told, f"return {torch}.where({test}, {sides})"]
    text = f"{file.newline}{file.indent_of(branch)}".join(lines)
    return Replacement(file.name, start, end, text)


def comments(file: SourceFile, node: cst.CSTNode) -> list[str]:
    """The comments within ``node``, which go above what replaces it."""
    start = file.span(node)[0]
    return [
        one.value
        for one in walk(node)
        if isinstance(one, cst.Comment) and file.span(one)[0] >= start
    ]


def assignment(file: SourceFile, one: Any) -> tuple[str, str]:
    """The variable and its new value, of ``x = …`` or ``x += …``."""
    value = file.code(one.value)
    if isinstance(one, cst.AugAssign):
        name = file.code(one.target)
        operator = file.code(one.operator).strip().removesuffix("=")
        simple = isinstance(one.value, _SIMPLE)
        return name, f"{name} {operator} {value if simple else f'({value})'}"
    return file.code(one.targets[0].target), value


def _guarded(file: SourceFile, one: Any, test: Any, condition: str, torch: str) -> str:
    """The value with 1 as its divisor where the test rules the divisor out; empty if it has none.

    A quotient that is not chosen would make the gradient nan.
    """
    if not isinstance(test, cst.Comparison) or not isinstance(one, cst.Assign):
        return ""
    name: str = file.code(test.left)
    start, _ = file.span(one.value)
    text = file.code(one.value)
    for node in reversed(list(walk(one.value))):
        if (
            isinstance(node, cst.BinaryOperation)
            and isinstance(node.operator, cst.Divide)
            and file.code(node.right) == name
        ):
            first, last = (offset - start for offset in file.span(node.right))
            text = f"{text[:first]}{torch}.where({condition}, {name}, 1.0){text[last:]}"
    return text if text != file.code(one.value) else ""


def _require_value(file: SourceFile, value: Any) -> None:
    if isinstance(value, cst.SimpleString | cst.FormattedString | cst.Tuple | cst.List | cst.Dict):
        raise RefusedError(f"{file.place(value)} chooses between values that are no tensors")
    if file.code(value) in ("None", "True", "False"):
        raise RefusedError(f"{file.place(value)} chooses {file.code(value)}, which is no tensor")


def tensor_test(file: SourceFile, test: Any) -> str:
    """The test as a tensor. Raises `RefusedError` unless it is one comparison or call."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return f"~({tensor_test(file, test.expression)})"
    if isinstance(test, cst.BooleanOperation):
        raise RefusedError(f"the test at {file.place(test)} is several in one")
    inner = test.left if isinstance(test, cst.Comparison) else test
    if isinstance(test, cst.Comparison) and len(test.comparisons) != 1:
        raise RefusedError(f"the test at {file.place(test)} is several in one")
    text = file.code(test)
    if isinstance(inner, cst.Call) and _is_conversion(inner):
        start = file.span(test)[0]
        kept = file.span(_converted(inner))
        whole = file.span(inner)
        text = text[: whole[0] - start] + file.text[kept[0] : kept[1]] + text[whole[1] - start :]
    return text


def _is_conversion(call: cst.Call) -> bool:
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value in tensors.INTO_PYTHON and not call.args
    return isinstance(call.func, cst.Name) and call.func.value in ("float", "bool")


def _converted(call: cst.Call) -> Any:
    return call.func.value if isinstance(call.func, cst.Attribute) else call.args[0].value


def without_item(file: SourceFile, value: Any) -> Replacement:
    """The one ``x.item()`` or ``float(x)`` in ``value`` as ``x``."""
    found = [one for one in walk(value) if isinstance(one, cst.Call) and _is_conversion(one)]
    if len(found) != 1:
        raise RefusedError(f"{file.place(value)} does not show one .item()")
    start, end = file.span(found[0])
    return Replacement(file.name, start, end, file.code(_converted(found[0])))


def _require_formula(file: SourceFile, node: cst.CSTNode) -> None:
    """Raise `RefusedError` where Python needs the number that ``node`` reads."""
    for around in file.around(node):
        if isinstance(around, cst.BinaryOperation | cst.UnaryOperation):
            return
        if isinstance(around, cst.Arg):
            call = file.parent(around)
            names = file.names(call.func)
            if names and all(one.startswith("torch.") for one in names):
                return
        if isinstance(around, cst.BaseStatement | cst.BaseSmallStatement | cst.Arg):
            break
    raise RefusedError(f"{file.place(node)} needs {file.code(node)} as a Python number")


def known_before(file: SourceFile, branch: Any, names: set[str]) -> set[str]:
    """Those of ``names`` that the function has used before ``branch``."""
    function = file.function(branch)
    start = file.span(branch)[0]
    known = set()
    for node in file.all(cst.Name):
        is_before = file.span(node)[0] < start
        if node.value in names and is_before and file.function(node) is function:
            known.add(node.value)
    if isinstance(function, cst.FunctionDef):
        known |= {one.name.value for one in function.params.params} & names
    return known


def _is_none_before(file: SourceFile, branch: Any, name: str) -> bool:
    """Return whether the last line that sets ``name`` before ``branch`` makes it None."""
    function, start = file.function(branch), file.span(branch)[0]
    before = [
        one
        for one in file.all(cst.Assign)
        if file.span(one)[0] < start
        and file.function(one) is function
        and len(one.targets) == 1
        and file.code(one.targets[0].target) == name
    ]
    last = max(before, key=lambda one: file.span(one)[0], default=None)
    return last is not None and file.code(last.value) == "None"


def _assigned(side: list[Any]) -> set[str]:
    found = set()
    for one in side:
        target = one.target if isinstance(one, cst.AugAssign) else None
        if isinstance(one, cst.Assign):
            target = one.targets[0].target
        if isinstance(target, cst.Name):
            found.add(target.value)
    return found
