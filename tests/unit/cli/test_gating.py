"""Settings of a gate from the command line."""

from __future__ import annotations


def test_settings_have_a_key_each() -> None:
    from ca_cli.gating import Flags
    from ca_reports.gates.config import KEYS

    flags = {option.name for option in Flags.parameters()}
    # A table of patterns is nothing for a command line; the others are not the gate's.
    others = {"per_path_ignores", "secrets", "keep_source", "editor"}
    keys = {key.replace("-", "_") for key in KEYS} - others
    assert keys == flags - {"config"}
