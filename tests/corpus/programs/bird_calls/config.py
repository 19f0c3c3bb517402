"""Settings of an experiment, from defaults and the command line."""

import argparse
from dataclasses import dataclass, fields


@dataclass
class Config:
    species: int = 6
    mels: int = 20
    frames: int = 16
    batch_size: int = 12
    epochs: int = 3
    lr: float = 2e-3


def parse(argv=None):
    parser = argparse.ArgumentParser(description="Recognizes birds by their calls.")
    for one in fields(Config):
        parser.add_argument(f"--{one.name}", type=one.type, default=one.default)
    return Config(**vars(parser.parse_args(argv)))
