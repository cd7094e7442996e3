"""How figures are dealt out to the processes that draw them."""

from __future__ import annotations

from itertools import chain, pairwise

import pytest

from crosscheck.figures import studio


@pytest.mark.parametrize("cores", [1, 2, 64])
@pytest.mark.parametrize("count", [0, 1, 2, 10])
def test_every_figure_is_in_one_share_and_no_share_is_larger_than_the_one_before(
    monkeypatch: pytest.MonkeyPatch, cores: int, count: int
) -> None:
    monkeypatch.setattr(studio, "cores", lambda: cores)
    names = [str(number) for number in range(count)]
    dealt = list(studio.shares(names))
    assert list(chain.from_iterable(dealt)) == names
    assert all(dealt)
    assert all(len(later) <= len(earlier) for earlier, later in pairwise(dealt))
    assert len(dealt) >= min(cores, count)
