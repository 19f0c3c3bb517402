"""What is recorded when Dynamo compiles a frame, for the first time and again."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

import torch

from ca_engine import guards, install, uninstall
from ca_engine.compat import patches
from ca_engine.recorder.call_times import _pair
from ca_engine.recorder.compiles import failing_beside
from tests import warm
from tests.engine.recorder.test_recorder import bare_environment, read_records

SCRIPT = """
import enum
import torch, torch._dynamo
from ca_engine import install
install()

class Mode(enum.Enum):
    TRAIN = 1
    EVAL = 2

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = 0

    def forward(self, x):
        self.steps += 1
        return x + self.steps

@torch.compile(backend="eager")
def scaled(batch, temperature, mode, **kwargs):
    if mode is Mode.EVAL:
        return batch["x"] * 2
    return batch["x"] / temperature if temperature > 0.5 else batch["x"]

x = torch.randn(4, 4)
scaled({"x": x}, 1.0, Mode.TRAIN, token="hush")
scaled({"x": x}, 0.9, Mode.TRAIN, token="hush")
scaled({"x": x}, 0.9, Mode.EVAL, token="hush")
scaled({"x": torch.randn(6, 4)}, 0.9, Mode.EVAL, token="hush")
net = torch.compile(Net(), backend="eager")
for _ in range(3):
    net(x)
