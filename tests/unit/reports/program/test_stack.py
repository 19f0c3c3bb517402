from __future__ import annotations

from dataclasses import replace

from ca_reports.program.stack import (
    function_pass,
    is_internal,
    is_recomputed,
    own_frame,
    user_frames,
)
from ca_reports.run.model import Frame

TORCH = "/venv/lib/torch"


def test_the_users_frames_of_a_captured_backward() -> None:
    user = Frame("/home/user/train.py", 8, "torch_dynamo_resume_in_step_at_7", "loss.backward()")
    stack = (
        user,
        Frame(f"{TORCH}/_tensor.py", 623, "backward", ""),
        Frame(f"{TORCH}/autograd/graph.py", 979, "_engine_run_backward", ""),
        Frame("/home/user/hook.py", 1, "hook", ""),
    )
    assert user_frames(stack, captured=True) == (
        Frame("/home/user/train.py", 8, "step", "loss.backward()"),
    )
    assert user_frames(stack[:1], captured=True) == ()
    assert len(user_frames(stack[:1], captured=False)) == 1


def test_the_users_line_is_above_what_python_s_own_library_calls() -> None:
    user = Frame("/home/user/train.py", 46, "main", "loss = compiled(x)")
    inside = (
        Frame("/venv/lib/python3.11/site-packages/torch/nn/parallel/distributed.py", 1757, "f", ""),
        Frame("/usr/lib/python3.11/contextlib.py", 105, "__init__", "self.gen = func(*args)"),
    )
    assert own_frame((user, *inside)) == user
    assert own_frame(inside) == inside[-1]


def test_what_a_hook_calls_below_a_captured_graph_is_the_users() -> None:
    torch = "/venv/lib/python3.11/site-packages/torch"
    entered = (
        Frame("/home/user/train.py", 8, "step", "loss.backward()"),
        Frame(f"{torch}/autograd/graph.py", 979, "_engine_run_backward", ""),
        Frame(f"{torch}/_dynamo/compiled_autograd.py", 1170, "runtime_wrapper", ""),
    )
    helper = Frame("/usr/lib/python3.11/inspect.py", 1762, "_check_class", "")
    hook = Frame("/home/user/train.py", 30, "hook", "step(parameter)")
    optimizer = Frame(f"{torch}/optim/sgd.py", 80, "step", "")
    generated = Frame("<eval_with_key>.7", 12, "forward", "")
    assert is_internal((*entered, generated, helper))
    assert not is_internal((*entered, generated, hook, optimizer))


PACKAGE = "/venv/lib/python3.11/site-packages/torch"
APPLY = Frame(f"{PACKAGE}/autograd/function.py", 625, "apply", "return super().apply(*args)")
CALL = Frame("/home/user/net.py", 36, "forward", "h = checkpoint(block, h, use_reentrant=True)")
INNER = Frame("/home/user/net.py", 23, "forward", "return gated(x)")


def test_a_reentrant_checkpoint_is_seen_on_both_stacks() -> None:
    file = f"{PACKAGE}/utils/checkpoint.py"
    outer = Frame(file, 511, "checkpoint", "return CheckpointFunction.apply(function, *args)")
    forward = function_pass((CALL, outer, APPLY, Frame(file, 274, "forward", ""), INNER))
    # A device's thread of autograd has no line of the user's above it.
    backward = function_pass((APPLY, Frame(file, 314, "backward", ""), INNER))
    assert forward is not None
    assert backward is not None
    assert (forward.caller, forward.is_backward, forward.is_checkpoint) == (CALL, False, True)
    assert (backward.caller, backward.is_backward, backward.is_checkpoint) == (None, True, True)
    assert backward.is_of(forward)


def test_a_compiled_function_that_the_method_itself_calls_is_seen_too() -> None:
    # `checkpoint(compiled, x, use_reentrant=True)`: torch's stacks lack the frame that calls.
    outer = Frame(f"{PACKAGE}/utils/checkpoint.py", 511, "checkpoint", "return Checkpoint…")
    engine = Frame(f"{PACKAGE}/autograd/graph.py", 979, "_engine_run_backward", "")
    block = replace(INNER, function="block")
    for compiled in (block, INNER):
        forward = function_pass((CALL, outer, APPLY, compiled))
        assert forward is not None
        assert (forward.caller, forward.is_backward, forward.is_checkpoint) == (CALL, False, True)
        backward = function_pass((CALL, engine, APPLY, compiled))
        assert backward is not None
        assert backward.is_backward
        assert backward.is_of(forward)
    of_user = function_pass((CALL, APPLY, block))
    assert of_user is not None
    assert (of_user.caller, of_user.is_backward, of_user.is_checkpoint) == (CALL, False, False)


def test_what_is_no_autograd_function_is_none() -> None:
    # A checkpoint that is not reentrant calls the block as it is; a user's own `apply` is none.
    direct = Frame(f"{PACKAGE}/utils/checkpoint.py", 513, "checkpoint", "ret = function(*args)")
    own = Frame("/home/user/net.py", 7, "apply", "return self.forward(x)")
    assert function_pass((CALL, direct, INNER)) is None
    assert function_pass((CALL, own, INNER)) is None
    assert function_pass(()) is None


def test_an_autograd_function_of_the_users_is_seen() -> None:
    own = Frame("/home/user/offload.py", 12, "forward", "out = block(x)")
    found = function_pass((CALL, APPLY, own, INNER))
    assert found is not None
    assert (found.method, found.caller, found.is_checkpoint) == (own, CALL, False)


def test_a_checkpoint_in_a_captured_backward_runs_the_programs_own_code() -> None:
    graph = Frame("<eval_with_key>.2", 39, "forward", "call_backward = …")
    called = Frame(f"{PACKAGE}/_dynamo/external_utils.py", 133, "call_backward", "grads = …")
    resumed = replace(called, function="torch_dynamo_resume_in_call_backward_at_133")
    checkpoint = Frame(f"{PACKAGE}/utils/checkpoint.py", 314, "backward", "outputs = …")
    module = Frame(f"{PACKAGE}/nn/modules/module.py", 1776, "_wrapped_call_impl", "")
    own = Frame("/home/user/net.py", 12, "forward", "return x + self.down(x)")
    assert is_recomputed((graph, called, checkpoint, module, own))
    assert is_recomputed((graph, resumed, checkpoint, own))
    passed = function_pass((graph, called, checkpoint, module, own))
    assert passed is not None
    assert (passed.is_backward, passed.is_checkpoint) == (True, True)
    # A hook, the method itself, torch's own code and a backward that is captured in there are not.
    hook = Frame(f"{PACKAGE}/_dynamo/external_utils.py", 80, "call_hook", "")
    assert not is_recomputed((graph, hook, own))
    assert not is_recomputed((graph, called, replace(own, function="backward")))
    assert not is_recomputed((graph, called, checkpoint, module))
    assert not is_recomputed((graph, called, checkpoint, graph, hook, own))
