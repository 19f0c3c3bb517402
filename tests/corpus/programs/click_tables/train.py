"""Predict clicks."""

import torch
import torch.nn.functional as F
from features import Impressions, holdout, train_batches
from wide_deep import WideDeep


def evaluate(predict, data):
    inputs, clicked = holdout(data)
    return F.binary_cross_entropy_with_logits(predict(inputs), clicked).item()


def main(epochs=2):
    torch.manual_seed(0)
    data = Impressions()
    model = WideDeep()
    predict = torch.compile(model, backend="eager")
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    for epoch in range(epochs):
        for inputs, clicked in train_batches(data):
            loss = F.binary_cross_entropy_with_logits(predict(inputs), clicked)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: train {loss.item():.3f} holdout {evaluate(predict, data):.3f}")


if __name__ == "__main__":
    main()
