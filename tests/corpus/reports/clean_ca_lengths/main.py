import torch
from batches import sentences
from tagger import Tagger


def main():
    torch.manual_seed(0)
    model = Tagger(vocab=20, dim=10, tags=4)
    fast = torch.compile(model, backend="aot_eager", dynamic=True)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, (tokens, tags) in enumerate(sentences(lengths=[9, 14, 11, 7, 16, 12])):
        loss = torch.nn.functional.cross_entropy(fast(tokens).flatten(0, 1), tags.flatten())
        with torch._dynamo.compiled_autograd._enable(torch.compile(backend="aot_eager")):
            loss.backward()
        opt.step()
        opt.zero_grad()
        print(f"step {step} length {tokens.shape[1]} loss {loss.item():.5f}")
    print("FINAL", round(loss.item(), 5))


if __name__ == "__main__":
    main()
