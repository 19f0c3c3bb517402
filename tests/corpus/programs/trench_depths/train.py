import torch
import torch.nn as nn
from losses import silog, smoothness
from soundings import Soundings

torch.manual_seed(6)
cfg = dict(epochs=3, bs=6, lr=5e-3, max_depth=10.0)  # noqa: C408

loader = torch.utils.data.DataLoader(
    Soundings(24), batch_size=cfg["bs"], shuffle=True, drop_last=True
)
net = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1),
    nn.ELU(),
    nn.Conv2d(12, 12, 3, padding=1, dilation=1),
    nn.ELU(),
    nn.Conv2d(12, 1, 3, padding=1),
    nn.Sigmoid(),
)
opt = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
sched = torch.optim.lr_scheduler.OneCycleLR(
    opt, cfg["lr"], epochs=cfg["epochs"], steps_per_epoch=len(loader)
)


@torch.compile(backend="aot_eager")
def objective(echo, depth):
    pred = cfg["max_depth"] * net(echo).clamp_min(1e-3)
    return silog(pred, depth) + smoothness(pred), pred


def abs_rel(pred, depth):
    known = depth > 1e-3
    return ((pred[known] - depth[known]).abs() / depth[known]).mean().item()


for epoch in range(cfg["epochs"]):
    for echo, depth in loader:
        loss, pred = objective(echo, depth)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
    error = abs_rel(pred.detach(), depth)
    lr = sched.get_last_lr()[0]
    print(f"epoch {epoch}  loss {loss.item():.3f}  abs_rel {error:.3f}  lr {lr:.1e}")
