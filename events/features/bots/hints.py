"""Hints: the move of a bot in place of the seat that is to act, in games that do not count for ratings.

If nobody prepared the game's cards, an event tells everybody of the hint.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

from domain.bot import Bot, Budget
from domain.game import Game
from domain.lifecycle import Json, TakeHint, must_allow_help, must_be_to_act
from events.engine.bot_decision import BotDecision, explained, present_bot, think
from events.engine.command_handler import ATTEMPTS, CommandHandler, Request
from events.engine.repository import GameRepository
from events.errors import GameNotFound, VersionConflict
from events.log.seeds import hint_seed
from events.measures import UNCOUNTED, Measures
from events.ports import CommandId, EventStore


@dataclass(frozen=True, slots=True)
class Hint:
    """A bot's move for a seat, in the state that came about at version `since` of the game.

    `budget` is the budget that the bot used when it gave the same hint before, so that the hint is the same again.
    """

    game_id: str
    since: int
    seat: int
    bot: str
    bot_version: str
    budget: Json | None = None

    @property
    def identity(self) -> CommandId:
        """The identity of the command; a hint that is given again has the same one, so it is recorded once."""
        return CommandId(f"hint:{self.since}:{self.seat}:{self.bot}:{self.bot_version}")


class Hints:
    """The use cases of hints: a hint is asked for, a worker thinks about it, and it is recorded before the seat gets
    it.
    """

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        handler: CommandHandler,
        measures: Measures = UNCOUNTED,
    ) -> None:
        self._store = store
        self._games = games
        self._handler = handler
        self._measures = measures

    def wanted(self, game_id: str, seat: int, bot: str) -> Hint:
        """The hint that the seat would get now; the seat must be to act. Raises DomainError, GameNotFound."""
        now = self._games.current(game_id)
        must_be_to_act(now.status, seat)
        must_allow_help(now.status)
        hint = Hint(game_id, now.turn_version, seat, bot, present_bot(now.game, bot).version)
        done = self._store.recorded(game_id, hint.identity) if now.status.rated else None
        if done is None:
            return hint
        (recorded,) = self._store.read(game_id, after=done.first - 1, limit=1)
        return replace(hint, budget=recorded.data["budget"])

    def refuse_counting(self, game_id: str, app: str) -> None:
        """DomainError "rated-game" if that is a game of the app that counts for ratings and is not over.

        Another app learns nothing about the game, and does not make this process load it.
        """
        with suppress(GameNotFound):
            if self._games.secrets(game_id).app == app:
                status = self._games.current(game_id).status
                if status.status != "finished":
                    must_allow_help(status)

    def bot(self, hint: Hint) -> Bot:
        """The bot that gives the hint."""
        return self._games.known(hint.game_id).game.bot(hint.bot)

    def app(self, hint: Hint) -> str:
        """The app of the game."""
        return self._games.known(hint.game_id).secrets.app

    def is_recorded(self, hint: Hint) -> bool:
        """True if an event will tell of the hint."""
        return self._games.known(hint.game_id).status.rated

    def think(self, hint: Hint) -> tuple[Game, BotDecision]:
        """Move of the bot, in the game's own terms; VersionConflict if the game has moved on."""
        now = self._games.current(hint.game_id)
        if now.turn_version != hint.since:
            raise VersionConflict(now.version)
        seed = hint_seed(now.secrets.seed, hint.game_id, hint.since, hint.seat, hint.bot)
        budget = None if hint.budget is None else Budget(**hint.budget, exact=True)
        observation = self._games.observation(now, hint.seat, now.game.bot(hint.bot))
        decision = think(now.game, observation, hint.bot, seed, budget, measures=self._measures)
        return now.game, explained(now.game, observation, decision)

    def give(self, hint: Hint, budget: Json | None, holder: str | None = None) -> tuple[int, bool]:
        """Record that the seat gets this hint, if nobody prepared the game's cards. Returns the game's version then,
        and whether the hint is recorded.

        Each hint is recorded once, however often it is asked for. `budget` is what the bot used up. `holder` is the
        hash of the token that must still play the seat. The game must still be in the state for which the hint was
        asked. Raises DomainError, VersionConflict, Unauthorized.
        """
        for _ in range(ATTEMPTS):
            now = self._games.current(hint.game_id)
            if holder is not None:
                now = self._games.held(now, hint.seat, holder)
            must_be_to_act(now.status, hint.seat)
            if now.turn_version != hint.since:
                break
            if not now.status.rated:
                return now.version, False
            seed = hint_seed(now.secrets.seed, hint.game_id, hint.since, hint.seat, hint.bot)
            command = TakeHint(hint.bot, hint.bot_version, budget, seed)
            try:
                recorded = self._handler.attempt(
                    now, Request(hint.seat, command, hint.identity, holder=holder)
                )
            except VersionConflict:
                continue
            return max(recorded.snapshot.version, now.version), True
        raise VersionConflict(now.version)
