import torch

OPTIONS = {
    "optimizer": {"lr": 0.02, "momentum": 0.0},
    "warmup": 6,
}


def build(parameters, options=OPTIONS):
    optimizer = torch.optim.SGD(parameters, **options["optimizer"])
    warmup = options["warmup"]
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / warmup)
    )
    return optimizer, scheduler
