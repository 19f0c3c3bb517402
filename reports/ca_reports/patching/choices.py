"""Branches that Python decides by a tensor, or in some steps only: both sides, and a choice."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.patching import effects, imports, loops
from ca_reports.patching.editing import (
    is_bool_or_none,
    is_not,
    is_plain_comparison,
    is_string,
    only_statement,
    only_target,
    stored,
)
from ca_reports.patching.patches import Patch, RefusedError, Replacement
from ca_reports.program.edits import arguments, following, operand, words_in
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, Site, keys_of, last_name
from ca_reports.program.uses import Need, uses_of
from ca_reports.torchlib import shapes, tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

_NOTE = "computes both sides: a side that is not finite makes gradients nan even if not chosen"
_DRAWN = frozenset(("random.random", "numpy.random.rand", "numpy.random.random"))
_SHARE = ("share", "is_early")
_ZEROS = ("0", "0.0")
# What gives one value of a tensor, which a comparison asks for.
_ONE_VALUE = shapes.REDUCTIONS | {*tensors.INTO_PYTHON}
_RESIZES = frozenset((
    *shapes.CUTS, *shapes.PARTS, *shapes.JOINS, *shapes.CHANGES_RANK, *shapes.BY_VALUE,
    *shapes.BY_NUMBER, *shapes.REDUCTIONS,
))  # fmt: skip


def on_tensor(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA801: ``if x.mean() > 1: y = a`` becomes ``y = torch.where(x.mean() > 1, a, y)``."""
    file = program.file(finding.location)
    branch = _branch(file, finding, program)
    if file is None or branch is None:
        raise RefusedError("the branch on the line is not known")
    program.require_unchanged(file)
    changes = chosen(file, branch, lambda test: tensor_test(file, test), guard=_guard(file, branch))
    return [
        Patch(
            f"torch.where instead of the branch at {file.place(branch)}",
            tuple(changes),
            intention=of_both_sides(file, branch, program),
            note=_NOTE,
        )
    ]


