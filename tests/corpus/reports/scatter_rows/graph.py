import torch


def crystal(num_atoms, seed):
    g = torch.Generator().manual_seed(seed)
    z = torch.randint(1, 6, (num_atoms,), generator=g)
    src = torch.arange(num_atoms).repeat_interleave(3)
    dst = (src + torch.randint(1, num_atoms, src.shape, generator=g)) % num_atoms
    dst[-num_atoms:] = torch.arange(num_atoms)
    return {"z": z, "src": src, "dst": dst, "length": torch.rand(src.shape[0], 1, generator=g), "energy": z.float().mean()}
