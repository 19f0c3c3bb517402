from __future__ import annotations

from ca_reports.model import Frame
from ca_reports.stack import is_internal, own_frame, user_frames

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
