import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

CV_WORDS, AD_WORDS = 40, 25


class Applications(Dataset):
    """Pairs of a CV and the advertisement that it was sent to."""

    def __init__(self, n, vocab=300, seed=5):
        g = torch.Generator().manual_seed(seed)
        self.pairs = []
        for _ in range(n):
            cv, ad = (int(torch.randint(8, m + 1, (), generator=g)) for m in (CV_WORDS, AD_WORDS))
            words = torch.randint(1, vocab, (cv + ad,), generator=g)
            self.pairs.append((words[:cv], words[cv:]))

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        return self.pairs[i]


def collate_fn(pairs):
    cvs, ads = zip(*pairs, strict=True)
    return pad_sequence(cvs, batch_first=True), pad_sequence(ads, batch_first=True)
