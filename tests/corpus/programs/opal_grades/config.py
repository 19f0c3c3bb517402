"""Settings, nested as a YAML file would have them."""

CONFIG = {
    "seed": 9,
    "data": {"stones": 64, "channels": 3, "side": 12, "grades": 4, "batch_size": 16},
    "model": {"hidden": 12, "dropout": 0.2},
    "train": {"epochs": 3, "lr": 3e-3, "weight_decay": 1e-2, "aux_weight": [0.3, 0.2, 0.1]},
    "monitor": {"names": ["head"], "keep": 200},
}
