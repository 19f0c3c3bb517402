import torch
from rnn import LeakyRNN


def main():
    torch.manual_seed(0)
    net = LeakyRNN(n_in=4, n_hidden=12)
    run = torch.compile(net, dynamic=True, backend="eager")
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    for n in (3, 5):  # warm-up with two lengths
        run(torch.randn(n, 2, 4))
    g = torch.Generator().manual_seed(0)
    for i, n in enumerate([4, 7, 3, 6, 9, 5, 10, 8, 2, 11]):
        x = torch.randn(n, 2, 4, generator=g)
        out = run(x)
        loss = (out - x.mean(0)[:, :1]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"sequence {i}: length {n} loss {loss.item():.4f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
