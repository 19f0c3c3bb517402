"""Notes a statistic of every call in a file."""

import tempfile
from pathlib import Path

FILE = Path(tempfile.gettempdir()) / "activations.csv"


def note(name, tensor):
    with FILE.open("a") as file:
        file.write(f"{name},{tuple(tensor.shape)}\n")
