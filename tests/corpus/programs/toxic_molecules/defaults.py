"""Every experiment begins from these; the sweep changes width and depth."""

DEFAULTS = {
    "model": {"width": 24, "depth": 2, "layerdrop": 0.3, "dropout": 0.0},
    "data": {"molecules": 48, "batch": 12, "smallest": 6, "largest": 14},
    "optim": {"lr": 3e-3, "betas": (0.9, 0.98)},
    "seed": 19,
    "epochs": 2,
}
