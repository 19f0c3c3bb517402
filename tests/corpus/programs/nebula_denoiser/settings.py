"""Settings of the run."""

CFG = {
    "epochs": 4,
    "batch_size": 6,
    "lr": 2e-3,
    "sigma": 0.05,
    "sigma_max": 0.3,
}


def advance(epoch):
    CFG["sigma"] = 0.05 + (CFG["sigma_max"] - 0.05) * epoch / CFG["epochs"]
