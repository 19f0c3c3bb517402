import torch
from corpus import INTENTS, VOCABULARY, batches
from fitting import Engine
from hooks import FeatureGradients, FreezePolicy, LossTrace
from network import IntentModel


def accuracy(model, data):
    with torch.no_grad():
        right = [(model(ids).argmax(-1) == labels).float().mean() for ids, labels in data]
    return torch.stack(right).mean().item()


def main():
    torch.manual_seed(4)
    model = IntentModel(len(VOCABULARY), len(INTENTS))
    trace, gradients = LossTrace(), FeatureGradients(every=4)
    engine = Engine(model, [FreezePolicy("encoder", until=6), gradients, trace], lr=1e-2)
    train, held_out = batches(96, 16, seed=1), batches(32, 16, seed=2)
    for epoch, loss in engine.fit(train, epochs=3):
        print(f"epoch {epoch} loss {loss:.3f} accuracy {accuracy(model, held_out):.2f}")
    print(f"smoothed {trace.value:.3f}, pulls {gradients.record}")


if __name__ == "__main__":
    main()
