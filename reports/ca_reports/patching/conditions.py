"""Moves what is done in some steps only into every step."""

from __future__ import annotations

import ast
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from ca_reports.causes.findings import SharedSetting, ToggledHooks, TorchsHooks
from ca_reports.patching import (
    choices,
    effects,
    entered,
    grad_mode,
    loops,
    moving,
    restoring,
    settings,
    summands,
    unrolled,
)
from ca_reports.patching.editing import (
    has_call,
    is_none,
    is_not,
    is_plain_comparison,
    only_call,
    only_statement,
    only_target,
    positional,
    stored,
)
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.program import hooks
from ca_reports.program.edits import (
    above,
    arguments,
    following,
    insert_after,
    insert_before,
    operand,
    remove,
    replace,
    unwrap,
    words_in,
)
from ca_reports.program.positions import walk
from ca_reports.program.syntax import Definition, For, is_starred, last_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile

# Why a hook is not registered in every step.
_HOOKS: dict[hooks.HookEffect, str] = {
    "gives_another": "gives another gradient",
    "keeps": "keeps or tells what it gets",
    "adds_up": "adds up what it gets",
    "in_place": "changes what it gets in place",
}
# What flips a setting and is not to be edited for the user.
_BY_HAND = frozenset(("function", "unknown"))
_CHECKPOINT = "torch.utils.checkpoint.checkpoint"
_NEVER = "keeps what checkpoint computes again: faster, and takes more memory"
_ZERO = (
    "gives the branch's parameters gradients of zero in the other steps, which momentum and "
    "weight decay act on"
)


