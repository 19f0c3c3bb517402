import argparse

import torch
import torch.nn.functional as F
from gnn import PlumeNet
from mesh import grid_mesh, minibatches, simulations
from sensitivity import InputSensitivity

p = argparse.ArgumentParser()
p.add_argument("--side", type=int, default=7)
p.add_argument("--runs", type=int, default=20)
p.add_argument("--batch", type=int, default=6)
p.add_argument("--steps", type=int, default=20)
p.add_argument("--lr", type=float, default=3e-3)
p.add_argument("--code-lr", type=float, default=5.0)
p.add_argument("--code-reg", type=float, default=1e-3)
p.add_argument("--noise", type=float, default=0.02)
p.add_argument("--sensitivity-every", type=int, default=6)
args = p.parse_args()

torch.manual_seed(4)
pos, edges = grid_mesh(args.side)
winds, fields = simulations(pos, args.runs)
net = PlumeNet(pos, edges, args.runs)
dense, codes = net.split_parameters()
optimizers = [torch.optim.Adam(dense, lr=args.lr), torch.optim.SGD(codes, lr=args.code_lr)]
sensitivity = InputSensitivity(args.sensitivity_every, start=3)

for step, run in enumerate(minibatches(args.runs, args.batch, args.steps)):
    # Less noise towards the end, as the rollouts of mesh networks are trained.
    noise = args.noise * (1 - step / args.steps)
    wind = winds[run] + noise * torch.randn(len(run), 2)
    wind = sensitivity.prepare(wind, step)
    guess = net(wind, run)
    fit = F.mse_loss(guess, fields[run])
    loss = fit + args.code_reg * net.codes(run).square().sum(1).mean()
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss.backward()
    sensitivity.collect(wind)
    for optimizer in optimizers:
        optimizer.step()
    if step % 5 == 0:
        print(f"step {step:3d}  fit {fit.item():.4f}  loss {loss.item():.4f}")

print(sensitivity.table(("wind x", "wind y")))
