import torch
from resnet import SmallResNet


class Service:
    def __init__(self, classes):
        self.model = SmallResNet(classes).eval()
        self.fast = torch.compile(self.model, backend="aot_eager")

    def warm_up(self):
        for _ in range(3):
            self.fast(torch.zeros(1, 3, 16, 16))

    @torch.inference_mode()
    def classify(self, image):
        p = self.fast(image).softmax(-1)[0]
        return p.argmax().item(), p.max().item()

    @torch.no_grad()
    def probe(self, image):
        return bool(torch.isfinite(self.fast(image)).all())
