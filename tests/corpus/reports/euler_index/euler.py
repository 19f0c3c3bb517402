class EulerSampler:
    """Steps from noise to image along a list of noise levels."""

    def __init__(self, count, high=14.0, low=0.03, rho=7.0):
        a, b = high ** (1 / rho), low ** (1 / rho)
        self.sigmas = [(a + i / (count - 1) * (b - a)) ** rho for i in range(count)] + [0.0]
        self.step_index = 0

    def restart(self):
        self.step_index = 0

    def step(self, sample, denoised):
        sigma = self.sigmas[self.step_index]
        following = self.sigmas[self.step_index + 1]
        slope = (sample - denoised) / sigma
        self.step_index += 1
        return sample + slope * (following - sigma)
