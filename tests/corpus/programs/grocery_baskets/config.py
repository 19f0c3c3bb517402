"""Defaults of the next-item project; experiments override single keys."""

CONFIG = {
    "seed": 7,
    "data": {"items": 60, "baskets": 150, "basket_size": 6, "batch_size": 32, "drop_last": False},
    "model": {"dim": 24, "hidden": 48, "dropout": 0.1, "temperature": 1.0},
    "optim": {"name": "AdamW", "lr": 3e-3, "weight_decay": 0.01},
    "trainer": {"epochs": 4, "backend": "aot_eager", "clip": 1.0},
    "callbacks": {
        "TemperatureAnnealing": {"start": 1.0, "end": 0.4},
        "EarlyStopping": {"patience": 5},
        "EpochLog": {},
    },
}


def merged(base, override):
    out = dict(base)
    for key, value in override.items():
        out[key] = merged(base[key], value) if isinstance(value, dict) else value
    return out
