import torch
import torch.nn.functional as F
from gnn import Net
from graphs import Loader

torch.manual_seed(12345)
train_loader = Loader(count=36, batch_size=6, seed=0)
model = Net(in_channels=5, hidden=16)
compiled = torch.compile(model, backend="eager")
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)


def train():
    model.train()
    total_loss = total_examples = 0
    for data in train_loader:
        optimizer.zero_grad()
        out = compiled(data.x, data.edge_index, data.edge_weight, data.batch)
        loss = F.mse_loss(out, data.y)
        loss.backward()
        optimizer.step()
        total_loss += float(loss) * data.y.numel()
        total_examples += data.y.numel()
    return total_loss / total_examples


for epoch in range(1, 4):
    loss = train()
    print(f"Epoch: {epoch:02d}, Loss: {loss:.4f}")
