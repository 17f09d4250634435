"""The event that a game was rated: once, after its result, whoever dies in between."""

import pytest

from domain.lifecycle import Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.runtime import adapters
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from tests.webhooks.conftest import create, feed_of, relay_of
from workers.reactions.batch import Batch
from workers.reactions.each_game import EachGame
from workers.reactions.ratings import RatingUpdates
from workers.together import Together

SEATS = (Seat("human", "ada"), Seat("human", "bob"))


def resigned(engine: Application, *, pairing: str | None) -> str:
    new = NewGame("migo", {"first_seat": "random"}, SEATS, pairing=pairing)
    game_id = engine.creation.create("club", new).snapshot.game_id
    engine.moves.play(game_id, 0, {"type": "resign"})
    engine.bot_turns.score_game(game_id)
    return game_id


class Killed(Exception):
    """The dispatcher died here."""


def test_it_is_said_once(keyed: Settings, engine: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if a dispatcher dies between the fold and the word, or between the word and its acknowledgement. Nothing is
    said of games that do not count, nor where nobody reads a log.
    """
    feed = adapters.feed(keyed, "dispatchers", "one")
    updates = RatingUpdates(engine, EachGame(Together()), feed)
    feed.join()
    before = resigned(engine, pairing="app")
    updates.rate(Batch(feed.read(1)))
    assert [entry.said for entry in feed.read(1)] == []  # nobody has asked for a log
    assert engine.app_logs.page("club", "0", 10).messages == []
    game_id, friendly = resigned(engine, pairing="app"), resigned(engine, pairing=None)
    create(engine)
    batch = Batch(feed.read(1))
    with monkeypatch.context() as dying:
        dying.setattr(feed, "say", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            updates.rate(batch)
    for _ in range(2):
        updates.rate(batch)
    relay = relay_of(keyed, engine)
    relay.handle(feed_of(keyed).read(1))
    told = engine.app_logs.page("club", "0", 100).messages
    rated = [at for at, one in enumerate(told) if one.message.type == "game.rated"]
    assert [told[at].message.game_id for at in rated] == [game_id]
    of_game = [one.message.type for one in told if one.message.game_id == game_id]
    assert of_game[-2:] == ["game.scored", "game.rated"]
    assert {one.message.game_id for one in told} >= {friendly}
    assert before not in {told[at].message.game_id for at in rated}
    (document,) = engine.app_logs.documents("club", [told[at] for at in rated])
    assert document["data"]["ratings"] == engine.leaderboards.changes("club", game_id)
    lost, won = document["data"]["ratings"]
    assert lost["after"]["elo"] < lost["before"]["elo"] < won["after"]["elo"]
    assert b"ordinal" not in told[rated[0]].message.packed()  # an erasure need not look there
    (anybody,) = engine.app_logs.documents_for_all([told[rated[0]]])
    assert "ratings" not in anybody["data"]
    link_to(keyed.redis_url or "", 5.0).call("DEL", keys.stream(game_id))
    (gone,) = engine.app_logs.documents("club", [told[at] for at in rated])
    assert gone["data"]["ratings"] is None  # and what comes after it in the log is still told
