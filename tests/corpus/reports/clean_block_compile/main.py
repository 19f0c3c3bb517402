import logging

import torch
from transformer import Transformer
from train import train_step

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("train")


def main():
    torch.manual_seed(0)
    model = Transformer(vocab=24, dim=16, layers=8)
    for i, block in model.layers.named_children():
        model.layers.register_module(i, torch.compile(block, backend="aot_eager", dynamic=False, fullgraph=True))
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for step in range(4):
        loss, norm = train_step(model, opt, step)
        log.info(f"step {step} loss {loss:.4f} grad norm {norm:.3f}")
    print("FINAL", round(loss, 4))


if __name__ == "__main__":
    main()