"""


def record(folder: Path, script: str) -> list[dict[str, Any]]:
    """Record the script, and return what was noted at recompiles."""
    return [found for found in record_all(folder, script) if found["guards"]]


def record_all(folder: Path, script: str) -> list[dict[str, Any]]:
    return records_of(folder, script).get("ca_guards", [])


def records_of(folder: Path, script: str) -> dict[str, list[dict[str, Any]]]:
    """Record the script, and return our records of it by kind."""
    path = folder / "script.py"
    path.write_text(textwrap.dedent(script))
    trace = folder / "trace"
    done = warm.python().run([sys.executable, path], env=bare_environment(trace), cwd=folder)
    assert done.returncode == 0, done.stderr
    (log,) = (path for path in trace.glob("*.log") if b"ca_run" in path.read_bytes())
    return read_records(log)


def test_each_recompile_says_what_the_guarded_thing_holds_now(tmp_path: Path) -> None:
    records = record(tmp_path, SCRIPT)
    first = [guards["guards"][0] for guards in records]
    assert [(guard["failed"], guard["source"]) for guard in first] == [
        ("0/0", "temperature"),
        ("0/1", "mode"),
        ("0/2", "batch['x']"),
        ("1/0", "self.steps"),
        ("1/1", "self.steps"),
    ]
    held = [guard["held"] for guard in first]
    assert held[0] == {"type": "float", "value": 0.9}
    assert held[1]["value"] == "EVAL"
    assert held[2]["shape"] == [6, 4]
    assert [guard["value"] for guard in held[3:]] == [1, 2]
    arguments = records[2]["arguments"]
    assert arguments["batch['x']"]["shape"] == [6, 4]
    assert arguments["temperature"]["value"] == 0.9
    # What no guard asked for is not written: a text may be a password.
    assert arguments["kwargs['token']"] == {"type": "str"}
    assert "hush" not in str(records)


def test_each_recompile_says_what_the_loops_go_over_and_whether_gradients_are_kept(
    tmp_path: Path,
) -> None:
    script = """
    import torch
    from torch.utils.data import DataLoader
    from ca_engine import install
    install()

    @torch.compile(backend="eager", dynamic=False)
    def doubled(x):
        return x * 2

    def run(loader):
        for batch in loader:
            doubled(batch)

    def main():
        train_loader = DataLoader(list(torch.zeros(7, 3)), batch_size=4)
        run(train_loader)
        with torch.no_grad():
            run(DataLoader(list(torch.zeros(5, 3)), batch_size=5))

    main()
    """
    short, evaluation = record(tmp_path, script)
    assert short["training"] is None  # no module leads there

    known = [(one["variable"], one["samples"]) for one in short["loaders"]]
    assert known == [("loader", 7), ("train_loader", 7)]
    assert len({one["id"] for one in short["loaders"]}) == 1
    assert [one["samples"] for one in evaluation["loaders"]] == [5, 7]
    assert (short["gradients"], evaluation["gradients"]) == (True, False)


def test_a_compile_names_its_thread_unless_it_is_the_main_one(tmp_path: Path) -> None:
    script = """
    import threading
    import torch
    from ca_engine import install
    install()

    @torch.compile(backend="eager", dynamic=False)
    def doubled(x):
        return x * 2

    doubled(torch.ones(3))
    doubled(torch.ones(4))
    worker = threading.Thread(target=doubled, args=(torch.ones(5),), name="runner_0")
    worker.start()
    worker.join()
    """
    assert [one["thread"] for one in record(tmp_path, script)] == [None, "runner_0"]


def test_a_call_says_where_it_was_and_whether_its_result_is_dropped(tmp_path: Path) -> None:
    script = """
    import torch
    from ca_engine import install
    install()

    @torch.compile(backend="eager", dynamic=False)
    def doubled(x):
        return x * 2

    def warm():
        for size in (2, 3, 4):
            doubled(torch.ones(size))

    warm()
    total = doubled(torch.ones(5)) + 1
    for size in (2, 3):
        total = doubled(torch.ones(size)).sum()
    """
    records = records_of(tmp_path, script)
    assert [one["dropped"] for one in records["ca_guards"]] == [True, True, True, False]
    places = [record["places"][at][1] for record in records["ca_calls"] for at in record["place"]]
    assert places == [12, 15, 17, 17]


def test_inference_mode_is_told_from_no_grad(tmp_path: Path) -> None:
    script = """
    import torch
    from ca_engine import install
    install()

    @torch.compile(backend="eager")
    def doubled(x):
        return x * 2

    x = torch.ones(3)
    for mode in (torch.enable_grad, torch.inference_mode, torch.no_grad):
        with mode():
            doubled(x)
            doubled(x[:, None])
    """
    modes = [(one["gradients"], one["inference"]) for one in record(tmp_path, script)]
    assert list(dict.fromkeys(modes)) == [(True, False), (False, True), (False, False)]


def test_what_an_optimizers_step_calls_is_told_from_its_closure(tmp_path: Path) -> None:
    script = """
    import torch
    from ca_engine import install
    install()

    @torch.compile(backend="eager", dynamic=False)
    def doubled(x):
        return x * 2

    class Own(torch.optim.Optimizer):
        @torch.no_grad()
        def step(self, closure):
            with torch.enable_grad():
                closure()
            for group in self.param_groups:
                for parameter in group["params"]:
                    doubled(parameter)

    batches = [torch.ones(size) for size in (7, 8)]

    def forward():
        for batch in batches:
            doubled(batch)

    parameters = [torch.nn.Parameter(torch.zeros(size)) for size in (3, 4)]
    Own(parameters, {}).step(forward)
    """
    records = record(tmp_path, script)
    own = [(one["arguments"]["x"]["shape"], one["optimizer"]) for one in records]
    assert own == [([8], False), ([3], True), ([4], True)]


def test_a_step_that_leaves_gradients_on_is_an_optimizers(tmp_path: Path) -> None:
    # GIVEN a step that works on `.data`, once with a closure, whose forward is none of it
    script = """
    import torch
    from ca_engine import install
    install()

    @torch.compile(backend="eager", dynamic=False)
    def doubled(x):
        return x * 2

    class Own(torch.optim.Optimizer):
        def step(self, closure=None):
            if closure is not None:
                closure()
                return
            for group in self.param_groups:
                for parameter in group["params"]:
                    doubled(parameter.data)

    own = Own([torch.nn.Parameter(torch.zeros(size)) for size in (3, 4)], {})
    own.step(None)
    own.step(closure=lambda: doubled(torch.ones(7)))
    """
    records = record(tmp_path, script)
    own = [(one["arguments"]["x"]["shape"], one["optimizer"]) for one in records]
    assert own == [([4], True), ([7], False)]


def test_what_is_replaced_in_torch_is_given_back() -> None:
    from torch._dynamo import convert_frame

    frames: Any = convert_frame
    names = ("get_and_maybe_log_recompilation_reasons", "is_recompilation")
    before = [getattr(frames, name) for name in names]
    install()
    try:
        assert all(getattr(frames, name) is not it for name, it in zip(names, before, strict=True))
    finally:
        uninstall()
    assert [getattr(frames, name) for name in names] == before


def test_reasons_and_frame_reach_the_watcher() -> None:
    seen: list[tuple[str, list[str]]] = []
    first: list[str] = []
    undo = patches.watch_compiles(
        lambda frame: first.append(frame.f_code.co_name),
        lambda frame, reasons, _: seen.append((frame.f_code.co_name, reasons)),
    )

    def doubled(x: torch.Tensor, k: int) -> torch.Tensor:
        return x * k if k > 2 else x

    torch._dynamo.reset()
    try:
        compiled = torch.compile(doubled, backend="eager")
        compiled(torch.ones(2), 3)
        compiled(torch.ones(2), 4)
    finally:
        undo()
        torch._dynamo.reset()
    ((name, reasons),) = seen
    assert first == ["doubled"]
    assert name == "doubled"
    assert reasons[0].split(": ")[1].startswith("k == 3")


def test_the_caller_that_torch_leaves_out_is_in_the_stack(tmp_path: Path) -> None:
    # torch 2.13's own record of a compile has <module> and the compiled function, not `main`.
    script = """
        import torch
        from ca_engine import install
        install()

        @torch.compile(backend="eager")
        def doubled(x):
            return x * 2

        def main():
            doubled(torch.randn(4, 4))
            doubled(torch.randn(4))

        main()
    """
    (found,) = record(tmp_path, script)
    assert [frame["function"] for frame in found["stack"]][-2:] == ["<module>", "main"]
    assert found["stack"][-1]["line"] == 12
    assert found["stack"][-1]["code"] == ""


def test_a_first_compile_says_what_called_it_with_what(tmp_path: Path) -> None:
    script = """
        import torch
        from ca_engine import install
        install()

        @torch.compile(backend="eager")
        def doubled(x):
            return x * 2

        class Layer(torch.nn.Module):
            def forward(self, x):
                return doubled(x)

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.ModuleList([Layer(), Layer()])

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)[None]
                return x

        net = Net()
        for _ in range(2):
            net(torch.ones(3))
    """
    first, again = record_all(tmp_path, script)
    assert (first["guards"], len(again["guards"])) == ([], 1)
    assert first["arguments"]["x"]["shape"] == [3]
    assert [frame["line"] for frame in first["stack"][-3:]] == [26, 21, 12]
    assert [frame["line"] for frame in again["stack"][-3:]] == [26, 21, 12]
    # The script calls the net, which calls one layer and then the other.
    (none, net, layer), (_, same, other) = first["modules"][-3:], again["modules"][-3:]
    assert none is None
    assert net == same
    assert len({net, layer, other}) == 3


def test_a_model_of_a_class_of_torchs_is_told_apart_from_its_copy(tmp_path: Path) -> None:
    script = """
        import copy
        import torch
        from ca_engine import install
        install()

        net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
        frozen = copy.deepcopy(net).requires_grad_(False).eval()
        for model in (net, frozen):
            torch.compile(model, backend="eager")(torch.ones(2, 3))
    """
    first, again = record_all(tmp_path, script)
    identities = [one["arguments"]["fn"]["identity"] for one in (first, again)]
    assert len(set(identities)) == 2
    assert (first["training"], again["training"]) == (True, False)


def test_a_function_that_is_given_a_model_is_none_of_its_methods(tmp_path: Path) -> None:
    # GIVEN a function of the program's, and methods under other names for `self`, also decorated
    script = """
        import torch
        from ca_engine import install
        install()

        @torch.compile(backend="eager", dynamic=False)
        def doubled(x):
            return x * 2

        class Net(torch.nn.Module):
            def forward(s, x):
                return s.first(x)

            @torch.no_grad()
            def first(s, x):
                return s.second(x)

            @staticmethod
            def third(net, x):
                return doubled(x)

            def second(s, x):
                return s.third(s, x)

        def evaluate(net, x):
            return net(x)

        evaluate(Net(), torch.ones(3))
    """
    (first,) = record_all(tmp_path, script)
    assert first["training"] is True
    modules = dict(
        zip([frame["function"] for frame in first["stack"]], first["modules"], strict=True)
    )
    assert modules["evaluate"] is None
    assert len({modules[name] for name in ("forward", "first", "second", "third")} - {None}) == 1


def test_of_the_first_compile_of_a_captured_graph_nothing_is_noted(tmp_path: Path) -> None:
    script = """
        import torch, ca_engine
        ca_engine.install()
        x = torch.ones(3, requires_grad=True)
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")):
            x.exp().sum().backward()
    """
    assert record_all(tmp_path, script) == []


STEPS = """
    import torch
    import ca_engine
    ca_engine.install()

    @torch.compile(backend="aot_eager")
    def loss_of(x):
        return (x * 2).sum()

    for step in range(5):
        ca_engine.step(step)
        loss_of(torch.ones(3, requires_grad=True)).backward()
