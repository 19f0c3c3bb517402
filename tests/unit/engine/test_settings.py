"""A run's settings, from one process to the next."""

from __future__ import annotations

from ca_engine.settings import Settings
from tests.unit.cli.recordings import record


def test_settings_come_back_from_the_environment() -> None:
    settings = Settings(enable=True, backend='my "own" one', dynamic=False, cwd="/with space\n")

    text = record({}, settings)["CA_RUN_SETTINGS"]

    assert not any(letter.isspace() for letter in text)
    assert Settings.from_environment({"CA_RUN_SETTINGS": text}) == settings
    assert Settings.from_environment({"CA_RUN_SETTINGS": '{"of a later version": 1}'}) == Settings()
    assert Settings.from_environment({}) == Settings()
