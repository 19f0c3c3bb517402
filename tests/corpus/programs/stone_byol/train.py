"""Bootstrap your own latent, on stones."""

import math
from types import SimpleNamespace

import torch
from byol import BYOL, update_target
from views import TwoViews, sections

cfg = SimpleNamespace(
    seed=14,
    epochs=3,
    batch_size=16,
    lr=0.05,
    tau_base=0.9,
    warmup_epochs=1,
    freeze_predictor_steps=0,
)


def cosine(step, total, start, end):
    return end - (end - start) * (math.cos(math.pi * step / total) + 1) / 2


def batches(images, batch_size, generator):
    order = torch.randperm(len(images), generator=generator)
    for i in range(len(images) // batch_size):
        yield images[order[i * batch_size : (i + 1) * batch_size]]


def exclude_from_decay(param):
    return param.ndim == 1


@torch.no_grad()
def knn(encoder, images, labels):
    encoder.eval()
    y = torch.nn.functional.normalize(encoder(images)[0], dim=-1)
    similar = y @ y.T - 2 * torch.eye(len(y))
    accuracy = (labels[similar.argmax(1)] == labels).float().mean().item()
    encoder.train()
    return accuracy


def main():
    torch.manual_seed(cfg.seed)
    generator = torch.Generator().manual_seed(cfg.seed)
    images = sections(90)
    labels = (images.mean(dim=(1, 2, 3)) > 0.5).long()
    views = TwoViews(cfg.seed)
    byol = BYOL()
    trained = [p for p in byol.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(
        [
            {"params": [p for p in trained if not exclude_from_decay(p)], "weight_decay": 1e-4},
            {"params": [p for p in trained if exclude_from_decay(p)], "weight_decay": 0.0},
        ],
        lr=cfg.lr,
        momentum=0.9,
    )
    learner = torch.compile(byol, backend="eager")
    follow = torch.compile(update_target, backend="eager")
    online, target = list(byol.online.parameters()), list(byol.target.parameters())

    steps = len(images) // cfg.batch_size
    total, step = cfg.epochs * steps, 0
    for epoch in range(cfg.epochs):
        for batch in batches(images, cfg.batch_size, generator):
            warm = min(1.0, (step + 1) / (cfg.warmup_epochs * steps))
            for group in optimizer.param_groups:
                group["lr"] = warm * cosine(step, total, cfg.lr, 0.0)
            loss, logs = learner(*views(batch))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            follow(online, target, torch.tensor(cosine(step, total, cfg.tau_base, 1.0)))
            step += 1
        shown = {name: round(value.item(), 4) for name, value in logs.items()}
        print(f"epoch {epoch} {shown} knn {knn(byol.target, images, labels):.3f}")


if __name__ == "__main__":
    main()
