"""CA703: the call runs uncompiled where a mode is not the one that was compiled first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import libcst as cst

from ca_reports.fixes import sites
from ca_reports.fixes.calls import compiled_of
from ca_reports.fixes.editing import CONSTANTS
from ca_reports.fixes.patches import Patch, RefusedError, Replacement
from ca_reports.fixes.stances import under_stance

if TYPE_CHECKING:
    from ca_reports.findings import Finding
    from ca_reports.fixes.program import EditableProgram, SourceFile

_OF_SELF = re.compile(r"self((?:\.[A-Za-z_]\w{0,99}){1,9})")
# Values that can be written as they are shown: a text, a flag, None or a number.
_LITERAL = re.compile(r"True|False|None|-?\d{1,9}(?:\.\d{1,9})?|'[^'\\]{0,99}'")


def patches(finding: Finding, program: EditableProgram) -> list[Patch]:
    """``set_stance("default" if mode == "train" else "force_eager")`` around each call.

    Raises `RefusedError` unless the source shows the mode where the function is called.
    """
    thing = program.guarded(finding)
    first = thing.values[0] if thing is not None and thing.knows_first and thing.values else ""
    if thing is None or not _LITERAL.fullmatch(first):
        raise RefusedError(f"the first value of what changes is not known: {finding.fix}")
    compiled = compiled_of(thing, program)
    found = sites.calls(compiled, program)
    if not found:
        raise RefusedError(f"no call of the compiled function is seen: {finding.fix}")
    value = first.replace("'", '"')
    changes: list[Replacement] = []
    for file, call in found:
        mode = _mode(file, call, thing.source, compiled)
        statement: Any = file.statement(call)
        if isinstance(statement, cst.SimpleStatementLine) and ".backward(" in file.code(statement):
            raise RefusedError(f"{file.place(statement)} runs the backward as well")
        program.require_unchanged(file)
        test = f"{mode} is {value}" if value in CONSTANTS else f"{mode} == {value}"
        stance = f'"default" if {test} else "force_eager"'
        changes.append(under_stance(file, call, stance))
    return [
        Patch(
            f"calls with another {thing.name} than {first} run uncompiled",
            tuple(dict.fromkeys(changes)),
            note="for values that come seldom: each such call runs at eager's speed",
        )
    ]


def _mode(file: SourceFile, call: cst.Call, source: str, compiled: sites.Compiled) -> str:
    """The mode as an expression where the function is called. Raises `RefusedError`."""
    given = sites.argument(call, source, compiled)
    if isinstance(given, cst.Name | cst.Attribute):
        return str(file.code(given))
    attribute = _OF_SELF.fullmatch(source)
    func: Any = call.func
    definition = compiled.definition
    if attribute is not None and definition is not None:
        is_plain = isinstance(func, cst.Name | cst.Attribute)
        if definition.name.value == "forward" and is_plain:
            return f"{file.code(func)}{attribute[1]}"
        if isinstance(func, cst.Attribute) and func.attr.value == definition.name.value:
            return f"{file.code(func.value)}{attribute[1]}"
    raise RefusedError(f"the call at {file.place(call)} does not show {source}")
