"""Fault detection for brine pumps."""

import torch
import torch.nn.functional as F
import yaml_like
from gradlog import GradientLog
from pumpnet import PumpNet, weight_decay_groups
from sensors import make_loader


def train(cfg):
    torch.manual_seed(cfg["seed"])
    loader = make_loader(cfg)
    model = PumpNet(cfg["channels"], cfg["width"])
    optimizer = torch.optim.AdamW(weight_decay_groups(model, cfg["decay"]), lr=cfg["lr"])
    gradlog = GradientLog(model, cfg["log_every"])
    accumulate = cfg["accumulate"]
    step, losses = 0, []
    optimizer.zero_grad()
    for _ in range(cfg["epochs"]):
        for signal, fault in loader:
            loss = F.binary_cross_entropy_with_logits(model(signal), fault) / accumulate
            gradlog.before_backward(step)
            loss.backward()
            gradlog.after_backward()
            losses.append(loss.detach() * accumulate)
            step += 1
            if step % accumulate == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), cfg["clip"])
                optimizer.step()
                optimizer.zero_grad()
    print(f"{step} steps, loss {torch.stack(losses[-4:]).mean():.4f}")
    print(f"largest gradient {gradlog.summary():.4f}")


if __name__ == "__main__":
    train(yaml_like.load())
