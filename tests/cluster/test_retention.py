"""Old games of a cluster leave the listings and the archive, as those of one server do."""

from datetime import timedelta
from pathlib import Path

import pytest

from benchmarks.retention import APP, DAY, Simulation
from events.errors import GamePruned
from events.retention.retention import Retained
from events.runtime.settings import Settings
from tests.archive.test_retention import ratings
from tests.support.command import migrato

LISTED, KEPT = 10, 30  # days


def test_old_games_let_go(cluster_url: str, redis_url: str, tmp_path: Path) -> None:
    """Lines, results and files go, whichever servers have them; ratings stay, and nothing is wrong in the end."""
    settings = Settings(
        redis_url=cluster_url,
        queue_url=redis_url,
        archive=str(tmp_path / "archive"),
        signing_keys=tmp_path / "keys",
        limits="off",
        listings_keep=LISTED * DAY,
        archive_keep=KEPT * DAY,
    )
    on = Simulation(settings, 5, own_data=True)
    old = on.play(4)
    on.clock.at += timedelta(days=LISTED + 1)
    young, before = on.play(1), ratings(on)
    assert on.let_go().unlisted == 4
    assert [line["id"] for line in on.application.listing.page(APP).games] == young
    on.clock.at += timedelta(days=KEPT - LISTED)
    done = on.let_go()
    assert (done.pruned, done.days, done.left) == (4, 1, {})
    with pytest.raises(GamePruned):
        on.application.views.snapshot(old[0])
    assert (ratings(on), on.findings()) == (before, [])
    assert on.let_go() == Retained()
    environ = {"MIGRATO_REDIS_URL": cluster_url, "MIGRATO_ARCHIVE": str(settings.archive)}
    found = migrato("fsck", **environ, MIGRATO_EPHEMERAL="1")
    assert found.exit_code == 0, found.output
