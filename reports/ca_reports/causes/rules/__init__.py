"""The rules, one module each: ``ca101_last_batch.py`` holds the one class of CA101.

A module that is in this package is a rule; there is no list to add it to.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
import pkgutil

from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules.base import Rule

_MODULE = expression(r"ca\d{3}_[a-z0-9_]+")


@functools.cache
def all_rules() -> tuple[type[Rule], ...]:
    """Return every rule, by code. Raises ``TypeError`` if a module does not hold exactly one."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    found = [_rule_of(name) for name in names if _MODULE.fullmatch(name)]
    return tuple(sorted(found, key=lambda rule: rule.code))


def find_rule(code: str) -> type[Rule] | None:
    """Return the rule of ``code`` (``CA101``, in any case) or of a name (``last-batch``)."""
    wanted = code.strip().lower()
    return next((rule for rule in all_rules() if wanted in (rule.code.lower(), rule.name)), None)


def similar_rule(code: str) -> type[Rule] | None:
    """Find the rule that ``code`` may have been meant for; None if nothing is like it."""
    known = {name: rule for rule in all_rules() for name in (rule.code.lower(), rule.name)}
    close = difflib.get_close_matches(code.strip().lower(), known, n=1, cutoff=0.6)
    return known[close[0]] if close else None


def _rule_of(name: str) -> type[Rule]:
    module = importlib.import_module(f"{__name__}.{name}")
    rules = [
        thing
        for thing in vars(module).values()
        if inspect.isclass(thing)
        and issubclass(thing, Rule)
        and thing.__module__ == module.__name__
    ]
    if len(rules) != 1:
        raise TypeError(f"{module.__name__} must hold one rule; it holds {len(rules)}")
    return rules[0]
