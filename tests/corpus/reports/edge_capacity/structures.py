import torch


def relaxation_steps(n, atoms=9, cutoff=1.9):
    """atoms drift apart a little: the neighbour list changes from step to step"""
    g = torch.Generator().manual_seed(7)
    z = torch.randint(0, 8, (atoms,), generator=g)
    pos = torch.randn(atoms, 3, generator=g)
    for _ in range(n):
        d = (pos[:, None] - pos[None]).norm(dim=-1)
        edges = (d < cutoff).fill_diagonal_(False).nonzero().T.contiguous()
        yield z, pos, edges
        pos = pos * 1.03
