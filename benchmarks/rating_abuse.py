"""Simulations of how far a rating can be lifted by choosing what counts, with people and bots of known strength.

`python -m benchmarks rating-abuse --help`. The engine is asked which games count. In each world 190 honest people and
the seven levels play first. Then a twentieth of all joins; each plays 50 games that count, alone in a copy of that
world: honestly, and in each of the other `WAYS`.
"""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from statistics import mean, stdev
from typing import Any, Final

from benchmarks.rating_ways import (
    BOUGHT,
    HONEST,
    PEOPLE,
    PLAYED,
    POINTS,
    SPREAD,
    WAYS,
    Played,
    Way,
    World,
    units,
)
from domain.chance import SeededChance, commitment_of
from domain.errors import DomainError
from domain.interventions import SILENT
from domain.lifecycle import Create, Json, Leaver, Score, Seat, TakeHint, TellFork
from domain.migrato.rules.cards import NAME
from domain.migrato.rules.options import resolve
from domain.registry import GAMES
from domain.takebacks.decide import AskTakeback
from domain.takebacks.decide import decide as decide_takeback
from domain.takebacks.takebacks import NONE
from events.engine.eligibility import judged, resolved, with_drawn_start
from events.engine.new_game import NewGame
from events.features.games.abandonment import ending
from events.features.ratings.port import UNRATED, Rating
from events.features.ratings.results import counted
from events.log.envelope import seal
from events.log.game_secrets import Secrets
from events.log.player_ids import OF_A_GUEST
from events.log.ratings.unrated import APP, AT_ONCE, QUICK_MATCH
from events.log.snapshot import Snapshot, unplayed

JOIN: Final = PEOPLE // 19
MOST: Final = 8 * PLAYED  # games of one's own, those that do not count too
AFTER: Final = (10, 20, 50, 100, 200)  # games of each person
CLUBS: Final = {
    6: 40,
    40: 8,
    150: 2,
}  # people who begin a leaderboard together, and the number of such boards
STUDENT: Final = 2.365  # errors on either side of the mean of eight worlds in which 95 % lie
NOON: Final = "2026-11-21T12:00:00Z"
ADA, BO = (Seat("human", "pl_" + digit * 20) for digit in "12")


@dataclass(frozen=True, slots=True)
class Asked:
    """A kind of game that the engine is asked about; `before`: whether it counted.

    `new`: as it is created; `help` is asked for during the game, `abandoned` by a person who is to move.
    """

    before: bool = True
    new: NewGame = field(default_factory=lambda: matched())  # noqa: PLW0108 - it is defined below
    help: Any = None
    seats: tuple[Seat, ...] = ()
    abandoned: bool = False


def matched(options: Json | None = None, game: str = "migrato", clock: Json | None = None) -> NewGame:
    """A game by quick match."""
    drawn = with_drawn_start(GAMES[game], options or {})
    return NewGame(game, drawn, (ADA, BO), clock=clock, pairing=QUICK_MATCH)


DECK: Final = resolve({}).deck
WITH_A_BOT: Final = (ADA, Seat("bot", bot="level-3", version="2"))
DRAWN: Final = {"first_seat": "random"}
KINDS: Final = {  # `before` is as it was until games against bots counted from the deal on
    "ordinary": Asked(),
    "resigned at the deal": Asked(False, NewGame(options=DRAWN, seats=WITH_A_BOT)),
    "left": Asked(
        seats=(replace(BO, stands_in=True, leaver=Leaver(ADA.player, 0)), Seat("human", "pl_" + "3" * 20))
    ),
    "arranged": Asked(new=NewGame(options=DRAWN, seats=(ADA, BO))),
    "rematch": Asked(new=NewGame(options=DRAWN, seats=(ADA, BO), rematch_of="game")),
    "uncommon": Asked(new=matched(clock={"kind": "bank", "seconds": 301, "increment": 5})),
    "selected": Asked(new=replace(matched(), selective=True)),
    "watched": Asked(new=replace(matched(), visibility="public")),
    "bot, by other rules": Asked(new=NewGame(options={**DRAWN, "rules": "opla"}, seats=WITH_A_BOT)),
    "turn limit": Asked(new=matched({"turn_limit": 2})),
    "turn limit of Migo": Asked(new=matched({"turn_limit": 1}, "migo")),
    "deck list": Asked(new=matched({"deck_list": {NAME[face]: 4 for face in set(DECK)}})),
    "stalled": Asked(False, abandoned=True),
    "first seat": Asked(new=matched({"first_seat": 0})),
    "memory aid": Asked(new=matched({"memory_aid": True})),
    "takebacks": Asked(help=AskTakeback()),
    "hints": Asked(help=TakeHint("level-7", "3", None, "0" * 16)),
    "hints in forks": Asked(help=TellFork(2)),
    "prepared": Asked(False, NewGame(seats=(ADA, BO), setup={"deck": [NAME[face] for face in DECK]})),
    "both seats": Asked(False, NewGame(options=DRAWN, seats=(ADA, ADA), pairing=APP)),
    "guest": Asked(False, seats=(ADA, Seat("human", OF_A_GUEST + "1" * 15))),
}


