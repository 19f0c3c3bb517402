import context
import torch
from loans import COLUMNS, Batches, table
from scorecard import Scorecard, auc
from torch.nn.functional import binary_cross_entropy_with_logits as bce

BACKEND = "aot_eager"


class Fit:
    def __init__(self, lr=1e-2, epochs=4, seed=8):
        torch.manual_seed(seed)
        self.epochs = epochs
        self.model = Scorecard(len(COLUMNS))
        self.score = torch.compile(self.model, backend=BACKEND)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr, weight_decay=1e-3)
        x, y = table(400, seed)
        self.train_set = Batches(x[:256], y[:256], 64, seed)
        self.held_out = torch.from_numpy(x[256:]), torch.from_numpy(y[256:])

    def run(self):
        for epoch in range(self.epochs):
            context.begin(epoch)
            self.model.train()
            for x, y in self.train_set:
                loss = bce(self.score(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                context.advance()
            print(f"{epoch} ({context.STEP} steps): loss {loss:.3f} auc {self.evaluate():.3f}")

    def evaluate(self):
        self.model.eval()
        x, y = self.held_out
        with torch.no_grad():
            return auc(self.model(x), y)


if __name__ == "__main__":
    Fit().run()
