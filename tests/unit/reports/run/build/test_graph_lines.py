"""Values of a graph have the line of the program that made them."""

from __future__ import annotations

from ca_reports.run.build.graph_lines import MAX_LINES, graph_lines
from ca_reports.run.model import Frame

CODE = """\
class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[3, 12][12, 1]cpu"):
        l_x_ = L_x_

        # File: /home/me/blocks.py:11 in forward, code: h = F.silu(x, inplace=False)
        h: "f32[3, 12][12, 1]cpu" = torch.nn.functional.silu(l_x_)
        h_1 = torch.relu(h);  h = None

        # File: /home/me/blocks.py:12 in forward, code: return x + h
        add: "f32[3, 12][12, 1]cpu" = l_x_ + h_1;  l_x_ = h_1 = None
        return (add,)
"""


def test_each_value_has_the_line_above_it() -> None:
    first = Frame("/home/me/blocks.py", 11, "forward", "h = F.silu(x, inplace=False)")
    assert graph_lines(CODE) == {
        "h": first,
        "h_1": first,
        "add": Frame("/home/me/blocks.py", 12, "forward", "return x + h"),
    }


def test_no_more_than_a_bound_and_nothing_without_a_place() -> None:
    assert graph_lines("        x = y\n") == {}
    many = "# File: /a.py:1 in f, code: y\n" + "\n".join(f"x{n} = y" for n in range(MAX_LINES + 9))
    assert len(graph_lines(many)) == MAX_LINES
