import torch


class SpeechBatches:
    """utterances of 20 to 90 frames, padded to the longest one of the batch"""

    def __init__(self, batches, batch_size):
        self.batches, self.batch_size = batches, batch_size

    def padded_length(self, lengths):
        longest = int(lengths.max())
        return longest + longest % 2

    def __iter__(self):
        g = torch.Generator().manual_seed(5)
        for _ in range(self.batches):
            lengths = torch.randint(20, 91, (self.batch_size,), generator=g)
            feats = torch.zeros(self.batch_size, self.padded_length(lengths), 8)
            for b, n in enumerate(lengths.tolist()):
                feats[b, :n] = torch.randn(n, 8, generator=g)
            yield feats, lengths, torch.randint(0, 10, (self.batch_size,), generator=g)
