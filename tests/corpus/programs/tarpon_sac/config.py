from dataclasses import dataclass


@dataclass
class Args:
    seed: int = 1
    """seed of the experiment"""
    total_timesteps: int = 34
    """total timesteps of the experiment"""
    buffer_size: int = 1000
    """the replay memory buffer size"""
    gamma: float = 0.95
    """the discount factor gamma"""
    tau: float = 0.02
    """target smoothing coefficient"""
    batch_size: int = 24
    """the batch size of a sample from the replay memory"""
    learning_starts: int = 12
    """timestep to start learning"""
    policy_lr: float = 3e-3
    q_lr: float = 1e-2
    policy_frequency: int = 2
    """the frequency of training the policy (delayed)"""
    target_network_frequency: int = 1
    """the frequency of updates for the target networks"""
    target_entropy: float = -1.0
    log_every: int = 5
    """timesteps between two rows of the log"""
