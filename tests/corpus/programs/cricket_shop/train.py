"""Ratings of a shop for cricket gear."""

import torch
from fitting import Recorder, fit, rmse
from loader import InteractionLoader
from model import FactorizationMachine
from shards import export

CONFIG = {
    "n_users": 40,
    "n_items": 25,
    "rows": 36,
    "batch_size": 12,
    "epochs": 2,
    "lr": 0.02,
    "decay": 1e-3,
    "months": ["2023-04", "2023-05", "2023-06", "2023-07"],
    "held_out": ["2023-08"],
}


def main(config):
    torch.manual_seed(0)
    sizes = (config["n_users"], config["n_items"])
    train = InteractionLoader(
        export(config["months"], *sizes, config["rows"]), config["batch_size"]
    )
    test = InteractionLoader(
        export(config["held_out"], *sizes, config["rows"], seed=1), config["batch_size"]
    )
    model = FactorizationMachine(*sizes, mean=train.mean)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=config["lr"])
    recorder = Recorder(every=5)
    fit(model, train, optimizer, config["epochs"], config["decay"], recorder)
    for step, loss, user, item in recorder.rows:
        print(f"{step:4d} {loss:.4f} |user| {user:.5f} |item| {item:.5f}")
    print(f"rmse {rmse(model, test):.3f}")


if __name__ == "__main__":
    main(CONFIG)
