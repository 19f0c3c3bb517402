CFG = {
    "seed": 0,
    "sprites": {"count": 64, "size": 12},
    "generator": {"latent": 8, "width": 24},
    "critic": {"width": 24},
    "augment": {"names": ("mirror", "fade", "patch"), "probability": 1.0},
    "train": {"steps": 9, "batch": 16, "lr": 2e-3, "betas": (0.5, 0.99), "ema": 0.9},
}
