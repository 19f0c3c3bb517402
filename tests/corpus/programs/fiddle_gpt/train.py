"""
Trains a small GPT on fiddle tunes. Notes see only the last few notes at first, and more from epoch
to epoch.
"""

import torch
from config import GPTConfig, TrainConfig
from model import GPT
from torch._dynamo import compiled_autograd
from tunes import get_loaders


@torch.no_grad()
def estimate_loss(raw_model, loader):
    raw_model.eval()
    losses = [raw_model(tunes[:, :-1], tunes[:, 1:]) for (tunes,) in loader]
    raw_model.train()
    return torch.stack(losses).mean().item()


def get_lr(it, config):
    return config.learning_rate * min(1.0, (it + 1) / config.warmup_iters)


def train(config):
    torch.manual_seed(config.seed)
    raw_model = GPT(GPTConfig())
    train_loader, val_loader = get_loaders(config, raw_model.config)
    optimizer = raw_model.configure_optimizers(config.weight_decay, config.learning_rate)
    model = torch.compile(raw_model, backend="aot_eager")

    it = 0
    for epoch in range(config.epochs):
        running = 0.0
        for (tunes,) in train_loader:
            for group in optimizer.param_groups:
                group["lr"] = get_lr(it, config)
            loss = model(tunes[:, :-1], tunes[:, 1:])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(raw_model.parameters(), config.grad_clip)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            running += loss.item() * len(tunes)
            it += 1
        report = f"epoch {epoch}: train {running / config.tunes:.4f}, window {raw_model.window}"
        if epoch % config.eval_every == config.eval_every - 1:
            report += f", val {estimate_loss(raw_model, val_loader):.4f}"
        print(report)
        raw_model.widen(config.window_growth)


if __name__ == "__main__":
    with compiled_autograd._enable(torch.compile(backend="aot_eager")):
        train(TrainConfig())
