import torch
import torch.nn.functional as F
from data import TASKS, round_robin
from meters import TaskMeter
from model import MultiTaskNet


def get_model(cfg):
    model = MultiTaskNet(TASKS, width=cfg["width"])
    if cfg["compile"]:
        model = torch.compile(model, backend=cfg["backend"])
    return model


def train_step(model, optimizer, batch):
    logits = model(batch["features"], batch["task"])
    loss = F.cross_entropy(logits, batch["labels"])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    cfg = {"width": 32, "compile": True, "backend": "aot_eager", "lr": 0.01}
    torch.manual_seed(42)
    model = get_model(cfg)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=cfg["lr"])
    meter = TaskMeter()
    for step, batch in enumerate(round_robin()):
        loss = train_step(model, optimizer, batch)
        meter.update(batch["task"], loss)
        if step % 6 == 5:
            print(f"[{step + 1:3d}] {meter}")


if __name__ == "__main__":
    main()
