"""Ways to be rated above one's strength, in a world of people and bots of known strength.

Strengths decide a game as the model of the ratings has it, and ratings are the engine's own. A point is Elo's.
"""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import count, permutations
from random import Random
from typing import Final

from domain.lifecycle import Leaver, Seat, places_of_those_who_began
from domain.registry import GAMES
from events.features.ratings.model import NEW, RECENT, after_result, crowd_after
from events.features.ratings.port import UNRATED, Counted, Crowd, Rating
from events.log.player_ids import BOT
from events.log.ratings.scale import bot_elo

PEOPLE: Final = 190  # who play honestly
PLAYED: Final = 50  # games that count for a player who tries a way, unless the way needs more
FRIENDS: Final = 50  # in the ways with friends of any strength who have played honestly
SCALE: Final = math.sqrt(2) * UNRATED.deviation / 2  # the stronger by so much wins e times as often
POINTS: Final = 400 / math.log(10) / SCALE  # so that 400 promise 10 : 1
SPREAD: Final = 150  # of people's strengths, in Elo
DRAW: Final = 0.15  # results nearer to each other, in scales, are a draw: one game in fourteen between equals
LEVELS: Final = {
    f"{BOT}level-{level}": bot_elo(GAMES["migrato"], f"level-{level}", 2) or 0 for level in range(1, 8)
}
WEAKEST, *_, STRONGEST = LEVELS
BEGIN: Final = 27  # Elo: `level-5` scores 53.8 % of 600 games where it begins against itself
# Assumed, in Elo: memory aid, or moves taken back; a deal (its deviation); a bot's known habits; a friend at one table;
# rules for which no bot was made.
AID, DEAL, HABITS, FRIEND, RULES = 50, 60, 100, 150, 50
# Elo: a player who is overrated by so much through games against bots stops playing them; of 30 to 120 this value gains
# most.
OVERRATED: Final = 90


@dataclass(frozen=True, slots=True)
class Played:
    """A game: its `kind`; `aid` in Elo, to the first of the names; its `places`, unless strength decides them."""

    names: tuple[str, ...]
    kind: str = "ordinary"
    aid: float = 0.0
    places: tuple[int, ...] | None = None


Playing = Generator[Played, tuple[int, ...], None]
Way = Callable[["World", str], Playing]


class World:
    """All people and bots with their strengths and ratings; `counts`: the kinds of games that count.

    `at_once`: as many of a person's running games count. `anchored`: bots are rated by their measured strength, and
    ratings move as the engine has it today; otherwise results move everybody alike, as formerly.
    """

    def __init__(self, rng: Random, counts: Callable[[str], bool], at_once: int, anchored: bool) -> None:
        self.rng, self.counts, self.at_once, self.anchored = rng, counts, at_once, anchored
        self.people = [f"person {number}" for number in range(PEOPLE)]
        self.strength = {name: units(elo) for name, elo in LEVELS.items()}
        self.strength |= {name: units(rng.gauss(0, SPREAD)) for name in self.people}
        self.ratings = dict[str, Rating]()
        self.rivals = dict[str, list[tuple[str, ...]]]()  # of each person, in the last games against people
        self.crowd = Crowd()

    def copy(self, rng: Random) -> "World":
        """One that goes another way from here."""
        other = World(rng, self.counts, self.at_once, self.anchored)
        other.strength, other.ratings = self.strength.copy(), self.ratings.copy()
        other.rivals, other.crowd = self.rivals.copy(), self.crowd
        return other

    def other(self, than: str = "") -> str:
        """Somebody to play: every other time a bot."""
        return self.rng.choice(
            [*LEVELS] if self.rng.random() < 0.5 else [one for one in self.people if one != than]
        )

    def rating(self, name: str) -> Rating:
        """As it is now."""
        return self.ratings.get(name, UNRATED)

    def play(self, game: Played) -> tuple[int, ...]:
        """The places in the end; the game is rated if it counts."""
        places = game.places or self.by_strength(game)
        if self.counts(game.kind):
            anchors = tuple([self.anchor(name) for name in game.names]) if self.anchored else None
            counted = Counted("", "", "", game.names, places, anchors)
            met = {("", *pair): self.met(*pair) for pair in permutations(game.names, 2)}
            before = [self.rating(name) for name in game.names]
            after = after_result(counted, before, self.crowd, met)
            self.crowd = crowd_after(self.crowd, game.names, before, after)
            self.ratings.update(zip(game.names, after, strict=True))
            people = [name for name in game.names if not name.startswith(BOT)]
            for name in game.names:
                if len(people) > 1:
                    self.rivals[name] = [*self.rivals.get(name, []), game.names][-RECENT:]
        return places

    def met(self, one: str, other: str) -> int:
        """The number of the one's last games against people in which the other was."""
        return sum([other in names for names in self.rivals.get(one, ())])

    def anchor(self, name: str) -> int | None:
        """By how much the bot, in whatever version, was measured to be stronger than who is new; None for a person."""
        return LEVELS[":".join(name.split(":")[:2])] if name.startswith(BOT) else None

    def by_strength(self, game: Played) -> tuple[int, ...]:
        """The places of a game that is played."""
        found = [self.strength[name] / SCALE - math.log(self.rng.expovariate(1)) for name in game.names]
        found[0] += units(game.aid) / SCALE
        return tuple([1 + sum(other > one + DRAW for other in found) for one in found])


