import torch
import torch.nn as nn
import torch.nn.functional as F
from corpus import Applications, collate_fn
from torch.utils.data import DataLoader


class Tower(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.conv = nn.Conv1d(d, d, 3, padding=1)
        self.gate = nn.Linear(d, 1)

    def forward(self, ids):
        h = self.emb(ids)
        h = h + self.conv(h.transpose(1, 2)).transpose(1, 2).relu()
        w = self.gate(h).squeeze(-1).masked_fill(ids == 0, -1e4).softmax(-1)
        return F.normalize((w.unsqueeze(-1) * h).sum(1), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, vocab=300, d=16):
        super().__init__()
        self.cv, self.ad = Tower(vocab, d), Tower(vocab, d)
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, cv, ad):
        logits = self.log_scale.exp() * self.cv(cv) @ self.ad(ad).T
        target = torch.arange(logits.shape[0])
        return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target))


def main():
    torch.manual_seed(1)
    loader = DataLoader(
        Applications(60), batch_size=4, shuffle=True, drop_last=True, collate_fn=collate_fn
    )
    model = TwoTower()
    compiled = torch.compile(model, backend="aot_eager", dynamic=False)
    optim = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for epoch in range(2):
        total = 0.0
        for cv, ad in loader:
            loss = compiled(cv, ad)
            optim.zero_grad()
            loss.backward()
            optim.step()
            total += loss.item()
        print(f"epoch {epoch}: {total / len(loader):.4f}, scale {model.log_scale.exp().item():.2f}")


if __name__ == "__main__":
    main()
