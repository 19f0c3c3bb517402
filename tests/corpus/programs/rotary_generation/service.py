"""A service of completions that is warmed up before it takes requests."""

import torch


class Completions:
    def __init__(self, model, backend="eager"):
        self.model = torch.compile(model.eval(), backend=backend)
        self.requests = 0
        self.log = []

    def warm_up(self, batch, length):
        self._logits(torch.zeros(batch, length, dtype=torch.long))
        return self

    @torch.inference_mode()
    def _logits(self, tokens):
        torch._dynamo.mark_dynamic(tokens, 0, min=2, max=16)
        torch._dynamo.mark_dynamic(tokens, 1, min=2, max=64)
        return self.model(tokens)[:, -1]

    def complete(self, tokens, count, temperature):
        self.requests += 1
        for _ in range(count):
            scores = self._logits(tokens).float() / max(temperature, 1e-3)
            drawn = torch.multinomial(scores.softmax(-1), 1)
            tokens = torch.cat([tokens, drawn], 1)
        self.log.append(tokens[:, -count:].tolist())
        return tokens
