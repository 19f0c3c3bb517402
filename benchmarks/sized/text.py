"""Text: a language model on batches that are padded to their longest."""

import random

import torch

torch.set_num_threads(1)
torch.manual_seed(0)
random.seed(0)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(2000, 96)
        self.layers = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(96, 4, 256, dropout=0.0, batch_first=True)
            for _ in range(2)
        )
        self.head = torch.nn.Linear(96, 2000)

    def forward(self, ids, mask):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=~mask)
        return self.head(x)


model = torch.compile(Model(), backend="aot_eager", dynamic=False)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(120):
    length = random.choice([24, 32, 40, 56, 64, 96, 128])
    ids = torch.randint(1, 2000, (8, length))
    logits = model(ids, torch.ones(8, length, dtype=torch.bool))
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids.flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
