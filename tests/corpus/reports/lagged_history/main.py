import torch
from field import Field
from solver import MultistepSolver


def main():
    torch.manual_seed(0)
    field = Field(dim=4)
    solver = MultistepSolver(field, dt=0.05)
    step = torch.compile(solver.step, backend="aot_eager")
    total = 0.0
    with torch.no_grad():
        for run in range(2):
            solver.reset()
            x = torch.randn(3, 4, generator=torch.Generator().manual_seed(run))
            for i in range(14):
                x = step(x)
            total += x.abs().sum().item()
            print(f"run {run}: end point {x[0].tolist()}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