"""


def test_eager_backwards_and_named_steps_leave_their_times(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(STEPS))
    trace = tmp_path / "trace"
    warm.python().run(
        [sys.executable, tmp_path / "script.py"], env=bare_environment(trace), cwd=tmp_path
    )
    (log,) = (path for path in trace.glob("*.log") if b"ca_run" in path.read_bytes())
    batches = read_records(log)["ca_steps"]
    starts: dict[str, list[float]] = {"backward": [], "named": []}
    for batch in batches:
        starts[batch["of"]] += [batch["time"] + start for start in batch["start"]]
    # Five of each: those that AOT autograd runs while it traces are no steps.
    assert {of: len(found) for of, found in starts.items()} == {"backward": 5, "named": 5}
    assert starts["backward"] == sorted(starts["backward"])


CALLS = """
    import time
    import torch
    import ca_engine
    ca_engine.install()

    @torch.compiler.disable
    def waits():
        time.sleep(0.002)

    @torch.compile(backend="aot_eager", dynamic=False)
    def inner(x):
        return x * 2

    @torch.compile(backend="aot_eager", dynamic=False)
    def answer(x, scale):
        x = x * scale
        waits()                      # switches Dynamo's callback within the call
        return inner(x) + 1

    for scale in (1.5, 2.5):
        for request in range(5):
            answer(torch.ones(3), scale)
            time.sleep(0.02)         # the time between calls is nobody's
