import torch


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=0.01)

    def loss(self, seed):
        g = torch.Generator().manual_seed(seed)
        field = torch.randn(4, 12, generator=g)
        pred = self.model(field, torch.rand(4, 1, generator=g))
        return (pred - field.roll(1, 1)).pow(2).mean()

    def train_epoch(self, epoch):
        for i in range(3):
            loss = self.loss(10 * epoch + i)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()

    def validate(self):
        # leave one core to the workers that load the next epoch
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        val = sum(self.loss(1000 + i).item() for i in range(2)) / 2
        torch.set_num_threads(threads)
        return val