def on_bool(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA802: ``if bool(x.any()): y = a``, whose test reads the value itself, as of CA801."""
    branch = _branch(program.file(finding.location), finding, program)
    reads = [one for one in walk(branch.test) if _reads_value(one)] if branch is not None else []
    if not reads:
        raise RefusedError("no test on the line reads the value")
    return on_tensor(finding, program)


def _reads_value(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _is_conversion(node)


def on_drawn(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA804: ``if random.random() < p: continue`` draws by torch, and `torch.where` chooses.

    Raises `RefusedError` unless the branch sets one variable, whose device the number has then.
    """
    file = program.file(finding.location)
    branch = _branch(file, finding, program)
    if file is None or not isinstance(branch, ast.If):
        raise RefusedError("the branch on the line is not known")
    drawn = [
        one
        for one in walk(branch.test)
        if isinstance(one, ast.Call) and file.names(one.func) & _DRAWN and not arguments(one)
    ]
    set_by = _skipped(file, branch) or [*branch.body, *branch.orelse]
    names = {name for one in set_by for target in stored(one) for name in words_in(target)}
    if len(drawn) != 1 or len(names) != 1:
        raise RefusedError(f"the branch at {file.place(branch)} draws no number for one variable")
    program.require_unchanged(file)
    (name,), guard = names, _guard(file, branch)
    torch, _ = imports.torch(file, branch)

    def test(node: Any) -> str:
        text, start = file.code(node), file.span(node)[0]
        first, last = (at - start for at in file.span(drawn[0]))
        if not 0 <= first < last <= len(text):
            raise RefusedError(f"the test at {file.place(branch.test)} is several in one")
        tensor_test(file, node)  # it is one comparison
        return f"{text[:first]}{torch}.rand((), device={name}.device){text[last:]}"

    changes = chosen(file, branch, test, guard=guard)
    more = of_both_sides(file, branch, program)
    return [
        Patch(
            f"torch.rand and torch.where instead of the branch at {file.place(branch)}",
            tuple(changes),
            intention="; ".join(
                filter(
                    None, ("draws other numbers, of torch's generator instead of Python's", more)
                )
            ),
            note=_NOTE,
        )
    ]


def of_both_sides(file: SourceFile, branch: Any, program: EditableProgram) -> str:
    """Say what it changes that a side is computed where it was not; empty if only time.

    Raises `RefusedError` where a side may not be computed more often.
    """
    sides = chosen_nodes(file, branch)
    repeated = effects.require_repeatable(file, sides, program, "call")
    told = []
    if any(_may_train(file, one) for side in sides for one in walk(side)):
        told.append(
            "gives the branch's parameters gradients of zero where it was not taken, which "
            "momentum and weight decay act on"
        )
    return "; ".join((*told, *repeated))


def _may_train(file: SourceFile, node: ast.AST) -> bool:
    """Return whether it may call a module, something of the object's or a variable; or reads a
    parameter of the object.
    """
    if isinstance(node, ast.Attribute) and last_name(node.value) == "self":
        return any(
            isinstance(one.value, ast.Call)
            and last_name(one.value.func) == "Parameter"
            and file.code(one.targets[0]) == file.code(node)
            for one in file.all(ast.Assign)
        )
    if not isinstance(node, ast.Call):
        return False
    names = file.names(node.func)
    if names and all(one.startswith(("torch.", "builtins.", "math.")) for one in names):
        return False
    if isinstance(node.func, ast.Name):
        return True
    # A method of a value: `x.clamp(0, 1)`, and no `self.layer(x)` nor `self.layers[0](x)`.
    owner: Any = node.func.value if isinstance(node.func, ast.Attribute) else None
    return owner is None or (isinstance(owner, ast.Name) and owner.id == "self")


def on_item(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA501, CA802, CA716: ``n = x.item()`` stays a tensor where branches and formulas read it.

    Raises `RefusedError` where Python needs the number.
    """
    file, found = loops.nodes_at(finding.location, program, ast.Assign)
    if file is None or len(found) != 1 or not isinstance(found[0].targets[0], ast.Name):
        raise RefusedError("the line that reads the value is not known")
    program.require_unchanged(file)
    assigned = found[0].targets[0]
    value = found[0].value
    changes = [without_item(file, value)]
    branches: dict[Any, None] = {}
    reads = file.reads_beside(assigned)
    if not reads:
        raise RefusedError(f"can't tell what reads {assigned.id}")
    for node in reads:
        branch = next((one for one in file.around(node) if is_test(one, node, file)), None)
        if branch is not None:
            branches[branch] = None
            continue
        _require_formula(file, node, program)
    told: dict[str, None] = {}
    for branch in branches:
        changes += chosen(file, branch, lambda test: tensor_test(file, test))
        told[of_both_sides(file, branch, program)] = None
    return [
        Patch(
            f"{assigned.id} stays a tensor at {file.place(found[0])}",
            tuple(changes),
            intention="; ".join(filter(None, told)),
            note=_NOTE if branches else "",
        )
    ]


@dataclass(frozen=True, slots=True)
class _Guard:
    """What Python decides first: ``self.training and x.mean() > 1``; ``test`` is the rest."""

    code: str
    is_or: bool
    test: ast.expr

    def around(self, chosen: str, taken: str, otherwise: str) -> str:
        """Return ``chosen``, which asks the tensor, only where Python's part leaves it open."""
        if self.is_or:
            return f"{taken} if {self.code} else {chosen}"
        return f"{chosen} if {self.code} else {otherwise}"


def _guard(file: SourceFile, branch: Any) -> _Guard | None:
    """Return the part of a test that is known to Python, where a tensor is asked after it."""
    test = branch.test
    if not isinstance(test, ast.BoolOp) or len(test.values) != 2:
        return None
    first, last = test.values
    asked = first.operand if is_not(first) else first
    is_known = (
        isinstance(asked, ast.Compare)
        and all(isinstance(one, ast.Is | ast.IsNot) for one in asked.ops)
    ) or (isinstance(asked, ast.Name | ast.Attribute) and not file.is_tensor(asked))
    if not is_known or isinstance(last, ast.BoolOp):
        return None
    return _Guard(file.code(first), isinstance(test.op, ast.Or), last)


def chosen(
    file: SourceFile,
    branch: Any,
    condition: Callable[[Any], str],
    *,
    once: bool = False,
    guard: _Guard | None = None,
) -> list[Replacement]:
    """Return ``branch``, an `if` statement or expression, as choices by ``torch.where``.

    ``once`` if the condition may be another one when it is asked again. ``guard`` is the part of
    the test that Python decides before it.

    Raises `RefusedError` unless both sides only assign variables, or return a value.
    """
    torch, added = imports.torch(file, branch)
    test = condition(branch.test if guard is None else guard.test)
    if isinstance(branch, ast.IfExp):
        for expression in (branch.body, branch.orelse):
            require_value(file, expression)
        _require_one_size(file, branch.body, branch.orelse)
        text = _where(torch, test, file.code(branch.body), file.code(branch.orelse), guard)
        text = text if guard is None else f"({text})"
        return [*added, Replacement(file.name, *file.span(branch), text)]
    skipped = _skipped(file, branch)
    if skipped is not None:
        return [*added, _kept_or_set(file, branch, skipped, test, torch, guard)]
    taken = _of_lines(file, branch.body)
    otherwise = _otherwise(file, branch)
    if any(isinstance(one, ast.Return) for one in taken):
        return [*added, _returned(file, branch, taken, otherwise, test, torch, guard)]
    lines = []
    names = _assigned(taken) | _assigned(otherwise)
    if len(taken) + len(otherwise) > 1 and (once or names & words_in(branch.test)):
        if "is_taken" in words_in(file.tree):
            raise RefusedError(f"{file.name} has a name is_taken already")
        lines.append(f"is_taken = {test}")
        test = "is_taken"
    known = known_before(file, branch, names)
    if guard is not None and (names - known or len(taken) + len(otherwise) > 1):
        raise RefusedError(f"the test at {file.place(branch.test)} is several in one")
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
            if not (taken and otherwise):
                _require_one_size(file, one.value, ast.Name(name))
            sides = (value, name) if is_taken else (name, value)
            lines.append(f"{name} = {_where(torch, test, *sides, guard)}")
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    lines = [*comments(file, branch), *lines]
    text = f"{file.newline}{file.indent_of(branch)}".join(lines)
    return [*added, Replacement(file.name, start, end, text)]


def _where(torch: str, test: str, taken: str, otherwise: str, guard: _Guard | None) -> str:
    text = f"{torch}.where({test}, {taken}, {otherwise})"
    return text if guard is None else guard.around(text, taken, otherwise)


def _kept_or_set(
    file: SourceFile, branch: Any, skipped: list[Any], test: str, torch: str, guard: _Guard | None
) -> Replacement:
    """Return ``if c: continue`` and ``x = f(x)``, the end of a loop's body, as one choice."""
    if len(skipped) != 1 or isinstance(skipped[0], ast.Return):
        raise RefusedError(f"the branch at {file.place(branch)} skips more than one variable")
    name, value = assignment(file, skipped[0])
    if name not in known_before(file, branch, {name}):
        raise RefusedError(f"{name} is not set before the branch at {file.place(branch)}")
    _require_one_size(file, skipped[0].value, ast.Name(name))
    line = f"{name} = {_where(torch, test, name, value, guard)}"
    start, end = file.span(branch)[0], file.line_end(file.span(skipped[0])[1])
    text = f"{file.newline}{file.indent_of(branch)}".join([*comments(file, branch), line])
    return Replacement(file.name, start, end, text)


def on_number(file: SourceFile, branch: Any) -> list[Replacement]:
    """Return a branch that Python decides, in eager code: both sides in every step, and a choice.

    Of ``if c: continue`` the one statement after it is the other side. Raises `RefusedError`.
    """
    torch, added = imports.torch(file, branch)
    code = file.code(branch.test)
    if any(isinstance(one, ast.Return) for one in _small(file, branch.body)):
        return _returned_by_share(file, branch)
    skipped = _skipped(file, branch)
    names = [assignment(file, one)[0] for one in skipped or _of_lines(file, branch.body)]
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
    _require_one_size(file, skipped[0].value, ast.Name(name))
    test = f"{torch}.tensor(not ({code}), device={name}.device)"
    start, end = file.span(branch)[0], file.line_end(file.span(skipped[0])[1])
    text = f"{name} = {torch}.where({test}, {value}, {name})"
    lines = f"{file.newline}{file.indent_of(branch)}".join([*comments(file, branch), text])
    return [*added, Replacement(file.name, start, end, lines)]


def weighted(file: SourceFile, choice: ast.IfExp) -> Replacement:
    """Write ``a if c else b`` in eager code as a sum, whose side that is not meant is times 0."""
    for side in (choice.body, choice.orelse):
        require_value(file, side)
    _require_one_size(file, choice.body, choice.orelse)
    sides = [file.code(choice.body), file.code(choice.orelse)]
    names = [side if side.isidentifier() else f"({side})" for side in sides]
    test = file.code(choice.test)
    if sides[1] in _ZEROS:
        text = f"{effects.share(file, choice.test)} * {names[0]}"
    elif sides[0] in _ZEROS:
        text = f"float(not ({test})) * {names[1]}"
    else:
        share = new_name(file, *_SHARE)
        first = f"({share} := {effects.share(file, choice.test)}) * {names[0]}"
        text = f"{first} + (1 - {share}) * {names[1]}"
    span = file.span(choice)
    whole = text if file.whole(choice) != span else f"({text})"
    return Replacement(file.name, *span, whole)


def _returned_by_share(file: SourceFile, branch: Any) -> list[Replacement]:
    """Make ``if c: return a``, formulas, and ``return b``, as one return of both, times 0 or 1."""
    taken = _small(file, branch.body)
    rest = following(file, branch)
    place = file.place(branch)
    if branch.orelse or len(taken) != 1 or not rest:
        raise RefusedError(f"the branch at {place} does more than return a value")
    *formulas, last = [_only(file, line) for line in rest]
    if not isinstance(last, ast.Return) or last.value is None or taken[0].value is None:
        raise RefusedError(f"the branch at {place} returns on one side only")
    if not all(isinstance(one, ast.Assign | ast.AugAssign | ast.AnnAssign) for one in formulas):
        raise RefusedError(f"the branch at {place} returns early from more than formulas")
    parts = _that_differ(file, taken[0].value, last.value)
    for value in (one for pair in parts for one in pair):
        require_value(file, value)
    if len(parts) != 1:
        raise RefusedError(f"the branch at {place} returns several other values")
    _require_one_size(file, *parts[0])
    share, early = new_name(file, *_SHARE), new_name(file, "early", "returned_early")
    lines = [
        *comments(file, branch),
        f"{share} = {effects.share(file, branch.test)}",
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
    """Return the two values; of tuples of one length, the elements that are not alike."""
    if not isinstance(one, ast.Tuple) or not isinstance(other, ast.Tuple):
        return [(one, other)]
    if len(one.elts) != len(other.elts):
        return [(one, other)]
    return [
        (left, right)
        for left, right in zip(one.elts, other.elts, strict=True)
        if file.code(left) != file.code(right)
    ]


def chosen_nodes(file: SourceFile, branch: Any) -> list[ast.AST]:
    """Return what a branch decides about: its sides, and what an early way out of it skips."""
    if isinstance(branch, ast.IfExp):
        return [branch.body, branch.orelse]
    sides = [*branch.body, *branch.orelse]
    if any(isinstance(one, ast.Return | ast.Continue) for one in _small(file, branch.body)):
        sides += following(file, branch)
    return sides


def _small(file: SourceFile, lines: Sequence[ast.stmt]) -> list[Any]:
    """Return the statements of a block that have none of their own."""
    return [one for one in lines if file.is_line(one)]


def _only(file: SourceFile, line: Any) -> Any:
    if not file.is_line(line):
        raise RefusedError(f"{file.place(line)} does more than set a variable")
    return line


def new_name(file: SourceFile, *names: str) -> str:
    """Take the first of ``names`` that the file does not use. Raises `RefusedError` without."""
    used = words_in(file.tree)
    found = next((name for name in names if name not in used), None)
    if found is None:
        raise RefusedError(f"{file.name} has names {', '.join(names)} already")
    return found


def _skipped(file: SourceFile, branch: Any) -> list[Any] | None:
    """Return what comes after ``if c: continue``; None if ``branch`` is another one."""
    only = only_statement(file, branch.body)
    if not isinstance(only, ast.Continue) or branch.orelse:
        return None
    return _of_lines(file, following(file, branch))


def _branch(file: SourceFile | None, finding: Finding, program: EditableProgram) -> Any:
    """Return the `if` whose test is on the line, the innermost one."""
    if file is None or finding.location is None:
        return None
    found = [
        node
        for node in file.nodes
        if isinstance(node, ast.If | ast.IfExp)
        and file.lines(node.test)[0] <= finding.location.line <= file.lines(node.test)[1]
    ]
    return found[-1] if found else None


def is_test(branch: Any, node: ast.AST, file: SourceFile) -> bool:
    return isinstance(branch, ast.If | ast.IfExp) and (
        branch.test is node or branch.test in file.around(node)
    )


def _of_lines(file: SourceFile, lines: Sequence[Any]) -> list[Any]:
    """Return assignments of a block, or its one return. Raises `RefusedError` for anything else."""
    found: list[Any] = []
    for line in lines:
        only = _only(file, line)
        apart = _one_by_one(only)
        if apart:
            for one in apart:
                require_value(file, one.value)
            found += apart
            continue
        value: Any = getattr(only, "value", None)
        is_set = (
            isinstance(only, ast.Assign)
            and len(only.targets) == 1
            and isinstance(only.targets[0], ast.Name)
        ) or (isinstance(only, ast.AugAssign) and isinstance(only.target, ast.Name))
        if not is_set and (not isinstance(only, ast.Return) or value is None):
            raise RefusedError(f"{file.place(line)} does more than set a variable")
        require_value(file, value)
        found.append(only)
    if len(found) != 1 and any(isinstance(one, ast.Return) for one in found):
        raise RefusedError(f"{file.place(found[0])} does more than return a value")
    return found


def _one_by_one(only: Any) -> list[ast.Assign]:
    """Return ``a = x`` and ``b = y`` for ``a, b = x, y``; empty if that is not the same."""
    target, value = only_target(only), getattr(only, "value", None)
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return []
    if len(target.elts) != len(value.elts):
        return []
    found: list[ast.Assign] = []
    before: set[str] = set()
    for name, new in zip(target.elts, value.elts, strict=True):
        if not isinstance(name, ast.Name) or before & words_in(new):
            return []
        before.add(name.id)
        found.append(ast.Assign([name], new))
    return found


def _otherwise(file: SourceFile, branch: ast.If) -> list[Any]:
    """Return the other side of an `if`: its `else`; none without one."""
    if file.is_elif(branch.orelse):
        raise RefusedError(f"the branch at {file.place(branch)} has more than two sides")
    return _of_lines(file, branch.orelse)


def _returned(
    file: SourceFile,
    branch: ast.If,
    taken: list[Any],
    otherwise: list[Any],
    test: str,
    torch: str,
    guard: _Guard | None,
) -> Replacement:
    """Return ``if c: return a`` and ``return b`` as one ``return torch.where(c, a, b)``."""
    last: Any = branch
    if not otherwise:
        rest = following(file, branch)
        if len(rest) != 1:
            raise RefusedError(f"the branch at {file.place(branch)} returns early")
        last = rest[0]
        otherwise = _of_lines(file, rest)
    given, other = taken[0].value, otherwise[0].value
    if not isinstance(otherwise[0], ast.Return) or other is None:
        raise RefusedError(f"the branch at {file.place(branch)} returns on one side only")
    _require_one_size(file, given, other)
    start, end = file.span(branch)[0], file.line_end(file.span(last)[1])
    value = _where(torch, test, file.code(given), file.code(other), guard)
    told = [*comments(file, branch), *(comments(file, last) if last is not branch else ())]
    lines = [*told, f"return {value}"]
    text = f"{file.newline}{file.indent_of(branch)}".join(lines)
    return Replacement(file.name, start, end, text)


def comments(file: SourceFile, node: ast.AST) -> list[str]:
    """Return the comments within ``node``, which go above what replaces it."""
    start, end = file.span(node)
    return file.comments(start, file.line_end(end))


def assignment(file: SourceFile, one: Any) -> tuple[str, str]:
    """Return the variable and its new value, of ``x = …`` or ``x += …``."""
    value = file.code(one.value)
    if isinstance(one, ast.AugAssign):
        name = file.code(one.target)
        return name, f"{name} {operator_of(file, one)} {operand(file, one.value)}"
    return file.code(one.targets[0]), value


def operator_of(file: SourceFile, one: ast.AugAssign) -> str:
    """Return ``+`` of ``x += y``."""
    start, end = file.span(one.target)[1], file.span(one.value)[0]
    return file.text[start:end].partition("=")[0].strip(" \t()\\\r\n")


def _guarded(file: SourceFile, one: Any, test: Any, condition: str, torch: str) -> str:
    """Find the value with 1 as its divisor where the test rules the divisor out; or empty.

    A quotient that is not chosen would make the gradient nan.
    """
    if not isinstance(test, ast.Compare) or not isinstance(one, ast.Assign):
        return ""
    name: str = file.code(test.left)
    start, _ = file.span(one.value)
    text = file.code(one.value)
    for node in reversed(list(walk(one.value))):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div)
            and file.code(node.right) == name
        ):
            first, last = (offset - start for offset in file.span(node.right))
            text = f"{text[:first]}{torch}.where({condition}, {name}, 1.0){text[last:]}"
    return text if text != file.code(one.value) else ""


def require_value(file: SourceFile, value: Any) -> None:
    """Raise `RefusedError` unless a side may be a tensor."""
    if is_string(value) or isinstance(value, ast.JoinedStr | ast.Tuple | ast.List | ast.Dict):
        raise RefusedError(f"{file.place(value)} chooses between values that are no tensors")
    if is_bool_or_none(value):
        raise RefusedError(f"{file.place(value)} chooses {file.code(value)}, which isn't a tensor")


def _require_one_size(file: SourceFile, one: Any, other: Any) -> None:
    """Raise `RefusedError` where a side is a part of the other, or is that with other sizes.

    ``torch.where`` of the two, or their sum, would fail, or broadcast one to the other's shape.
    """
    for whole, part in ((one, other), (other, one)):
        if _is_resized(file, part, ast.unparse(whole)):
            told = ast.unparse(part)
            raise RefusedError(
                f"the branch chooses between {ast.unparse(whole)} and {told}, of other sizes"
            )


def _is_resized(file: SourceFile, node: Any, whole: str) -> bool:
    """Return whether ``node`` is ``whole`` after calls or indices that change its sizes."""
    is_resized = False
    given: Any
    while ast.unparse(node) != whole:
        if isinstance(node, ast.Subscript):
            is_resized |= any(not _is_whole(part) for part in keys_of(node))
            node = node.value
        elif isinstance(node, ast.Call):
            is_resized |= last_name(node.func) in _RESIZES
            given = next(iter(node.args), None)
            is_function = any(one.startswith("torch.") for one in file.names(node.func))
            if isinstance(node.func, ast.Attribute) and not is_function:
                given = node.func.value
            if isinstance(given, ast.Tuple | ast.List):
                return is_resized and any(ast.unparse(part) == whole for part in given.elts)
            if given is None:
                return False
            node = given
        else:
            return False
    return is_resized


def _is_whole(part: ast.expr) -> bool:
    """Return whether ``part`` of an index takes all of a dimension, or all that are left."""
    if isinstance(part, ast.Slice):
        return part.lower is part.upper is part.step is None
    return isinstance(part, ast.Constant) and part.value is ...


def tensor_test(file: SourceFile, test: Any) -> str:
    """Return the test as a tensor, several tests of tensors as one.

    Raises `RefusedError` unless it is made of comparisons and calls.
    """
    if any(isinstance(one, ast.NamedExpr) for one in walk(test)):
        raise RefusedError(f"the test at {file.place(test)} sets a variable")
    if is_not(test):
        return f"~({tensor_test(file, test.operand)})"
    if isinstance(test, ast.BoolOp):
        # Python asks the second only where the first leaves it open, which may guard it: of a
        # part of a tensor there may be none.
        is_part = any(isinstance(one, ast.Subscript) for one in walk(*test.values[1:]))
        if is_part or not all(_asks_tensor(file, one) for one in test.values):
            raise RefusedError(f"the test at {file.place(test)} is several in one")
        parts = [(one, tensor_test(file, one)) for one in test.values]
        operator = " | " if isinstance(test.op, ast.Or) else " & "
        return operator.join(
            text if isinstance(one, ast.Call) or is_not(one) else f"({text})" for one, text in parts
        )
    inner = test.left if isinstance(test, ast.Compare) else test
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is | ast.IsNot):
        raise RefusedError(f"the test at {file.place(test)} asks for no value")
    if isinstance(test, ast.Compare) and not is_plain_comparison(test):
        raise RefusedError(f"the test at {file.place(test)} is several in one")
    text = file.code(test)
    if isinstance(inner, ast.Call) and _is_conversion(inner):
        start = file.span(test)[0]
        kept = file.span(_converted(inner))
        whole = file.span(inner)
        text = text[: whole[0] - start] + file.text[kept[0] : kept[1]] + text[whole[1] - start :]
    return text


