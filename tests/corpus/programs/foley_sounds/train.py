import torch
from batching import Collator
from clips import BANDS, CLASSES, Clips
from tagger import Tagger
from torch.utils.data import DataLoader

hp = {"epochs": 2, "batch": 8, "lr": 4e-3, "clips": 64, "seed": 31, "smoothing": 0.1}


def train():
    torch.manual_seed(hp["seed"])
    loader = DataLoader(
        Clips(hp["clips"], hp["seed"]), hp["batch"], shuffle=True, collate_fn=Collator()
    )
    model = Tagger(BANDS, len(CLASSES))
    step = torch.compile(model, backend="aot_eager")
    opt = torch.optim.NAdam(model.parameters(), lr=hp["lr"])
    criterion = torch.nn.CrossEntropyLoss(label_smoothing=hp["smoothing"])
    for epoch in range(hp["epochs"]):
        right = seen = 0
        for batch in loader:
            logits = step(batch["spec"], batch["stripes"])
            loss = criterion(logits, batch["labels"])
            opt.zero_grad()
            loss.backward()
            opt.step()
            right += (logits.argmax(-1) == batch["labels"]).sum().item()
            seen += len(batch["labels"])
        print(f"epoch {epoch}: {loss.item():.3f}, {right / seen:.0%} right")
    return model


if __name__ == "__main__":
    train()
