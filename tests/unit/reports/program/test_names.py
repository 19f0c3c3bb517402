"""What names may hold, in one order whatever the process's hash seed is."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from ca_reports.program.names import Classes
from tests.unit.reports.program.walked import at, flow_of

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import sys
from ca_reports.program.files import SourceFiles
from ca_reports.program.names import Names
from ca_reports.program.syntax import Program

program = Program(SourceFiles([sys.argv[1]]), [sys.argv[1] + "/net.py"])
names = Names(program)
call = next(site.node for site in program.calls("layer"))
print(*names.made_of("layer"), *(site.line for site in names.callees(call)))
"""


def test_the_classes_of_a_variable_come_in_one_order(tmp_path: Path) -> None:
    classes = [f"Layer{at}" for at in range(30)]
    text = "".join(f"class {one}:\n    def forward(self, x): return x\n" for one in classes)
    text += f"layer = choose([{', '.join(classes)}])\ny = layer(x)\n"
    (tmp_path / "net.py").write_text(text)

    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(said) == 1
    assert set(classes) <= set(said.pop().split())


OTHERS = """\
    class Base:
        def __init__(self):
            self.scale = 1.0

    class Net(Base):
        def forward(self, x):
            return x * self.scale  # read

    class Ledger:
        def note(self, value):
            self.scale = value

    def main():
        net = Net()
        for x in loader():
            net.scale = 0.5
            other.scale = 2.0
            net(x)  # 1

    main()
    """


def test_an_attribute_is_set_of_objects_of_its_class_or_of_ones_not_known(tmp_path: Path) -> None:
    flow = flow_of(tmp_path, OTHERS)
    names = flow.names
    classes = names.with_own("scale", at(flow, "# read"))
    assert (tuple(classes.names), classes.is_sure) == (("Net",), True)
    found = names.of_objects(names.changes_of("scale"), classes)
    assert [ast.unparse(site.node) for site, _, _ in found] == [
        "self.scale = 1.0",
        "net.scale = 0.5",
        "other.scale = 2.0",
    ]


def test_without_a_class_all_that_set_it_are_meant(tmp_path: Path) -> None:
    names = flow_of(tmp_path, OTHERS).names
    assert len(names.of_objects(names.changes_of("scale"), Classes())) == 4
    of_none = names.of_objects(names.changes_of("scale"), Classes(is_sure=True))
    assert [ast.unparse(site.node) for site, _, _ in of_none] == ["other.scale = 2.0"]


def test_a_method_is_that_of_the_object_s_class(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """\
        class Net:
            def update(self): ...

        class Ledger:
            def update(self): ...

        def main():
            net = Net()
            for x in loader():
                net.update()  # 1
                other.update()  # unknown

        main()
        """,
    )
    calls = {
        site.line: [flow.names.callees(site.node)]
        for site in flow.program.calls("update")
        if isinstance(site.node, ast.Call)
    }
    owners = [
        [each.module.owner(each.node).name for each in found]  # type: ignore[union-attr]
        for (found,) in calls.values()
    ]
    assert owners == [["Net"], ["Net", "Ledger"]]


def test_a_plain_name_is_no_method_and_an_attribute_one_of_its_object(tmp_path: Path) -> None:
    flow = flow_of(
        tmp_path,
        """\
        def note(grad): ...

        class Watch:
            def note(self, grad): ...

            def start(self, weight):
                weight.register_hook(self.note)

        class Ledger:
            def note(self, grad): ...

        def main():
            for x in loader():
                weight.register_hook(note)  # 1

        main()
        """,
    )
    meant = [
        [getattr(each.module.owner(each.node), "name", None) for each in flow.names.meant_by(given)]
        for call in flow.program.calls("register_hook")
        if isinstance(call.node, ast.Call)
        for given in call.node.args
    ]
    assert sorted(meant, key=str) == [["Watch"], [None]]
