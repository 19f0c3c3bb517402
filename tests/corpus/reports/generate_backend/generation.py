import torch
from torch._dynamo.backends.registry import lookup_backend


class CompileSettings:
    def __init__(self, backend="aot_eager", dynamic=False):
        self.backend, self.dynamic = backend, dynamic


class Generator:
    def __init__(self, model, window):
        self.model, self.window = model, window
        self.settings = CompileSettings()
        self.seen_graphs = []

    def compiled_call(self):
        inner = lookup_backend(self.settings.backend)

        def logged(gm, example_inputs):
            self.seen_graphs.append(len(gm.graph.nodes))
            return inner(gm, example_inputs)

        return torch.compile(self.model.__call__, backend=logged, dynamic=self.settings.dynamic)

    @torch.no_grad()
    def generate(self, prompt, new_tokens):
        step = self.compiled_call()
        ids = torch.zeros(1, self.window, dtype=torch.long)
        ids[:, : prompt.shape[1]] = prompt
        n = prompt.shape[1]
        for _ in range(new_tokens):
            logits = step(ids, torch.tensor([n - 1]))
            ids[:, n] = logits.argmax(-1)
            n += 1
        return ids
