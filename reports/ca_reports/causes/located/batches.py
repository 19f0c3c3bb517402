"""The line that decides about the sizes of a batch (CA101 to CA104)."""

from __future__ import annotations

import ast
from itertools import takewhile
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.causes.located import loading
from ca_reports.causes.located.allocations import allocation
from ca_reports.causes.located.arguments import argument, call, of_data
from ca_reports.causes.located.trail import best, has_graph, unique
from ca_reports.program.syntax import (
    LOOPS,
    FunctionNode,
    Site,
    callee_of,
    is_constant,
    is_text,
    keyword,
    last_name,
    names_in,
    parameters_of,
    parts_of,
    root_name,
    scope_name,
    targets_of,
)
from ca_reports.torchlib import loaders, shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.program.flow import Flow

_WORD = expression(r"[A-Za-z_]\w*")
# Libraries on top of Transformers call theirs a configuration, as they do that of a model.
_CONFIGURATION = "Config"
_OF_TRAINING = ("output_dir", "per_device_train_batch_size", "num_train_epochs", "max_steps")
# The setting without which a size is not made dynamic once it varies.
_AUTOMATIC = "automatic_dynamic_shapes"
_DYNAMIC = "dynamic"
_DROP_LAST = "drop_last"
_PADS = ("pad_sequence", "pad", "pad_packed_sequence", "DataCollatorWithPadding")
_RESIZES = ("interpolate", "resize", "crop", "random_crop", "narrow", "RandomCrop", "Resize")


def last_batch(trail: Trail) -> list[Site]:
    """Find the `DataLoader(…)` call without `drop_last`, else the slicing of the batches.

    Where nothing cuts batches, what makes the tensors decides how many rows they have.
    """
    return _where_it_is_kept(_cut_short(trail), trail) or varying_length(trail)


def _where_it_is_kept(cutting: list[Site], trail: Trail) -> list[Site]:
    """Find the `False` by which a loader keeps its short batch, anywhere; else ``cutting``."""
    if len(cutting) != 1 or not _is_loader(cutting[0]):
        return cutting
    at = loaders.PARAMETERS.index(_DROP_LAST)
    found = trail.options.of(cutting[0], _DROP_LAST, at)
    is_its_own = len(found) == 1 and found[0].is_off and not found[0].is_shared
    return [found[0].site] if is_its_own else cutting


def zero_or_one(trail: Trail) -> list[Site]:
    """Find the call before which an input is marked as unbacked; else where its size is decided."""
    given = argument(trail)
    return (call(trail) if given is not None else []) or last_batch(trail)


def _cut_short(trail: Trail) -> list[Site]:
    flow = trail.flow
    deciding = _deciding(trail)
    decided = _the_one(deciding, flow)
    looped_over = loading.looped_over(trail)
    # Names lead to loaders that were never made, and to what no step runs.
    is_sure = bool(trail.finding.subject.values)
    is_open = not decided or _is_loader(decided[0]) or len(deciding) > 1
    if looped_over and (is_sure or is_open):
        return looped_over
    if decided:
        return decided
    feeding = [site for loop in reversed(flow.loops) for site in _feeding_loop(trail, loop)]
    given = argument(trail)
    made = () if given is None else given.made_of
    feeders = [site for site in feeding if _is_loader(site)]
    of_phase = _for_training
    if _is_of_evaluation(trail):
        of_phase = _for_evaluation
        # It may go over what is trained on, but not in a loop around its own.
        inner = {site.node for loop in flow.loops[-1:] for site in _feeding_loop(trail, loop)}
        feeders = [site for site in feeders if site.node in inner] or of_phase(feeders)
    for found in (
        feeders,
        [site for site in feeding if _splits(site) and not _is_own(trail, site)],
        of_phase(unique(filter(_is_loader, made))),
        [site for site in made if _splits(site) and not _is_own(trail, site)][:1],
        _arguments_of_trainer(trail),
        of_phase(best(filter(_is_loader, trail.program.calls(*loaders.BATCHING, "partial")), flow)),
        of_phase(_options(trail)),
        flow.nearest(
            site
            for site in flow.in_steps(trail.program.sites(ast.Subscript, ast.Call))
            if _splits(site) and not _is_own(trail, site)
        ),
    ):
        if found:
            return _of_one_table(unique(found)) if found[0] in feeding else unique(found)
    return [] if given is None else call(trail)