def units(elo: float) -> float:
    """Points as the model counts."""
    return elo / POINTS


def games(
    kind: str = "ordinary", aid: float = 0.0, rival: str = "", *, won: float = -1.0, drawn: float = 0.0
) -> Way:
    """Of one kind, with one aid, against one rival or anybody. `won`, `drawn`: how often, whatever the strengths."""

    def way(world: World, me: str) -> Playing:
        while True:
            lot = world.rng.random()
            places = None if won < 0 else (1, 2) if lot < won else (1, 1) if lot < won + drawn else (2, 1)
            world.strength.setdefault(rival, world.strength[WEAKEST])
            yield Played((me, rival or world.other(me)), kind, aid, places)

    return way


def asks(kind: str) -> Way:
    """Plays as the strongest bot would."""

    def way(world: World, me: str) -> Playing:
        while True:
            aid = max(0.0, (world.strength[STRONGEST] - world.strength[me]) * POINTS)
            yield Played((me, world.other(me)), kind, aid)

    return way


def drops_deals(world: World, me: str) -> Playing:
    """Looks at the deal, and resigns to look at another, five times at most."""
    while True:
        bot, deal = world.rng.choice([*LEVELS]), world.rng.gauss(0, DEAL)
        for _ in range(5):
            if deal > 0:
                break
            yield Played((me, bot), "resigned at the deal", places=(2, 1))
            deal = world.rng.gauss(0, DEAL)
        yield Played((me, bot), aid=deal)


def leaves(world: World, me: str) -> Playing:
    """Gives the seat to a strong friend before a loss, who wins."""
    leaver = Seat("human", "friend", leaver=Leaver(me, 0))
    while True:
        rival = world.other(me)
        places = world.by_strength(Played((me, rival)))
        if places == (2, 1):
            places = places_of_those_who_began((leaver, Seat("human", rival)), (1, 2))
        yield Played((me, rival), "left", places=places)


def draws(world: World, me: str) -> Playing:
    """Agrees upon draws with the strongest person."""
    friend = max(world.people, key=world.strength.__getitem__)
    while True:
        yield Played((me, friend), "arranged", places=(1, 1))


def challenges(world: World, me: str) -> Playing:
    """Plays only the highest-rated person."""
    while True:
        yield Played((me, max(world.people, key=lambda one: world.rating(one).mean)), "arranged")


def stays_while_winning(world: World, me: str) -> Playing:
    """Has a rematch after each win, and another opponent after each loss."""
    rival, again = world.other(me), False
    while True:
        kind = "rematch" if again and not rival.startswith(BOT) else "ordinary"
        again = (yield Played((me, rival), kind)) == (1, 2)
        rival = rival if again else world.other(me)


