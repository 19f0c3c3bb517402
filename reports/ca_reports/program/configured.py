"""Where a program sets a setting of the compiler: by assignment, by `torch.compile`, by a patch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_reports.program.flow import Flow
from ca_reports.program.names import Names
from ca_reports.program.options import OptionOrigins
from ca_reports.program.origins import Origins
from ca_reports.program.syntax import keyword, last_name
from ca_reports.torchlib.inductor import MODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.program.syntax import Program, Site

_COMPILE, _PATCH = "compile", "patch"
_PATCHES = "config_patches"


def assigned(program: Program, dotted: str) -> Iterator[Site]:
    """Yield assignments to an attribute, given by its dotted end: ``config.max_autotune``.

    Also where the module was imported under another name.
    """
    *owners, last = dotted.split(".")
    for site in program.sites(ast.Assign, ast.AugAssign, ast.AnnAssign):
        node = site.node
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            if not isinstance(target, ast.Attribute):
                continue
            full = site.module.full_name(target).split(".")
            wanted = [*owners, last]
            if wanted in (_names(target)[-len(wanted) :], full[-len(wanted) :]):
                yield site


def in_environment(program: Program, name: str) -> Iterator[Site]:
    """Yield where the program sets a variable of its environment.

    ``os.environ["NAME"] = …``, ``os.environ.setdefault("NAME", …)``, ``os.putenv("NAME", …)``,
    ``os.environ.update(NAME=…)``.
    """
    for site in program.sites(ast.Assign):
        assert isinstance(site.node, ast.Assign)
        for target in site.node.targets:
            match target:
                case ast.Subscript(value=owner, slice=ast.Constant(value=text)):
                    if text == name and _names(owner)[-1:] == ["environ"]:
                        yield site
    for function, of in (("setdefault", "environ"), ("update", "environ"), ("putenv", "os")):
        for site in program.calls(function):
            assert isinstance(site.node, ast.Call)
            if _names(site.node.func)[-2:] != [of, function]:
                continue
            match site.node.args[:1]:
                case [ast.Constant(value=text)] if text == name:
                    yield site
                case _:
                    if keyword(site.node, name) is not None:
                        yield site


def compiled_with(program: Program, setting: str) -> Iterator[Site]:
    """Yield calls of `torch.compile` whose mode or options are about ``setting``.

    A mode that is not written there may be any.
    """
    yield from optioned(program, setting)
    for found in _option_origins(program).of_all(program.calls(_COMPILE), "options"):
        if found.is_hidden:  # which may be any
            yield found.read_at
    for site in program.calls(_COMPILE):
        assert isinstance(site.node, ast.Call)
        mode = keyword(site.node, "mode")
        modes = [str(mode.value)] if isinstance(mode, ast.Constant) else [*MODES] if mode else []
        is_mode = any(setting in MODES.get(name, ()) for name in modes)
        if is_mode and not _has_key(keyword(site.node, "options"), setting):
            yield site


def optioned(program: Program, setting: str) -> Iterator[Site]:
    """Yield calls of `torch.compile` whose ``options`` name ``setting``.

    Options that are made elsewhere are given where they are made.
    """
    origins = _option_origins(program)
    for site in program.calls(_COMPILE):
        assert isinstance(site.node, ast.Call)
        given = keyword(site.node, "options")
        if _has_key(given, setting):
            yield site
        elif isinstance(given, ast.Dict):
            continue
        elif given is not None or any(each.arg is None for each in site.node.keywords):
            for made in origins.of(site, "options"):
                if _has_key(made.site.node, setting):
                    yield made.site


def modes(program: Program) -> Iterator[Site]:
    """Yield the expressions that a person edits to choose another mode of `torch.compile`.

    Where it comes out of what the source does not show, such as a file, that is where it is taken
    out of it.
    """
    for setting in _option_origins(program).of_all(program.calls(_COMPILE), "mode"):
        yield setting.read_at if setting.is_hidden else setting.site


def _option_origins(program: Program) -> OptionOrigins:
    return OptionOrigins(Origins(Flow(Names(program), ())))


def patched(program: Program, setting: str) -> Iterator[Site]:
    """Yield `config.patch(max_autotune=True)`, and with a dictionary or a text.

    Also the ``config_patches`` of inductor's own functions.
    """
    for site in program.calls(_PATCH):
        assert isinstance(site.node, ast.Call)
        first = site.node.args[0] if site.node.args else None
        is_text = isinstance(first, ast.Constant) and first.value == setting
        if keyword(site.node, setting) or is_text or _has_key(first, setting):
            yield site
    for site in program.sites(ast.Call):
        assert isinstance(site.node, ast.Call)
        if _has_key(keyword(site.node, _PATCHES), setting):
            yield site


def _has_key(node: ast.AST | None, key: str) -> bool:
    return isinstance(node, ast.Dict) and any(
        isinstance(each, ast.Constant) and each.value == key for each in node.keys
    )


def _names(node: ast.expr) -> list[str]:
    """Return ``["torch", "backends", "cuda"]`` of ``torch.backends.cuda``."""
    found: list[str] = []
    while isinstance(node, ast.Attribute):
        found.append(node.attr)
        node = node.value
    return [*([last_name(node)] if last_name(node) else []), *reversed(found)]
