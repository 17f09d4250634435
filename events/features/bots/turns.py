"""The engine's own acts in a game: moves of its bots, moves in place of bots, and the confirmation of results."""

from collections.abc import Callable

from domain.lifecycle import PlayBotMove, Score
from events.engine.bot_decision import seated_bot, seated_name, think
from events.engine.command_handler import CommandHandler, Played, Request
from events.engine.pending_action import BOT, pending_action
from events.engine.remote_seat import KIND as REMOTE
from events.engine.repository import GameRepository
from events.errors import VersionConflict
from events.features.listings.projection import Listings
from events.features.records.signed_heads import SignedHeads
from events.log.seeds import move_seed
from events.log.snapshot import Snapshot
from events.log.usage import Thought
from events.measures import UNCOUNTED, Measures
from events.ports import CommandId


class TakesTime(Exception):
    """The bot searches, or reads the whole game: other games must not wait for that."""


class BotTurns:
    """The use cases of the engine's own acts. Each is safe to repeat, and harmless when it comes late."""

    def __init__(
        self,
        games: GameRepository,
        handler: CommandHandler,
        heads: SignedHeads,
        listings: Listings,
        measures: Measures = UNCOUNTED,
    ) -> None:
        self._listings = listings
        self._games = games
        self._handler = handler
        self._heads = heads
        self._measures = measures

    def bot_move(self, game_id: str, version: int) -> Played | None:
        """Let the bot that is to move at `version` move; None if the game has moved on. Safe to repeat.

        A bot that remembers nothing finishes its turn, and all its moves are appended in one step, because nothing has
        to be looked up between them. The record of a move lets anybody reproduce it once the game is over
        (`events.engine.bot_decision`).
        """
        return self._for_bot(game_id, version, self._bots_choice, whole_turn=True)

    def fallback_move(self, game_id: str, version: int, why: str = "overran") -> Played | None:
        """A cheap legal move in place of a bot's that "failed" or "overran", or of a remote one (see `PlayBotMove`).

        Only one of the two moves, the bot's own or this one, can ever be appended.
        """

        def instead(now: Snapshot, seat: int, _: Thought) -> PlayBotMove:
            bot, its = now.game.bot(now.game.fallback_bot), now.status.seats[seat]
            replaced = REMOTE if its.kind == REMOTE else its.bot
            move = now.game.fallback_move(now.state, seat)
            return PlayBotMove(move, bot.name, bot.version, None, None, fallback=why, replaces=replaced)

        played = self._for_bot(game_id, version, instead)
        if played is not None:
            self._measures.fell_back(why)
        return played

    def score_game(self, game_id: str) -> Played | None:
        """Confirm the result of a game that has ended, sign its final head, and list it; None if that was done before.

        If the process dies in between, or cannot list the game, two others make up for it: looks at the game sign the
        head, and the feed lists the game.
        """
        current = self._games.current(game_id)
        if pending_action(current.status) != "score":
            self._heads.with_final(current)  # the worker that confirmed it may have died before it signed
            return None
        try:
            played = self._handler.attempt(current, Request(None, Score(), CommandId("score")))
        except VersionConflict:
            return None
        self._heads.with_final(played.snapshot)
        self._listings.update(played.snapshot)
        return played

    def prompt_move(self, game_id: str, version: int) -> Played | None:
        """Make the move of a bot that takes no time; TakesTime for a bot that searches or remembers."""
        return self._for_bot(game_id, version, self._prompt_choice, whole_turn=True)

    def _prompt_choice(self, now: Snapshot, seat: int, thought: Thought) -> PlayBotMove:
        bot = seated_bot(now.game, now.status.seats[seat])
        if bot.budget is not None or bot.remembers:
            raise TakesTime
        return self._bots_choice(now, seat, thought)

    def _bots_choice(self, now: Snapshot, seat: int, thought: Thought) -> PlayBotMove:
        its = now.status.seats[seat]
        bot = seated_bot(now.game, its)
        seed = move_seed(now.secrets.seed, now.game_id, now.version)
        observation, name = self._games.observation(now, seat, bot), seated_name(now.game, its)
        decision = think(now.game, observation, name, seed, its.budget, measures=self._measures)
        thought.milliseconds += decision.milliseconds
        return decision.chosen()

    def _for_bot(
        self,
        game_id: str,
        version: int,
        choose: Callable[[Snapshot, int, Thought], PlayBotMove],
        *,
        whole_turn: bool = False,
    ) -> Played | None:
        current = self._games.current(game_id)
        seat = current.status.to_act
        if (
            current.version != version
            or seat is None
            or pending_action(current.status) not in ("bot", REMOTE)
        ):
            return None

        thought = Thought()

        def then(after: Snapshot) -> PlayBotMove | None:
            return choose(after, seat, thought) if _goes_on(after, seat) else None

        command = choose(current, seat, thought)
        request = Request(seat, command, CommandId(f"bot:{version}"), thought=thought)
        try:
            return self._handler.attempt(current, request, then if whole_turn else None)
        except VersionConflict:
            return None


def _goes_on(after: Snapshot, seat: int) -> bool:
    """True if it is still the turn of the seat's bot, and the bot needs to know no more than the table shows."""
    if after.status.to_act != seat or pending_action(after.status) != BOT:
        return False
    return not seated_bot(after.game, after.status.seats[seat]).remembers
