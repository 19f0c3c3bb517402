"""Options of torch's compiler, set in a line after the script's imports."""

from __future__ import annotations

import ast
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ca_reports.causes.findings import SplitGraph
from ca_reports.patching import (
    assignments,
    breaks,
    choices,
    imports,
    loops,
    moving,
    reporting,
    written_values,
)
from ca_reports.patching.editing import arithmetic_around, has_call, is_number, stored
from ca_reports.patching.patches import ChangedSinceError, Patch, RefusedError, Replacement
from ca_reports.patching.program import places
from ca_reports.program.edits import (
    add_keyword,
    arguments,
    decorate,
    insert_before,
    is_alone,
    is_docstring,
    remove,
    undecorate,
    words_in,
)
from ca_reports.program.edits import replace as node_replaced
from ca_reports.program.positions import walk
from ca_reports.program.reordering import objects_written, written_as_texts
from ca_reports.program.syntax import (
    Definition,
    For,
    Site,
    is_starred,
    keyword,
    last_name,
    parameters_of,
    root_of,
)
from ca_reports.program.uses import Need, one_after_another, reads_of_values, uses_of
from ca_reports.run.model import GraphBreak
from ca_reports.sentences.places import in_brief
from ca_reports.torchlib import containers, dynamo
from ca_reports.words.places import is_cell

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.program import EditableProgram, SourceFile
    from ca_reports.program.stack import Frame

# With these an optimizer changes rows that have no gradient.
_OF_ROWS = ("SparseAdam", "momentum", "weight_decay", "Adagrad")
_DYNAMO = "_dynamo.config"
_DDP = (
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.parallel.distributed.DistributedDataParallel",
)
_DISABLE = frozenset(("torch.compiler.disable", "torch._dynamo.disable"))


