"""Serves completions for the clerks of an office: prefill, then one token after another."""

import random
import time

import torch
from generate import decode_one_token, prefill
from scheduler import Request, Scheduler
from transformer import ModelArgs, Transformer

PROMPT = 12


class Engine:
    def __init__(self, slots: int = 3, backend: str = "eager"):
        self.model = Transformer(ModelArgs()).eval()
        self.model.setup_caches(slots)
        self.scheduler = Scheduler(slots)
        self.prefill = torch.compile(prefill, backend=backend, fullgraph=True)
        self.decode = torch.compile(decode_one_token, backend=backend, fullgraph=True)
        self.generator = torch.Generator().manual_seed(77)
        self.latencies: list[float] = []

    def noise(self) -> torch.Tensor:
        shape = (self.scheduler.slots, self.model.config.vocab_size)
        return torch.empty(shape).exponential_(1, generator=self.generator)

    @torch.inference_mode()
    def serve_group(self) -> None:
        group = self.scheduler.next_group()
        prompts = [request.prompt[-PROMPT:] for request in group]
        padded = torch.tensor([prompt + [0] * (PROMPT - len(prompt)) for prompt in prompts])
        last = torch.tensor([len(prompt) - 1 for prompt in prompts])
        temperature = torch.tensor([request.temperature for request in group])
        input_pos = torch.arange(PROMPT).expand(len(group), PROMPT)
        token = self.prefill(self.model, padded, input_pos, last, temperature, self.noise())
        position = last + 1
        while True:
            for request, value in zip(group, token.tolist(), strict=True):
                if not request.finished:
                    request.output.append(value)
            if all(request.finished for request in group):
                break
            token = self.decode(self.model, token, position, temperature, self.noise())
            position = (position + 1).clamp(max=self.model.config.block_size - 1)
        self.scheduler.done(group)

    def run(self) -> None:
        while self.scheduler.waiting:
            began = time.perf_counter()
            self.serve_group()
            self.latencies.append(time.perf_counter() - began)


def main() -> None:
    torch.manual_seed(5)
    rng = random.Random(5)
    engine = Engine()
    for _ in range(8):
        prompt = [rng.randrange(1, 48) for _ in range(rng.randint(1, 15))]
        engine.scheduler.add(Request(prompt, rng.randint(1, 9), rng.choice([0.0, 0.7, 1.0])))
    engine.run()
    for number, request in sorted(engine.scheduler.finished.items()):
        print(f"{number}: {len(request.prompt)} → {request.output}")


if __name__ == "__main__":
    main()
