import torch
from data import SpeechBatches
from tdnn import TDNN


def main():
    torch.manual_seed(0)
    model = TDNN(feats=8, dim=16, phones=10)
    opt = torch.optim.Adam(model.parameters(), lr=0.005)
    net = torch.compile(model, backend="aot_eager", dynamic=False)
    for epoch in range(2):
        for i, (feats, lengths, target) in enumerate(SpeechBatches(batches=12, batch_size=2)):
            logp = net(feats)
            keep = torch.arange(logp.shape[1])[None] < lengths[:, None] // 2
            nll = -logp.gather(-1, target[:, None, None].expand(-1, logp.shape[1], 1))[..., 0]
            loss = (nll * keep).sum() / keep.sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
