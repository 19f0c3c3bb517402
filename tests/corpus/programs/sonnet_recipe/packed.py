import torch
from torch.utils.data import Dataset


class PackedDataset(Dataset):
    """Verses one after another in packs of one length, with masks that keep them apart."""

    def __init__(self, max_seq_len: int, packs: int, vocab_size: int, seed: int) -> None:
        g = torch.Generator().manual_seed(seed)
        self.max_seq_len = max_seq_len
        self.packs = []
        for _ in range(packs):
            seq_lens, room = [], max_seq_len
            while room > 0:
                seq_lens.append(min(room, int(torch.randint(3, 9, (1,), generator=g))))
                room -= seq_lens[-1]
            tokens = torch.randint(0, vocab_size, (max_seq_len + 1,), generator=g)
            self.packs.append((tokens, seq_lens))

    def __len__(self) -> int:
        return len(self.packs)

    def __getitem__(self, idx: int) -> dict[str, torch.Tensor]:
        tokens, seq_lens = self.packs[idx]
        blocks = [torch.ones(n, n, dtype=torch.bool).tril() for n in seq_lens]
        return {"tokens": tokens[:-1], "labels": tokens[1:], "mask": torch.block_diag(*blocks)}