def stalls(world: World, me: str) -> Playing:
    """Moves no more where a loss is certain, which is so before four losses of five."""
    while True:
        rival = world.other(me)
        places = world.by_strength(Played((me, rival)))
        stalled = places == (2, 1) and world.rng.random() < 0.8
        yield Played((me, rival), "stalled" if stalled else "ordinary", places=places)


def leaves_for_ever(world: World, me: str) -> Playing:
    """Leaves games alone that are lost to somebody weaker, where nobody ends them, and keeps one place free."""
    left = world.at_once - 1
    while True:
        rival = world.other(me)
        places = world.by_strength(Played((me, rival)))
        if left and places == (2, 1) and world.rating(rival).mean < world.rating(me).mean:
            left -= 1
        else:
            yield Played((me, rival), places=places)


def loses_first(world: World, me: str) -> Playing:
    """Plays many games at once, and ends those that are lost first, and those that are won last."""
    while True:
        games = [Played((me, world.other(me))) for _ in range(world.at_once)]
        ended = [(world.by_strength(game), game.names) for game in games]
        for places, names in sorted(ended, key=lambda one: one[0][1] - one[0][0]):
            yield Played(names, places=places)


def stops_ahead(world: World, me: str) -> Playing:
    """Plays no more after three wins at a run, from the twentieth game on."""
    run = 0
    for number in count(1):
        run = run + 1 if (yield Played((me, world.other(me)))) == (1, 2) else 0
        if number >= 20 and run >= 3:
            return


def new_names(each: int, bad: int = 0) -> Way:
    """Takes a new name after so many games, or where the first `bad` were not won."""

    def way(world: World, me: str) -> Playing:
        for name in (f"{me}/{number}" for number in count()):
            world.strength[name] = world.strength[me]
            for number in range(each):
                places = yield Played((name, world.other()))
                if number < bad and places != (1, 2):
                    break

    return way


def beats(
    friends: int, keeps: int = PLAYED * 10, practice: int = 0, skill: str = "", kind: str = "arranged"
) -> Way:
    """Beats friends' names at a table, which have practised with the skill of somebody; `keeps` them so many times."""

    def way(world: World, me: str) -> Playing:
        for number in count():
            names = [f"friend {number} {friend}" for friend in range(friends)]
            for name in names:
                world.strength[name] = world.strength[skill or me]
                for _ in range(practice):
                    yield Played((name, world.other()))
            for _ in range(keeps):
                yield Played((me, *names), kind, places=(1, *[2] * friends))

    return way


def meets(each: int, friends: int, practice: int = 0, *, bots: bool = False) -> Way:
    """Seeks a partner at the same time as friends, and beats one of them in each so-many-th game.

    They have practised before, as strong as they are, against anybody or `bots` alone.
    """

    def way(world: World, me: str) -> Playing:
        for friend in [f"friend {number}" for number in range(friends if practice else 0)]:
            world.strength[friend] = world.strength[me]
            for _ in range(practice):
                yield Played((friend, world.rng.choice([*LEVELS]) if bots else world.other()))
        for number in count(1):
            friend = f"friend {number // each % friends}"
            yield Played((me, world.other(me))) if number % each else Played((me, friend), places=(1, 2))

    return way


def new_until(wins: int) -> Way:
    """Takes a new name until one has won so many games at first, against a bot, and then meets friends alone."""

    def way(world: World, me: str) -> Playing:
        for name in (f"{me}/{number}" for number in count()):
            world.strength[name], won = world.strength[me], 0
            while won < wins and (yield Played((name, f"{BOT}level-4"))) == (1, 2):
                won += 1
            if won == wins:
                break
        yield from beats_friends(name)

    return way


def luckiest(names: int, each: int) -> Way:
    """Plays so many games against bots with each of so many names; the one that stands highest then meets friends."""

    def way(world: World, me: str) -> Playing:
        mine = [f"{me}/{number}" for number in range(names)]
        for name in mine:
            world.strength[name] = world.strength[me]
            for _ in range(each):
                yield Played((name, world.rng.choice([*LEVELS])))
        yield from beats_friends(max(mine, key=lambda one: world.rating(one).ordinal))

    return way


