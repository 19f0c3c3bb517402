"""Paths of what guards read: taken apart, put together, said as users write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ca_engine.guards import MAX_EXPRESSION
from ca_reports.facts.guard_paths import (
    GuardPath,
    guard_path,
    paths_in,
    readable,
    referring,
    verbatim,
)
from ca_reports.words.references import Reference, parts, plain

WORDS = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda word: word not in ("args", "keywords", "hooks") and not word.endswith("_hooks")
)
# How Dynamo writes a step, and what it is.
STEPS = st.one_of(
    WORDS.map(lambda word: (f".{word}", "attribute", word)),
    WORDS.map(lambda word: (f"._modules['{word}']", "module", word)),
    WORDS.map(lambda word: (f"._parameters['{word}']", "parameter", word)),
    WORDS.map(lambda word: (f"._buffers['{word}']", "buffer", word)),
    WORDS.map(lambda word: (f".keywords['{word}']", "keyword", word)),
    st.text(max_size=6).map(lambda key: (f"[{key!r}]", "item", key)),
    st.integers(0, 9).map(lambda at: (f"[{at}]", "item", at)),
    st.integers(0, 9).map(lambda at: (f".__closure__[{at}].cell_contents", "cell", at)),
    st.integers(0, 9).map(lambda at: (f".__defaults__[{at}]", "default", at)),
    WORDS.map(lambda word: (f".{word}[list(dict.keys(x.{word}))[0]]", None, None)),
    st.just((".size()", None, None)),
)


@given(
    WORDS,
    st.sampled_from(["{}", "L['{}']", "G['{}']"]),
    st.lists(STEPS, max_size=5),
)
def test_a_path_is_taken_apart_as_it_was_put_together(
    root: str, scope: str, steps: list[tuple[str, str | None, str | int | None]]
) -> None:
    text = scope.format(root) + "".join(written for written, _, _ in steps)
    path = guard_path(text)
    assert (path.root, path.scope) == (root, scope[0].strip("{"))
    begin = scope.format(root)
    assert begin + "".join(step.text for step in path.steps) == path.text == text
    if all(kind is not None for _, kind, _ in steps):
        assert [(step.kind, step.key) for step in path.steps] == [(b, c) for _, b, c in steps]
    assert guard_path(path.in_frame).names == path.names
    assert path.holder.text == text[: len(text) - len(path.steps[-1].text if path.steps else text)]
    assert not path.steps or path.holder.leads_to(path) or path.kind == "call"


@given(st.one_of(st.text(), st.text("()[]'\"\\.aL_0")))
def test_any_text_is_some_path(text: str) -> None:
    path = guard_path(text)
    assert path.text == text
    for name in dir(GuardPath):
        getattr(path, name)
    readable(text)
    assert all(one.root for one in paths_in(text))


@pytest.mark.parametrize(
    "part", ["a(", "a[", "'", "\\'", "a.", "_forward_hooks[", "a('", "args[0]["]
)
def test_no_text_takes_long(part: str) -> None:
    text = part * (MAX_EXPRESSION // len(part))
    begun = time.process_time()
    guard_path.__wrapped__(text)
    readable.__wrapped__(text)
    referring.__wrapped__(text)
    verbatim.__wrapped__(text)
    list(paths_in(text))
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("L['self']._modules['attn'].scale", "self.attn.scale"),
        ("self.slope", "self.slope"),
        ("L['self']._modules['layers']._modules['0'].training", "self.layers.0.training"),
        ("fn._parameters['weight']", "fn.weight"),
        ("self.__dict__['_modules']['attn'].keys", "self.attn.keys"),
        ("L['self'].__dict__['slope']", "self.slope"),
        ("L['config']['slope']", "config['slope']"),
        ("G['slope']", "slope"),
        ("G['__import_losses'].WEIGHT", "losses.WEIGHT"),
        ("G['__import_einops_dot__backends']._type2backend", "einops._backends._type2backend"),
        ("L['important'].x", "important.x"),
        ("___from_numpy(L['level'])", "level"),
        ("___from_numpy(self.levels)", "self.levels"),
        ("self.param_groups[0]['lr']", 'group["lr"]'),
        ("G['optimizer'].param_groups[1]['betas'][0]", 'group["betas"][0]'),
        ("hooks[0].__self__.scale", "self.scale"),
        ("hooks[2].func.__self__.scales['w']", "self.scales['w']"),
        (
            "self._modules['conv']._forward_hooks[list(dict.keys("
            "self._modules['conv']._forward_hooks))[0]].__closure__[1].cell_contents.latest",
            "a hook of self.conv's closure.latest",
        ),
    ],
)
def test_a_path_is_said_as_the_program_writes_it(source: str, told: str) -> None:
    assert readable(source) == told


@pytest.mark.parametrize(
    ("source", "unnamed", "rest"),
    [
        ("args[1]", "args[1]", ""),
        ("args[0].state['step']", "args[0]", ".state['step']"),
        ("args[0]._modules['1'].p", "args[0]", ".1.p"),
        ("args[0].state[list(dict.keys(args[0].state))[0]]", "args[0]", ".state[…]"),
        ("kwargs['ids'].rows", "kwargs['ids']", ".rows"),
        ("fn._modules['0'].scale", "fn", ".0.scale"),
        ("batch['args'][0]", "", ""),
        ("self.args[0]", "", ""),
        ("G['args'][0]", "", ""),
        ("kwargs[0]", "", ""),
        ("fn(x)", "", ""),
        ("args", "", ""),
    ],
)
def test_what_the_program_has_no_name_for_is_referred_to(
    source: str, unnamed: str, rest: str
) -> None:
    told = str(Reference(unnamed, rest)) if unnamed else readable(source)
    assert referring(source) == told
    assert plain(verbatim(f"not {source} == 3")) == f"not {source} == 3"
    assert bool(parts(verbatim(source))[1]) is bool(unnamed)


def test_the_variable_of_a_hooks_closure_is_referred_to() -> None:
    cell = "hooks[0].__closure__[2].cell_contents"
    assert verbatim(f"len({cell}) == 1") == f"len({Reference(cell)}) == 1"
    assert guard_path(cell).cell == 2


@given(st.text("args[0]kw'x'fn.(\" +"))
def test_a_guard_is_verbatim(text: str) -> None:
    assert plain(verbatim(text)) == text


def test_a_hook_without_a_name_keeps_its_number() -> None:
    assert readable("hooks[1].func.norms") == "hooks[1].func.norms"
    assert readable("hooks[1].__defaults__[0]") == "hooks[1].__defaults__[0]"


def test_the_module_of_a_hook() -> None:
    for source in ("a._forward_hooks", "a._forward_hooks[3]", "a._forward_hooks[3].__call__"):
        assert guard_path(source).is_of_hooks
        assert guard_path(source).hooked.text == "a"
    kept = guard_path("a._forward_hooks[3].__closure__[0].cell_contents")
    assert not kept.is_of_hooks


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("hooks[1].__defaults__[0] == 2", "clip.__defaults__[0] == 2"),
        ("hooks[1].keywords['share'] == 2", "share == 2"),
        ("len(hooks[0].func.norms) == 1", "len(clip.norms) == 1"),
        ("len(hooks[0].__self__.norms) == 1", "len(self.norms) == 1"),
    ],
)
def test_a_hook_is_called_by_its_name(source: str, told: str) -> None:
    assert readable(source, "clip") == told


@pytest.mark.parametrize(
    ("source", "entry"),
    [
        ("self.param_groups[0]['lr']", (0, "lr", None)),
        ("L['self'].param_groups[12]['betas'][1]", (12, "betas", 1)),
        ("self.param_groups", None),
        ("self.groups[0]['lr']", None),
    ],
)
def test_an_entry_of_a_parameter_group(source: str, entry: tuple[int, str, int | None]) -> None:
    assert guard_path(source).group_entry == entry


def test_a_gradient_of_a_group() -> None:
    assert guard_path("self.param_groups[0]['params'][3].grad").is_gradient
    assert not guard_path("self.param_groups[0]['lr']").is_gradient


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("self._modules['0']._parameters['weight']", True),
        ("fn._buffers['mean']", True),
        ("self.weight", True),  # computed before each call
        ("self.weights", False),
        ("x", False),
    ],
)
def test_what_a_module_holds(source: str, expected: bool) -> None:
    assert guard_path(source).is_parameter is expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("head._parameters['bias']", "head"),
        ("job.head._parameters['bias']", "job.head"),
        ("net.body._modules['0']._parameters['bias']", "net.body"),
        ("self.head._parameters['bias']", ""),
        ("jobs[0]._parameters['bias']", ""),
        ("x", ""),
    ],
)
def test_a_module_that_is_given_or_held_by_what_is_given(source: str, expected: str) -> None:
    assert guard_path(source).given_module == expected


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("L['self']._modules['attn'].scale", ["self", "attn", "scale"]),
        ("L['self']._modules['attn']._parameters['weight']", ["self", "attn", "weight"]),
        ("L['self']._buffers['mask']", ["self", "mask"]),
        ("L['self'].__dict__['rate']", ["self", "rate"]),
        ("G['LIMITS']['train']", ["LIMITS", "train"]),
        ("L['xs'][0].rate", ["xs", "rate"]),
        ("L['f']().rate", []),
    ],
)
def test_a_path_has_the_names_that_the_source_has(source: str, names: list[str]) -> None:
    assert list(guard_path(source).names) == names


def test_places_are_parts() -> None:
    assert guard_path("batch['bonds'][0]").parts == ("bonds", 0)
    assert guard_path("x.size()").names == ()
    assert guard_path("___from_numpy(self.levels)").inner.names == ("self", "levels")


def test_the_frame_writes_its_variables_another_way() -> None:
    assert guard_path("ids").in_frame == "L['ids']"
    assert guard_path("kwargs['ids']").in_frame == "L['kwargs']['ids']"
    assert guard_path("self.cache.keys").in_frame == "L['self'].cache.keys"
    assert guard_path("G['table']").in_frame == "G['table']"


def test_an_expression_names_its_first_variable() -> None:
    texts = ("(n % 7) == 2", "Eq(Mod(s.n, 7), 2)", "not len(xs)", "x.size()[0] == 3", "1.0 == 2")
    given = ("torch.sym_float((-1)*s.n) / 4.0 == -0.5", "torch.sym_max(x.size()[0], n) == 2")
    assert [[one.text for one in paths_in(text)] for text in texts + given] == [
        ["n"],
        ["s.n"],
        ["xs"],
        ["x.size"],
        [],
        ["s.n"],
        ["x.size", "n"],
    ]