def counts_before(kind: str) -> bool:
    """True if such a game was rated."""
    return KINDS[kind].before


@cache
def unrated_because(kind: str) -> str | None:
    """The reason for which the engine does not rate such a game, or refuses what is asked in it; None: it rates it."""
    asked, seed = KINDS[kind], bytes(32)
    new = asked.new
    game, chance = GAMES[new.game], SeededChance(seed, "game")
    now = unplayed("game", game, Secrets(seed, "app", "private", game.name, NOON))

    def record(events: Sequence[Any]) -> Snapshot:
        records = [game.encode(event) for event in events]
        return now.after(events, seal("game", seed, now.stream_head, NOON, "command", records))

    found = judged(game, new)
    options = resolved(game, new.options, len(new.seats))
    create = Create("game", commitment_of(seed), options, new.seats, new.setup, *found)
    now = record(game.decide(now.state, None, replace(create, seats=asked.seats or new.seats), chance))
    seat = now.status.to_act
    try:
        if isinstance(asked.help, AskTakeback):
            decide_takeback(game, now.state, NONE, seat, asked.help)
        elif asked.help is not None:
            now = record(game.decide(now.state, seat, asked.help, chance))
    except DomainError as refused:
        return refused.code
    ends = ending(now, SILENT) if asked.abandoned else game.parse_move({"type": "resign"})
    now = record(game.decide(now.state, None if asked.abandoned else 0, ends, chance))
    if not now.is_settled:
        now = record(game.decide(now.state, None, Score(), chance))
    assert (counted(now) is None) != now.is_rated, kind
    return now.unrated_because


Policy = tuple[
    Callable[[str], bool], int, bool
]  # which kinds count, how many at once, and whether bots are anchored
POLICIES: Final[dict[str, Policy]] = {
    "before": (counts_before, PLAYED, False),
    "now": (lambda kind: unrated_because(kind) is None, AT_ONCE, True),
}

# How far above the true strength in points: by the mean; by the ordinal, less what it is in honest play.
Persons = list[tuple[float, float]]


def tried(world: World, way: Way, me: str) -> Rating | None:
    """The best rating of the name, or of the names that follow from it; None if no game counted."""
    playing, own, rated = way(world, me), 0, 0
    places: tuple[int, ...] | None = None
    while own < MOST:
        try:
            game = next(playing) if places is None else playing.send(places)
        except StopIteration:
            break
        places = world.play(game)
        is_own = game.names[0].split("/")[0] == me
        own += is_own
        rated += is_own and world.counts(game.kind)
        if rated == PLAYED:
            break
    mine = [one for name, one in world.ratings.items() if name == me or name.startswith(f"{me}/")]
    return max(mine, key=lambda one: one.ordinal, default=None)


def lifts(seed: int, played: int, ways: Sequence[str]) -> dict[tuple[str, str], Persons]:
    """By way and policy, who went that way in a world in which so many games were played before.

    An ordinal is below the strength, the further the fewer games there were: the mean of honest play's is taken off.
    """
    found = dict[tuple[str, str], Persons]()
    for policy, rules in POLICIES.items():
        world = World(Random(f"{seed}"), *rules)
        for _ in range(played):
            me = world.rng.choice(world.people)
            world.play(Played((me, world.other(me))))
        strengths = [units(world.rng.gauss(0, SPREAD)) for _ in range(JOIN)]
        honest = 0.0
        for way in (HONEST, *ways):
            persons = Persons()
            for number, strength in enumerate(strengths):
                there = world.copy(Random(f"{seed} {number}"))
                there.strength["me"] = strength
                rating = tried(there, (WAYS | BOUGHT)[way], "me")
                if rating is not None:
                    above = [
                        (one - UNRATED.mean - strength) * POINTS
                        for one in (rating.shown_mean, rating.ordinal)
                    ]
                    persons.append((above[0], above[1] - honest))
            if way == HONEST:
                honest = mean(ordinal for _, ordinal in persons)
                persons = [(at, ordinal - honest) for at, ordinal in persons]
            found[way, policy] = persons
    return found


