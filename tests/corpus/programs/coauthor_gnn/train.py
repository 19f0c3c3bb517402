import argparse
import copy

import torch
import torch.nn.functional as F
from sage import SAGE
from sampler import PaddedNeighborLoader, coauthors

parser = argparse.ArgumentParser()
parser.add_argument("--hidden_channels", type=int, default=12)
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--batch_size", type=int, default=16)
parser.add_argument("--patience", type=int, default=2)
args = parser.parse_args()

torch.manual_seed(12345)
data = coauthors()
loader = PaddedNeighborLoader(data, args.batch_size)
model = SAGE(data.x.size(1), args.hidden_channels, 4, num_layers=3)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=5e-4)


def train(epoch):
    model.train()
    model.skip_weight = min(1.0, (epoch + 1) / args.epochs)
    total_loss, history = 0.0, []
    for batch in loader:
        optimizer.zero_grad(set_to_none=True)
        out = model(batch.x, batch.edge_index, batch.edge_mask)
        weight = batch.train_mask.float()
        nll = F.nll_loss(out, batch.y, reduction="none")
        loss = (nll * weight).sum() / weight.sum().clamp(min=1)
        confidence = -(out.exp() * out).sum(-1)
        loss = loss + 0.01 * 0.9**epoch * (confidence * weight).mean()
        loss.backward()
        optimizer.step()
        history.append(loss.detach())
        total_loss += float(loss)
    return total_loss / len(loader), torch.stack(history).std()


@torch.no_grad()
def test():
    model.eval()
    pred = model(data.x, data.edge_index, data.edge_mask).argmax(dim=-1)
    masks = [data.train_mask, ~data.train_mask]
    return [int((pred[mask] == data.y[mask]).sum()) / int(mask.sum()) for mask in masks]


best, best_state, waited = 0.0, None, 0
for epoch in range(args.epochs):
    loss, spread = train(epoch)
    train_acc, val_acc = test()
    if val_acc > best:
        best, best_state, waited = val_acc, copy.deepcopy(model.state_dict()), 0
    else:
        waited += 1
    print(f"Epoch: {epoch:02d}, Loss: {loss:.4f} ± {spread:.4f}, Val: {val_acc:.4f}")
    if waited > args.patience:
        break
model.load_state_dict(best_state)
print(f"Final: {test()[1]:.4f}, {model.calls} calls")
