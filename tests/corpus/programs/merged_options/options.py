"""How models are compiled here, and what a run may say about it."""

DEFAULTS = {
    "backend": "eager",
    "dynamic": False,
}


def compile_options(**overrides):
    known = {key: value for key, value in overrides.items() if value is not None}
    return {**DEFAULTS, **known}
