"""Fine-tunes a classifier of sentences."""

import torch
from finetune import Thaw, make_optimizer
from model import Classifier
from torch._dynamo import compiled_autograd
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset, random_split

OPTIONS = {"epochs": 4, "lr": 4e-3, "batch_size": 12}


def sentences(count=80, length=9):
    tokens = torch.randint(0, 60, (count, length))
    return TensorDataset(tokens, tokens[:, 0] % 3)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = sum((model(tokens).argmax(1) == labels).sum().item() for tokens, labels in loader)
    model.train()
    return right / len(loader.dataset)


def main(epochs, lr, batch_size):
    torch.manual_seed(0)
    train, held_out = random_split(sentences(), [56, 24])
    training = DataLoader(train, batch_size, shuffle=True)
    validation = DataLoader(held_out, batch_size)
    model = Classifier()
    optimizer = make_optimizer(model, lr)
    thaw = Thaw(model)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch in range(epochs):
            thaw(epoch)
            for tokens, labels in training:
                loss = functional.cross_entropy(model(tokens), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            print(f"{epoch}: {accuracy(model, validation):.2f}")


if __name__ == "__main__":
    main(**OPTIONS)
