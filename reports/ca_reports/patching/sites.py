"""The calls of a compiled function: those on the lines that the records name, and their like."""

from __future__ import annotations

import ast
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.argument_names import gives_object
from ca_reports.facts.guard_paths import guard_path, verbatim
from ca_reports.patching import loops
from ca_reports.patching.compilers import compiled_names
from ca_reports.patching.editing import positional
from ca_reports.patching.patches import RefusedError
from ca_reports.program.positions import walk
from ca_reports.program.stack import Frame
from ca_reports.program.syntax import (
    Definition,
    bound_function,
    is_starred,
    keyword,
    last_name,
    targets_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.run.model import Compile

# Calls on the line of a step that are none of the compiled function.
_OTHERS = ("backward", "step", "zero_grad")
# Decorators between the compiled function and the line that calls it.
_WRAPPERS = 3


@dataclass(frozen=True, slots=True)
class CompiledSite:
    """A function that was compiled, with all its compiles.

    ``file`` and ``definition`` are None where it is none of the program's: a module of torch's.
    ``partials`` are the calls of `functools.partial` with it, each with the names of what holds
    the result.
    """

    file: SourceFile | None
    definition: Definition | None
    compiles: tuple[Compile, ...]
    partials: tuple[tuple[SourceFile, ast.Call, frozenset[str]], ...] = ()

    @property
    def parameters(self) -> list[str]:
        """Return the parameters that are given by position, without ``self``."""
        if self.file is None or self.definition is None:
            return []
        return self.file.own_parameters(self.definition)

    @property
    def bound(self) -> frozenset[str]:
        """Return the arguments that a `partial` gives by their names."""
        named = (one.arg for _, made, _ in self.partials for one in made.keywords)
        return frozenset(filter(None, named))

    def bound_before(self, call: ast.Call) -> int:
        """Return how many arguments by place a `partial` puts before those of ``call``.

        Raises `RefusedError` where what is called may be one of several partials.
        """
        name = last_name(call.func)
        held = [made for _, made, kept in self.partials if name in kept]
        counts = {len(made.args) - 1 for made in held}
        if len(counts) > 1 or any(len(_before_star(made)) < len(made.args) for made in held):
            raise RefusedError(f"how many arguments {name} has already is not known")
        return counts.pop() if counts else 0

    def takes(self, name: str) -> bool:
        """Return whether ``name`` is an argument, by position or by name only."""
        by_name = self.definition.args.kwonlyargs if self.definition is not None else ()
        return self.position(name) is not None or name in {one.arg for one in by_name}

    def position(self, name: str) -> int | None:
        """Return which argument ``name`` is (``args[1]`` is the second); None if it is none."""
        by_number = guard_path(name).place
        if by_number is not None:
            return by_number
        return self.parameters.index(name) if name in self.parameters else None


def compiled_at(
    name: str, location: Frame | None, compiles: Sequence[Compile], program: EditableProgram
) -> CompiledSite:
    """Return the function around ``location`` whose ``name`` is an argument; see `Compiled`."""
    file = program.file(location)
    if file is None or location is None or guard_path(name).place is not None:
        return CompiledSite(None, None, tuple(compiles))
    found = [
        node
        for node in file.definitions
        if node.name == location.function and holds(file, node, location.line)
    ]
    if not found:
        return CompiledSite(None, None, tuple(compiles))
    known = {found[-1].name, *compiled_names(program)}
    partials = tuple(
        (other, call, frozenset(map(last_name, targets_of(other.statement(call)))))
        for other, call in program.calls("functools.partial")
        if last_name(bound_function(call) or call) in known
    )
    return CompiledSite(file, found[-1], tuple(compiles), partials)


def arguments(
    name: str, compiled: CompiledSite, program: EditableProgram
) -> list[tuple[SourceFile, ast.expr]]:
    """Return what is passed for the argument ``name``, in every call that the source shows.

    Raises `RefusedError` unless ``name`` is an argument, and each call names its own.
    """
    if not compiled.takes(name) and compiled.definition is None:
        raise RefusedError(
            "the `def` of the compiled function was not found: it is a lambda, or its file is not "
            "in the run's folder or not in UTF-8"
        )
    if not compiled.takes(name):
        raise RefusedError(
            f"{verbatim(name)} is not a parameter of the compiled function: change it where it "
            "is made"
        )
    found: dict[ast.expr, SourceFile] = {}
    for file, call in calls(compiled, program, name):
        given = argument(call, name, compiled)
        is_open = given is None and is_starred(call)
        if is_open and not _is_left_out(file, call, name, compiled, program):
            raise RefusedError(f"the call at {file.place(call)} takes its arguments from a list")
        if given is not None and not isinstance(given, ast.GeneratorExp):
            found[given] = file
    found |= _bound(name, compiled)
    if not found:
        raise RefusedError(f"no call shows what is passed for {verbatim(name)}")
    for file in found.values():
        program.require_unchanged(file)
    return [(file, given) for given, file in found.items()]


def _bound(name: str, compiled: CompiledSite) -> dict[ast.expr, SourceFile]:
    """Return what ``partial(compiled, …)`` gives for the argument ``name``."""
    number = compiled.position(name)
    found: dict[ast.expr, SourceFile] = {}
    for file, made, _ in compiled.partials:
        by_place = [] if number is None else _before_star(made)[number + 1 :]
        given = keyword(made, name) or next(iter(by_place), None)
        if given is not None:
            found[given] = file
    return found


def argument(call: ast.Call, name: str, compiled: CompiledSite) -> ast.expr | None:
    """Return what ``call`` passes for ``name``; None if it shows nothing."""
    given = keyword(call, name)
    if given is None:
        given = _from_the_end(call, name, compiled)
    number = compiled.position(name)
    if given is None and number is not None:
        place = number - compiled.bound_before(call)
        if guard_path(name).place is not None and compiled.compiles:
            place -= gives_object(call, compiled.compiles[0])
        before_star = _before_star(call)
        given = before_star[place] if 0 <= place < len(before_star) else None
    return given


def _from_the_end(call: ast.Call, name: str, compiled: CompiledSite) -> ast.expr | None:
    """Find the argument by its place from the last, of a function that needs all its own.

    So ``f(*tensors, weight)`` shows the last one, and a `partial` may have given the first. None
    where the call does not show that place.
    """
    definition = compiled.definition
    by_name = {one.arg for one in call.keywords}
    if definition is None or compiled.bound or None in by_name:
        return None
    positions = [one for one in compiled.parameters if one not in by_name]
    may_be_left_out = bool(definition.args.defaults)
    if may_be_left_out or definition.args.vararg is not None or definition.args.kwonlyargs:
        return None
    if name not in positions or positions != compiled.parameters[: len(positions)]:
        return None
    from_end = len(positions) - positions.index(name)
    shown: list[ast.expr] = []
    for one in call.args:
        shown = [] if isinstance(one, ast.Starred) else [*shown, one]
    return shown[-from_end] if from_end <= len(shown) else None


def _is_left_out(
    file: SourceFile, call: ast.Call, name: str, compiled: CompiledSite, program: EditableProgram
) -> bool:
    """Return whether ``*pair`` ends before ``name``: it is what a function returns, of one length.

    ``model(*get_batch("train"))`` and ``return x, y``.
    """
    number = compiled.position(name)
    if number is None or call.keywords or not call.args:
        return False
    *before, last = call.args
    if not isinstance(last, ast.Starred) or any(isinstance(one, ast.Starred) for one in before):
        return False
    made: Any = last.value
    if isinstance(made, ast.Name):
        assigned = loops.assigned_once(file, made)
        made = made if assigned is None else assigned
    if isinstance(made, ast.Call):
        found = list(program.definitions_of(last_name(made.func)))
        if len(found) != 1 or isinstance(made.func, ast.Attribute):
            return False
        results = [one.value for one in walk(found[0][1]) if isinstance(one, ast.Return)]
    else:
        results = [made]
    return bool(results) and all(
        isinstance(one, ast.Tuple | ast.List)
        and not any(isinstance(part, ast.Starred) for part in one.elts)
        and len(before) + len(one.elts) <= number
        for one in results
    )


def calls(
    compiled: CompiledSite, program: EditableProgram, name: str = ""
) -> list[tuple[SourceFile, ast.Call]]:
    """Return calls of the compiled function, on the lines that the log names and of the same name.

    ``name`` is the argument that the call has to show, where a line has several calls.
    """
    on_lines: dict[ast.Call, SourceFile] = {}
    for compile_ in compiled.compiles:
        site = _site(compile_.stack, compiled, program, name)
        if site is not None:
            on_lines[site[1]] = site[0]
    found = dict(on_lines)
    for call, file in on_lines.items():
        found |= dict.fromkeys(_alike(file, call), file)
    definition = compiled.definition
    if definition is not None and definition.name != "forward":
        for file in program.files.values():
            if definition.name in file.text:
                found |= {call: file for call in file.all(ast.Call) if _names(file, call, compiled)}
    return [
        (file, call)
        for call, file in found.items()
        if not any(other is not call and _contains(call, other) for other in found)
    ]


def site_of(compile_: Compile, compiled: CompiledSite, program: EditableProgram) -> Frame | None:
    """Return the program's innermost line outside the compiled function."""
    return next(
        (
            Frame(str(file.path), frame.line, frame.function, "")
            for file, frame in _outside(compile_.stack, compiled, program)
        ),
        None,
    )


def holds(file: SourceFile, node: Definition, line: int) -> bool:
    """Return whether ``line`` is one of the function's, its decorators' included."""
    first = min([file.lines(node)[0], *(file.lines(one)[0] for one in node.decorator_list)])
    return first <= line <= file.lines(node)[1]


def _outside(
    stack: Sequence[Frame], compiled: CompiledSite, program: EditableProgram
) -> Iterator[tuple[SourceFile, Frame]]:
    """Yield the program's lines that called the compiled function, innermost first."""
    for frame in reversed(stack):
        file = program.file(frame)
        if file is None:
            continue
        definition = compiled.definition
        if file is compiled.file and definition and holds(file, definition, frame.line):
            continue
        yield file, frame


def _site(
    stack: Sequence[Frame], compiled: CompiledSite, program: EditableProgram, name: str
) -> tuple[SourceFile, ast.Call] | None:
    """Find the call that a compile came through; of a decorated function, not the wrapper's."""
    for number, (file, frame) in enumerate(_outside(stack, compiled, program)):
        call = _call_on(file, frame.line, compiled, program, name)
        if call is None or number == _WRAPPERS:
            return None
        if not _hands_on(file, call):
            return file, call
    return None


def _hands_on(file: SourceFile, call: ast.Call) -> bool:
    """Return whether ``call`` passes on all that the function around it got: a decorator's."""
    function = file.function(call)
    if not isinstance(function, Definition):
        return False
    taken = function.args.vararg
    starred = [one.value for one in call.args if isinstance(one, ast.Starred)]
    if taken is None or not starred:
        return False
    own = [one.arg for one in function.args.args]
    return [file.code(one) for one in _before_star(call)] == own and any(
        file.code(one) == taken.arg for one in starred
    )


def _call_on(
    file: SourceFile, line: int, compiled: CompiledSite, program: EditableProgram, name: str
) -> ast.Call | None:
    """Find the one call on a line that may be the compiled function's, or the first of it."""
    most = len(compiled.parameters) if compiled.definition is not None else None
    found = []
    for call in file.all(ast.Call):
        first, last = file.lines(call)
        func = call.func
        of_result = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call)
        if (
            not first <= line <= last
            or of_result
            or is_torchs(file, call)
            or _is_of_another(file, call, compiled)
            or (isinstance(func, ast.Attribute) and last_name(func) in _OTHERS)
            or (most is not None and len(positional(call)) > most)
        ):
            continue
        starred = is_starred(call)
        if not name or starred or argument(call, name, compiled) is not None:
            found.append(call)
    known = compiled_names(program)
    if compiled.definition is not None:
        known.add(compiled.definition.name)
    named = [call for call in found if last_name(call.func) in known - {"forward"}]
    chosen = named or found
    inner = [
        call
        for call in chosen
        if not any(other is not call and _contains(call, other) for other in chosen)
    ]
    if len(inner) == 1:
        return inner[0]
    # `net(x) + net(x.flip(-1))`: the others are found by the name of the first.
    times = Counter(file.code(call.func) for call in chosen)
    again = [call for call in chosen if times[file.code(call.func)] > 1]
    is_one = len({file.code(call.func) for call in again}) == 1
    return again[0] if is_one and not any(isinstance(one.func, ast.Call) for one in found) else None


