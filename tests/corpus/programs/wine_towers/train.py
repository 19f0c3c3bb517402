import torch
from catalog import Catalog
from index import Index
from towers import TwoTower

USERS = 60
BATCH = 32
STEPS_PER_EPOCH = 5


class Retrieval:
    def __init__(self, epochs=4, lr=5e-3, temperatures=(0.5, 0.05)):
        self.epochs = epochs
        self.temperatures = temperatures
        self.catalog = Catalog()
        self.model = TwoTower(USERS, self.catalog.bottles, self.catalog.grapes)
        self.compiled = torch.compile(self.model, backend="aot_eager")
        self.index = Index(self.model.item_tower, self.catalog)
        self.optimizer = torch.optim.Adagrad(self.model.parameters(), lr=lr)
        self.generator = torch.Generator().manual_seed(5)

    def on_epoch_start(self, epoch):
        start, end = self.temperatures
        self.model.temperature = start * (end / start) ** (epoch / (self.epochs - 1))

    def train_step(self):
        users, items, popularity = self.catalog.purchases(BATCH, USERS, self.generator)
        loss = self.compiled(users, self.catalog.features(items), popularity)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def evaluate(self):
        self.index.build()
        held_out = self.catalog.purchases(40, USERS, torch.Generator().manual_seed(99))
        with torch.no_grad():
            queries = self.model.user_tower(held_out.users)
        return self.index.recall(queries, held_out.items)

    def fit(self):
        for epoch in range(self.epochs):
            self.on_epoch_start(epoch)
            losses = [self.train_step() for _ in range(STEPS_PER_EPOCH)]
            print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}, ", end="")
            print(f"recall@20 {self.evaluate():.3f}")


if __name__ == "__main__":
    torch.manual_seed(17)
    Retrieval().fit()
