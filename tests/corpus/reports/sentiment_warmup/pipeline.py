import zlib

import torch
from modeling import FinBert

VOCAB = 200


class SentimentPipeline:
    def __init__(self, hidden):
        torch.manual_seed(0)
        self.model = FinBert(VOCAB, hidden).eval()
        self.maybe_apply_torch_compile()
        self._init_warmup()

    def maybe_apply_torch_compile(self):
        self.model.forward = torch.compile(self.model.forward)

    def _init_warmup(self):
        """two calls, so that the first request is fast"""
        for _ in range(2):
            self.predict(torch.ones(1, 16, dtype=torch.long))

    @torch.no_grad()
    def predict(self, input_ids):
        return self.model(input_ids)

    def tokenize(self, text):
        return torch.tensor([[zlib.crc32(w.encode()) % VOCAB for w in text.split()]])

    def __call__(self, text):
        logits = self.predict(self.tokenize(text))
        return float(logits[0, 1] - logits[0, 0])