def _of_one_table(sites: list[Site]) -> list[Site]:
    """Find the first of ``sites``, and those beside it in a table: `{"plain": lambda rows: …}`."""
    table = _table(sites[0])
    return [site for site in sites if site is sites[0] or (table and _table(site) is table)]


def _table(site: Site) -> ast.AST | None:
    around = site.module.around(site.node)
    return next((part for part in around if isinstance(part, ast.Dict)), None)


def _options(trail: Trail) -> list[Site]:
    """`dict(batch_size=8, dataset=rows, …)`, by which a library makes the loader."""
    return [
        site
        for site in trail.program.calls("dict")
        if _has_keyword(site, ("batch_size",))
        and _has_keyword(site, loaders.BESIDE_SIZE)
        and isinstance(site.node, ast.Call)
        and not is_constant(keyword(site.node, _DROP_LAST), value=True)
    ]


def _the_one(deciding: list[Site], flow: Flow) -> list[Site]:
    """Find the one line that decides a size, where it is known."""
    return deciding if len(deciding) == 1 else _asked_for(deciding, flow)


def _deciding(trail: Trail) -> list[Site]:
    """Find the lines that decide the size of a compiled function's argument."""
    given = argument(trail)
    return of_data(trail) if given is None else given.size_decided_by


def _asked_for(sites: Sequence[Site], flow: Flow) -> list[Site]:
    """Find the argument by which one call decides all of several sizes of what a function makes."""
    scopes = {site.scope for site in sites}
    function = scopes.pop() if len(scopes) == 1 else None
    if not isinstance(function, ast.FunctionDef):
        return []
    parameters = set(parameters_of(function, by_place=True))
    shared = parameters.intersection(*(_numbers_in(site.node) for site in sites))
    given = [
        site
        for name in shared
        if (known := flow.arguments(Site(sites[0].module, function), name)) is not None
        for site, _ in known.found
    ]
    return given if len(shared) == 1 and len(given) == 1 else []


def _numbers_in(node: ast.AST) -> set[str]:
    """Return ``{"rows"}`` of `[jar() for _ in range(rows)]` and of `torch.randn(rows, 12)`."""
    return {
        each.id
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and last_name(call.func) in ("range", *shapes.MAKERS)
        for each in call.args
        if isinstance(each, ast.Name)
    }


def _arguments_of_trainer(trail: Trail) -> list[Site]:
    """`TrainingArguments(…)`, or a library's own kind, where Transformers makes the loader."""
    if not _is_of_transformers(trail):
        return []
    return [
        site
        for name, sites in trail.program.all_calls.items()
        if name.endswith((loaders.TRAINERS_ARGUMENTS, _CONFIGURATION))
        for site in sites
        if name.endswith(loaders.TRAINERS_ARGUMENTS) or _has_keyword(site, _OF_TRAINING)
    ]


def _trainer(trail: Trail) -> list[Site]:
    """`Trainer(…)`, or a library's own kind of it: it takes the collator of the batches."""
    if not _is_of_transformers(trail):
        return []
    return [
        site
        for name, sites in trail.program.all_calls.items()
        if name.endswith("Trainer")
        for site in sites
        if _has_keyword(site, ("train_dataset", "args"))
    ]


def _is_of_transformers(trail: Trail) -> bool:
    return loaders.is_transformers(frame.file for frame in trail.flow.stack)


def _has_keyword(site: Site, names: Iterable[str]) -> bool:
    call = site.node
    return isinstance(call, ast.Call) and any(keyword(call, name) is not None for name in names)


def _for_training(loaders: list[Site]) -> list[Site]:
    """Of several loaders the one that says that it is for training: it is shuffled, or named so."""
    if len(loaders) < 2:
        return loaders
    return [site for site in loaders if _says_training(site)] or loaders


def _for_evaluation(loaders: list[Site]) -> list[Site]:
    """Find loaders that do not say that they are for training: samples are drawn without any."""
    return [site for site in loaders if not _says_training(site)]


def _says_training(loader: Site) -> bool:
    return isinstance(loader.node, ast.Call) and (
        is_constant(keyword(loader.node, "shuffle"), value=True)
        or "train" in scope_name(loader.scope)
        or any("train" in name for name in _assigned_names(loader))
    )


def _is_of_evaluation(trail: Trail) -> bool:
    """Return whether the batches are those of an evaluation, as far as our records tell."""
    return bool(trail.compiles) and all(found.is_of_evaluation for found in trail.compiles)