"""


def test_calls_after_a_recompile_leave_their_times(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(textwrap.dedent(CALLS))
    trace = tmp_path / "trace"
    warm.python().run(
        [sys.executable, tmp_path / "script.py"], env=bare_environment(trace), cwd=tmp_path
    )
    (log,) = (path for path in trace.glob("*.log") if b"ca_run" in path.read_bytes())
    batches = read_records(log)["ca_calls"]
    # One row a call: neither what is called within it nor what is not compiled ends it. That in
    # which the recompile was began before anybody looked.
    assert [number for batch in batches for number in batch["callable"]] == [0, 0, 0, 0]
    assert all(0.002 <= took < 0.02 for batch in batches for took in batch["seconds"])


def test_without_a_recompile_nothing_is_watched(tmp_path: Path) -> None:
    from torch._dynamo import eval_frame

    stock = eval_frame._maybe_set_eval_frame
    install()
    try:
        torch.compile(torch.sin, backend="eager")(torch.ones(2))
        assert eval_frame._maybe_set_eval_frame is stock
    finally:
        uninstall()


PLACE = ("train.py", 3)


def moments(*told: tuple[float, int, int], thread: int = 1) -> list[Any]:
    return [(at, call, back, thread, PLACE if back else None) for at, call, back in told]


def test_calls_are_paired_by_thread_and_the_outermost_counts() -> None:
    one = moments((0.0, 7, 70), (1.0, 8, 80), (2.0, 8, 70), (3.0, 7, 0), (4.0, 9, 70))
    two = moments((0.5, 6, 60), (2.5, 6, 0), thread=2)
    calls, begun = _pair(sorted(one + two), {1, 2})
    assert [tuple(call) for call in calls] == [(60, 0.5, 2.0, PLACE), (70, 0.0, 3.0, PLACE)]
    assert begun == [(4.0, 9, 70, 1, PLACE)]


def test_a_call_whose_begin_is_gone_is_left_out() -> None:
    # The end of an inner call, then that of the outer one; both begins were dropped.
    cut = moments((2.0, 8, 70), (3.0, 7, 0), (4.0, 7, 70), (5.0, 7, 0))
    calls, begun = _pair(cut, set())
    assert [tuple(call) for call in calls] == [(70, 4.0, 1.0, PLACE)]
    assert begun == []


BESIDE = """
import torch
from ca_engine import install
install()

