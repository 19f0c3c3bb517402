"""Settings, each of which the command line can change."""

import argparse
from dataclasses import dataclass, fields


@dataclass
class Config:
    epochs: int = 4
    batch: int = 16
    width: int = 24
    rate: float = 1e-2
    delta: float = 2.0
    shrink: float = 0.7

    @classmethod
    def from_cli(cls):
        parser = argparse.ArgumentParser()
        for one in fields(cls):
            parser.add_argument(f"--{one.name}", type=one.type, default=one.default)
        return cls(**vars(parser.parse_args()))
