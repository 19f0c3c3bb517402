"""The recorder: what was captured, why, where, and how often the cache was hit.

It stands between C++ and a compiler object and sees the whole conversation, so it works
with torch's own engine as well as with ours.
"""