def _assigned_names(site: Site) -> set[str]:
    parent = site.module.parents.get(site.node)
    return {last_name(target) for target in (targets_of(parent) if parent is not None else ())}


def _feeding_loop(trail: Trail, loop: Site) -> Iterator[Site]:
    if not isinstance(loop.node, ast.For | ast.AsyncFor):
        return
    yield from trail.flow.feeding(Site(loop.module, loop.node.iter))
    # `for start in range(0, n, 8): batch = data[start : start + 8]`
    targets = names_in_target(loop.node.target)
    for node in ast.walk(loop.node):
        if isinstance(node, ast.Subscript) and names_in(node.slice) & targets:
            yield Site(loop.module, node)


def names_in_target(node: ast.expr) -> set[str]:
    """Return the variables that ``node`` binds."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_loader(site: Site) -> bool:
    """Return whether it makes a loader that keeps a short batch; `partial(DataLoader, …)` too."""
    node = site.node
    if not isinstance(node, ast.Call) or last_name(callee_of(node)) not in loaders.BATCHING:
        return False
    if keyword(node, "batch_sampler") is not None:
        return False
    return not is_constant(keyword(node, _DROP_LAST), value=True)


def _splits(site: Site) -> bool:
    """Return a slice that begins where another one ends, or a call that cuts into equal pieces."""
    node = site.node
    if isinstance(node, ast.Subscript):
        cut = (
            node.slice.elts[0]
            if isinstance(node.slice, ast.Tuple) and node.slice.elts
            else node.slice
        )
        return (
            isinstance(cut, ast.Slice)
            and cut.lower is not None
            and not isinstance(cut.lower, ast.Constant)
            and cut.upper is not None
            and bool(names_in(cut.lower) & names_in(cut.upper))
        )
    return (
        isinstance(node, ast.Call)
        and last_name(node.func) in shapes.CUTS
        and _is_of_rows(site)
        and not (isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant))
    )


def _is_of_rows(site: Site) -> bool:
    """Return whether a call cuts between rows; `gates.chunk(2, -1)` cuts each of them."""
    call = site.node
    assert isinstance(call, ast.Call)
    is_method = root_name(call.func) not in site.module.library_names
    given = keyword(call, "dim") or next(iter(call.args[1 if is_method else 2 :]), None)
    is_of_tensors = last_name(call.func) in shapes.SPLITS_OF_TENSORS
    return not is_of_tensors or given is None or is_constant(given, value=0)


def varying_length(trail: Trail) -> list[Site]:
    """Find where a length is decided: the collate function, a pad, a crop, a slice of the input.

    Where dynamic sizes are turned off it is what turns them off, unless a blank tensor is made of
    that size, and where one compile made a size dynamic the compiler's call: no length is to be
    changed.
    """
    if trail.finding.subject.size_kind == "turned_off" and (made := allocation(trail)):
        return [made]
    compiler = _compiler(trail)
    if compiler:
        return compiler
    flow, given = trail.flow, argument(trail)
    deciding = _deciding(trail)
    decided = _the_one(deciding, flow) or (deciding if given is None else [])
    if decided:
        return decided
    collates = [
        found
        for call in trail.program.sites(ast.Call)
        if isinstance(call.node, ast.Call) and (collator := _collator(call.node)) is not None
        for found in _collating(trail, Site(call.module, collator))
    ]
    if collates:
        return unique(collates)
    flexible = [
        site
        for site in trail.program.sites(ast.Call)
        if isinstance(site.node, ast.Call)
        and (padding := keyword(site.node, "padding")) is not None
        and (is_constant(padding, value=True) or is_text(padding, "longest"))
    ]
    for found in (
        flexible,
        _growing(trail),
        [
            site
            for site in trail.program.calls(*_PADS, *_RESIZES)
            if _has_variable(site) and not _is_own(trail, site)
        ],
        [
            site
            for site in (*trail.program.sites(ast.Subscript), *trail.program.calls("slice"))
            if _cuts(site)
        ],
        [
            site
            for site in trail.program.calls(*shapes.MAKERS)
            if _has_variable(site) and not _is_made_to_fit(site)
        ],
    ):
        inside = (
            [site for site in found if flow.is_in_steps(site)]
            if given is None
            else given.of_those(found)
        )
        if inside:
            return _first_of_one_length(flow.nearest(unique(inside)))
    # A tokenizer or collator that a trainer was given, called by the library, or that it was not.
    given_one = unique([*flexible, *trail.program.calls("DataCollatorWithPadding")])
    return given_one or _trainer(trail) or (_masked(trail) if given is None else call(trail))


def _masked(trail: Trail) -> list[Site]:
    """Find where a mask picks rows of what no variable of the loop holds: `edges[:, rand >= p]`."""
    flow = trail.flow

    def is_mask(index: ast.expr, site: Site) -> bool:
        if isinstance(index, ast.Name):
            return any(is_compared(one.node) for one in flow.assigned(index.id, site))
        return is_compared(index)

    def is_compared(node: ast.AST) -> bool:
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Invert) and is_compared(node.operand)
        if isinstance(node, ast.BinOp):
            is_logical = isinstance(node.op, ast.BitAnd | ast.BitOr)
            return is_logical and (is_compared(node.left) or is_compared(node.right))
        return isinstance(node, ast.Compare)

    return flow.nearest(
        site
        for site in trail.program.sites(ast.Subscript)
        if isinstance(site.node, ast.Subscript)
        and isinstance(site.node.ctx, ast.Load)
        and flow.is_in_steps(site)
        and has_graph(site)
        and any(
            is_mask(index, site) for index in getattr(site.node.slice, "elts", (site.node.slice,))
        )
    )


def _is_made_to_fit(site: Site) -> bool:
    """Return whether a tensor is made as long as another is: `torch.zeros(len(batch), width)`."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr in ("shape", "size"))
        or (isinstance(node, ast.Call) and last_name(node.func) == "len")
        for node in ast.walk(site.node)
    )


