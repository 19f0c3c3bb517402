"""Two processes train one model; this one is the first."""

import tempfile
from pathlib import Path

import worker
from torch import multiprocessing


def main():
    meeting = f"file://{Path(tempfile.mkdtemp()) / 'meeting'}"
    second = multiprocessing.get_context("spawn").Process(target=worker.run, args=(1, meeting))
    second.start()
    worker.run(0, meeting)
    second.join()


if __name__ == "__main__":
    main()
