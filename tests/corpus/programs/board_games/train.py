"""REINFORCE on whatever game is next."""

import torch
from boards import REGISTRY
from policy import Policy, discounted


def play(game, policy):
    """The likelihoods of an episode's moves, and its rewards."""
    seen, done = game.reset(), False
    chosen, rewards = [], []
    while not done:
        scores = policy(seen)
        move = int(torch.multinomial(scores.detach().exp(), 1))
        seen, reward, done = game.step(move)
        chosen.append(scores[move])
        rewards.append(reward)
    return chosen, rewards


def main(rounds=3):
    torch.manual_seed(0)
    net = Policy()
    policy = torch.compile(net, backend="eager")
    returns = torch.compile(discounted, backend="eager")
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    games = {name: game(seed) for seed, (name, game) in enumerate(REGISTRY.items())}
    for _ in range(rounds):
        for game in games.values():
            chosen, rewards = play(game, policy)
            loss = -(torch.stack(chosen) * returns(rewards)[: len(chosen)]).sum()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()


if __name__ == "__main__":
    main()
