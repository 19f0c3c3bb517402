"""What an abacus is worth, and how sure that is."""

import json

import torch
from features import iterate, to_tensors
from listings import COLUMNS, make_frame, scaling, split
from network import PriceNet
from objective import price_loss

CONFIG = json.loads(
    """{
    "rows": 200, "share": 0.7, "batch_size": 20, "epochs": 6, "lr": 0.01,
    "phases": ["warmup", "warmup", "nll", "nll", "robust", "robust"],
    "backend": "aot_eager"
}"""
)


def make_step(net, backend):
    @torch.compile(backend=backend)
    def step(batch, noise, kind):
        mean, log_var = net(batch, noise)
        return price_loss(mean, log_var, batch["price"], kind=kind)

    return step


@torch.no_grad()
def evaluate(net, tensors, batch_size):
    net.eval()
    errors = []
    for batch in iterate(tensors, batch_size, shuffle=False):
        mean, _ = net(batch, None)
        errors.append((mean - batch["price"]).abs().mean())
    net.train()
    return torch.stack(errors).mean().item()


def main(config):
    torch.manual_seed(4)
    train, test = split(make_frame(config["rows"], 0), config["share"], 1)
    scale = scaling(train)
    train, test = to_tensors(train, scale), to_tensors(test, scale)
    net = PriceNet(len(COLUMNS))
    step = make_step(net, config["backend"])
    optimizer = torch.optim.Adam(net.parameters(), lr=config["lr"])
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, config["lr"], epochs=config["epochs"], steps_per_epoch=7
    )
    for epoch, kind in zip(range(config["epochs"]), config["phases"], strict=True):
        total = 0.0
        for batch in iterate(train, config["batch_size"], shuffle=True):
            noise = torch.rand(config["batch_size"], net.noise_width)
            loss = step(batch, noise, kind)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"{epoch} {kind}: {total / 7:.3f}, off by {evaluate(net, test, 20):.3f}")


if __name__ == "__main__":
    main(CONFIG)