def _asks_tensor(file: SourceFile, test: Any) -> bool:
    """Return whether a test is true or false by what tensors hold, and gives a tensor of bool."""
    if is_not(test):
        return _asks_tensor(file, test.operand)
    if isinstance(test, ast.BoolOp):
        return all(_asks_tensor(file, one) for one in test.values)
    if isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        return any(file.is_tensor(one) or _is_of(file, one, _ONE_VALUE) for one in sides)
    asked = _converted(test) if isinstance(test, ast.Call) and _is_conversion(test) else test
    if isinstance(asked, ast.Compare):
        return _asks_tensor(file, asked)
    return _is_of(file, asked, tensors.OF_BOOL)


def _is_of(file: SourceFile, node: ast.expr, names: Collection[str]) -> bool:
    """Return whether ``node`` calls a function of torch, or a method, with one of these names."""
    if not isinstance(node, ast.Call) or last_name(node.func) not in names:
        return False
    full = file.full_name(node.func)
    return full.startswith("torch.") or (not full and isinstance(node.func, ast.Attribute))


def _is_conversion(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in tensors.INTO_PYTHON and not (call.args or call.keywords)
    return isinstance(call.func, ast.Name) and call.func.id in ("float", "bool")


def _converted(call: ast.Call) -> Any:
    return call.func.value if isinstance(call.func, ast.Attribute) else call.args[0]


def without_item(file: SourceFile, value: Any) -> Replacement:
    """Return the one ``x.item()`` or ``float(x)`` in ``value`` as ``x``."""
    found = [one for one in walk(value) if isinstance(one, ast.Call) and _is_conversion(one)]
    if len(found) != 1:
        raise RefusedError(f"can't find a single .item() at {file.place(value)}")
    start, end = file.span(found[0])
    return Replacement(file.name, start, end, file.code(_converted(found[0])))


def _require_formula(file: SourceFile, node: ast.Name, program: EditableProgram) -> None:
    """Raise `RefusedError` where Python needs the number that ``node`` reads, or what it makes."""
    needed = [
        one.at for one in uses_of(program.names, [Site(file, node)]) if one.need is not Need.NOTHING
    ]
    if not needed and _is_computed_with(file, node):
        return
    place = needed[0].module.place(needed[0].node) if needed else file.place(node)
    raise RefusedError(f"{place} needs {file.code(node)} as a Python number")


def _is_computed_with(file: SourceFile, node: ast.AST) -> bool:
    """Return whether a formula or a function of torch's takes it."""
    for around in file.around(node):
        if isinstance(around, ast.BinOp | ast.UnaryOp):
            return True
        if isinstance(around, ast.Call):
            names = file.names(around.func)
            if names and all(one.startswith("torch.") for one in names):
                return True
        if isinstance(around, ast.stmt | ast.Call):
            return False
    return False


def known_before(file: SourceFile, branch: Any, names: set[str]) -> set[str]:
    """Return those of ``names`` that the function has used before ``branch``."""
    function = file.function(branch)
    start = file.span(branch)[0]
    known = set()
    for node in file.all(ast.Name):
        is_before = file.span(node)[0] < start
        if node.id in names and is_before and file.function(node) is function:
            known.add(node.id)
    if isinstance(function, Definition):
        known |= {one.arg for one in function.args.args} & names
    return known


def _is_none_before(file: SourceFile, branch: Any, name: str) -> bool:
    """Return whether the last line that sets ``name`` before ``branch`` makes it None."""
    function, start = file.function(branch), file.span(branch)[0]
    before = [
        one
        for one in file.all(ast.Assign)
        if file.span(one)[0] < start
        and file.function(one) is function
        and len(one.targets) == 1
        and file.code(one.targets[0]) == name
    ]
    last = max(before, key=lambda one: file.span(one)[0], default=None)
    return last is not None and file.code(last.value) == "None"


def _assigned(side: list[Any]) -> set[str]:
    found = set()
    for one in side:
        target = next(iter(stored(one)), None)
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found