def scalar_outputs(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA802: ``.item()`` and its like enter the graph, unless Python needs the number."""
    try:
        _require_no_decision(finding, program)
    except RefusedError as decided:
        for remedy in (breaks.raised, choices.on_item, reporting.reported):
            with suppress(RefusedError):
                return remedy(finding, program)
        raise decided from None
    split = finding.detail if isinstance(finding.detail, SplitGraph) else SplitGraph()
    if split.argument == "is_causal":
        return [_by_its_mask(finding, program)]
    if split.option != dynamo.SCALARS:
        raise RefusedError("no setting keeps it in the graph")
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    return [_in_graph(program, [] if file is None else [Site(file, one) for one in found])]


def _in_graph(program: EditableProgram, calls: Iterable[Site]) -> Patch:
    """Leave numbers that ``calls`` read off tensors in the graph.

    What they cut several dimensions by is cut one after the other: of several at once torch raises.
    """
    patch = setting(program, f"{_DYNAMO}.{dynamo.SCALARS} = True")
    reads = [read for call in calls for read in reads_of_values(call)]
    cuts = {use.at.node: use.at for use in uses_of(program.names, reads) if use.need is Need.SLICES}
    apart: list[Replacement] = []
    for node, cut in cuts.items():
        file = program.file(cut.frame)
        text = one_after_another(cut.module, node) if isinstance(node, ast.Subscript) else None
        if file is None or text is None:
            raise RefusedError(f"{in_brief(cut.frame)} cuts several dimensions at once by it")
        program.require_unchanged(file)
        apart += node_replaced(file, node, text)
    also = "; one dimension is cut after the other at " if cuts else ""
    at = also + ", ".join(in_brief(one.frame) for one in cuts.values())
    return replace(patch, what=patch.what + at, replacements=(*patch.replacements, *apart))


def _by_its_mask(finding: Finding, program: EditableProgram) -> Patch:
    """Write ``encoder(x, mask=m, is_causal=False)``: torch then reads no value of the mask.

    Raises `RefusedError` unless the line has one call that names its mask as an
    `nn.TransformerEncoder` does.
    """
    file, found = loops.nodes_at(finding.location, program, ast.Call)
    masked = [call for call in found if keyword(call, "mask") is not None]
    is_plain = len(masked) == 1 and keyword(masked[0], "is_causal") is None
    if file is None or not is_plain or is_starred(masked[0]):
        raise RefusedError("can't find a single call there with a mask")
    program.require_unchanged(file)
    return Patch(
        f"is_causal=False at {file.place(masked[0])}",
        add_keyword(file, masked[0], "is_causal", "False"),
        note="the mask decides as before; with a causal one is_causal=True may be faster",
    )


def resumed(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA716: the value that broke the graph, and is an input of the rest, stays in the graph.

    By the line that reads it where that is known; else by the one ``.item()`` of the function.
    """
    try:
        return choices.on_item(finding, program)
    except ChangedSinceError:
        raise
    except RefusedError:
        file, around = loops.functions_at(finding.location, program)
        calls = [
            call
            for call in (walk(*around[-1].body) if around else ())
            if isinstance(call, ast.Call) and last_name(call.func) == "item" and not arguments(call)
        ]
        _, read = loops.nodes_at(finding.location, program, ast.Assign)
        is_here = any(has_call(one, "item") for one in read) if file is not None else False
        if file is None or is_here or len(calls) != 1:
            raise
        statement = file.statement(calls[0])
        if not file.is_line(statement):
            raise
        _require_undecided(file, statement)
    return [_in_graph(program, [Site(file, statement)])]


def output_shapes(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA807: the option that the advice names takes masks, `nonzero` or an RNN into the graph.

    Raises `RefusedError` where none does: for counts, whose size is known if they are computed
    otherwise, and for sparse and other tensors that Dynamo does not take.
    """
    split = finding.detail
    if not isinstance(split, SplitGraph) or not split.option:
        raise RefusedError("no setting keeps it in the graph")
    return [setting(program, f"{_DYNAMO}.{split.option} = True")]


def duck_shapes(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA713: two sizes that are equal in the first call are not taken for one."""
    return [setting(program, "fx.experimental._config.use_duck_shape = False")]


def ints_of_modules(
    program: EditableProgram, changes: Sequence[Replacement], places: Sequence[str]
) -> Patch:
    """Whole numbers that are attributes of modules are dynamic, with what ``changes`` all sizes."""
    patch = setting(
        program,
        f"{_DYNAMO}.allow_unspec_int_on_nn_module = True",
        note="every size is dynamic; 0 and 1 are compiled for apart",
    )
    also = f", and dynamic=True at {', '.join(dict.fromkeys(places))}" if places else ""
    replacements = tuple(dict.fromkeys([*patch.replacements, *changes]))
    return replace(patch, what=patch.what + also, replacements=replacements)


def written(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA803: what is printed comes after the graph; what is logged in it is left out.

    So is a warning with a category, which torch can't write after the graph.
    """
    function = finding.key
    is_ignored = _is_ignored(finding, program)
    breaks = [event for event in finding.events if isinstance(event, GraphBreak)]
    if any(broken.in_operator for broken in breaks):
        raise RefusedError(
            "torch can't write after a graph what a function such as a checkpoint's does"
        )
    is_inlined = any(program.is_inlined(broken) for broken in breaks)
    intention = f"leaves out what inlined functions write with {function}" if is_inlined else ""
    if function == "print":
        if is_ignored:
            raise RefusedError("torch can't print to a file after the graph")
        patch = setting(
            program,
            f"{_DYNAMO}.{dynamo.REORDERED}.add(print)",
            intention,
            note="what compiled code prints comes after its graph, in the same order",
        )
        sizes = _objects_as_texts(finding, program)
        return [replace(patch, replacements=(*patch.replacements, *sizes))]
    module = function.partition(".")[0]
    line = f"{_DYNAMO}.{dynamo.REORDERED}.add({function})"
    if module == "logging" or is_ignored:
        line = f"{_DYNAMO}.{dynamo.IGNORED}.add({function})"
        intention = f"leaves out what compiled code writes with {function}"
    if not module.isidentifier():
        raise RefusedError(f"{function} isn't a function that a patch can name")
    own = program.file(finding.location)
    files = [one for one in (program.script, own) if one is not None]
    file = next((one for one in files if _imports(one, module)), program.script)
    return [setting(program, line, intention, file=file, imported=module)]


def _is_ignored(finding: Finding, program: EditableProgram) -> bool:
    """Return whether torch leaves the line where it is, so that its function has to be ignored."""
    split, (file, calls) = finding.detail, loops.nodes_at(finding.location, program, ast.Call)
    named = isinstance(split, SplitGraph) and split.option == dynamo.IGNORED
    return named or (file is not None and any(objects_written(Site(file, one)) for one in calls))


def _objects_as_texts(finding: Finding, program: EditableProgram) -> Iterator[Replacement]:
    """Write ``print(f"{x.shape}")`` for ``print(x.shape)``: no object is kept past a graph."""
    file, calls = loops.nodes_at(finding.location, program, ast.Call)
    for call in calls:
        for given in written_as_texts(call):
            if file is None:
                continue
            code = file.code(given)
            if "{" in code or {"'", '"'} <= set(code):
                continue
            program.require_unchanged(file)
            quote = "'" if '"' in code else '"'
            text = f"f{quote}{{{code}}}{quote}"
            yield Replacement(file.name, *file.span(given), text)


def reordered(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA804, CA806, CA809 in a function that only writes: it is called after the graph.

    A wrapper around a function leaves what it does out where that is compiled. Raises
    `RefusedError` unless it is a function of the program's whose result nobody uses.
    """
    plain = _without_wrapper(finding, program)
    if plain is not None:
        return [plain]
    broken = next((one for one in finding.events if isinstance(one, GraphBreak)), None)
    frames = program.within(broken) if broken is not None else ()
    if len(frames) < 2:
        raise RefusedError("a patch would change what is computed")
    inner, file, call = _writer(frames, program)
    caller = frames[frames.index(inner) - 1]
    if broken is not None and program.is_inlined(broken, caller):
        raise RefusedError(
            f"{inner.function} is called by a function that is inlined: torch would leave it out"
        )
    own = program.file(inner)
    definition = _definition(own, inner.function, inner.line)
    if own is None or definition is None or definition.decorator_list:
        raise RefusedError(f"{inner.function} isn't a plain function of a module")
    line = f"{_DYNAMO}.{dynamo.REORDERED}.add({file.code(call.func)})"
    patch = setting(
        program,
        line,
        note=f"{inner.function} is called after the graph: it gets tensors and constants only",
        file=file,
        after=definition if own is file else None,
    )
    program.require_unchanged(own)
    # Its own frame is not to be compiled either, now that it is called from outside of the graph.
    torch, added = imports.torch(own, definition)
    disabled = (*added, *decorate(own, definition, f"{torch}.compiler.disable"))
    return [replace(patch, replacements=tuple(dict.fromkeys([*patch.replacements, *disabled])))]


def _writer(
    frames: Sequence[Frame], program: EditableProgram
) -> tuple[Frame, SourceFile, ast.Call]:
    """Return the innermost function on the way to the break whose result nobody uses, and its call.

    Beyond the first, a function must only write: it returns nothing and sets no attribute. Raises
    `RefusedError` if there is none.
    """
    for outer, inner in reversed(list(pairwise(frames))):
        file, calls = loops.nodes_at(outer, program, ast.Call)
        named = [one for one in calls if last_name(one.func) == inner.function]
        own = program.file(inner)
        definition = _definition(own, inner.function, inner.line)
        if file is None or own is None or definition is None or len(named) != 1:
            break
        if inner is not frames[-1] and not _is_read_only(own, definition):
            break
        if isinstance(file.parent(named[0]), ast.Expr):
            if fills_argument(definition):
                break
            return inner, file, named[0]
    raise RefusedError(f"{frames[-1].function} is part of what is computed")


def _is_read_only(file: SourceFile, definition: Definition) -> bool:
    """Return whether a function returns nothing, sets no attribute or entry, and names no torch."""
    for node in walk(*definition.body):
        if isinstance(node, ast.Return) and node.value is not None:
            return False
        if not all(isinstance(target, ast.Name) for target in stored(node)):
            return False
        if isinstance(node, ast.Global | ast.Nonlocal):
            return False
    return "torch" not in words_in(definition)


def fills_argument(definition: Definition) -> bool:
    """Return whether a function gives its result back in an argument: ``path[y, x] = 1``.

    Also by what it takes out of one: ``row = rows[i]``.
    """
    given = {*parameters_of(definition, by_place=True)}
    for node in walk(*definition.body):
        for target, value in () if isinstance(node, ast.AugAssign) else assignments.pairs(node):
            if isinstance(target, ast.Subscript) and _root(target) in given:
                return True
            if isinstance(target, ast.Name) and _root(value) in given:
                given.add(target.id)
        changed = node.target if isinstance(node, ast.AugAssign) else None
        if isinstance(changed, ast.Subscript | ast.Attribute) and _root(changed) in given:
            return True
    return False


def _root(node: ast.expr) -> str:
    """Return the name of ``rows`` in ``rows[i].width``; empty where no name begins it."""
    root = root_of(node)
    return root.id if isinstance(root, ast.Name) else ""


def _without_wrapper(finding: Finding, program: EditableProgram) -> Patch | None:
    """Return ``if torch.compiler.is_compiling(): return f(*arguments)``, first in what wraps ``f``.

    None unless the line is in a function within another one, which hands all its arguments on to a
    parameter of that.
    """
    file, around = loops.functions_at(finding.location, program)
    if file is None or len(around) < 2:
        return None
    wrapper = around[-1]
    outer = {one.arg for function in around[:-1] for one in function.args.args}
    own = wrapper.args
    passed = [one.arg for one in own.args]
    if own.vararg is not None:
        passed.append(f"*{own.vararg.arg}")
    if own.kwarg is not None:
        passed.append(f"**{own.kwarg.arg}")
    calls = [
        call
        for call in walk(*wrapper.body)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in outer
        and [f"{one.star}{file.code(one.value)}" for one in arguments(call)] == passed
    ]
    if len(calls) != 1 or not is_alone(file, wrapper.body[0]):
        return None
    program.require_unchanged(file)
    torch, added = imports.torch(file, wrapper)
    lines = (
        f"if {torch}.compiler.is_compiling():",
        f"{file.unit}return {file.code(calls[0])}",
    )
    return Patch(
        f"{wrapper.name} at {file.place(wrapper)} only calls {file.code(calls[0].func)} "
        "where that is compiled",
        (*added, *insert_before(file, wrapper.body[0], lines)),
        intention=f"leaves out what {wrapper.name} does around compiled code",
    )


def without_break(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA805: a call of `torch._dynamo.graph_break` goes, or the decorator that disables Dynamo."""
    enabled = _enabled(finding, program)
    if enabled is not None:
        return [enabled]
    file, found = loops.lines_at(finding.location, program)
    if file is None or len(found) != 1:
        raise RefusedError("the line of the call is not known")
    line = found[0].value if isinstance(found[0], ast.Expr) else None
    if not isinstance(line, ast.Call) or last_name(line.func) != "graph_break":
        raise RefusedError(f"{file.place(found[0])} computes something")
    program.require_unchanged(file)
    return [Patch(f"no graph_break() at {file.place(found[0])}", remove(file, found[0]))]


def _enabled(finding: Finding, program: EditableProgram) -> Patch | None:
    """Return the program's function without the decorator, where it gives no reason for it."""
    split = finding.detail
    name = split.function if isinstance(split, SplitGraph) else ""
    found = [
        (file, function, decorator)
        for file, function in program.definitions_of(name)
        for decorator in function.decorator_list
        if _disables(file, decorator)
    ]
    if len(found) != 1:
        return None
    file, function, decorator = found[0]
    program.require_unchanged(file)
    return Patch(
        f"{name} at {file.place(function)} without {file.code(decorator)}",
        undecorate(file, decorator),
        note=f"Dynamo traces {name} with what calls it",
    )


def _disables(file: SourceFile, decorator: ast.expr) -> bool:
    """Return whether it is `torch.compiler.disable`, called with nothing if at all.

    By its name in a module: an import of the function alone would be left over.
    """
    if isinstance(decorator, ast.Call):
        return not arguments(decorator) and _disables(file, decorator.func)
    names = file.names(decorator)
    return isinstance(decorator, ast.Attribute) and bool(names) and names <= _DISABLE


def dense(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA506: ``sparse=False`` on the embedding."""
    given = [
        written_values.given(call, file, "sparse", None, program)
        for file, call in program.calls("torch.nn.Embedding", "torch.nn.EmbeddingBag")
    ]
    found = {
        value: file
        for file, value in (
            written_values.written(*one, program) for one in given if one is not None
        )
        if file.code(value) == "True"
    }
    if not found:
        raise RefusedError("can't find an embedding with sparse=True")
    for file in program.files.values():
        for node in file.all(ast.Attribute):
            if node.attr == "SparseAdam" and not _chosen_by(file, node, found, program):
                raise RefusedError(
                    f"SparseAdam at {file.place(node)} takes sparse gradients only: use Adam with "
                    "sparse=False"
                )
    for file in found.values():
        program.require_unchanged(file)
    return [
        Patch(
            f"sparse=False at {places([(file, value) for value, file in found.items()])}",
            tuple(
                Replacement(file.name, *file.span(value), "False") for value, file in found.items()
            ),
            intention=(
                "the optimizer updates every row in each step, not only those that were read"
                if any(word in file.text for file in program.files.values() for word in _OF_ROWS)
                else ""
            ),
            note="the gradient has a row for each row of the table: more memory if it is large",
        )
    ]


def _chosen_by(
    file: SourceFile, node: ast.AST, found: Collection[Any], program: EditableProgram
) -> bool:
    """Return whether ``node`` is one side of a choice by the value that the patch changes."""
    choice = file.parent(node)
    branch = next((one for one in file.around(node) if isinstance(one, ast.If)), None)
    if branch is not None and last_name(branch.test) == "sparse":
        return True  # the module says itself what its gradients are
    if not isinstance(choice, ast.IfExp) or choice.test is node:
        return False
    with suppress(RefusedError):
        return written_values.written(file, choice.test, program)[1] in found
    return False


def python_reducer(_: Finding, program: EditableProgram) -> list[Patch]:
    """CA606: DDP's reducer in Python, which is captured."""
    return [setting(program, f'{_DYNAMO}.optimize_ddp = "python_reducer"')]


def first_bucket(finding: Finding, program: EditableProgram) -> list[Patch]:
    """CA613: buckets of 1 MB, where a smaller number is written. Raises `RefusedError`."""
    changes: list[Replacement] = []
    found: list[tuple[SourceFile, ast.Call]] = []
    for file, call in program.calls(*_DDP):
        given = keyword(call, "bucket_cap_mb")
        number = given.value if isinstance(given, ast.Constant) and is_number(given) else 1
        if given is not None and number < 1:  # type: ignore[operator]
            program.require_unchanged(file)
            changes += node_replaced(file, given, "1")
            found.append((file, call))
    if not changes:
        raise RefusedError("no bucket_cap_mb below 1 is written in the program")
    return [Patch(f"bucket_cap_mb=1 at {places(found)}", tuple(changes))]


def _definition(file: SourceFile | None, name: str, line: int) -> Definition | None:
    """Return the function of that name at module level around ``line``."""
    for node in file.definitions if file is not None else ():
        first, last = file.lines(node) if file is not None else (0, 0)
        is_own = isinstance(file.parent(node), ast.Module) if file is not None else False
        if node.name == name and first <= line <= last and is_own:
            return node
    return None


def _set_by(program: EditableProgram, line: str) -> str | None:
    """Return where the program gives an option of torch's the value that ``line`` gives it."""
    wanted = ast.parse(f"torch.{line}").body[0]
    if not isinstance(wanted, ast.Assign):
        return None
    name, value = ast.unparse(wanted.targets[0]), ast.unparse(wanted.value)
    for file in program.files.values():
        for one in file.all(ast.Assign):
            if name in map(file.full_name, one.targets) and ast.unparse(one.value) == value:
                return file.place(one)
    return None


def setting(
    program: EditableProgram,
    line: str,
    intention: str = "",
    note: str = "",
    *,
    file: SourceFile | None = None,
    after: Definition | None = None,
    imported: str = "",
    is_elsewhere: bool = False,
    more: Sequence[str] = (),
) -> Patch:
    """Make ``torch.`` and ``line`` after the imports of ``file`` (the script), or after a function.

    ``more`` are lines that follow it. ``imported`` is a module that the line names, too.
    Refused where the file has it already, unless it is known that it ``is_elsewhere`` and comes
    too late.
    """
    file = file or program.script
    program.require_unchanged(file)
    torch, added = imports.torch(file, file.tree)
    text = f"{torch}.{line}"
    if text in (file.text.splitlines() if is_elsewhere else file.text):
        raise RefusedError(f"{file.name} has {text} already")
    if not is_elsewhere and (known := _set_by(program, line)) is not None:
        raise RefusedError(f"{known} sets it already, which holds in the thread that does so")
    lines = file.newline.join((text, *(f"{torch}.{one}" for one in more)))
    if after is not None:
        at = file.line_end(file.span(after)[1])
        new, place = f"{file.newline * 3}{lines}", f"after {after.name} in {file.name}"
    else:
        at = _after_imports(file)
        new, place = f"{file.newline}{lines}{file.newline}", f"after the imports of {file.name}"
        if _imports_elsewhere(file):
            new, place = f"{lines}{file.newline}", f"at the top of {file.name}"
    if imported and not _imports(file, imported):
        first = at if _imports_elsewhere(file) else file.line_start(moving.imports_of(file)[0])
        added = (*added, Replacement(file.name, first, first, f"import {imported}{file.newline}"))
    return Patch(
        f"{text} {place}",
        (*added, Replacement(file.name, at, at, new)),
        intention=intention,
        note=note,
    )


def _after_imports(file: SourceFile) -> int:
    """Return where the line after the last of the imports at the file's head begins."""
    last = None
    for statement in file.tree.body:
        if not _is_import(statement) and not is_docstring(statement):
            break
        last = statement if _is_import(statement) else last
    if last is None and _imports_elsewhere(file):
        return file.line_begin(file.begin(file.tree.body[0]))
    if last is None:
        raise RefusedError(f"{file.name} does not begin with its imports")
    return min(len(file.text), file.line_end(file.span(last)[1]) + len(file.newline))


def _imports_elsewhere(file: SourceFile) -> bool:
    """Return whether ``file`` is a cell without imports: another one has them."""
    return is_cell(file.name) and not any(map(_is_import, file.tree.body))


def _is_import(statement: Any) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _imports(file: SourceFile, module: str) -> bool:
    return any(
        alias.name == module and alias.asname is None
        for statement in file.all(ast.Import)
        for alias in statement.names
    )


def _require_no_decision(finding: Finding, program: EditableProgram) -> None:
    """Raise `RefusedError` where an ``if`` or a loop needs the number: the graph ends there."""
    file = program.file(finding.location)
    if file is None:
        raise RefusedError("the line that reads the value is not known")
    for node in file.all(ast.Assign):
        if loops.is_at(finding.location, file, node, program):
            _require_undecided(file, node)
            _require_forgotten(file, node)
    for call in file.all(ast.Call):
        is_at = loops.is_at(finding.location, file, call, program)
        if is_at:
            _require_no_key(file, call)
        if is_at and any(has_call(one.value, "item") for one in arguments(call)):
            _require_no_counter(file, call)
            _require_not_collected(call, program)


def _require_no_key(file: SourceFile, call: ast.Call) -> None:
    """Raise `RefusedError` where what ``call`` gives looks something up: ``table[int(label)]``.

    In the graph the number has no value, and a table is looked up by each of them for itself:
    measured, 3 recompiles became 10.
    """
    whole = arithmetic_around(file, call)
    parent = file.parent(whole)
    is_key = isinstance(parent, ast.Subscript) and parent.slice is whole
    if is_key and not file.is_tensor(parent.value):
        raise RefusedError(
            f"{file.place(call)} looks up {file.code(parent.value)} by it: it would be compiled "
            "for each value"
        )


def _require_no_counter(file: SourceFile, call: ast.Call) -> None:
    """Raise `RefusedError` where the value is handed on with what the program keeps elsewhere.

    ``writer.add_scalar("loss", x.item(), global_step)``: without the break Dynamo goes into the
    call, and compiles for each value of the step.
    """
    for value in (one.value for one in arguments(call)):
        if isinstance(value, ast.Name | ast.Attribute) and _is_set_anew(file, value):
            raise RefusedError(
                f"{file.place(call)} hands on {file.code(value)}, too: it would be compiled again "
                "for each value"
            )


def _is_set_anew(file: SourceFile, read: ast.Name | ast.Attribute) -> bool:
    """Return whether an attribute, or a variable of the module, is assigned in several places."""
    code = file.code(read)
    if isinstance(read, ast.Name) and not file.variable(read).is_global:
        return False
    every = file.all(ast.Assign, ast.AugAssign)
    return sum(file.code(target) == code for one in every for target in stored(one)) > 1


def _require_not_collected(call: ast.Call, program: EditableProgram) -> None:
    """Raise `RefusedError` where a function of the program's puts the value into a container.

    Dynamo goes into the function without the break, and compiles for each length.
    """
    for other, definition in program.definitions_of(last_name(call.func)):
        for one in walk(*definition.body):
            if isinstance(one, ast.Call) and last_name(one.func) in containers.GROWS:
                raise RefusedError(
                    f"{other.place(one)} collects the value: it would be compiled again as that "
                    "grows"
                )


def _require_forgotten(file: SourceFile, node: ast.Assign) -> None:
    """Raise `RefusedError` where an object keeps the value for the next call, which reads it.

    ``self.peak = max(self.peak, x.item())``: Dynamo compiles for each value of an attribute.
    """
    for kept in node.targets:
        if isinstance(kept, ast.Attribute) and any(
            isinstance(read, ast.Attribute) and file.code(read) == file.code(kept)
            for read in walk(node.value)
        ):
            raise RefusedError(
                f"{file.place(node)} keeps the value in {file.code(kept)}: it would be compiled "
                "again for each value"
            )


def _require_undecided(file: SourceFile, node: Any) -> None:
    """Raise `RefusedError` where an ``if`` or a loop reads what the assignment ``node`` sets."""
    if isinstance(node, ast.AugAssign):
        targets = {last_name(node.target)}
    elif isinstance(node, ast.Assign):
        targets = {file.code(target) for target in node.targets}
    else:
        raise RefusedError(f"the value that is read at {file.place(node)} is not kept")
    function = file.function(node)
    for other in file.nodes:
        if isinstance(other, ast.If | ast.While | ast.IfExp | ast.Assert):
            deciding = other.test
        elif isinstance(other, For | ast.comprehension):
            deciding = other.iter
        else:
            continue
        if file.function(other) is function and targets & words_in(deciding):
            raise RefusedError(
                f"{file.place(other)} decides by {', '.join(sorted(targets))}: the graph "
                "would end there"
            )
