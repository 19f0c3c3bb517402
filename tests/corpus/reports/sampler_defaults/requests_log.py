from dataclasses import dataclass

from options import SamplingOptions


@dataclass
class Request:
    rows: int
    seed: int
    options: SamplingOptions


REQUESTS = [
    Request(2, 1, SamplingOptions(0.7)),
    Request(4, 2, SamplingOptions(0.7, top_p=0.9)),
    Request(3, 3, SamplingOptions(1.0, top_p=0.8)),
    Request(8, 4, SamplingOptions(0.9, floor=0.01)),
    Request(5, 5, SamplingOptions(1.0, top_p=0.95, floor=0.02)),
    Request(6, 6, SamplingOptions(0.5, top_p=0.6, floor=0.05)),
    Request(2, 7, SamplingOptions()),
]
