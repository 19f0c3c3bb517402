VARIANTS = [(1, False), (2, False), (3, False), (3, True)]


def variant_at(step, total):
    """one pass at first, two and three later, quantised weights for the last quarter"""
    done = step / total
    return VARIANTS[0 if done < 0.25 else 1 if done < 0.5 else 2 if done < 0.75 else 3]
