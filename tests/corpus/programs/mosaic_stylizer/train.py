"""Paint a picture in the style of another."""

import torch
from features import Features
from losses import gram_matrix, set_style_weight, stylize_loss
from torch import nn

NUM_STEPS = 9


class Stylizer(nn.Module):
    def __init__(self, content_image, style_image):
        super().__init__()
        self.features = Features()
        self.image = nn.Parameter(content_image.clone())
        with torch.no_grad():
            self.content = self.features(content_image)
            self.style = [gram_matrix(f) for f in self.features(style_image)]

    def forward(self, tv_weight):
        image = self.image.clamp(0, 1)
        return stylize_loss(self.features(image), self.content, self.style, image, tv_weight)


def main():
    torch.manual_seed(0)
    stylizer = Stylizer(torch.rand(1, 3, 24, 24), torch.rand(1, 3, 24, 24))
    step_fn = torch.compile(stylizer, backend="aot_eager", dynamic=False)
    optimizer = torch.optim.Adam([stylizer.image], lr=0.02)
    for step in range(NUM_STEPS):
        if step % 4 == 3:
            set_style_weight(10.0 * (1 + step // 4))
        loss = step_fn(0.1 * 0.8 ** (step // 2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 4 == 0:
            print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
