"""Many comparisons at once: what may be told so that hardly any report on honest players tells of anybody."""

from collections.abc import Sequence
from typing import Final

FALSE_ALARMS: Final = 0.05  # the share of reports on honest players alone that may tell of anybody


def adjusted(chances: Sequence[float]) -> list[float]:
    """Each p-value corrected for all of these: what is at most FALSE_ALARMS may be told.

    S. Holm's step-down procedure (Scand. J. Statistics 6, 1979), which needs no independence.
    """
    corrected, most = [1.0] * len(chances), 0.0
    for rank, at in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        most = max(most, min(1.0, chances[at] * (len(chances) - rank)))
        corrected[at] = most
    return corrected
