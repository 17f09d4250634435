"""The final head is signed once, whoever dies, however many try, whatever key signs today."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.lifecycle import Seat
from events.application import Application
from events.engine.new_game import NewGame
from events.errors import StoreUnavailable
from events.log.signing import Keyring, SignedHead, Signer, jwk_of, verify_head
from events.log.snapshot import Snapshot
from events.store.event_store import RedisEventStore
from tests.events.conftest import NOON, NewLink
from tests.events.stand_ins import StandIn
from tests.events.wiring import application_on
from tests.support.sure import sure

SIGNERS = [Signer(Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32)) for n in range(4)]


def process(new_link: NewLink, signer: Signer | None, **more: Any) -> Application:
    """An application with a cache of its own, and with that key."""
    ring = Keyring() if signer is None else Keyring(signer, {signer.key_id: signer.public})
    return application_on(new_link(), now=lambda: NOON, keyring=lambda: ring, **more)


class Mortal(StandIn):
    """A store whose process dies before it keeps its first signature."""

    dead = False

    def keep_signature(self, *kept: Any) -> Any:
        """Keep it, or die."""
        if not self.dead:
            self.dead = True
            raise StoreUnavailable("killed")
        return self.store.keep_signature(*kept)


def ended(application: Application) -> str:
    """A game that is over and not scored yet; its id."""
    new = NewGame("counter", {"goal": 1}, (Seat("human"), Seat("human")), "public")
    game_id = application.creation.create("app", new).snapshot.game_id
    application.moves.play(game_id, 0, {"type": "add", "amount": 1})
    return game_id


def signature_of(snapshot: Snapshot) -> SignedHead:
    """The kept signature, which must be of this very head."""
    signed = sure(snapshot.secrets.signature)
    assert (signed.version, signed.head) == tuple(snapshot.stream_head)
    public = next(signer.public for signer in SIGNERS if signer.key_id == signed.key_id)
    assert verify_head(jwk_of(public), snapshot.game_id, signed.version, signed.head, signed.signature)
    return signed


def test_a_worker_that_dies_before_it_signs(new_link: NewLink) -> None:
    """The job is done again, and signs; or the first who looks does."""
    for again in ("job", "look"):
        mortal = Mortal(RedisEventStore(new_link(), new_link(), 5.0))
        worker, web = process(new_link, SIGNERS[0], store=mortal), process(new_link, SIGNERS[1])
        game_id = ended(worker)
        with pytest.raises(StoreUnavailable):
            worker.bot_turns.score_game(game_id)
        assert web.views.history(game_id)[-1].type == "game_scored"
        if again == "job":
            assert process(new_link, SIGNERS[0]).bot_turns.score_game(game_id) is None
            assert signature_of(web.views.snapshot(game_id)).key_id == SIGNERS[0].key_id
        else:
            assert signature_of(web.views.snapshot(game_id)).key_id == SIGNERS[1].key_id
            assert signature_of(worker.views.snapshot(game_id)).key_id == SIGNERS[1].key_id


def test_many_at_once_keep_one(new_link: NewLink) -> None:
    """With a key each: the first signature stays, and all tell that one."""
    game_id = ended(process(new_link, None))
    process(new_link, None).bot_turns.score_game(game_id)
    several = [process(new_link, signer) for signer in SIGNERS]
    with ThreadPoolExecutor(len(several)) as pool:
        told = list(pool.map(lambda one: signature_of(one.views.snapshot(game_id)), several))
    assert len(told) == len(several)
    assert len(set(told)) == 1


def test_a_history_that_was_rewritten_is_noticed(new_link: NewLink, caplog: pytest.LogCaptureFixture) -> None:
    """The kept signature stays, and contradicts the events; the log tells."""
    application = process(new_link, SIGNERS[0])
    game_id = ended(application)
    application.bot_turns.score_game(game_id)
    signed = signature_of(application.views.snapshot(game_id))
    other = ended(application)
    kept = SignedHead(signed.key_id, signed.version, "0" * 64, signed.signature)
    RedisEventStore(new_link(), new_link(), 5.0).keep_signature(other, kept)
    application.bot_turns.score_game(other)
    assert application.views.snapshot(other).secrets.signature == kept
    assert "not the one that the game's events lead to" in caplog.text


def test_without_a_key(new_link: NewLink) -> None:
    """All goes on, and nothing is signed; who has a key later signs then."""
    application = process(new_link, None)
    game_id = ended(application)
    application.bot_turns.score_game(game_id)
    assert application.views.snapshot(game_id).secrets.signature is None
    assert application.heads.signed(application.views.snapshot(game_id)) is None
    assert application.heads.key_id() is None
    signature_of(process(new_link, SIGNERS[2]).views.snapshot(game_id))
