def encode(task, max_len):
    """words to ids, padded with 0 to max_len"""
    ids = [1 + sum(ord(c) for c in w) % 60 for w in task.split()][:max_len]
    return ids + [0] * (max_len - len(ids))
