"""The hooks that a backward ran, and how they differ between two captures.

Pure functions of facts, shared by the rules on hooks (CA301 to CA304).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.findings import KeptByHook
from ca_reports.facts.guard_paths import GuardPath, paths_in
from ca_reports.program.stack import in_torch
from ca_reports.run.model import Frame

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ca_reports.facts.events import CaptureFacts, RecompileFacts

# What the compiler's methods are called for, in the user's words.
_KINDS = {
    "tensor_pre_hook": "tensor hook",
    "cpp_tensor_pre_hook": "retain_grad()",
    "pre_hook": "node pre-hook",
    "post_hook": "node hook",
    "post_acc_grad_hook": "post-accumulate-grad hook",
    "unpack_hook": "saved-tensor hook",
}
# Hooks of torch's own, by the beginning of their names, and what the user calls.
_MAKERS = (("_checkpoint_hook.", "checkpoint"), ("save_on_cpu.", "save_on_cpu"))
# The function of torch's that runs a hook within a captured graph.
_CALL = "call_hook"
# And that which runs the backward of a custom Function.
_CALL_BACKWARD = "call_backward"
# Where a function has values of its own, or a `functools.partial` what it binds.
_IN_FUNCTION = frozenset(("default", "cell", "keyword"))


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
        """Return ``tensor hook `clip` on head.weight``."""
        kind = _KINDS.get(self.kind, "hook")
        name = f" `{self.short_name}`" if self.name else ""
        return f"{kind}{name}{f' on {self.owner}' if self.owner else ''}"

    @property
    def key(self) -> str:
        """Return the same in every run, and whatever `told` says: ``tensor_pre_hook clip``."""
        return f"{self.kind} {self.short_name}" if self.name else self.kind

    @property
    def short_name(self) -> str:
        """Return the name from the innermost function on: ``<lambda>``, ``NormLog.__call__``."""
        return (self.name or "hook").rpartition("<locals>.")[2]

    @property
    def location(self) -> Frame | None:
        """Return where the function is defined, if it is the user's."""
        if self.file is None or self.line is None or in_torch(self.file):
            return None
        return Frame(self.file, self.line, self.short_name, "")


def hooks_of(found: CaptureFacts) -> Counter[Hook]:
    """Return all hooks that this capture describes, and how often each is registered."""
    return Counter(_hook(hook, node) for node in found.nodes for hook in node.get("hook_list", ()))


def torchs_own(hooks: Collection[Hook]) -> str | None:
    """Name what of torch's registers all of these hooks: ``checkpoint``; None if the user does."""
    names = {
        maker
        for hook in hooks
        for maker in [next((told for own, told in _MAKERS if own in (hook.name or "")), None)]
    }
    return names.pop() if len(names) == 1 else None


def hook_count(found: CaptureFacts) -> int:
    """Count the hooks that this capture ran, also those that it does not describe."""
    return sum(int(node.get("hooks", 0)) for node in found.nodes)


def guarded_hook(recompile: RecompileFacts) -> GuardedHook | None:
    """Return the hook whose state a failed guard is about; None for another guard."""
    if recompile.capture is None:
        return None
    path = next((one for one in paths_in(recompile.guard.text) if one.hook is not None), None)
    if path is None or path.hook is None:
        return _reading_hook(recompile, recompile.capture)
    index = path.hook
    hook = None
    for node in recompile.capture.nodes:
        for candidate in node.get("hook_list", ()):
            if candidate.get("index") == index:
                hook = _hook(candidate, node)
    return GuardedHook(index, path, hook, recompile)


def _reading_hook(recompile: RecompileFacts, capture: CaptureFacts) -> GuardedHook | None:
    """Find the hook that reads what a guard is about, a global of its module and not its own."""
    frames = recompile.guard_stack
    called = [at for at, frame in enumerate(frames) if frame.function == _CALL]
    own = [frame for frame in frames[max(called, default=-1) + 1 :] if not in_torch(frame.file)]
    if not called or not own:
        return None
    hooks = hooks_of(capture)
    hook = next(
        (one for one in hooks if one.file == own[0].file and one.short_name == own[0].function),
        None,
    )
    return GuardedHook(None, recompile.path, hook, recompile)