def _compiler(trail: Trail) -> list[Site]:
    """Find what `torch.compile` gets for ``dynamic``, or its one call, if that is to change."""
    kind = trail.finding.subject.size_kind
    if kind not in ("turned_off", "became_dynamic"):
        return []
    calls = [site for site in trail.program.calls("compile") if not _is_of_expressions(site)]
    if kind == "became_dynamic":
        return calls if len(calls) == 1 else []
    settings = [one for one in trail.options.of_all(calls, _DYNAMIC) if one.may_be_off]
    known = [one for one in settings if one.is_off]
    # What is read from a file is set beside the call; the line that reads it says nothing of it.
    written = unique(one.call if one.is_hidden else one.site for one in known or settings)
    return written or [
        site
        for site in trail.program.sites(ast.Assign)
        if isinstance(site.node, ast.Assign)
        and any(last_name(target) == _AUTOMATIC for target in site.node.targets)
    ]


def _is_of_expressions(site: Site) -> bool:
    """Return whether it is `re.compile`."""
    return isinstance(site.node, ast.Call) and root_name(site.node.func) == "re"


def _growing(trail: Trail) -> list[Site]:
    """Return where a variable is made longer in each round: `text = torch.cat([text, word], 1)`."""
    return [
        site
        for site in trail.program.calls(*shapes.CONCATENATES, "append")
        if isinstance(parent := site.module.parents.get(site.node), ast.Assign)
        and {last_name(target) for target in parent.targets} & (names_in(site.node) - {""})
        and trail.flow.is_in_steps(site)
        and _is_in_rounds(site, parent)
    ]


def _is_in_rounds(site: Site, assigned: ast.Assign) -> bool:
    """Return whether a variable outlives this: in a loop around it, or outside of its function."""
    scope = site.scope
    if not isinstance(scope, FunctionNode) or any(
        isinstance(target, ast.Attribute) for target in assigned.targets
    ):
        return True
    around = site.module.around(site.node)
    return any(
        isinstance(part, LOOPS) for part in takewhile(lambda part: part is not scope, around)
    )


def _collator(call: ast.Call) -> ast.expr | None:
    """Find what makes a batch of samples: an argument of a loader, or of a trainer with one."""
    if last_name(call.func) in loaders.BATCHING:
        return keyword(call, "collate_fn")
    return keyword(call, "data_collator")