def _is_of_another(file: SourceFile, call: ast.Call, compiled: CompiledSite) -> bool:
    """Return whether ``call`` is one of a plain function of the file that is not the compiled one.

    A decorator may have made anything of a function.
    """
    if compiled.definition is None or not isinstance(call.func, ast.Name):
        return False
    bound = file.variable(call.func).bound
    return bool(bound) and all(
        isinstance(one, Definition) and one is not compiled.definition and not one.decorator_list
        for one in bound
    )


def _alike(file: SourceFile, call: ast.Call) -> Iterator[ast.Call]:
    """Yield other calls of what has the same name in the same scope, or is one attribute."""
    code = file.code(call.func)
    if not isinstance(call.func, ast.Name | ast.Attribute):
        return
    for other in file.all(ast.Call):
        if other is call or file.code(other.func) != code:
            continue
        if not isinstance(call.func, ast.Name) or (
            isinstance(other.func, ast.Name)
            and file.variable(call.func).owner is file.variable(other.func).owner
        ):
            yield other


def _names(file: SourceFile, call: ast.Call, compiled: CompiledSite) -> bool:
    """Return whether ``call`` names the compiled function: its own, or one that was imported."""
    definition, home = compiled.definition, compiled.file
    if definition is None or home is None or last_name(call.func) != definition.name:
        return False
    is_method = home.owner(definition) is not None
    if _is_of_own_class(file, call, definition):
        return False
    if isinstance(call.func, ast.Attribute):
        full = file.names(call.func)
        return is_method or any(one.endswith(f".{definition.name}") for one in full)
    if file is home:
        return isinstance(call.func, ast.Name) and definition in file.variable(call.func).bound
    return not is_method and bool(file.names(call.func))


def _is_of_own_class(file: SourceFile, call: ast.Call, definition: Definition) -> bool:
    """Return whether ``self.step(x)`` is in a class that has a ``step`` of its own."""
    func = call.func
    owner = file.class_around(call)
    if owner is None or not isinstance(func, ast.Attribute) or file.code(func.value) != "self":
        return False
    named = [
        one for one in owner.body if isinstance(one, Definition) and one.name == definition.name
    ]
    return bool(named) and definition not in named


def is_torchs(file: SourceFile, call: ast.Call) -> bool:
    """Return whether what is called is torch's or Python's own."""
    return any(name.startswith(("torch.", "builtins.")) for name in file.names(call.func))


def _before_star(call: ast.Call) -> list[ast.expr]:
    """Return the arguments by position whose number is known."""
    return [*takewhile(lambda one: not isinstance(one, ast.Starred), call.args)]


def _contains(node: ast.AST, other: ast.AST) -> bool:
    return any(part is other for part in walk(node))
