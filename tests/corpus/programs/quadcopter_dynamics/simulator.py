"""A planar quadcopter with drag: position, velocity, tilt and its rate."""

import torch

STATE, MOTORS, DT = 6, 2, 0.05


def advance(state, thrust):
    _, _, vx, vy, tilt, spin = state.unbind(-1)
    total, difference = thrust.sum(-1), thrust[..., 0] - thrust[..., 1]
    ax = -total * tilt.sin() - 0.3 * vx
    ay = total * tilt.cos() - 1.0 - 0.3 * vy
    change = torch.stack([vx, vy, ax, ay, spin, 4 * difference - 0.5 * spin], dim=-1)
    return state + DT * change


class Flights:
    def __init__(self, count, longest, seed):
        self.g = torch.Generator().manual_seed(seed)
        state = 0.3 * torch.randn(count, STATE, generator=self.g)
        states, thrusts = [state], []
        for _ in range(longest):
            thrust = 0.5 + 0.1 * torch.randn(count, MOTORS, generator=self.g)
            state = advance(state, thrust)
            states.append(state)
            thrusts.append(thrust)
        self.states, self.thrusts = torch.stack(states, 1), torch.stack(thrusts, 1)

    def draw(self, batch):
        rows = torch.randint(0, len(self.states), (batch,), generator=self.g)
        return self.states[rows], self.thrusts[rows]
