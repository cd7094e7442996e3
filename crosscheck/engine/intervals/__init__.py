"""Intervals beyond one machine (docs/scale.md): an engine adds up, the driver resamples.

By post, posts are hashed into 4,096 groups, and groups are resampled; where there are no more posts
than that, each is a group of its own. By query, queries of one kind (a signature of a ranking, a
decision) are drawn together, by a multinomial of their counts, which is the bootstrap itself.
"""

from __future__ import annotations
