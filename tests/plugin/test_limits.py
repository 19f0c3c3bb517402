"""The marker's arguments."""

from __future__ import annotations

from typing import Any

import pytest

from ca_pytest.limits import MarkerError, settings_of
from tests.plugin.sessions import run

pytest_plugins = "pytester"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("max_recapture=0", "no argument max_recapture: did you mean max_recaptures?"),
        ("whatever=0", "no argument whatever (it has max_captures, "),
        ("0", "takes keyword arguments only, such as max_recaptures=0; not 0"),
        ("max_captures=-1", "max_captures must be a whole number of at least 0, not -1"),
        ("max_lost_share=3", "max_lost_share must be a share"),
        ("ignore='CA999'", "unknown rule"),
        ("ignore=3", "ignore is a list of codes, not 3"),
        ("warmup_steps=0.5", "warmup_steps is a whole number of at least 0, not 0.5"),
    ],
)
def test_arguments_that_cannot_be_meant(
    session: pytest.Pytester, arguments: str, message: str
) -> None:
    session.makepyfile(
        f"""
        import pytest

        @pytest.mark.ca({arguments})
        def test_it():
            raise SystemError("must not run")
        """
    )
    result = run(session)
    result.assert_outcomes(errors=1)
    assert "@pytest.mark.ca" in result.stdout.str()
    assert message in result.stdout.str()
    assert "must not run" not in result.stdout.str().partition("short test summary")[0].replace(
        'raise SystemError("must not run")', ""
    )


CLOSEST: dict[str, Any] = {"max_recaptures": 1, "ignore": "CA206"}
MODULE: dict[str, Any] = {"max_recaptures": 9, "max_captures": 5, "warmup_steps": 3}


def test_each_argument_is_the_closest_markers() -> None:
    closest, module = (pytest.mark.ca(**given).mark for given in (CLOSEST, MODULE))
    settings = settings_of([closest, module])
    assert settings.budgets == {"max-recaptures": 1.0, "max-captures": 5.0}
    assert (settings.warmup_steps, settings.ignore) == (3, frozenset({"CA206"}))
    assert settings_of([]).budgets == {}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_recapture": 0}, "did you mean max_recaptures"),
        ({"warmup_steps": -1}, "a whole number of at least 0"),
        ({"warmup_steps": True}, "a whole number of at least 0"),
        ({"ignore": [3]}, "ignore is a list of codes"),
        ({"max_recaptures": "many"}, "max_recaptures"),
    ],
)
def test_what_cannot_be_meant_is_named_as_the_marker_has_it(
    given: dict[str, Any], message: str
) -> None:
    with pytest.raises(MarkerError, match=message) as refused:
        settings_of([pytest.mark.ca(**given).mark])
    assert "--" not in str(refused.value)
    with pytest.raises(MarkerError, match="keyword arguments only"):
        settings_of([pytest.mark.ca(0).mark])