def kinds_table() -> list[str]:
    """A table of the kinds of games that counted, and of those that do now, or the reason why not."""
    rows = ["| game | before | now |", "|---|---|---|"]
    for kind, asked in KINDS.items():
        why = unrated_because(kind)
        rows.append(
            f"| {kind} | {'counts' if asked.before else '-'} | {'counts' if why is None else f'`{why}`'} |"
        )
    return rows


def table(worlds: Sequence[Mapping[tuple[str, str], Persons]], measure: int) -> list[str]:
    """By the mean (0) or the ordinal (1): the mean with its 95 % interval over the worlds, and the most of a person."""
    rows = [
        f"| | {' | '.join(f'{policy} | most' for policy in POLICIES)} |",
        f"|---|{'--:|' * 2 * len(POLICIES)}",
    ]
    for way in dict.fromkeys(way for way, _ in worlds[0]):
        cells = [way]
        for policy in POLICIES:
            each = [[person[measure] for person in world[way, policy]] for world in worlds]
            if not all(each):
                cells += ["not rated", ""]
                continue
            means = [mean(one) for one in each]
            error = f" ± {STUDENT * stdev(means) / math.sqrt(len(means)):.0f}" if len(means) > 1 else ""
            cells += [f"{mean(means):z.0f}{error}", f"{max(map(max, each)):.0f}"]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def errors(seed: int, people: int, anchored: bool) -> list[float]:
    """By `AFTER`, how far ratings are from strengths, in points: the root of the mean square over its people.

    They begin together, and play each other alone, as often as each other.
    """
    world = World(Random(f"club {seed}"), lambda kind: kind == "ordinary", AT_ONCE, anchored)
    names = world.people = world.people[:people]
    middle = mean(world.strength[name] for name in names)
    found, played = list[float](), 0
    for games in AFTER:
        while played < games * people / 2:
            world.play(Played(tuple(world.rng.sample(names, 2))))
            played += 1
        wrong = [
            world.rating(name).shown_mean - UNRATED.mean - world.strength[name] + middle for name in names
        ]
        found.append(math.sqrt(mean(one * one for one in wrong)) * POINTS)
    return found


def clubs_table(seed: int) -> list[str]:
    """A table of how soon honest people are rated right on a leaderboard that has just begun."""
    rows = [
        f"| people | | {' | '.join(f'{games} games' for games in AFTER)} |",
        f"|--:|---|{'--:|' * len(AFTER)}",
    ]
    for people, clubs in CLUBS.items():
        for policy, (_, _, anchored) in POLICIES.items():
            each = [errors(seed + number, people, anchored) for number in range(clubs)]
            rows.append(
                f"| {people} | {policy} | {' | '.join(f'{mean(one):.0f}' for one in zip(*each, strict=True))} |"
            )
    return rows


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks rating-abuse", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first world; the next ones follow")
    parser.add_argument(
        "--games", type=int, default=10_000, help="that honest people and bots play in each world"
    )
    parser.add_argument("--worlds", type=int, default=8)
    given = parser.parse_args(arguments)
    worlds = [
        lifts(given.seed + number, given.games, [way for way in WAYS if way != HONEST])
        for number in range(given.worlds)
    ]
    bought = [lifts(given.seed + number, given.games, list(BOUGHT)) for number in range(given.worlds)]
    print("\n".join(["## What counts", "", *kinds_table(), ""]))
    for measure, title in enumerate(
        ("The mean above the true strength", "The ordinal above that of honest play")
    ):
        print("\n".join([f"## {title}, in Elo points", "", *table(worlds, measure), ""]))
        print("\n".join([f"## {title}, with honest friends, in Elo points", "", *table(bought, measure), ""]))
    print("\n".join(["## Error of honest ratings, in Elo points", "", *clubs_table(given.seed)]))
    return 0
