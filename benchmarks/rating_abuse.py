"""Simulations of how far a rating can be lifted by choosing what counts, with people and bots of known strength.

`python -m benchmarks rating-abuse --help`. The engine is asked which games count. In each world 190 honest people and
the seven levels play first. Then a twentieth of all joins; each plays 50 games that count, or more where the way needs
them, alone in a copy of that world: honestly, and in each of the other `WAYS`. What is compared is the number that
people are shown, the ordinal in Elo points.
"""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import repeat
from random import Random
from statistics import correlation, mean, stdev
from typing import Any, Final

from benchmarks.rating_ways import (
    BOUGHT,
    FRIENDS,
    HONEST,
    LEVELS,
    LONGER,
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
from events.log.player_ids import BOT, OF_A_GUEST
from events.log.ratings.scale import CERTAIN, KNOWN, MEAN
from events.log.ratings.unrated import APP, AT_ONCE, QUICK_MATCH
from events.log.snapshot import Snapshot, unplayed

JOIN: Final = PEOPLE // 19
MOST: Final = 8  # games of one's own for each that counts
PRACTICE: Final = 300  # games of each friend of `BOUGHT`
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
LEVEL: Final = GAMES["migrato"].bot("level-3")
WITH_A_BOT: Final = (ADA, Seat("bot", bot=LEVEL.name, version=LEVEL.version))
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

# How far in points the number that is shown is above the true strength; above that after as many honest games.
Persons = list[tuple[float, float]]
Lifts = dict[tuple[str, str], Persons]  # by way and policy


def above(rating: Rating, strength: float) -> float:
    """Points by which the number that is shown is above a strength."""
    return (rating.ordinal + CERTAIN * KNOWN - MEAN - strength) * POINTS


def tried(world: World, way: Way, me: str, most: int = PLAYED) -> tuple[Rating, list[Played]] | None:
    """The best rating of the name, or of the names that follow from it, and the games of one's own that counted, no
    more than `most`; None if none did.
    """
    playing, own, rated = way(world, me), 0, list[Played]()
    places: tuple[int, ...] | None = None
    while own < MOST * most and len(rated) < most:
        try:
            game = next(playing) if places is None else playing.send(places)
        except StopIteration:
            break
        places = world.play(game)
        if game.names[0].split("/")[0] == me:
            own += 1
            rated += [game] * world.counts(game.kind)
    mine = [one for name, one in world.ratings.items() if name == me or name.startswith(f"{me}/")]
    return (max(mine, key=lambda one: one.ordinal), rated) if mine else None


def honest_instead(world: World, me: str, rated: Sequence[Played]) -> Rating:
    """The rating after as many games, honestly and under one name: as many of them against bots, but at least half."""
    bots = sum([game.names[1].startswith(BOT) for game in rated])
    rivals = [True] * max(bots, len(rated) // 2)
    rivals += [False] * (len(rated) - len(rivals))
    world.rng.shuffle(rivals)
    for is_bot in rivals:
        world.play(Played((me, world.rng.choice([*LEVELS] if is_bot else world.people))))
    return world.rating(me)


def grown(seed: int, played: int, rules: Policy) -> World:
    """A world in which honest people have played so many games."""
    world = World(Random(f"{seed}"), *rules)
    for _ in range(played):
        me = world.rng.choice(world.people)
        world.play(Played((me, world.other(me))))
    return world


def befriended(world: World, seed: int) -> World:
    """A copy in which friends of any strength have played honestly."""
    there = world.copy(Random(f"{seed} friends"))
    for friend in range(FRIENDS):
        there.strength[f"friend {friend}"] = units(there.rng.gauss(0, SPREAD))
        for _ in range(PRACTICE):
            there.play(Played((f"friend {friend}", there.other())))
    return there


def lifts(seed: int, played: int, ways: Sequence[str], policies: Mapping[str, Policy] = POLICIES) -> Lifts:
    """Persons by way, in a world in which so many games were played before."""
    found = Lifts()
    for policy, rules in policies.items():
        world = grown(seed, played, rules)
        strengths = [units(world.rng.gauss(0, SPREAD)) for _ in range(JOIN)]
        with_friends = befriended(world, seed) if BOUGHT.keys() & ways else world
        for way in (HONEST, *ways):
            persons = found[way, policy] = Persons()
            base = with_friends if way in BOUGHT else world
            for number, strength in enumerate(strengths):
                there, instead = (base.copy(Random(f"{seed} {number} {one}")) for one in ("way", "honest"))
                there.strength["me"] = instead.strength["me"] = strength
                rating = tried(there, (WAYS | BOUGHT)[way], "me", LONGER.get(way, PLAYED))
                if rating is not None:
                    lifted = above(rating[0], strength)
                    fair = above(honest_instead(instead, "me", rating[1]), strength)
                    persons.append((lifted, lifted - fair))
    return found


def rightness(world: World) -> tuple[float, float, float]:
    """Rightness of honest people's ratings: the root of the mean square error of the mean, in points; how far the
    number that is shown is above the strength on the average; and the correlation of the two.
    """
    known = [(world.rating(name), world.strength[name]) for name in world.people]
    wrong = [((one.shown_mean - UNRATED.mean - strength) * POINTS) ** 2 for one, strength in known]
    shown = [one.ordinal for one, _ in known]
    return (
        math.sqrt(mean(wrong)),
        mean([above(*one) for one in known]),
        correlation(shown, [strength for _, strength in known]),
    )


def honest_table(seed: int, played: int, worlds: int) -> list[str]:
    """A table of how right the ratings of honest people are, the mean of so many worlds."""
    rows = ["| | error of the mean | number less strength | correlation of the two |", "|---|--:|--:|--:|"]
    for policy, rules in POLICIES.items():
        each = [rightness(grown(seed + number, played, rules)) for number in range(worlds)]
        error, below, correlated = map(mean, zip(*each, strict=True))
        rows.append(f"| {policy} | {error:.0f} | {below:.0f} | {correlated:.3f} |")
    return rows


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
    """Above the strength (0) or what as many honest games show (1): the mean, with its 95 % interval over the worlds;
    and the most of a person.
    """
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
    seeds = range(given.seed, given.seed + given.worlds)
    ways = [way for way in (*WAYS, *BOUGHT) if way != HONEST]
    with ProcessPoolExecutor() as processes:
        worlds = [*processes.map(lifts, seeds, repeat(given.games), repeat(ways))]
    print("\n".join(["## What counts", "", *kinds_table(), ""]))
    for measure, title in enumerate(("above the true strength", "above what as many honest games show")):
        print("\n".join([f"## The number shown, {title}, in Elo points", "", *table(worlds, measure), ""]))
    print("\n".join(["## Honest people", "", *honest_table(given.seed, given.games, given.worlds), ""]))
    print("\n".join(["## Error of honest ratings, in Elo points", "", *clubs_table(given.seed)]))
    return 0