class Cache:
    def __init__(self):
        self.keys = [None]

@torch.compile(backend="eager", dynamic=False)
def attend(tokens, cache, scale):
    kept = cache.keys[0]
    cache.keys[0] = tokens if kept is None else torch.cat([kept, tokens])
    return cache.keys[0] * scale

cache = Cache()
attend(torch.ones(4), cache, 2)      # 0/0
attend(torch.ones(1), cache, 3)      # tokens, the cache and the scale
cache.keys[0] = torch.ones(4)
with torch.autocast("cpu"):
    attend(torch.ones(1), cache, 3)  # a mode alone
"""


def test_what_fails_beside_the_first_guard_is_told(tmp_path: Path) -> None:
    both, mode = record(tmp_path, BESIDE)
    first = both["guards"][0]
    found = {first["source"]: first["held"]}
    for one in first["beside"]:
        guard = guards.parse(one["text"])[0]
        found[guard.source] = one["held"]
    assert set(found) == {"tokens", "cache.keys[0]", "scale"}
    assert found["cache.keys[0]"]["shape"] == [4]
    assert found["tokens"]["shape"] == [1]
    assert found["scale"]["value"] == 3
    assert mode["guards"][0]["beside"] == []


def test_asking_leaves_the_guards_as_they_were() -> None:
    """Guards that compare two tensors keep what they saw; what they saw in a copy is forgotten."""
    asked: list[list[str]] = []
    compiled = 0

    def counting(module: Any, _: Any) -> Any:
        nonlocal compiled
        compiled += 1
        return module.forward

    def again(frame: Any, reasons: list[str], root: Any) -> None:
        asked.append(failing_beside(root, frame.f_locals))

    undo = patches.watch_compiles(lambda _: None, again)

    def added(x: torch.Tensor, y: torch.Tensor, k: int, flag: bool) -> torch.Tensor:
        return (x + y) * k if flag else x - y

    torch._dynamo.reset()
    try:
        call = torch.compile(added, backend=counting, dynamic=False)
        x, y = torch.ones(2), torch.zeros(2)
        call(x, y, 3, True)
        call(x, y, 4, False)
        for _ in range(3):
            call(x, y, 3, True)
            call(y, x, 4, False)
            call(x.clone(), y, 3, True)
    finally:
        undo()
        torch._dynamo.reset()
    assert compiled == 2
    (beside,) = asked
    assert [text.split(" ")[0] for text in beside] in (["flag"], ["not"], ["k"])
