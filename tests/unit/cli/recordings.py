"""The environment of a recorded run."""

from __future__ import annotations

from pathlib import Path

from ca_cli.recording import recording_environment
from ca_engine.settings import Settings


def record(environment: dict[str, str], settings: Settings | None = None) -> dict[str, str]:
    return recording_environment(environment, Path("/run"), settings or Settings())
