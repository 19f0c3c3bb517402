"""What is trained, for how long."""

from contextlib import contextmanager
from fnmatch import fnmatch


@contextmanager
def only(model, *patterns):
    """Within, only parameters whose names fit one of the patterns are trained."""
    before = {name: one.requires_grad for name, one in model.named_parameters()}
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(any(fnmatch(name, pattern) for pattern in patterns))
    try:
        yield
    finally:
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(before[name])


PHASES = {
    "head": (["head.*"], 3),
    "late": (["head.*", "late.*"], 3),
    "all": (["*"], 4),
}
