import torch


class AverageMeter:
    def __init__(self, fmt="%.3f"):
        self.fmt, self.sum, self.n = fmt, 0.0, 0

    def update(self, value):
        self.sum += value.item()
        self.n += 1

    def __str__(self):
        return self.fmt % (self.sum / max(1, self.n))


class SpeakerTrainer:
    def __init__(self, embedder, softmax, centre, lr=5e-3, centre_weight=0.05, warmup=4):
        self.embedder, self.softmax, self.centre = embedder, softmax, centre
        self.optim = torch.optim.Adam([*embedder.parameters(), *softmax.parameters()], lr=lr)
        self.optim_centre = torch.optim.SGD(centre.parameters(), lr=0.5)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optim, lambda step: min(1.0, (step + 1) / warmup)
        )
        self.centre_weight = centre_weight
        self.meters = {"am": AverageMeter(), "centre": AverageMeter()}

    def train_step(self, frames, labels):
        self.optim.zero_grad()
        self.optim_centre.zero_grad()
        emb = self.embedder(frames)
        am, centre = self.softmax(emb, labels), self.centre(emb, labels)
        loss = am + self.centre_weight * centre
        loss.backward()
        self.optim.step()
        self.optim_centre.step()
        self.schedule.step()
        self.meters["am"].update(am)
        self.meters["centre"].update(centre)

    @torch.no_grad()
    def equal_error(self, frames, labels):
        emb = self.embedder(frames)
        scores = emb @ emb.t()
        same = labels.unsqueeze(0) == labels.unsqueeze(1)
        off = ~torch.eye(len(labels), dtype=torch.bool)
        threshold = scores[off].median()
        misses = (scores[same & off] < threshold).float().mean()
        alarms = (scores[~same] >= threshold).float().mean()
        return (0.5 * (misses + alarms)).item()
