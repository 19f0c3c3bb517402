import torch
from torch import nn

TEXT_LEN = 24


class Dialogue(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.embed = nn.Embedding(256, dim)
        self.enc = nn.Linear(dim, dim)
        self.step = nn.Linear(2 * dim, dim)

    def _encode_text(self, text):
        data = text.encode("utf-8").replace(b"[S1]", b"\x01").replace(b"[S2]", b"\x02")
        return torch.tensor(list(data)[:TEXT_LEN])

    def _prepare_generation(self, text, verbose):
        ids = self._encode_text(text)
        if verbose:
            print(f"prepared {ids.shape[0]} bytes")
        ids = torch.nn.functional.pad(ids, (0, TEXT_LEN - ids.shape[0]))
        keep = (ids > 0)[:, None]
        enc = torch.tanh(self.enc(self.embed(ids))) * keep
        return enc, enc.sum(0) / keep.sum()

    def generate(self, text, steps, verbose=True):
        enc, state = self._prepare_generation(text, verbose)
        frames = []
        for i in range(steps):
            state = torch.tanh(self.step(torch.cat([state, enc[i]])))
            frames.append(state)
        return torch.stack(frames)
