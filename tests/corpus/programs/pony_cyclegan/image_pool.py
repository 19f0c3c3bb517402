import random

import torch


class ImagePool:
    """An image buffer that stores previously generated images.

    With it the discriminator sees a history of generated images rather than only the latest.
    """

    def __init__(self, pool_size):
        self.pool_size = pool_size
        self.num_imgs = 0
        self.images = []

    def query(self, images):
        if self.pool_size == 0:
            return images
        return_images = []
        for image in images:
            image = image.detach().unsqueeze(0)
            if self.num_imgs < self.pool_size:
                self.num_imgs += 1
                self.images.append(image)
                return_images.append(image)
            elif random.uniform(0, 1) > 0.5:
                random_id = random.randint(0, self.pool_size - 1)
                return_images.append(self.images[random_id].clone())
                self.images[random_id] = image
            else:
                return_images.append(image)
        return torch.cat(return_images, 0)
