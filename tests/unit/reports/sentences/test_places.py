from __future__ import annotations

import pytest

from ca_reports.run.model import Frame
from ca_reports.sentences.places import shown_place


@pytest.mark.parametrize(
    ("file", "cwd", "width", "expected"),
    [
        ("/home/user/train.py", "/home/user", 60, "train.py:3"),
        ("/home/user/train.py", "/home/user/", 60, "train.py:3"),
        ("/home/username/train.py", "/home/user", 60, "/home/username/train.py:3"),
        ("C:\\work\\train.py", "C:\\work", 60, "train.py:3"),
        ("/home/user/a/b/train.py", None, 12, "…/b/train.py:3"),
        ("/home/user/a/b/quite_a_long_name.py", None, 5, "…/quite_a_long_name.py:3"),
    ],
)
def test_places(file: str, cwd: str | None, width: int, expected: str) -> None:
    assert shown_place(Frame(file, 3, "f", ""), cwd, width) == expected
