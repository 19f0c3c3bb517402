"""A miniature of a trainer/module split with logging from inside the step."""
import argparse

import torch

from module import RegressionModule
from trainer import Trainer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--log-every", type=int, default=2)
    options = parser.parse_args()
    torch.manual_seed(30)
    module = RegressionModule(5)
    trainer = Trainer(options.epochs, log_every=options.log_every)
    trainer.fit(module)
    for name, values in sorted(trainer.history.items()):
        print(name, " ".join("%.5f" % v for v in values[-3:]))
    print("FINAL %.5f" % trainer.history["loss"][-1])


if __name__ == "__main__":
    main()
