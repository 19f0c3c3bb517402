"""Name → class, as everywhere in this repo."""

ENCODERS: dict[str, type] = {}


def register(name):
    def wrap(cls):
        ENCODERS[name] = cls
        return cls

    return wrap


def build(name, **kwargs):
    return ENCODERS[name](**kwargs)