def until_lucky(most: int, bots: tuple[str, ...]) -> Way:
    """Plays bots until they overrate it by `OVERRATED`, at most so many games; then meets friends."""

    def way(world: World, me: str) -> Playing:
        for number in range(most):
            yield Played((me, world.rng.choice(bots)))
            over = (world.rating(me).mean - UNRATED.mean - world.strength[me]) * POINTS
            if number >= 20 and over > OVERRATED:
                break
        yield from beats_friends(me)

    return way


def names_that_play_people(_: World, me: str) -> Playing:
    """Has twice as many new names as there are people play each other, so that few seem to play bots; meets friends."""
    names = [f"friend of friends {number}" for number in range(2 * PEOPLE)]
    for number in range(NEW):
        for at in range(0, len(names), 2):
            yield Played((names[at], names[(at + 2 * number + 1) % len(names)]), places=(1, 1))
    yield from beats_friends(me)


def beats_friends(name: str) -> Playing:
    """Meets all friends, and nobody else any more."""
    for number in range(FRIENDS):
        yield Played((name, f"friend {number}"), places=(1, 2))


def begins_with_friends(world: World, me: str) -> Playing:
    """Beats as many new friends, met by quick match, as count while one is new, and plays honestly then."""
    for number in range(NEW - 1):
        yield Played((me, f"friend {number}"), places=(1, 2))
    while True:
        yield Played((me, world.other(me)))


def helped(world: World, me: str) -> Playing:
    """Has a friend at a table of three, who helps and is last."""
    while True:
        others = me, world.other(me)
        mine, its = world.by_strength(Played(others, aid=FRIEND))
        yield Played((*others, "friend"), "arranged", places=(mine, its, 3))


def feeds(_: World, me: str) -> Playing:
    """Has new names lose to a bot, and plays that bot."""
    for number in count():
        yield Played((f"friend {number}", f"{BOT}level-3"), places=(2, 1))
        yield Played((me, f"{BOT}level-3"))


