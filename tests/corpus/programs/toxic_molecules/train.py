import random

import torch
from defaults import DEFAULTS
from encoder import ToxNet
from molecules import Molecules
from torch.nn.utils import clip_grad_norm_


def main(cfg):
    random.seed(cfg["seed"])
    torch.manual_seed(cfg["seed"])
    data = Molecules(**cfg["data"], seed=cfg["seed"])
    net = ToxNet(**cfg["model"])
    optimizer = torch.optim.Adam(net.parameters(), **cfg["optim"])
    criterion = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor(1.5))
    for epoch in range(cfg["epochs"]):
        for atoms, places, toxic in data:
            loss = criterion(net(atoms, places), toxic)
            optimizer.zero_grad()
            loss.backward()
            norm = clip_grad_norm_(net.parameters(), 2.0)
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.3f} norm {norm:.2f}")


if __name__ == "__main__":
    main(DEFAULTS)
