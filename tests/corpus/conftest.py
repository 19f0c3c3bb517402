"""Tests of the corpus, where it is: an sdist has none of its programs and recordings."""

from __future__ import annotations

from tests.corpus import packed

collect_ignore_glob: list[str] = [] if packed.ARCHIVE.is_file() else ["test_*.py"]
