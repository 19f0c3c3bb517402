"""The components of keys."""

from __future__ import annotations

from ca_reports.run.cached import KeyPart, KeyParts

FIRST = {"gm": KeyPart("1", "x"), "threads": KeyPart("2", "2")}


def test_a_key_is_the_first_but_what_changed_and_what_is_gone() -> None:
    parts = KeyParts(
        FIRST, {"gm": KeyPart("3", "y"), "new": KeyPart("4", "1")}, frozenset(("threads",))
    )
    assert list(parts.names()) == ["gm", "new"]
    assert parts.get("threads") is None
    assert parts.get("gm") == KeyPart("3", "y")
    assert parts
    assert not KeyParts()


def test_hashes_are_compared_and_not_the_texts() -> None:
    same = KeyParts({"gm": KeyPart("1", "printed otherwise"), "threads": KeyPart("2", "2")})
    other = KeyParts({"gm": KeyPart("9", "x"), "threads": KeyPart("2", "2")})
    assert KeyParts(FIRST).differences(same) == []
    assert [found.name for found in KeyParts(FIRST).differences(other)] == ["gm"]
