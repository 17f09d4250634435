"""Bots asked for the choices that people made in one game, and how often they would have made them.

A choice is weighed by how many other bots would have made the same one: a choice that only the bot in question makes
says much about a player who imitates it, a choice that all bots make hardly anything.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from domain.bot import Bot
from domain.game import Game
from domain.lifecycle import EventRecord
from events.audit.players.choices import Choices, Chosen
from events.audit.players.likelihood import Likelihood, Weighing, weighed
from events.log.seeds import move_seed

ALONE, FEW, MOST, ALL = range(
    4
)  # none, less than half, at least half, all of the others would have made the choice
STRATA: Final = (ALONE, FEW, MOST, ALL)

Counts = tuple[
    tuple[int, int], ...
]  # by stratum: how often the bot's choice was made, of how often it was asked


def witnesses(game: Game) -> tuple[str, ...]:
    """The bots by which choices are told apart."""
    return tuple(name for name in ("greedy", "heuristic", "net") if name in game.bots)


def default_bots(game: Game) -> tuple[str, ...]:
    """The bots with which people are compared if nobody says which: the witnesses, and the strongest."""
    return tuple(dict.fromkeys((*witnesses(game), game.hint_bot)))


class Answers(NamedTuple):
    """Answers of bots about one game's choices.

    `people`: by player, by bot; `bots`: by bot, by the other bot that is held against it as if it were a person;
    `likelihoods`: by player, by bot, where the game says how people choose.
    """

    people: dict[str, dict[str, Counts]]
    bots: dict[str, dict[str, Counts]]
    likelihoods: dict[str, dict[str, Likelihood]]


class Panel:
    """Bots of a game that are asked for choices, beside those that bear witness: quick ones, always the same.

    `budget`: seconds of a bot's stated time of thinking in a game for each seat. A bot that would need longer for all
    choices is asked for some, drawn by their hashes.
    """

    def __init__(self, game: Game, names: Sequence[str], budget: float) -> None:
        """DomainError "unknown-bot" for a bot that the game does not have."""
        self.names = tuple(dict.fromkeys(names))
        self._witnesses = witnesses(game)
        self._bots = [game.bot(name) for name in dict.fromkeys((*self._witnesses, *names))]
        self._game = game
        self._budget = budget
        self._weighed = frozenset(bot.name for bot in self._bots if _judges_as_people_do(game, bot))

    def ask(self, choices: Choices, chosen: Sequence[Chosen]) -> Answers:
        """Ask the bots for all these choices of one game. Choices that follow a hint are left out."""
        tally = _Tally(self.names, self._witnesses, self._weighed)
        plain = [one for one in chosen if not one.hinted]
        asked = {bot.name: self._drawn(bot, choices.game_id, plain) for bot in self._bots}
        for one in plain:
            seed = int(move_seed(choices.server_seed, choices.game_id, one.version), 16)
            made = {
                bot.name: self._made(choices, one, bot, seed)
                for bot in self._bots
                if (one.seat, one.version) in asked[bot.name]
            }
            tally.add(one.player, one.caused, made, weighed(choices, one))
        return tally.answers

    def _drawn(self, bot: Bot, game_id: str, chosen: Sequence[Chosen]) -> set[tuple[int, int]]:
        """The choices for which the bot is asked, by seat and version."""
        if bot.name in self._witnesses:
            return {(one.seat, one.version) for one in chosen}
        most = max(1, int(self._budget * 1000 / bot.milliseconds))
        drawn = set[tuple[int, int]]()
        for seat in {one.seat for one in chosen}:
            own = sorted(
                (hashlib.sha256(f"{game_id}:{one.version}".encode()).digest(), one.version)
                for one in chosen
                if one.seat == seat
            )
            drawn |= {(seat, version) for _, version in own[:most]}
        return drawn

    def _made(self, choices: Choices, one: Chosen, bot: Bot, seed: int) -> list[EventRecord] | None:
        choice: Any = self._game.think(one.observation, bot.name, seed)
        return choices.causes(one, choice.move)


def _judges_as_people_do(game: Game, bot: Bot) -> bool:
    """True if the bot judges by the net that models people's chances, too; the versions of such bots end with its name.

    For another bot the ratio proves nothing: honest people who play like it play like nobody in the model.
    """
    _, is_net, net = (game.judge or "").rpartition("-")
    return bool(is_net) and bot.version.endswith(f"-{net}")


class _Tally:
    """Counts of agreement: by player or bot, by the bot that was asked, and by stratum."""

    def __init__(self, names: Sequence[str], witnesses: Sequence[str], weighed: frozenset[str]) -> None:
        self._names = names
        self._weighed = weighed
        self._witnesses = witnesses
        self._people = dict[tuple[str, str], list[list[int]]]()
        self._bots = dict[tuple[str, str], list[list[int]]]()
        self._likelihoods = dict[str, dict[str, Likelihood]]()

    def add(
        self,
        player: str,
        caused: list[EventRecord],
        made: Mapping[str, list[EventRecord] | None],
        weighing: Weighing | None,
    ) -> None:
        """Add one choice: the events it caused, and those that each asked bot's choice would have caused."""
        for name in self._names:
            if name not in made:
                continue
            same = {other: made[other] == made[name] for other in made if other != name}
            beside = [other for other in self._witnesses if other != name]
            shared = sum(same[other] for other in beside)
            _count(self._people, (player, name), _stratum(shared, len(beside)), made[name] == caused)
            if weighing is not None and name in self._weighed:
                own, one = self._likelihoods.setdefault(player, {}), weighing.under(made[name] == caused)
                own[name] = own[name].together(one) if name in own else one
            for other, agrees in same.items():
                bears = other in beside
                stratum = _stratum(shared - (bears and agrees), len(beside) - bears)
                _count(self._bots, (name, other), stratum, agrees)

    @property
    def answers(self) -> Answers:
        """The counts so far."""
        return Answers(_nested(self._people), _nested(self._bots), self._likelihoods)


def _stratum(shared: int, witnesses: int) -> int:
    """The stratum of a choice that so many of the witnesses would have made, too."""
    if not shared:
        return ALONE
    return ALL if shared == witnesses else FEW if 2 * shared < witnesses else MOST


def _count(
    counts: dict[tuple[str, str], list[list[int]]], key: tuple[str, str], stratum: int, agrees: bool
) -> None:
    cell = counts.setdefault(key, [[0, 0] for _ in STRATA])[stratum]
    cell[0] += agrees
    cell[1] += 1


def _nested(counts: Mapping[tuple[str, str], list[list[int]]]) -> dict[str, dict[str, Counts]]:
    nested: dict[str, dict[str, Counts]] = {}
    for (outer, inner), cells in counts.items():
        nested.setdefault(outer, {})[inner] = tuple((hits, of) for hits, of in cells)
    return nested
