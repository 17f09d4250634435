"""Games that are played without a store, by whoever has the seed; sealed as the engine seals them."""

from typing import Any

from domain.chance import SeededChance
from domain.game import Game
from domain.lifecycle import Viewer
from events.log.envelope import RecordedEvent, in_form_2, seal
from events.log.export import export_lines
from events.log.game_secrets import Secrets
from events.log.snapshot import unplayed

SEED, AT = bytes(range(32)), "2026-11-21T10:00:00.000Z"


class Recorded:
    """A game and its events; in form 1 of commitments if `is_former`."""

    def __init__(self, game: Game, game_id: str, seed: bytes = SEED, *, is_former: bool = False) -> None:
        self.game, self.game_id, self.seed = game, game_id, seed
        self.chance: Any = SeededChance(seed, game_id)
        self.now = unplayed(game_id, game, Secrets(seed, "app", "public", game.name, AT))
        self.history: list[RecordedEvent] = []
        self._is_former = is_former

    def do(self, seat: int | None, command: Any) -> None:
        """A command and its events."""
        self.record(*self.game.decide(self.now.state, seat, command, self.chance))

    def record(self, *events: Any) -> None:
        """Events, whether anybody decided them or not."""
        records = [self.game.encode(event) for event in events]
        if not self.history and not self._is_former:
            records[0] = in_form_2(records[0])
        closed = None if self._is_former else self.game
        sealed = seal(self.game_id, self.seed, self.now.stream_head, AT, "", records, closed)
        self.history.extend(sealed)
        self.now = self.now.after(events, sealed)

    def export(self, viewer: Viewer = None) -> bytes:
        """The export of all that has been recorded so far."""
        return b"".join(export_lines(self.now, self.history, viewer))
