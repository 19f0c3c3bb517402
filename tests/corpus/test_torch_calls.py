"""Whatever patches write of torch is there and takes what it is given: looked up in torch."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch._dynamo.config
import torch._dynamo.decorators
import torch._functorch.config
import torch._inductor.config
import torch.fx.experimental._config
import torch.utils.checkpoint

from tests.corpus import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator


def written() -> list[tuple[str, str]]:
    """The lines that the patches of the frozen programs add, each with its first program."""
    found: dict[str, str] = {}
    for file in sorted(frozen.FOLDER.glob("*.json")):
        findings = json.loads(file.read_text())
        if not isinstance(findings, list):
            continue
        for finding in findings:
            for patch in finding.get("patches", ()):
                for line in patch.get("diff", ()):
                    if line.startswith("+") and not line.startswith("+++") and "torch" in line:
                        found.setdefault(line[1:].strip(), file.stem)
    return [(name, line) for line, name in found.items()]


def parsed(line: str) -> ast.AST | None:
    """The tree of a line; None for one that is a part of a statement."""
    forms = (line, f"{line} pass", f"{line}\n    pass", f"{line}\ndef f(): pass", f"({line[:-1]})")
    return next((tree for text in forms if (tree := tree_of(textwrap.dedent(text)))), None)


def tree_of(text: str) -> ast.AST | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def resolved(node: ast.expr) -> Any:
    """What ``torch.a.b`` is. Raises `AttributeError` where torch has no such thing."""
    if isinstance(node, ast.Attribute):
        return getattr(resolved(node.value), node.attr)
    return torch


def is_torchs(node: ast.AST) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "torch"


def wrong(tree: ast.AST) -> Iterator[str]:
    """Yield what torch has not, or does not take."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_torchs(node):
            try:
                resolved(node)
            except AttributeError:
                yield f"{ast.unparse(node)} is not there"
        if isinstance(node, ast.Call) and is_torchs(node.func):
            try:
                signature = inspect.signature(resolved(node.func))
            except (AttributeError, ValueError, TypeError):
                continue  # not there, or in C++
            positional = [one for one in node.args if not isinstance(one, ast.Starred)]
            named = {one.arg: None for one in node.keywords if one.arg is not None}
            try:
                signature.bind_partial(*positional, **named)
            except TypeError as error:
                yield f"{ast.unparse(node)}: {error}"


def test_what_patches_write_of_torch_is_there_and_takes_it() -> None:
    lines = written()
    assert len(lines) > 100
    told = [
        f"{name}: {line}: {problem}"
        for name, line in lines
        if (tree := parsed(line)) is not None
        for problem in wrong(tree)
    ]
    assert not told
    assert sum(parsed(line) is not None for _, line in lines) > 0.8 * len(lines)


@pytest.mark.parametrize(
    "line",
    [
        "torch._dynamo.maybe_mark_dynamic(x, 0, min=2, max=512)",
        "torch._dynamo.config.no_such_option = True",
        "torch.compile(model, dynamics=True)",
    ],
)
def test_a_call_that_torch_does_not_take_is_seen(line: str) -> None:
    assert list(wrong(ast.parse(line)))
