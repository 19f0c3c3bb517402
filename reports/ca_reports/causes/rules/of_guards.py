"""Recompiles of forwards for one guarded thing: what CA701 to CA718 share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from ca_reports.causes.located import filled_first, guarded_values, number_advice, written
from ca_reports.causes.located.hook_keys import keyed_hook
from ca_reports.causes.remedies import NoEdits
from ca_reports.causes.rules.base import GENERAL, SPECIFIC, Match, Rule
from ca_reports.causes.rules.cascades import consequences, what_changed
from ca_reports.causes.rules.guard_advice import (
    detail_of,
    edits_for,
    fix_for,
    fix_for_last,
    is_meant,
    unwrapped,
)
from ca_reports.causes.rules.splitting import AGAIN, assigned, followed
from ca_reports.facts.evidence import Evidence
from ca_reports.facts.guard_paths import referring
from ca_reports.run.model import Compile
from ca_reports.sentences.compiles import function_of, function_of_thing
from ca_reports.sentences.dynamic import in_words
from ca_reports.sentences.limits import in_its_thread, words_of
from ca_reports.torchlib.optimizers import GROUPS
from ca_reports.words.numbers import counted
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_reports.causes.located.trail import Trail
    from ca_reports.causes.remedies import Remedy
    from ca_reports.facts.events import RecompileFacts
    from ca_reports.facts.guarded_things import GuardedThing, Pattern, Subject
    from ca_reports.facts.input_sizes import InputSize
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.program.syntax import Site
    from ca_reports.run.model import Frame


# The advice on what a log holds the end of only.
SEE_WHAT_CHANGED = (
    "see what changed first: `ca run train.py` records each recompile, and "
    "TORCH_LOGS=recompiles logs it"
)
# That on what its last reason tells to vary.
_LAST_REASON_ONLY = (
    "this log tells what failed last, and TORCH_LOGS=recompiles, or `ca run train.py`, whether "
    "anything else made the versions before"
)
_NOT_IN_LOG = NoEdits("what changed is not in this log")
# As what changes is in a new compile each time.
_GOING_ON: frozenset[Pattern] = frozenset(("counter", "drift", "growth"))
# A global of a module that is imported under a name of Dynamo's, but none of torch's.


class ReadingGuards(Rule):
    """A rule about values for which guards failed: what changes them is the line to edit."""

    place = guarded_values.changed_value
    shared: ClassVar[Mapping[str, str]] = {
        "Why it costs": """\
