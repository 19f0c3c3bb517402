import torch
from modeling import StaticCache


class Generator:
    def __init__(self, model):
        self.model = model
        # one token at a time: static shapes, made for cuda graphs
        self.decode = torch.compile(model, dynamic=False, backend="aot_eager")

    @torch.no_grad()
    def generate(self, prompt, max_new_tokens):
        total_len = prompt.shape[1] + max_new_tokens
        cache = StaticCache(total_len, self.model.dim)
        tokens = prompt[0].tolist()
        score = 0.0
        for i in range(total_len - 1):
            token = torch.tensor([[tokens[i]]])
            logits = self.decode(token, torch.tensor([i]), cache.k, cache.v)
            if i + 1 >= len(tokens):
                tokens.append(logits.argmax().item())
                score += logits.max().item()
        return tokens[prompt.shape[1]:], score
