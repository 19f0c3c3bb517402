import torch
from torch.utils.data import DataLoader, TensorDataset


def make_loader(cfg):
    g = torch.Generator().manual_seed(cfg["seed"])
    signal = torch.randn(cfg["rows"], cfg["channels"], 32, generator=g)
    fault = (signal.abs().amax(-1)[:, 0] > 2.2).float()
    dataset = TensorDataset(signal, fault)
    return DataLoader(dataset, batch_size=cfg["batch_size"], shuffle=True, drop_last=True)