Each new value fails the guard, and Dynamo compiles the function again while the step waits. At
the eighth compile (`recompile_limit`) it gives up and runs the function uncompiled."""
    }

    @classmethod
    def remedy(cls, trail: Trail, site: Site | None) -> Remedy | None:
        """By the uses of the value that changed.

        No copy for what the function writes to, no tensor for what the first call fills, one hook
        in the place of one for each layer, no tensor where Python asks for the value.
        """
        if (apart := written.remedy(trail)) is not None:
            return apart
        if site is not None and (first := filled_first.remedy(trail, site)) is not None:
            return first
        hook = None if site is None else keyed_hook(trail)
        if hook is not None and site is not None and site.node is hook.hook.node:
            return trail.finding.remedy.instead(hook.advice)
        return number_advice.remedy(trail)


class GuardedRule(ReadingGuards):
    """A rule about guarded things of certain ``subjects``; each thing is one finding.

    Where a recompile brought new backwards, the finding is CA401's or CA402's, with the same
    words and the same advice.
    """

    specificity = SPECIFIC
    subjects: ClassVar[frozenset[Subject]]
    joined_by = "name"

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        of_containers = {key.identity for keys in facts.keys_of.values() for key in keys}
        for thing in facts.guarded:
            is_cascade = thing.limit is not None and bool(facts.captures)
            if (
                thing.subject in self.subjects
                and not is_cascade
                and not consequences(thing.recompiles)
                and thing.identity not in of_containers
            ):
                keyed = _with_keys(self.match(thing, facts), facts.keys_of.get(thing.identity, []))
                yield _with_sizes(keyed, facts.compared_sizes.get(thing.identity, []))
        for thing in facts.coinciding:
            is_own = not (
                consequences(thing.recompiles)
                or _is_of_a_call(thing, facts)
                or _is_of_a_break(thing, facts)
            )
            if thing.subject not in self.subjects or not is_own:
                continue
            beside = self.match(thing, facts)
            if sizes := facts.compared_sizes.get(thing.identity, []):
                yield _with_sizes(beside, sizes)
            else:
                yield replace(beside, is_beside=True, specificity=GENERAL)

    def match(self, thing: GuardedThing, facts: ProcessFacts) -> Match:
        """Return the finding of one guarded thing."""
        again = counted(thing.times, "recompile")
        function = function_of_thing(thing, "")
        of_what = f" of {function}" if function else ""
        limit = facts.limit_of(thing.first.compiled)
        happened = (
            f"{again}{of_what}{at_the_limit(thing.first, facts)}"
            if thing.times or limit is None
            else f"{function_of(thing.first.compiled)} {words_of(limit)}"
        )
        if thing.is_dynamic_now:
            happened += ", which made it dynamic: no value has needed another since"
        wrapped = unwrapped(thing)
        nobodys = "" if wrapped else _leave_out(thing) if thing.package else _of_torch(thing)
        unseen = facts.unseen_versions(thing.first.compiled)
        is_expected = limit is None and is_meant(thing)
        if unseen:
            what = f"guard `{referring(thing.guard.text)}` failed last"
            fix = known_from_last("" if nobodys else wrapped or fix_for_last(thing))
            happened += not_in_log(unseen)
        else:
            what = self.what(thing)
            fix = nobodys or wrapped or fix_for(thing)
        edits = edits_for(thing)
        if limit is not None and (in_thread := in_its_thread(limit)):
            fix, nobodys = f"{in_thread}; or {fix}", ""
            edits = ("limit_of_compile",)
        return Match(
            message=f"{what}: {happened}",
            fix=fix,
            detail=None if unseen or thing.package or _of_torch(thing) else detail_of(thing),
            edits=_NOT_IN_LOG if unseen else edits,
            events=tuple(found.compiled for found in thing.recompiles),
            location=self.to_edit(thing),
            noticed_at=thing.location,
            evidence=(*(found.evidence for found in thing.recompiles), *following(thing, facts)),
            confidence="high" if thing.knows_last else "medium",
            key=thing.key,
            group="" if thing.source else thing.guard.text,
            severity="info" if (_is_nobodys(thing) and not wrapped) or is_expected else None,
            is_note=(bool(nobodys) or is_expected) and not unseen,
            count=thing.times,
        )

    def what(self, thing: GuardedThing) -> str:
        """Say what changed and how: the beginning of the message."""
        return what_changed(thing)

    def to_edit(self, thing: GuardedThing) -> Frame | None:
        """Return the line to edit, where the records name it."""
        return None


def following(thing: GuardedThing, facts: ProcessFacts) -> Iterator[Evidence]:
    """Yield what changes because ``thing`` does."""
    for other in facts.following(thing):
        yield Evidence(f"also changes with it: {what_changed(other)}")


def _with_keys(found: Match, keys: list[GuardedThing]) -> Match:
    """Return the match of a container, with the recompiles for its keys."""
    if not keys:
        return found
    recompiles = [recompile for key in keys for recompile in key.recompiles]
    again = counted(sum(key.times for key in keys), "recompile")
    names = listed([f"`{key.ref}`" for key in keys], 3)
    return replace(
        found,
        message=f"{found.message}; {again} more for its key {names}",
        fix=f"{found.fix}; what still needs {names} gets it as a tensor, for `index_select`",
        events=(*found.events, *(one.compiled for one in recompiles)),
        evidence=(*found.evidence, *(one.evidence for one in recompiles)),
        count=None if found.count is None else found.count + sum(key.times for key in keys),
    )


def _with_sizes(found: Match, sizes: list[InputSize]) -> Match:
    """Return the match of a number, with the recompiles for sizes that are compared with it."""
    if not sizes:
        return found
    known = {event.key for event in found.events}
    recompiles = [one for size in sizes for one in size.own if one.compiled.key not in known]
    names = listed([in_words(size.source) for size in sizes], 3)
    times = sum(not one.compiled.is_refused for one in recompiles)
    beside = f": {counted(times, 'more recompile')}" if recompiles else ""
    own = [event for event in found.events if isinstance(event, Compile)]
    events = sorted((*own, *(one.compiled for one in recompiles)), key=lambda one: one.line)
    return replace(
        found,
        message=f"{found.message}; a size of {names} is compared with it, which makes a constant "
        f"of that too, even with dynamic=True{beside}",
        events=tuple(events),
        evidence=(*found.evidence, *(one.evidence for one in recompiles)),
        count=None if found.count is None else found.count + times,
    )


def _is_of_a_call(thing: GuardedThing, facts: ProcessFacts) -> bool:
    """Return whether a line sets it by a call that Dynamo cannot trace: seconds that add up."""
    return any(
        one.kind == "builtin" and one.line is not None and thing.name in assigned(one.line)
        for one in facts.forward_breaks
    )


def _is_of_a_break(thing: GuardedThing, facts: ProcessFacts) -> bool:
    """Return whether it came out of a graph break that has these recompiles already."""
    keys = {found.compiled.key for found in thing.recompiles}
    return thing.path.is_on_stack and (
        thing.times < AGAIN
        or any(keys <= {one.key for one in followed(broken)} for broken in facts.forward_breaks)
    )


def _is_nobodys(thing: GuardedThing) -> bool:
    """Return whether no one can change it: code of torch or a library, without an option."""
    if thing.guard.kind == "deallocated" and thing.times == 1:
        return True
    return bool(thing.package) or bool(_of_torch(thing))


def _of_torch(thing: GuardedThing) -> str:
    """Say that nothing can be done, where torch's own code is recompiled for its own state.

    Neither can it of an optimizer whose first step makes its state, whoever wrote that step. What
    changes again and again is not what a first step makes.
    """
    if thing.is_optimizer and thing.limit is None:
        return "nothing: each optimizer that is stepped in compiled code is compiled once"
    if thing.is_made_by_first_step:
        return "nothing: an optimizer's first step makes its state, and is compiled apart"
    is_once = thing.pattern not in _GOING_ON and thing.limit is None
    if not (thing.is_torchs and is_once) or GROUPS in thing.path.names or _is_given(thing):
        return ""
    return "nothing: it is torch's own, as an optimizer's state that its first step makes"


def _is_given(thing: GuardedThing) -> bool:
    """Return whether the user gives it to a function of torch's, or sets it in a module of theirs.

    A function that `flex_attention` calls for each score, and what that reads.
    """
    path = thing.path
    is_users = bool(path.imported) and not path.imported.startswith("torch")
    return is_users or not (thing.is_of_optimizer or path.is_global or path.root == "self")


def _leave_out(thing: GuardedThing) -> str:
    return (
        f"nothing, unless you can leave this call out of the compiled code: `{thing.ref}` is "
        f"{thing.package}'s own"
    )


def not_in_log(versions: int) -> str:
    """Say that a log has the limit of a function and not what made its versions."""
    return f"; what made its {versions} or more versions is not in this log"


def known_from_last(fix: str) -> str:
    """Return ``fix``, which the last reason of a limit tells, with what it leaves open."""
    return f"{fix}; {_LAST_REASON_ONLY}" if fix else SEE_WHAT_CHANGED


def at_the_limit(recompile: RecompileFacts, facts: ProcessFacts) -> str:
    """Since when the function runs uncompiled, and how much slower; empty if it is compiled."""
    limit = facts.limit_of(recompile.compiled)
    return "" if limit is None else f"; then it {words_of(limit)}"


def has_refused(recompiles: Iterable[RecompileFacts]) -> bool:
    """Return whether the compile that a limit refused is one of these."""
    return any(found.compiled.is_refused for found in recompiles)


def limit_of(recompiles: Sequence[RecompileFacts], facts: ProcessFacts) -> str:
    """Say which limit these recompiles hit; empty where another cause's compile was refused."""
    return at_the_limit(recompiles[0], facts) if has_refused(recompiles) else ""
