"""Posters: coloured boxes on a page."""

import torch


def poster(batch, size=8):
    boxes = torch.randint(0, size, (batch, 4)).sort(-1).values
    page = torch.zeros(batch, 3, size, size)
    for row, (a, b, c, d) in enumerate(boxes.tolist()):
        page[row, row % 3, a : c + 1, b : d + 1] = 1.0
    return page, boxes / size


class Feed:
    """The camera's batches lie in memory as it took them: channel by channel, or pixel by pixel."""

    def __init__(self, steps, batch=6):
        self.steps, self.batch = steps, batch

    def __iter__(self):
        for step in range(self.steps):
            page, boxes = poster(self.batch)
            if step % 5 == 3:
                page = page.contiguous(memory_format=torch.channels_last)
            yield page, boxes
