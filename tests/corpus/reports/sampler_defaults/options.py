from dataclasses import dataclass
from typing import Optional


@dataclass
class SamplingOptions:
    temperature: float = 1.0
    top_p: Optional[float] = None
    floor: Optional[float] = None