HONEST: Final = "honest play"
WAYS: Final[dict[str, Way]] = {
    HONEST: games(),
    "resigning bad deals, or letting the clock run out": drops_deals,
    "Migrato of two turns, drawn with the strongest bot": games(
        "turn limit", rival=STRONGEST, won=0.0, drawn=1.0
    ),
    "Migo of one turn, begun": games("turn limit of Migo", rival=STRONGEST, won=11 / 12),
    "a deck list that leaves it to luck, against the strongest bot": games(
        "deck list", rival=STRONGEST, won=0.5
    ),
    "a prepared deck": games("prepared", rival=STRONGEST, won=1.0),
    "beginning always": games("first seat", BEGIN),
    "memory aid": games("memory aid", AID),
    "taking moves back": games("takebacks", AID),
    "hints": asks("hints"),
    "hints in resampled forks": asks("hints in forks"),
    "leaving before a loss, for a strong friend": leaves,
    "never moving again before a loss, without a clock": stalls,
    "leaving lost games alone for ever, where nobody ends them": leaves_for_ever,
    "fifty games at once, lost ones ended first": loses_first,
    "one name at both seats": games("both seats", rival="friend", won=1.0),
    "beating guests": games("guest", rival="friend", won=1.0),
    "only the weakest bot": games(rival=WEAKEST),
    "only the strongest bot": games(rival=STRONGEST),
    "only one bot, whose habits are known": games(rival=f"{BOT}level-5", aid=HABITS),
    "rules for which no bot's strength is known": games("bot, by other rules", RULES, f"{BOT}level-5"),
    "only a weak bot's new version": games(rival=f"{BOT}level-1:new"),
    "only the player who is rated highest": challenges,
    "a rematch after wins alone": stays_while_winning,
    "stopping after three wins": stops_ahead,
    "five names, the best one shown": new_names(PLAYED // 5),
    "sixteen names of fifty games, the best one shown": new_names(PLAYED),
    "a new name unless the first three are won": new_names(PLAYED, 3),
    "draws agreed with the strongest person": draws,
    "a friend at a table of three": helped,
    "names that lose to a bot, which is beaten": feeds,
    "one friend, who loses": beats(1),
    "a new friend, or a new remote bot, for every win": beats(1, keeps=1),
    "three friends at a table of four": beats(3),
    "a new friend, met by quick match in every tenth game": meets(10, PLAYED),
    "one friend, met by quick match in every fifth game": meets(5, 1),
    "a new friend, met by quick match in every fifth game": meets(5, PLAYED),
    "five friends who have played 15 games, met by quick match in every fifth game": meets(5, 5, practice=15),
    "five friends who have played 50 games, met by quick match in every fifth game": meets(5, 5, practice=50),
    "three friends who have played 150 games, met by quick match in every fifth game": meets(
        5, 3, practice=150
    ),
    "three friends who have played 300 games, met by quick match in every fifth game": meets(
        5, 3, practice=300
    ),
    "five friends who have played 150 games, met by quick match in every game": meets(1, 5, practice=150),
    "five friends whose program has beaten bots for 150 games, met in every game": meets(
        1, 5, practice=150, bots=True
    ),
    "five friends who have played 300 games, met by quick match in every game": meets(1, 5, practice=300),
    "nine new friends at first, met by quick match": begins_with_friends,
    "a friend found in the fullest line by a rating that both name": beats(
        1, keeps=10, practice=15, kind="selected"
    ),
    "a friend found in the line of games that all may watch": beats(1, keeps=10, practice=15, kind="watched"),
    "friends who have played 15 games, and lose ten": beats(1, keeps=10, practice=15),
    "the same, found by quick match with a clock that nobody else has": beats(
        1, keeps=10, practice=15, kind="uncommon"
    ),
    "friends who have played 15 games as the strongest bot": beats(1, keeps=10, practice=15, skill=STRONGEST),
}
# Friends who are by all results honest people, 300 games each: what is left is what games against bots bear out.
BOUGHT: Final[dict[str, Way]] = {
    "ten friends who have played 300 games, met by quick match in every fifth game": meets(5, 10),
    "ten friends who have played 300 games, met by quick match in every game": meets(1, 10),
    "25 friends who have played 300 games, met by quick match in every other game": meets(2, 25),
    "fifty friends who have played 300 games, met by quick match in every game": meets(1, FRIENDS),
    "a new name until it has beaten a bot three times, then fifty friends": new_until(3),
    "a new name until it has beaten a bot four times, then fifty friends": new_until(4),
    "sixteen names, ten games against bots each, then fifty friends for the luckiest": luckiest(16, 10),
    "sixteen names, thirty games against bots each, then fifty friends for the luckiest": luckiest(16, 30),
    "a hundred games against bots, or until these overrate it, then fifty friends": until_lucky(
        100, tuple(LEVELS)
    ),
    "a hundred games against the weakest bot, or until it overrates, then fifty friends": until_lucky(
        100, (WEAKEST,)
    ),
    "twice as many names as people, which play each other ten times, then fifty friends": names_that_play_people,
}
# How many games of one's own count, where it is not `PLAYED`.
LONGER: Final[dict[str, int]] = {
    "sixteen names of fifty games, the best one shown": 16 * PLAYED,
    "a new name until it has beaten a bot three times, then fifty friends": 16 * PLAYED,
    "a new name until it has beaten a bot four times, then fifty friends": 16 * PLAYED,
    "sixteen names, ten games against bots each, then fifty friends for the luckiest": 160 + FRIENDS,
    "sixteen names, thirty games against bots each, then fifty friends for the luckiest": 480 + FRIENDS,
    "a hundred games against bots, or until these overrate it, then fifty friends": 100 + FRIENDS,
    "a hundred games against the weakest bot, or until it overrates, then fifty friends": 100 + FRIENDS,
}
