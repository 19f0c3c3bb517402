import torch
import torch.nn.functional as F
from config import cfg
from data import get_dataloaders
from model import BrakeNet, GradientNorms, soft_targets


def smoothing_at(step, steps):
    share = step / max(1, steps - 1)
    return cfg.smooth_from + share * (cfg.smooth_to - cfg.smooth_from)


def prepare(model):
    for p in model.parameters():
        p.grad = torch.zeros_like(p)
    return torch.optim.AdamW(model.parameters(), lr=cfg.lr)


def train():
    torch.manual_seed(cfg.seed)
    train_dl, test_dl = get_dataloaders(cfg)
    net = BrakeNet()
    model = torch.compile(net, backend=cfg.backend)
    optimizer = prepare(net)
    norms = GradientNorms(net.outer.weight)
    steps, step = cfg.epochs * len(train_dl), 0
    for epoch in range(cfg.epochs):
        model.train()
        for batch in train_dl:
            smoothing = torch.tensor(smoothing_at(step, steps))
            aux_weight = torch.tensor(0.2 if step % 2 == 0 else 0.0)
            logits, energy = model(batch["x"])
            loss = F.cross_entropy(logits, soft_targets(batch["y"], smoothing))
            loss = loss + aux_weight * F.mse_loss(energy, batch["x"].std(-1))
            (loss / cfg.accumulate).backward()
            step += 1
            if step % cfg.accumulate == 0:
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)
        model.eval()
        with torch.no_grad():
            hits = [(model(b["x"])[0].argmax(1) == b["y"]).float().mean() for b in test_dl]
        print(f"{epoch} {loss.item():.3f} {torch.stack(hits).mean():.3f} {norms.total:.2f}")


if __name__ == "__main__":
    train()
