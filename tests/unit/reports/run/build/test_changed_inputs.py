"""Inputs that a forward changes in place and its backward reads are found in AOT's graphs."""

from __future__ import annotations

import pytest

from ca_reports.run.build.changed_inputs import MAX_CHANGED, changed_in_place, read_after_change
from ca_reports.run.model import Frame

# As torch 2.13.0 writes them, cut.
FORWARD = b"""\
class GraphModule(torch.nn.Module):
    def forward(
        self,
        primals_1: "f32[][]cpu",  # PlainAOTInput(idx=0)
        primals_2: "f32[1, 6][6, 1]cpu",  # PlainAOTInput(idx=1)
    ):
        # File: /home/me/train.py:23 in forward, code: self.calls += 1
        add: "f32[][]cpu" = torch.ops.aten.add.Tensor(primals_1, 1)

        # File: /home/me/train.py:24 in forward, code: return self.inner(x) * self.calls
        mul: "f32[1, 6][6, 1]cpu" = torch.ops.aten.mul.Tensor(primals_2, add)

        # No stacktrace found for following nodes
        copy_: "f32[][]cpu" = torch.ops.aten.copy_.default(primals_1, add);  add = copy_ = None
        return (mul, primals_1)
"""
LINE = Frame("/home/me/train.py", 23, "forward", "self.calls += 1")


def backward(*given: str) -> bytes:
    inputs = "".join(f'        {name}: "f32[][]cpu",  # PlainAOTInput(idx=0)\n' for name in given)
    return (
        f"class GraphModule(torch.nn.Module):\n    def forward(\n        self,\n{inputs}"
        '        tangents_1: "f32[6][1]cpu",  # TangentAOTInput(output=PlainAOTOutput(idx=0))\n'
        "    ):\n        add = torch.ops.aten.add.Tensor(primals_1, 1)\n"
    ).encode()


def test_a_forward_names_the_line_of_what_it_copies_into_an_input() -> None:
    assert changed_in_place(FORWARD) == {"primals_1": LINE}
    # Made without a line of the program's.
    assert changed_in_place(FORWARD.replace(b", add);  add", b", other);  add")) == {
        "primals_1": None
    }


@pytest.mark.parametrize(
    "other",
    [b"copy_.default(mul, add)", b"clone.default(primals_1)", b"copy.default(primals_1, add)"],
)
def test_nothing_else_is_a_change_of_an_input(other: bytes) -> None:
    assert changed_in_place(FORWARD.replace(b"copy_.default(primals_1, add)", other)) == {}


def test_a_backward_reads_what_it_is_given() -> None:
    changed = changed_in_place(FORWARD)
    assert read_after_change(backward("primals_1", "primals_2"), changed) == (LINE,)
    # What its own lines name is no input: it computes that.
    assert read_after_change(backward("primals_2"), changed) == ()
    assert read_after_change(backward("primals_11"), changed) == ()
    assert read_after_change(backward("primals_1"), {}) == ()
    two = changed | {"primals_2": LINE}
    assert read_after_change(backward("primals_1", "primals_2"), two) == (LINE,)


def test_no_more_than_a_bound() -> None:
    many = b"".join(
        b"x = torch.ops.aten.copy_.default(primals_%d, add)\n" % n for n in range(MAX_CHANGED + 9)
    )
    assert len(changed_in_place(many)) == MAX_CHANGED