@dataclass(frozen=True)
class GuardedHook:
    """``path`` is what is guarded: ``hooks[0].norms``, ``hooks[2].__defaults__[0]``.

    ``index`` is the hook's number, None where what is guarded is nothing of the hook's. Among what
    torch calls hooks is the ``ctx`` of a custom Function, too.
    """

    index: int | None
    path: GuardPath
    hook: Hook | None
    recompile: RecompileFacts

    @property
    def is_number(self) -> bool:
        """Return a number in the closure or the defaults, not state that the hook itself keeps.

        Where Dynamo has made it dynamic, the guard is on what is computed from it.
        """
        guard = self.recompile.guard
        # Not `len(hooks[0]….cell_contents) == 1`: that is a list, which the hook fills.
        if guard.kind != "value" or self.path.kind not in _IN_FUNCTION:
            return False
        return not guard.source or (
            self.recompile.path.hook is not None and _is_number(guard.expected)
        )

    @property
    def lacks(self) -> int | None:
        """Return the number under which a dict had an entry, and has none any more; else None."""
        guard = self.recompile.guard
        key = guard.expected or ""
        return int(key) if guard.kind == "membership" and key.isdecimal() else None

    @property
    def location(self) -> Frame | None:
        """Return the hook's line that reads the guarded thing, else where it is defined."""
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
        """Return ``hook `NormLog.__call__` on 0.weight``, or by its number."""
        if self.hook is not None:
            return self.hook.told
        if self.function is not None:
            name = f"`{self.function}`" if self.function else "a custom Function"
            return f"the backward of {name}"
        return "a hook"

    @property
    def key(self) -> str:
        """Return the same in every run, whatever `told` says: ``tensor_pre_hook clip .norms``."""
        if self.hook is not None:
            return f"{self.hook.key} {self.rest}"
        return f"hook {self.rest}" if self.function is None else f"{self.function} ctx{self.rest}"

    @property
    def rest(self) -> str:
        """Return the way from the hook to what is guarded, ``.norms``; else the whole path."""
        steps = self.path.steps[1:]
        return self.path.text if self.index is None else "".join(step.text for step in steps)

    @property
    def detail(self) -> KeptByHook:
        """Return where the state is, for what comes after the rules."""
        if self.bound:
            return KeptByHook("", bound=self.bound)
        steps = self.path.steps
        names = (str(step.key) for step in reversed(steps) if step.kind == "attribute")
        places = {step.kind: step.key for step in steps if isinstance(step.key, int)}
        return KeptByHook(
            attribute=next((name for name in names if not name.startswith("_")), ""),
            of_function=self.function is not None,
            entry=self.path.entry,
            default=places.get("default"),
            cell=places.get("cell"),
            lacks=self.lacks,
        )

    @property
    def bound(self) -> str:
        """Return the argument that ``functools.partial(hook, name=…)`` binds; else empty."""
        key = self.path.steps[-1].key if self.path.kind == "keyword" else None
        return key if isinstance(key, str) else ""

    @property
    def function(self) -> str | None:
        """Return the custom Function whose ``ctx`` holds what is guarded; None of a hook.

        Empty where the log has only that it is one, by the frame of torch's that calls it.
        """
        capture = self.recompile.capture
        if self.hook is not None or self.index is None or capture is None:
            return None
        line = self.location
        names = [
            str(node.get("name", "")).rpartition("::")[2].removesuffix("Backward")
            for node in capture.nodes
            if node.get("function") and "aot_id" not in node
        ]
        reads = line is not None and (line.function == "backward" or f"ctx{self.rest}" in line.code)
        if not capture.nodes and any(
            frame.function == _CALL_BACKWARD and in_torch(frame.file)
            for frame in self.recompile.guard_stack
        ):
            return ""
        return names[0] if reads and names else None


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
