import torch


class in_dtype:
    """Sets torch's default dtype for a block."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __enter__(self):
        self.before = torch.get_default_dtype()
        torch.set_default_dtype(self.dtype)

    def __exit__(self, kind, error, trace):
        if kind is not None:
            torch.set_default_dtype(self.before)


def drift(energies):
    """Relative drift, added up in double."""
    with in_dtype(torch.float64):
        values = torch.tensor(energies)
        return ((values - values[0]) / values[0]).abs().max().item()
