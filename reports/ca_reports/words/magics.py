"""Lines of a notebook's cell as they were typed: IPython runs calls in the place of magics."""

from __future__ import annotations

import ast

_SHELL = "get_ipython()."
# What `ca_engine.integrations.ipython` puts in the place of its own magic.
_OWN = "# %%ca"


def as_typed(line: str) -> str:
    """Return a line that ran as it was typed: ``%time f()`` for the call that IPython made of it.

    A line that is no such call is returned as it is.
    """
    code = line.strip()
    if code == _OWN or code.startswith(f"{_OWN} "):
        return line.replace(_OWN, _OWN[2:], 1)
    if _SHELL not in code:
        return line
    try:
        (statement,) = ast.parse(code).body
    except (SyntaxError, ValueError):
        return line
    if not isinstance(statement, ast.Expr | ast.Assign) or not isinstance(
        statement.value, ast.Call
    ):
        return line
    typed = _typed(statement.value)
    if typed is None:
        return line
    at = len(code.encode()[: statement.value.col_offset].decode())
    return line.replace(code, code[:at] + typed, 1)


def _typed(call: ast.Call) -> str | None:
    """Return the magic that IPython writes ``call`` for."""
    given = [one.value for one in call.args if isinstance(one, ast.Constant)]
    texts = [one for one in given if isinstance(one, str)]
    if len(texts) != len(call.args) or call.keywords:
        return None
    match ast.unparse(call.func).removeprefix(_SHELL), texts:
        case "run_line_magic", [name, rest]:
            return f"%{name} {rest}".rstrip()
        case "system", [command]:
            return f"!{command}"
        case "getoutput", [command]:
            return f"!{command}"
    return None
