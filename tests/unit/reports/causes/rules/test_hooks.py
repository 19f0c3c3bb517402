"""Hooks, and the guards on what they read."""

from __future__ import annotations

from ca_reports.causes.findings import KeptByHook
from tests.unit.reports.causes.rules.captured import (
    captures,
    findings,
    hook,
    hooked,
    recompile,
)


def test_state_of_a_hook_is_named_as_the_hook_names_it() -> None:
    made = captures(hooked(hook("main.<locals>.Log.__call__")))
    guards = ("not hooks[0].norms", "len(hooks[0].norms) == 1")
    compiles = tuple(recompile(number, text) for number, text in enumerate(guards, 1))
    (found,) = findings(made, compiles)
    assert (found.code, found.count) == ("CA303", 2)
    assert "`Log.__call__` on head.weight" in found.message
    assert "`self.norms`" in found.fix
    assert found.location is not None
    assert found.location.line == 3


def test_the_line_that_reads_the_state_is_the_location() -> None:
    text = (
        "hooks[0].calls == 1  # self.calls += 1  # hooks.py:5 in __call__\nUser stack trace:\n"
        '  File "<eval_with_key>.1", line 3, in forward\n    call_hook = call_hook(...)\n'
        '  File "/home/me/hooks.py", line 5, in __call__\n    self.calls += 1\n'
    )
    (found,) = findings(captures(hooked(hook("Log.__call__"))), (recompile(1, text),))
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/home/me/hooks.py", 5)


def test_a_number_in_a_hook() -> None:
    made = captures(hooked(hook("<lambda>")))
    (found,) = findings(made, (recompile(1, "hooks[0].__defaults__[0] == 1.0"),))
    assert found.code == "CA304"
    assert "the default arguments" in found.message
    assert "torch.tensor(1.0)" in found.fix


def test_what_is_computed_from_a_hooks_number_is_the_same_cause() -> None:
    cell = "hooks[0].__closure__[1].cell_contents"
    guards = (f"{cell} == 0", f"(((torch.sym_float((-1) + ((-1)*{cell}))) / 4.0)) == (-0.5)")
    made = captures(hooked(hook("fade")))
    recompiles = tuple(recompile(at, guard) for at, guard in enumerate(guards, 1))
    (found,) = findings(made, recompiles)
    assert (found.code, found.count) == ("CA304", 2)
    assert found.message.endswith("hook `fade` on head.weight was 0 and then changed")
    (found,) = findings(made, recompiles[1:])
    assert found.message.endswith("the closure of tensor hook `fade` on head.weight changed")
    assert found.fix.startswith("put a tensor into the closure instead of the number, if")


def test_a_number_that_a_partial_binds_is_one_of_the_hook() -> None:
    made = captures(hooked(hook("clip")))
    (found,) = findings(made, (recompile(1, "hooks[0].keywords['limit'] == 1.0"),))
    assert found.code == "CA304"
    assert "a number in the bound argument `limit` of tensor hook `clip`" in found.message
    assert found.fix.startswith("put a tensor into the bound argument `limit` instead of the")


def test_a_list_in_a_closure_is_state() -> None:
    made = captures(hooked(hook("note")))
    text = "len(hooks[0].__closure__[0].cell_contents) == 1"
    (found,) = findings(made, (recompile(1, text),))
    assert found.code == "CA303"


def test_a_key_that_a_dict_lacks_is_no_state_to_keep_in_a_tensor() -> None:
    made = captures(hooked({**hook("Store.unpack"), "kind": "unpack_hook"}))
    texts = [f"KeyError on hooks[0].__self__.host[{key}]" for key in (1, 7)]
    (found,) = findings(made, tuple(recompile(at, text) for at, text in enumerate(texts, 1)))
    assert isinstance(found.detail, KeptByHook)
    assert found.detail.lacks == 1
    assert found.detail.attribute == "host"
    assert found.fix.startswith("fill `self.host` under the same keys in each step")


def test_no_name_of_dynamos_reaches_the_user() -> None:
    made = captures(hooked(hook("Log.note")))
    (of_method,) = findings(made, (recompile(1, "len(hooks[0].__self__.norms) == 1"),))
    assert "`self.norms`" in of_method.fix
    assert "first failed guard: len(self.norms) == 1" in of_method.message
    (of_object,) = findings(
        captures(hooked(hook("Log.__call__"))), (recompile(1, "hooks[0].seen == 1"),)
    )
    assert of_object.message.endswith("first failed guard: self.seen == 1")
    # `functools.partial(clip, limit=1.0)`, and an attribute of a function.
    for guard, told in (
        ("hooks[0].keywords['log'].seen", "log.seen"),
        ("hooks[0].func.seen", "clip.seen"),
    ):
        (found,) = findings(captures(hooked(hook("clip"))), (recompile(1, f"{guard} == 1"),))
        assert f"`{told}`" in found.fix
        assert found.message.endswith(f"first failed guard: {told} == 1")
    cell = "len(hooks[0].__closure__[0].cell_contents) == 1"
    (of_closure,) = findings(made, (recompile(1, cell),))
    assert of_closure.fix.startswith("keep a variable of the hook's closure in a tensor that ")
    assert "hooks[0]" not in of_closure.fix + of_closure.message


def test_guards_on_other_things_are_not_the_hooks() -> None:
    made = captures(hooked(hook("note")))
    text = "tensor 'inputs[1]' size mismatch at index 0. expected 4, actual 8"
    codes = {found.code for found in findings(made, (recompile(1, text),))}
    assert not codes & {"CA301", "CA302", "CA303", "CA304"}
