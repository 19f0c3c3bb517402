"""One process of a data-parallel training on the CPU."""

import torch
from torch import distributed, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

WORLD = 2


def loader_for(rank):
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(28, 6, generator=generator)
    data = TensorDataset(inputs, (inputs.sum(1) > 0).long())
    sampler = DistributedSampler(data, num_replicas=WORLD, rank=rank, shuffle=True)
    return DataLoader(data, batch_size=4, sampler=sampler), sampler


def run(rank, meeting):
    distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=WORLD)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
    model = torch.compile(DistributedDataParallel(net), backend="aot_eager")
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loader, sampler = loader_for(rank)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for inputs, labels in loader:
            loss = functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    distributed.barrier()
    distributed.destroy_process_group()
