import torch
import torch.nn as nn
from rig import N_FEATURES, measure

BATCH = 24
STEPS = 30
WARMUP = 12
LR = 2e-2
FRICTION = 0.05

torch.manual_seed(3)
net = nn.Sequential(nn.Linear(N_FEATURES, 24), nn.Tanh(), nn.Linear(24, 2))
opt = torch.optim.SGD(net.parameters(), lr=LR, momentum=0.9)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / WARMUP))


@torch.compile(backend="eager")
def objective(out, target, step):
    mean, log_var = out.unbind(-1)
    mse = (mean - target).square()
    nll = 0.5 * (log_var + mse * torch.exp(-log_var))
    ramp = step / WARMUP if step < WARMUP else 1.0
    loss = (1 - ramp) * mse.mean() + ramp * nll.mean()
    return loss + FRICTION * mean.clamp(max=0).square().mean()


history = []
for step in range(STEPS):
    x, y = measure(BATCH)
    loss = objective(net(x), y, step)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()
    history.append(loss.item())
    if step % 10 == 9:
        print(f"{step + 1:3d}  {sum(history[-10:]) / 10:+.4f}  lr {sched.get_last_lr()[0]:.4f}")
