import argparse

import torch
from kinetics import reference
from pinn import Concentration, Residual
from stages import collocation, curriculum


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--horizon", type=float, default=4.0)
    parser.add_argument("--stages", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--backend", default="aot_eager")
    return parser.parse_args()


def solve(args):
    generator = torch.Generator().manual_seed(1)
    solution = Concentration(horizon=args.horizon)
    residual = torch.compile(Residual(solution), backend=args.backend)
    optimizer = torch.optim.Adam(solution.parameters(), lr=args.lr)
    for number, stage in enumerate(curriculum(args.horizon, args.stages, args.iterations)):
        for group in optimizer.param_groups:
            group["lr"] = args.lr * 0.7**number
        for _ in range(stage.iterations):
            t = collocation(stage, generator)
            loss = residual(t, stage)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"until {stage.until:.1f}: residual {loss.item():.2e}")
    return solution


if __name__ == "__main__":
    torch.manual_seed(0)
    args = get_args()
    solution = solve(args)
    times = torch.linspace(0.1, args.horizon, 8)
    with torch.no_grad():
        away = (solution(times.unsqueeze(1)).squeeze(1) - reference(times, dt=5e-3)).abs().max()
    print(f"largest error {away.item():.3f}")
