"""The hooks that a backward ran, and how they differ between two captures.

Pure functions of facts, shared by the rules on hooks (CA301 to CA304).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ca_reports.model import Frame
from ca_reports.stack import in_torch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.process import ProcessFacts

# What the compiler's methods are called for, in the user's words.
_KINDS = {
    "tensor_pre_hook": "tensor hook",
    "cpp_tensor_pre_hook": "retain_grad()",
    "pre_hook": "node pre-hook",
    "post_hook": "node hook",
    "post_acc_grad_hook": "post-accumulate-grad hook",
    "unpack_hook": "saved-tensor hook",
}
# The guards of Dynamo on hooks: `hooks[2].__defaults__[0] == 1.0`, `len(hooks[0].norms) == 1`.
_GUARDED = re.compile(r"\bhooks\[(?P<index>\d+)\](?P<path>[\w.\[\]'\"]*)")
_IN_FUNCTION = re.compile(r"(?:__defaults__\[\d+\]|__kwdefaults__\[[^\]]+\]|cell_contents)$")


@dataclass(frozen=True)
class Hook:
    """A hook by what runs: equal for the same function registered twice.

    ``owner`` is the parameter that it is on, None for another tensor or node.
    """

    kind: str
    name: str | None
    file: str | None
    line: int | None
    owner: str | None

    @property
    def told(self) -> str:
        """``tensor hook `clip` on head.weight``."""
        kind = _KINDS.get(self.kind, "hook")
        name = f" `{self.short_name}`" if self.name else ""
        return f"{kind}{name}{f' on {self.owner}' if self.owner else ''}"

    @property
    def short_name(self) -> str:
        """The qualified name from the innermost function on: ``<lambda>``, ``NormLog.__call__``."""
        return (self.name or "hook").rpartition("<locals>.")[2]

    @property
    def location(self) -> Frame | None:
        """Where the function is defined, if it is the user's."""
        if self.file is None or self.line is None or in_torch(self.file):
            return None
        return Frame(self.file, self.line, self.short_name, "")


def hooks_of(found: CaptureFacts) -> Counter[Hook]:
    """All hooks that this capture describes, and how often each is registered."""
    return Counter(_hook(hook, node) for node in found.nodes for hook in node.get("hook_list", ()))


def hook_count(found: CaptureFacts) -> int:
    """How many hooks this capture ran, also those that it does not describe."""
    return sum(int(node.get("hooks", 0)) for node in found.nodes)


def guarded_hook(facts: ProcessFacts, recompile: RecompileFacts) -> GuardedHook | None:
    """The hook whose state a failed guard is about; None for another guard."""
    match = _GUARDED.search(recompile.guard.text)
    if match is None or recompile.capture is None:
        return None
    index = int(match["index"])
    hook = None
    for node in recompile.capture.nodes:
        for candidate in node.get("hook_list", ()):
            if candidate.get("index") == index:
                hook = _hook(candidate, node)
    return GuardedHook(index, match["path"], hook, recompile)


@dataclass(frozen=True)
class GuardedHook:
    """``path`` is what is guarded, from the hook on: ``.norms``, ``.__defaults__[0]``."""

    index: int
    path: str
    hook: Hook | None
    recompile: RecompileFacts

    @property
    def is_number(self) -> bool:
        """A number in the closure or the defaults, not state that the hook itself keeps."""
        guard = self.recompile.guard
        # Not `len(hooks[0]….cell_contents) == 1`: that is a list, which the hook fills.
        is_itself = guard.source.startswith("hooks[") and bool(_IN_FUNCTION.search(self.path))
        return is_itself and guard.kind == "value" and _is_number(guard.expected)

    @property
    def location(self) -> Frame | None:
        """The line of the hook that reads the guarded thing, else where the hook is defined."""
        own = [
            frame
            for frame in self.recompile.guard_stack
            if not in_torch(frame.file) and not frame.file.startswith("<")
        ]
        if own:
            return own[-1]
        return self.hook.location if self.hook and self.hook.location else self.recompile.location

    @property
    def told(self) -> str:
        """``hook `NormLog.__call__` on 0.weight``, or by its number."""
        return self.hook.told if self.hook is not None else f"hooks[{self.index}]"


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True


def _hook(hook: Mapping[str, Any], node: Mapping[str, Any]) -> Hook:
    return Hook(
        str(hook.get("kind")),
        hook.get("name"),
        hook.get("file"),
        hook.get("line"),
        node.get("parameter"),
    )
