"""A traceback's text → the exception, the line that called what was compiled, and the stage."""

from __future__ import annotations

from ca_reports.run.build.errors import failure

TORCH = "/v/site-packages/torch"
FORWARD = f"""Traceback (most recent call last):
  File "/t/train.py", line 17, in main
    fast(x)
  File "{TORCH}/_dynamo/eval_frame.py", line 1183, in compile_wrapper
    raise e.remove_dynamo_frames() from None
  File "{TORCH}/_dynamo/output_graph.py", line 3147, in _call_user_compiler
    raise BackendCompilerFailed(
  File "/t/backends.py", line 7, in picky
    raise NotImplementedError("no kernel")
torch._dynamo.exc.BackendCompilerFailed: backend='picky' raised:
NotImplementedError: no kernel
"""
BACKWARD = f"""Traceback (most recent call last):
  File "/t/train.py", line 21, in torch_dynamo_resume_in_main_at_20
    loss.backward()
  File "{TORCH}/autograd/graph.py", line 979, in _engine_run_backward
    return Variable._execution_engine.run_backward(
  File "/src/engine/runs.py", line 144, in run
    result = wrapper(*args)
  File "{TORCH}/_dynamo/convert_frame.py", line 2102, in _compile
    guarded_code = compile_inner(code)
torch.fx.experimental.symbolic_shapes.ConstraintViolationError: Constraints violated
"""
GRAPH = f"""Traceback (most recent call last):
  File "/t/train.py", line 12, in <module>
    fast(table, i)
  File "{TORCH}/_dynamo/eval_frame.py", line 1166, in compile_wrapper
    result = fn(*args, **kwargs)
  File "/t/train.py", line 5, in pick
    def pick(table, i):
  File "<eval_with_key>.1 from {TORCH}/fx/x.py:1738 in wrapped", line 9, in forward
  File "{TORCH}/_ops.py", line 875, in __call__
    return self._op(*args, **kwargs)
IndexError: index 9 is out of bounds
"""


def test_the_call_is_the_users_before_dynamo_and_not_what_it_ran() -> None:
    found = failure(FORWARD, "err.txt", 3)

    assert found.called_from is not None
    assert (found.called_from.line, found.called_from.code) == (17, "fast(x)")
    assert found.text.startswith("BackendCompilerFailed: backend='picky' raised:\nNotImpl")
    assert (found.stage, found.in_backward, found.file, found.line) == (
        "compile", False, "err.txt", 3,
    )  # fmt: skip


def test_a_backward_is_called_where_autograds_engine_begins() -> None:
    found = failure(BACKWARD, "err.txt", 1)

    assert found.called_from is not None
    assert (found.called_from.line, found.called_from.function) == (21, "main")
    assert (found.type, found.stage, found.in_backward) == (
        "ConstraintViolationError", "compile", True,
    )  # fmt: skip


def test_what_a_graph_raises_when_it_runs_is_of_no_compile() -> None:
    found = failure(GRAPH, "err.txt", 1)

    assert (found.type, found.stage) == ("IndexError", "graph")
    assert found.called_from is not None
    assert found.called_from.line == 12


def test_any_text_is_something() -> None:
    assert failure("", "err.txt", 1).text
    assert failure("Traceback (most recent call last):\n\n", "err.txt", 1).text
