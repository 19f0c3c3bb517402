"""Learn the operator from loads to deflections of a membrane."""

import torch
from deeponet import DeepONet
from membrane import dataset
from solver import Solver, Stage

CONFIG = {
    "sensors": 20,
    "stages": [
        Stage("branch", 8, ("branch", "bias"), 1e-2),
        Stage("joint", 8, ("branch", "trunk", "bias"), 5e-3),
    ],
}


def main() -> None:
    torch.manual_seed(2)
    model = DeepONet(CONFIG["sensors"])
    solver = Solver(model, CONFIG["stages"])
    solver.run(dataset(sensors=CONFIG["sensors"]))
    error = solver.relative_error(dataset(sensors=CONFIG["sensors"], seed=1))
    print(f"relative error on new loads: {error:.3f}")


if __name__ == "__main__":
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
        main()
