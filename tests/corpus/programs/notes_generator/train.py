"""Finetunes a model of notes for a moment, then writes notes with it."""

import torch
from cache import StaticCache
from modeling_notes import NotesConfig, NotesForCausalLM


def finetune(model, steps=3, batch=4, length=12):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        start = torch.randint(0, 32, (batch, 1))
        input_ids = (start + torch.arange(length)) % 32
        loss = model(input_ids, labels=input_ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


class Generator:
    def __init__(self, model, config):
        self.model, self.config = model.eval(), config
        self.decode_one_token = torch.compile(self._next, backend="aot_eager", fullgraph=True)

    def _next(self, token, cache, temperature):
        logits = self.model(token, cache=cache).logits[:, -1]
        return torch.softmax(logits / temperature, dim=-1)

    @torch.no_grad()
    def generate(self, prompt, max_new_tokens, temperature):
        cache = StaticCache(self.config, len(prompt))
        temperature = torch.tensor(temperature)
        probabilities = self._next(prompt, cache, temperature)
        cache.advance(prompt.shape[1])
        written = [prompt]
        for _ in range(max_new_tokens):
            written.append(torch.multinomial(probabilities, 1))
            probabilities = self.decode_one_token(written[-1], cache, temperature)
            cache.advance(1)
        return torch.cat(written, dim=1)


def main():
    torch.manual_seed(30)
    config = NotesConfig()
    model = NotesForCausalLM(config)
    finetune(model)
    generator = Generator(model, config)
    for temperature in (0.7, 1.0):
        prompt = torch.randint(0, config.vocabulary, (2, 5))
        print(generator.generate(prompt, max_new_tokens=6, temperature=temperature)[0].tolist())


if __name__ == "__main__":
    main()