def _collating(trail: Trail, given: Site) -> list[Site]:
    """Find the lines of a collate function that decide about the length."""
    functions: list[Site] = []
    for site in trail.flow.feeding(given):
        name = last_name(site.node)
        if isinstance(site.node, ast.Constant) and isinstance(site.node.value, str):
            name = site.node.value.rpartition(".")[2]  # as a configuration names it
        functions += trail.program.functions.get(name, ())
        functions += trail.program.method(name, "__call__")
        if isinstance(site.node, ast.Lambda):
            functions.append(site)
    for function in functions:
        calls = [
            Site(function.module, node)
            for node in ast.walk(function.node)
            if isinstance(node, ast.Call)
        ]
        for names in (("pad_sequence", "pad_packed_sequence"), ("max",), (*_PADS, *_RESIZES)):
            found = [
                site
                for site in calls
                if last_name(site.node.func) in names  # type: ignore[union-attr]
                and (names != ("max",) or len(site.node.args) == 1)  # type: ignore[union-attr]
            ]
            if found:
                return found[:1]
    return _making(trail, functions)[:1] or functions[:1]


def _making(trail: Trail, functions: Iterable[Site]) -> list[Site]:
    """Find what a collate function makes the thing of that varied: `Batch(bonds=cat(…))`."""
    name = (trail.finding.subject.path.names or ("",))[-1]
    made: list[Site] = []
    for function in functions if name.isidentifier() else ():
        for node in ast.walk(function.node):
            if isinstance(node, ast.keyword) and node.arg == name:
                made.append(Site(function.module, node.value))
            elif isinstance(node, ast.Assign) and name in map(last_name, targets_of(node)):
                made.append(Site(function.module, node))
            elif isinstance(node, ast.Dict):
                made += [
                    Site(function.module, value)
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant) and key.value == name
                ]
    return [site for site in made if isinstance(getattr(site.node, "value", site.node), ast.Call)]


def _has_variable(site: Site) -> bool:
    """Return a call with a size that is a variable: `randn(8, length)`."""
    node = site.node
    assert isinstance(node, ast.Call)
    arguments = [*node.args, *(given.value for given in node.keywords if given.arg == "size")]
    return any(
        isinstance(part, ast.Name | ast.Attribute | ast.BinOp | ast.Call)
        for given in arguments
        for part in parts_of(given)
    )


def _is_own(trail: Trail, site: Site) -> bool:
    """Return a call of the program's own function, which has a line inside that says more."""
    return isinstance(site.node, ast.Call) and bool(trail.names.callees(site.node))


def _cuts(site: Site) -> bool:
    """Return a slice with a bound that is a variable: `x[:, :length]`, `slice(start, end)`."""
    node = site.node
    if isinstance(node, ast.Call):
        return any(names_in(bound) for bound in node.args)
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return False
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return any(
        isinstance(part, ast.Slice)
        and any(bound is not None and bool(names_in(bound)) for bound in (part.lower, part.upper))
        for part in parts
    )


def _first_of_one_length(sites: list[Site]) -> list[Site]:
    """Return the first of several lines that use one length, else all of them."""
    if len(sites) > 1:
        common = set.intersection(*(names_in(site.node) for site in sites))
        if common - {"torch", "F", "functional", "self"}:
            return sites[:1]
    return sites


def picked_rows(trail: Trail) -> list[Site]:
    """Find the operation whose result has as many rows as the data say (CA403)."""
    known = operation(trail)
    if known:
        return known
    found = list(filter(_has_one_argument, trail.program.calls(*shapes.BY_VALUE, "where")))
    return [site for site in unique(found) if trail.flow.is_in_steps(site)]


def _has_one_argument(site: Site) -> bool:
    """`where(mask)` gives indices, `where(mask, a, b)` does not."""
    node = site.node
    return isinstance(node, ast.Call) and (last_name(node.func) != "where" or len(node.args) == 1)


def operation(trail: Trail) -> list[Site]:
    """Find the operation itself, where its line was noted."""
    site = trail.program.at(trail.operation)
    return [] if site is None else [site]


def index(trail: Trail) -> list[Site]:
    """Find the subscript or size with the changing index (CA104)."""
    known = operation(trail)
    if known:
        return known
    found = [
        site
        for site in trail.program.sites(ast.Subscript)
        if isinstance(site.node, ast.Subscript)
        and isinstance(site.node.ctx, ast.Load)
        and isinstance(site.node.slice, ast.Name | ast.BinOp)
        and trail.flow.is_in_steps(site)
    ]
    found += [
        site
        for site in trail.program.calls("select", "narrow", "index_select")
        if trail.flow.is_in_steps(site)
    ]
    return unique(found)
