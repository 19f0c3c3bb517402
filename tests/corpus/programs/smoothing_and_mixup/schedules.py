"""Schedules by name."""

SCHEDULES = {
    "constant": lambda start, _: lambda _epoch: start,
    "linear": lambda start, epochs: lambda epoch: start * (1 - epoch / epochs),
}


def schedule(kind, start, epochs):
    return SCHEDULES[kind](start, epochs)
