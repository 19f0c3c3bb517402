def update_policy(policy, batch, optimizer):
    loss, loss_dict = policy(batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(loss), {k: float(v) for k, v in loss_dict.items()}
