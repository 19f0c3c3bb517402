"""Finds the tensors of a call by the names that guards have for them: ``batch['ids']``."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from types import CodeType
from typing import Any

import torch

# A path into an argument: what to take of it, one after another. Keys, indices, `.attribute`s.
Path = tuple[str, ...]


def code_of(function: Any) -> tuple[CodeType | None, bool]:
    """Return the code that Dynamo compiles, and whether its first argument is bound."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module):
        function = owner.forward
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code, getattr(function, "__self__", None) is not None


@cache  # each call asks for the few names of a plan
def path_of(name: str) -> Path:
    """Return the steps of ``batch['ids']``: ``("batch", "['ids']")``."""
    tree: Any = ast.parse(name, mode="eval").body
    steps: list[str] = []
    while not isinstance(tree, ast.Name):
        if isinstance(tree, ast.Attribute):
            steps.append(f".{tree.attr}")
        elif isinstance(tree, ast.Subscript):
            steps.append(f"[{ast.unparse(tree.slice)}]")
        else:
            return ("",)
        tree = tree.value
    return (tree.id, *reversed(steps))


def value_at(given: Mapping[str, Any], path: Path) -> Any:
    """Return what ``path`` leads to in the arguments of a call; None if nothing is there."""
    root, *rest = path
    found = given.get(root)
    try:
        for step in rest:
            found = (
                getattr(found, step[1:])
                if step.startswith(".")
                else found[ast.literal_eval(step[1:-1])]  # type: ignore[index]
            )
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
    return found


def names_of(code: CodeType, *, is_bound: bool) -> tuple[str, ...]:
    """Return the names of the positional arguments of a call."""
    return code.co_varnames[is_bound : code.co_argcount]


def arguments(
    names: tuple[str, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by their names."""
    return {**dict(zip(names, args, strict=False)), **kwargs}
