import logging

import torch
from roofnet import RoofLoss, RoofNet, total
from tiles import TileLoader

logging.basicConfig(level=logging.INFO, format="%(message)s")
logger = logging.getLogger("roofs")


def delta_for(epoch, first=1.0, factor=0.6):
    """The errors become smaller, so does the quadratic part."""
    return first * factor**epoch


def main(epochs=4, lr=0.02):
    torch.manual_seed(8)
    loader = TileLoader()
    net = RoofNet()
    criterion = RoofLoss(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    step = 0
    for epoch in range(epochs):
        criterion.delta = delta_for(epoch)
        for batch in loader:
            losses = criterion(batch, step)
            loss = total(losses)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
        scheduler.step()
        logger.info("epoch %d %s", epoch, {k: round(v.item(), 3) for k, v in losses.items()})


if __name__ == "__main__":
    main()