def state(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA112: a setting of torch's is the same in every step, or what changes it is in none."""
    setting = finding.detail
    if isinstance(setting, SharedSetting) and setting.by in _BY_HAND:
        raise RefusedError("can't tell what flips grad mode")
    if isinstance(setting, SharedSetting) and setting.by == "evaluation":
        return grad_mode.not_kept(finding, setting, program)
    if isinstance(setting, SharedSetting) and setting.by == "thread":
        return grad_mode.kept_in_no_thread(finding, program)
    for remedy in (restoring.patches, entered.patches):
        with suppress(RefusedError):
            return remedy(finding, program)
    try:
        return settings.patches(finding, program)
    except RefusedError as refused:
        with suppress(RefusedError):
            return _in_every_step_or_none(
                finding, program, settings.words(finding), "the setting", "keeps one setting"
            )
        raise refused from None


def hook(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA301: the hook is there in every step; `if` with nothing else in it goes."""
    torchs = finding.detail
    if isinstance(torchs, TorchsHooks) and torchs.maker == "checkpoint":
        return checkpoint(finding, program, is_toggled=True)
    file = program.file(finding.location)
    if file is None or finding.location is None:
        raise RefusedError("the line that registers the hook is not known")
    known = finding.detail
    if isinstance(known, ToggledHooks) and known.of_saved_tensors:
        _, chosen = loops.nodes_at(finding.location, program, ast.IfExp)
        entered = [one for one in chosen if _is_nothing(one.body) != _is_nothing(one.orelse)]
        if len(entered) == 1:
            return [_registered_always(file, entered[0], program)]
    statement = _statement(file, finding, program)
    effect = hooks.effect_of(statement, program.names)
    place = file.place(statement)
    if effect is not None and effect != "unseen":
        raise RefusedError(f"the hook at {place} {_HOOKS[effect]}: it would in every step")
    found = _hook_in_every_step(finding, program, file, statement)
    if effect == "unseen":
        raise RefusedError(
            f"can't tell what the hook at {place} does, which would run in every step"
        )
    return found


def _registered_always(file: SourceFile, chosen: ast.IfExp, program: EditableProgram) -> Patch:
    """Take the side of ``f() if … else None`` that registers a hook, or enters its context."""
    program.require_unchanged(file)
    registers = chosen.orelse if _is_nothing(chosen.body) else chosen.body
    return Patch(
        f"the hook at {file.place(chosen)} registered in every step",
        replace(file, chosen, file.code(registers)),
        intention="runs the hook in every step",
    )


def _hook_in_every_step(
    finding: Finding, program: EditableProgram, file: SourceFile, statement: Any
) -> list[Patch]:
    chosen = _choice(file, statement)
    if chosen is not None and not _repeats(file, statement, finding, program):
        chosen = None
    if chosen is None and (entered := _entered(file, statement, program)) is not None:
        file, chosen = entered
    if chosen is not None:
        return [_registered_always(file, chosen, program)]
    try:
        file, condition, statement = condition_in_loop(finding, program, "the hook")
    except RefusedError:
        wanted = _wanted_always(file, statement, program) or _unasked(file, statement, program)
        if wanted is None:
            raise
        return [
            Patch(
                f"the hook at {file.place(statement)} registered in every step",
                (wanted,),
                intention="runs the hook in every step",
            )
        ]
    changes = [without_condition(file, condition, statement, program)]
    removal = _removed_alike(file, condition, statement)
    if removal is not None:
        changes.append(without_condition(file, *removal, program))
    return [
        Patch(
            f"the hook at {file.place(statement)} registered in every step",
            tuple(changes),
            intention="runs the hook in every step",
        )
    ]


def _wanted_always(
    file: SourceFile, statement: Any, program: EditableProgram
) -> Replacement | None:
    """Return ``True`` or ``False`` where a caller passes the flag that decides on ``statement``.

    The flag is a parameter: ``if flag:`` around the statement, or ``if not flag: return`` before
    it. None unless one call passes what is no constant.
    """
    decided = _decided_by(file, statement)
    if decided is None:
        outer = _registration(file, statement, program)
        return None if outer is None else _wanted_always(*outer, program)
    flag, value = decided
    found = list(settings.changing(file, flag, program))
    if len(found) != 1 or found[0][1] is flag:
        return None
    other, node = found[0]
    program.require_unchanged(other)
    return Replacement(other.name, *other.span(node), str(value))


def _is_of_each(file: SourceFile, node: Any) -> bool:
    """Return whether it is a loop over what gets hooks, or an `if` that asks each of them."""
    if isinstance(node, ast.If):
        return not node.orelse and any(_loops_asked_for(file, node))
    return isinstance(node, For)


def _unasked(file: SourceFile, statement: Any, program: EditableProgram) -> Replacement | None:
    """Return what registers the hook, without the `if` around it or the early return before it.

    None where nothing removes hooks: one more would be there with each step.
    """
    if not any(".remove(" in one.text for one in program.files.values()):
        return None
    inner = statement
    while _is_of_each(file, around := file.parent(inner)):
        if len(around.body) != 1:
            break
        inner = around
    lines = file.block(inner)
    condition = file.parent(inner)
    if isinstance(condition, ast.If) and lines is condition.body:
        # Nothing but the hook, and where its handle is kept.
        if condition.orelse or not all(_is_of_handles(file, one) for one in lines):
            return None
        named = {name for line in lines for name in words_in(line)}
        if named & _required_to_be(file, condition.test):
            return None
        program.require_unchanged(file)
        return _body_instead(file, condition)
    for at, other in enumerate(lines[: lines.index(inner)]):
        if not isinstance(other, ast.If):
            continue
        last = only_statement(file, other.body)
        is_leaving = not other.orelse
        is_empty = isinstance(last, ast.Return) and (not last.value or is_none(last.value))
        if is_leaving and is_empty and all(_is_of_handles(file, one) for one in lines[at + 1 :]):
            program.require_unchanged(file)
            end = file.next_line(file.span(other)[1])
            return Replacement(file.name, above(file, other), end, "")
    return None


def _is_of_handles(file: SourceFile, line: Any) -> bool:
    """Return whether a line registers a hook, or keeps what that gave."""
    code = file.code(line)
    return "register_" in code or ".append(" in code or ".extend(" in code


def _registration(
    file: SourceFile, statement: Any, program: EditableProgram
) -> tuple[SourceFile, Any] | None:
    """Find the one statement that registers the function of ``statement`` as a hook of its own."""
    function = file.function(statement)
    name = function.name if isinstance(function, Definition) else ""
    found = [
        (other, other.statement(call))
        for other in program.files.values()
        if name and name in other.text
        for call in other.all(ast.Call)
        if last_name(call.func).startswith("register_")
        and any(last_name(one.value) == name for one in arguments(call))
    ]
    return found[0] if len(found) == 1 else None


def _decided_by(file: SourceFile, statement: Any) -> tuple[ast.Name, bool] | None:
    """Find the variable that decides on ``statement`` in its function, with the value for it."""
    inner = statement
    for around in file.around(statement):
        if isinstance(around, ast.If):
            return _flag(around.test, wanted=any(one is inner for one in around.body))
        block = file.block(inner) if isinstance(inner, ast.stmt) else []
        for other in takewhile(lambda one: one is not inner, block):  # noqa: B023
            if _leaves(file, other):
                return _flag(other.test, wanted=False)
        if isinstance(around, Definition):
            return None
        inner = around
    return None


def _leaves(file: SourceFile, statement: Any) -> bool:
    """Return whether it is an `if` without another side whose last line returns."""
    is_alone = isinstance(statement, ast.If) and not statement.orelse
    return is_alone and isinstance(only_statement(file, statement.body[-1:]), ast.Return)


def _flag(test: Any, *, wanted: bool) -> tuple[ast.Name, bool] | None:
    if is_not(test):
        return _flag(test.operand, wanted=not wanted)
    return (test, wanted) if isinstance(test, ast.Name) else None


def condition_in_loop(
    finding: Finding, program: EditableProgram, what: str
) -> tuple[SourceFile, Any, Any]:
    """Return the `if` of a loop that decides on the finding's line, and the statement in it.

    The line is in it, or in a function that the statement calls. Or the loop calls a function in
    every step, and the `if` is in there. Raises `RefusedError`.
    """
    file = program.file(finding.location)
    if file is None or finding.location is None:
        raise RefusedError(f"the line of {what} is not known")
    statement = _statement(file, finding, program)
    condition = _condition(file, statement)
    if condition is None or not _repeats(file, condition, finding, program):
        function = file.function(statement)
        name = function.name if isinstance(function, Definition) else ""
        callers = [(other, other.statement(call)) for other, call in program.calls_named(name)]
        if len(callers) != 1:
            raise RefusedError(f"can't tell on what condition {what} depends")
        caller, call = callers[0]
        around = _condition(caller, call)
        is_always_asked = around is None and _repeats(caller, call, finding, program)
        if condition is not None and is_always_asked and _is_harmless_again(file, statement):
            return file, condition, statement
        file, statement, condition = caller, call, around
    if condition is None or not _repeats(file, condition, finding, program):
        raise RefusedError(f"can't tell on what condition {what} depends")
    return file, condition, statement


def _is_harmless_again(file: SourceFile, statement: Any) -> bool:
    """Return whether ``statement`` is ``x.retain_grad()``, which leaves nothing to remove.

    A hook that is kept would be there once more with each step.
    """
    call = only_call(file, [statement])
    return call is not None and last_name(call.func) == "retain_grad"


def _removed_alike(file: SourceFile, condition: Any, statement: Any) -> tuple[Any, Any] | None:
    """Find the other `if` of that condition, which only removes the hook of ``statement``."""
    only = only_statement(file, [statement])
    handle = file.code(only.targets[0]) if isinstance(only, ast.Assign) else None
    if handle is None:
        return None
    removals = [
        (around, file.statement(call))
        for call in file.all(ast.Call)
        if file.code(call) == f"{handle}.remove()"
        and (around := _condition(file, file.statement(call))) is not None
        and file.code(around.test) == file.code(condition.test)
    ]
    return removals[0] if len(removals) == 1 else None


def layout(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA111: a tensor is laid out in every step as it is in some, or in none."""
    return _in_every_step_or_none(
        finding, program, ("memory_format", ".contiguous()"), "the layout",
        "lays a tensor out alike in every step: random numbers made like it come in that order",
    )  # fmt: skip


def mode(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA205: a module is switched to train or eval in no step, or in every one."""
    with suppress(RefusedError):
        return settings.mode(finding, program)
    try:
        return _in_every_step_or_none(
            finding, program, (".eval()", ".train("), "the mode", "keeps a module in one mode"
        )
    except RefusedError:
        restored = _restored(finding, program)
        if restored is None:
            raise
        return [restored]


def _restored(finding: Finding, program: EditableProgram) -> Patch | None:
    """Set the mode that a module was in before ``module.eval()`` again where its block ends.

    None unless the line is the last word on the mode in its function.
    """
    file, found = loops.lines_at(finding.location, program)
    call = only_call(file, found[-1:]) if file is not None else None
    if file is None or call is None or last_name(call.func) != "eval":
        return None
    if not isinstance(call.func, ast.Attribute):
        return None
    code = file.code(call.func.value)
    rest = following(file, found[-1])
    calls = [part for one in rest for part in walk(one) if isinstance(part, ast.Call)]
    called = {file.code(one.func) for one in calls}
    leaves = any(isinstance(part, ast.Return) for one in rest[:-1] for part in walk(one))
    last = only_statement(file, rest[-1:])
    if not rest or leaves or f"{code}.train" in called:
        return None
    is_returned = isinstance(last, ast.Return)
    of_last = {*walk(last)} if is_returned else set()
    if any(file.code(one.func) == code for one in calls if one in of_last):
        return None
    program.require_unchanged(file)
    name = choices.new_name(file, "was_training", "was_in_training")
    again = insert_before if is_returned else insert_after
    return Patch(
        f"{code} gets its mode back after {file.place(found[-1])}",
        (
            *insert_before(file, found[-1], [f"{name} = {code}.training"]),
            *again(file, rest[-1], [f"{code}.train({name})"]),
        ),
        intention=f"trains {code} in the mode that it had before {file.place(found[-1])}",
    )


def _in_every_step_or_none(
    finding: Finding, program: EditableProgram, words: tuple[str, ...], what: str, intention: str
) -> list[Patch]:
    """Take off the `if` around the line, which has nothing else, or leave out both.

    Raises `RefusedError` unless the line has one of ``words``.
    """
    file = program.file(finding.location)
    if file is None:
        raise RefusedError(f"the line that changes {what} is not known")
    statement = _statement(file, finding, program)
    condition = _condition(file, statement)
    chooses = condition is not None and _chooses_in_loop(file, condition)
    if condition is None or chooses or not any(word in file.code(statement) for word in words):
        raise RefusedError(f"can't find what changes {what} in some steps")
    if isinstance(condition, ast.If) and _is_of_a_kind(condition.test):
        raise RefusedError(f"the branch at {file.place(condition)} chooses by kind, not by step")
    place = file.place(statement)
    every = without_condition(file, condition, statement, program)
    patches = [Patch(f"{what} at {place} in every step", (every,), intention=intention)]
    if len(file.block(condition)) > 1:
        gone = remove(file, condition)
        patches.insert(0, Patch(f"{what} at {place} in no step", gone, intention=intention))
    return patches


def _is_of_a_kind(test: ast.AST) -> bool:
    """Return whether a test is alike in every step: ``isinstance(module, nn.BatchNorm2d)``."""
    return any(
        isinstance(part, ast.Call) and last_name(part.func) in ("isinstance", "hasattr")
        for part in walk(test)
    )


def checkpoint(
    finding: Finding, program: EditableProgram, *, is_toggled: bool = False
) -> list[Patch]:
    """Checkpoint in no step; if it ``is_toggled`` from step to step, also in every one."""
    file = program.file(finding.location)
    if file is None:
        raise RefusedError("the line of the checkpoint is not known")
    whole = None if is_toggled else _without_segments(program)
    if whole is not None:
        return [whole]
    every = [
        (other, call)
        for other, call in (*program.calls(_CHECKPOINT), *_of_partial(program))
        if call.args
    ]
    found = [one for one in every if loops.is_at(finding.location, *one, program)]
    if len(found) != 1 and len(every) != 1:
        raise RefusedError("can't find a single call of checkpoint")
    ((file, call),) = found or every
    program.require_unchanged(file)
    choice = file.parent(call)
    if isinstance(choice, ast.IfExp) and choice.test is not call:
        other = choice.orelse if choice.body is call else choice.body
        patches = [
            Patch(
                f"no checkpoint at {file.place(call)}",
                replace(file, choice, file.code(other)),
                note=_NEVER,
            )
        ]
        if is_toggled:
            patches.append(
                Patch(
                    f"checkpoint at {file.place(call)} in every step",
                    replace(file, choice, file.code(call)),
                    note="computes the forward of this part twice in every step",
                )
            )
        return patches
    if is_toggled or any(one.star == "**" for one in arguments(call)):
        raise RefusedError(f"the checkpoint at {file.place(call)} is used on no condition here")
    own = ("", "use_reentrant", "context_fn", "determinism_check", "debug", "preserve_rng_state")
    first, *rest = arguments(call)
    if any(one.keyword not in own for one in rest):
        raise RefusedError(f"the checkpoint at {file.place(call)} has arguments by name")
    passed = ", ".join(f"{one.star}{file.code(one.value)}" for one in rest if not one.keyword)
    return [
        Patch(
            f"no checkpoint at {file.place(call)}",
            replace(file, call, f"{file.code(first.value)}({passed})"),
            note=_NEVER,
        )
    ]


def _without_segments(program: EditableProgram) -> Patch | None:
    """Write ``layers(x)`` for ``checkpoint_sequential(layers, n, x)`` of an ``nn.Sequential``.

    None for layers that may be a list.
    """
    found = program.calls(f"{_CHECKPOINT}_sequential")
    if len(found) != 1:
        return None
    file, call = found[0]
    given = positional(call)
    if len(given) != 3 or is_starred(call):
        return None
    layers = file.code(given[0])
    made = file.values_of(layers)
    if not made or not all(
        isinstance(one, ast.Call) and file.names(one.func) == {"torch.nn.Sequential"}
        for one in made
    ):
        return None
    program.require_unchanged(file)
    return Patch(
        f"no checkpoint at {file.place(call)}",
        replace(file, call, f"{layers}({file.code(given[2])})"),
        note=_NEVER,
    )


def _of_partial(program: EditableProgram) -> Iterator[tuple[SourceFile, ast.Call]]:
    """Yield the calls of what ``partial(checkpoint, …)`` is assigned to."""
    for file, call in program.partials(_CHECKPOINT):
        for name in program.kept_as(file, call):
            yield from program.calls_named(name)


def without_condition(
    file: SourceFile, condition: Any, statement: Any, program: EditableProgram
) -> Replacement:
    """Return ``statement`` in the place of the `if` around it, which has nothing else."""
    if condition.orelse or len(condition.body) != 1:
        raise RefusedError(f"the condition at {file.place(condition)} decides more than this")
    for name in _required_to_be(file, condition.test) & words_in(statement):
        raise RefusedError(f"{name} may be None at {file.place(statement)}")
    program.require_unchanged(file)
    return _body_instead(file, condition)


def _body_instead(file: SourceFile, condition: Any) -> Replacement:
    """Return the lines of an `if` in its place."""
    (lines,) = unwrap(file, condition, condition.body)
    return lines


def _required_to_be(file: SourceFile, test: Any) -> set[str]:
    """Return the variables of which a condition makes sure that they are not None."""
    return {
        last_name(one.left)
        for one in walk(test)
        if is_plain_comparison(one)
        and isinstance(one.ops[0], ast.IsNot)
        and is_none(one.comparators[0])
    }


def _entered_around(finding: Finding, program: EditableProgram) -> Patch | None:
    """Return the one ``with f() if … else nullcontext():`` around the backwards, entered always."""
    found = {
        item: (file, choice)
        for file in program.files.values()
        if "nullcontext" in file.text
        for item in file.with_blocks
        if any(loops.is_at(frame, file, item, program) for frame in loops.frames(finding))
        for part in item.items
        if isinstance(choice := part.context_expr, ast.IfExp)
        and _is_nothing(choice.body) != _is_nothing(choice.orelse)
    }
    if len(found) != 1:
        return None
    ((file, choice),) = found.values()
    program.require_unchanged(file)
    entered = choice.orelse if _is_nothing(choice.body) else choice.body
    return Patch(
        f"{file.code(entered)} entered in every step at {file.place(choice)}",
        replace(file, choice, file.code(entered)),
        intention=f"does what {file.code(entered)} does in every step",
    )


class _LeftError(RefusedError):
    """A branch is no sum: it may be a choice."""


def branch(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA202, CA209: a branch that is taken in some steps, computed in every one.

    Where it cannot be a choice between tensors, the flag that decides is one value throughout.
    """
    try:
        return _computed_always(finding, program)
    except ChangedSinceError:
        raise
    except RefusedError:
        alike = _one_side(finding, program)
        if not alike:
            raise
        return alike


def _one_side(finding: Finding, program: EditableProgram) -> list[Patch]:
    """Pass ``True`` or ``False`` for the flag of the one branch on the line, in every call.

    Nothing where the branch decides by more than a flag that is handed on.
    """
    file, branches = loops.nodes_at(finding.location, program, ast.If)
    _, chosen = loops.nodes_at(finding.location, program, ast.IfExp)
    found: list[Any] = chosen or branches[-1:]
    decided = _flag(found[0].test, wanted=True) if file and len(found) == 1 else None
    if file is None or decided is None:
        return []
    flag, _ = decided
    places = list(settings.changing(file, flag, program))
    if len(places) != 1 or places[0][1] is flag:
        return []
    other, node = places[0]
    program.require_unchanged(other)
    return [
        Patch(
            f"{flag.id} {value} at {other.place(node)} in every step",
            replace(other, node, value),
            intention=f"runs every step as with {flag.id} {value} at {file.place(found[0])}",
        )
        for value in ("True", "False")
    ]


def _require_of_steps(file: SourceFile, branch: Any) -> None:
    """Raise `RefusedError` where the test asks for an end of a loop: ``i == n`` of a range to n.

    Within a step the loop takes both sides, whatever else differs from step to step.
    """
    test = branch.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq | ast.NotEq):
        return
    for loop in file.around(branch):
        if isinstance(loop, Definition):
            return
        if not isinstance(loop, For) or has_call(loop, "backward"):
            continue
        others = words_in(test) - words_in(loop.target)
        if others and others < words_in(test) and others <= words_in(loop.iter):
            raise RefusedError(
                f"the branch at {file.place(branch)} depends on the place in its loop, not on the "
                "step"
            )


def _computed_always(finding: Finding, program: EditableProgram) -> list[Patch]:
    file, every = loops.nodes_at(finding.location, program, ast.If)
    found = [one for one in every if file and "__name__" not in words_in(one.test)]
    _, chosen = loops.nodes_at(finding.location, program, ast.IfExp)
    if file is None or not (found or len(chosen) == 1):
        entered = _entered_around(finding, program)
        if entered is not None:
            return [entered]
        for remedy in (unrolled.sliced, unrolled.cut_losses):
            with suppress(RefusedError):
                return remedy(finding, program)
        found = _of_the_loss(file, finding, program) if file is not None and not chosen else []
        if file is None or not found:
            raise RefusedError("no branch is on the line that differs")
    if len(chosen) == 1:
        summands.require_independent(file, chosen[0], (chosen[0].body, chosen[0].orelse))
        place, changes = file.place(chosen[0]), [choices.weighted(file, chosen[0])]
    else:
        place = file.place(found[-1])
        _require_of_steps(file, found[-1])
        _require_given(file, found[-1])
        with suppress(_LeftError):
            return _summand(file, found[-1], program)
        with suppress(RefusedError):
            return [summands.patch(file, found[-1], program)]
        changes = choices.on_number(file, found[-1])
    program.require_unchanged(file)
    sides = choices.chosen_nodes(file, (found or chosen)[-1])
    told = effects.require_repeatable(file, sides, program)
    return [
        Patch(
            f"the branch at {place} computed in every step, and chosen by "
            f"{'torch.where' if 'where(' in ''.join(one.text for one in changes) else 'a factor'}",
            tuple(changes),
            intention="; ".join((_ZERO, *told)),
        )
    ]


def _of_the_loss(file: SourceFile, finding: Finding, program: EditableProgram) -> list[Any]:
    """Return the one branch of the loop that assigns the variable that the line assigns.

    Or the one whose backward the line runs.
    """
    _, calls = loops.nodes_at(finding.location, program, ast.Call)
    _, assigned = loops.nodes_at(finding.location, program, ast.Assign)
    names: list[Any] = [
        call.func.value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "backward"
    ]
    names += [node.targets[0] for node in assigned]
    loop = moving.outermost_loop(file, names[0]) if len(names) == 1 else None
    if loop is None or not isinstance(names[0], ast.Name):
        return []
    found = [
        node
        for node in walk(loop)
        if isinstance(node, ast.If)
        and any(file.code(target) == names[0].id for part in walk(node) for target in stored(part))
    ]
    return found if len(found) == 1 else []


def _summand(file: SourceFile, branch: ast.If, program: EditableProgram) -> list[Patch]:
    """Return ``if c: x = x + y`` as ``x = x + float(c) * y``, the same graph in each step."""
    if branch.orelse:
        return [_weighted(file, branch, program)]
    only = only_statement(file, branch.body)
    if isinstance(only, ast.Assign) and len(only.targets) == 1:
        target: Any = only.targets[0]
        value: Any = only.value
        is_sum = (
            isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Add)
            and file.code(value.left) == file.code(target)
            and isinstance(target, ast.Name)
        )
        added = value.right if is_sum else None
    elif isinstance(only, ast.AugAssign) and isinstance(only.op, ast.Add):
        added = only.value
    else:
        added = None
    if added is None:
        raise _LeftError(f"the branch at {file.place(branch)} does more than add to one variable")
    program.require_unchanged(file)
    told = effects.require_repeatable(file, [added], program)
    summands.require_independent(file, branch, [added])
    start, end = file.line_start(branch), file.line_end(file.span(only)[1])
    indent = file.indent_of(branch)
    inner = file.text[file.span(only)[0] : end]
    if "\n" in inner or file.lines(branch)[1] - file.lines(branch)[0] != 1:
        raise _LeftError(f"the branch at {file.place(branch)} runs over several lines")
    offset = file.span(only)[0]
    left, right = file.span(added)
    is_product = isinstance(added, ast.BinOp) and isinstance(added.op, ast.Mult)
    term = file.code(added) if is_product else operand(file, added)
    factor = effects.share(file, branch.test)
    text = f"{inner[: left - offset]}{factor} * {term}{inner[right - offset :]}"
    return [
        Patch(
            f"the branch at {file.place(branch)} computed in every step, times 0 or 1",
            (Replacement(file.name, start, end, f"{indent}{text}"),),
            intention="; ".join((_ZERO, *told)),
        )
    ]


def _require_given(file: SourceFile, branch: ast.If) -> None:
    """Raise `RefusedError` where a side computes with what is None in the other steps."""
    for node in walk(branch.test):
        if isinstance(node, ast.Compare) and any(
            isinstance(op, ast.Is | ast.IsNot) and is_none(other)
            for op, other in zip(node.ops, node.comparators, strict=True)
        ):
            name = file.code(node.left)
            raise RefusedError(f"{name} is None in some steps at {file.place(branch)}")


def _weighted(file: SourceFile, branch: ast.If, program: EditableProgram) -> Patch:
    """Compute both of ``if c: x = a`` and ``else: x = b``, the one that is not meant times 0."""
    taken = _assigned(file, branch.body)
    otherwise = None if file.is_elif(branch.orelse) else _assigned(file, branch.orelse)
    if taken is None or otherwise is None or file.code(taken[0]) != file.code(otherwise[0]):
        raise _LeftError(f"the branch at {file.place(branch)} does more than set one variable")
    first, last = file.lines(branch)
    if last - first != 3:
        raise _LeftError(f"the branch at {file.place(branch)} runs over several lines")
    program.require_unchanged(file)
    sides = [value for _, value in (taken, otherwise)]
    told = effects.require_repeatable(file, sides, program)
    summands.require_independent(file, branch, sides)
    name = file.code(taken[0])
    terms = [
        file.code(value) if isinstance(value, ast.Call | ast.Name) else f"({file.code(value)})"
        for _, value in (taken, otherwise)
    ]
    start, end = file.span(branch)[0], file.line_end(file.span(branch)[1])
    share = choices.new_name(file, "share", "is_meant")
    text = f"{file.newline}{file.indent_of(branch)}".join(
        (
            *choices.comments(file, branch),
            f"{share} = {effects.share(file, branch.test)}",
            f"{name} = {share} * {terms[0]}",
            f"{name} = {name} + (1 - {share}) * {terms[1]}",
        )
    )
    return Patch(
        f"both sides of the branch at {file.place(branch)} computed in every step, times 0 or 1",
        (Replacement(file.name, start, end, text),),
        intention="; ".join((_ZERO, *told)),
    )


def _assigned(file: SourceFile, lines: list[ast.stmt]) -> tuple[Any, Any] | None:
    """Return the variable and the value, where the block is one assignment."""
    only = only_statement(file, lines)
    target = only_target(only)
    return (target, only.value) if isinstance(target, ast.Name) else None


def _statement(file: SourceFile, finding: Finding, program: EditableProgram) -> Any:
    _, found = loops.lines_at(finding.location, program)
    if not found:
        raise RefusedError("the line of the finding isn't a statement that can be edited")
    return found[-1]


def _condition(file: SourceFile, statement: ast.AST) -> Any:
    """Return the `if` right around ``statement``; None if there is none in its function."""
    for around in file.around(statement):
        if isinstance(around, ast.If):
            return around
        if isinstance(around, Definition | ast.Lambda | ast.ClassDef | For | ast.While):
            return None
    return None


def _chooses_in_loop(file: SourceFile, condition: Any) -> bool:
    """Return whether an `if` asks for what its loop is at: ``if isinstance(layer, Norm)``."""
    loops_asked_for = _loops_asked_for(file, condition)
    return any(has_call(loop.iter, "modules", "named_modules") for loop in loops_asked_for)


def _loops_asked_for(file: SourceFile, condition: ast.If) -> Iterator[For]:
    """Yield the loops around an `if` whose variables it asks for."""
    names = words_in(condition.test)
    for around in file.around(condition):
        if isinstance(around, For) and names & words_in(around.target):
            yield around


def _choice(file: SourceFile, statement: Any) -> Any:
    """Return ``… if … else None`` as the whole value of an assignment."""
    only = only_statement(file, [statement])
    value = only.value if isinstance(only, ast.Assign) else None
    if not isinstance(value, ast.IfExp):
        return None
    return value if _is_nothing(value.body) != _is_nothing(value.orelse) else None


def _is_nothing(node: Any) -> bool:
    """Return whether ``node`` is None, or a context that does nothing."""
    return is_none(node) or (isinstance(node, ast.Call) and last_name(node.func) == "nullcontext")


def _entered(
    file: SourceFile, statement: Any, program: EditableProgram
) -> tuple[SourceFile, ast.IfExp] | None:
    """Return the one ``f() if … else nullcontext()`` whose ``f`` is the function of ``statement``.

    ``f`` may be the class whose ``__enter__`` has it.
    """
    function = file.function(statement)
    if not isinstance(function, Definition):
        return None
    owner = file.owner(function)
    is_special = function.name in ("__enter__", "__init__")
    name = owner.name if is_special and owner is not None else ""
    found = [
        (other, choice)
        for other, call in program.calls_named(name or function.name)
        # A generator's context can be entered once only.
        for made in (call, *(_reads(other, call) if function.name == "__enter__" else ()))
        if isinstance(choice := other.parent(made), ast.IfExp)
        and choice.test is not made
        and _is_nothing(choice.orelse if choice.body is made else choice.body)
    ]
    return found[0] if len(found) == 1 else None


def _reads(file: SourceFile, made: ast.Call) -> list[ast.Name]:
    """Return what reads the variable that is given ``made`` and nothing else, in its function."""
    only = file.parent(made)
    target = only.targets[0] if isinstance(only, ast.Assign) else None
    if not isinstance(target, ast.Name) or loops.assigned_once(file, target) is not made:
        return []
    return file.reads_beside(target)


def _repeats(file: SourceFile, node: ast.AST, finding: Finding, program: EditableProgram) -> bool:
    """Return whether a loop of its function runs ``node`` and the finding's backwards."""
    loop = moving.outermost_loop(file, node)
    if loop is None:
        return False
    first, last = file.lines(loop)
    return any(
        first < frame.line <= last and program.file(frame) is file
        for event in finding.events
        for frame in getattr(event, "stack", ())
    )
