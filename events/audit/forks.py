"""Forks: games that go on from a position of another game.

Such a game's first event names its origin, and a `position_set` event takes the place of the deal. No command of the
file leads to that position, so it is judged by itself: every card of the deck is there once, and lies as it can lie.
With the origin's export it is compared with the position there. From it on the rules are checked as in any other game.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import orjson

from domain.chance import Chance
from domain.decider import Game
from domain.lifecycle import Create, Json, Wire
from domain.migrato.cards import BIRDS, FIRST_DANGER, GOAL, SPECIES_OF, STILT
from domain.migrato.columns import ends_game
from domain.migrato.rules import HAND_SIZE, SEATS
from domain.migrato.state import ACTION, DISCARD, State, setup_of
from events.audit.findings import Tally, Wrong
from events.audit.live import is_digest
from events.audit.retrace import command_of, created
from events.continuation import fork_seed
from events.export import Exported
from events.upcasters import upcast

CHECK: Final = "position"
KIND: Final = "position_set"
_ORIGIN: Final = {"game_id", "version", "head", "resampled", "seat"}
_MALFORMED: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Origin:
    """The export of a game that others may have been forked from, already verified and complete."""

    game_id: str
    exported: Exported


def is_fork(created: Json) -> bool:
    """Whether the first event is that of a fork."""
    return "origin" in created["data"]


def begin(
    game: Game,
    state: Any,
    document: Json,
    following: list[Json],
    chance: Chance,
    seed: bytes,
    origin: Origin | None,
    tally: Tally,
) -> list[tuple[Any, Wire]]:
    """The first two events of a fork, as they must be recorded. Raises Wrong "rules" and "position", DomainError."""
    data = document["data"]
    told = data["origin"]
    _check_origin(told)
    plain = {name: value for name, value in data.items() if name != "origin"}
    command = command_of(game, state, {**document, "data": plain}, [])
    assert isinstance(command, Create)
    if command.deck is not None or any(seat.kind == "open" for seat in command.seats):
        raise Wrong("rules", 1, "A fork has neither a deck of its own nor open seats.")
    wire = game.encode(created(game, state, command, chance)[0])
    wire = wire._replace(data={**wire.data, "setup": True, "origin": told})
    if not following or following[0].get("type") != KIND:
        raise Wrong(
            "rules",
            1,
            "A fork begins with a position.",
            KIND,
            following[0].get("type") if following else None,
        )
    given = following[0].get("data")
    try:
        first = game.decode(wire)
        position = game.decode(Wire(KIND, 1, None, given if isinstance(given, dict) else {}))
        wires = [wire, game.encode(position)]
        after = game.evolve(game.evolve(state, first), position)
        why = _impossible(after)
    except _MALFORMED:
        why = "It is not told as a position is."
    if why is not None:
        raise Wrong(CHECK, 2, why, None, given)
    tally.right(CHECK)
    if origin is None:
        tally.note(CHECK, "the origin was not given: whether this was its position is not known")
    else:
        _compare(game, after, told, origin, fork_seed(seed, data["id"]))
        tally.right(CHECK)
    return [(first, wires[0]), (position, wires[1])]


def _check_origin(told: Any) -> None:
    right = (
        type(told) is dict
        and told.keys() == _ORIGIN
        and type(told["game_id"]) is str
        and type(told["version"]) is int
        and told["version"] > 0
        and is_digest(told["head"])
        and type(told["resampled"]) is bool
        and (
            type(told["seat"]) is int and 0 <= told["seat"] < SEATS
            if told["resampled"]
            else told["seat"] is None
        )
    )
    if not right:
        raise Wrong(CHECK, 1, "The origin is not told as it must be.", None, told)


def _impossible(state: State) -> str | None:
    """Why nobody can come to the position, in a sentence; None if somebody may."""
    rules = setup_of(state).rules
    cards = Counter([*state.deck, *state.discard_pile])
    for player in state.players:
        cards.update(player.hand)
        for pile in (*player.columns, *player.arrivals):
            cards.update(pile)
    if cards != Counter(rules.deck):
        return "It does not hold every card of the deck once."
    if type(state.to_act) is not int or not 0 <= state.to_act < SEATS or state.phase not in (ACTION, DISCARD):
        return "Nobody is to act."
    limit = rules.turn_limit
    if type(state.turn) is not int or state.turn < 1 or (limit is not None and state.turn > limit):
        return "There is no such turn."
    if type(state.shuffles) is not int or state.shuffles < 0:
        return "The deck cannot have been shuffled as often."
    for player in state.players:
        if len(player.hand) > HAND_SIZE:
            return f"A hand has more than {HAND_SIZE} cards."
        for column, shape in zip(player.columns, player.shapes, strict=True):
            if column and (max(column) >= FIRST_DANGER or not rules.placement.possible[shape]):
                return "No flock of this deck could fill a column."
        if not all(_could_lie(species, pile) for species, pile in enumerate(player.arrivals)):
            return "A pile of birds cannot have arrived like that."
        if player.landed != sum(1 << species for species, pile in enumerate(player.arrivals) if pile):
            return "Birds have landed without a pile, or the other way round."
        if player.flights and not rules.return_flight:
            return "There are no Return Flight cards in this game."
    one, two = state.players
    if one.flights & two.flights:
        return "Both have the same Return Flight card."
    return "The game would be over." if ends_game((one.landed, two.landed)) else None


def _could_lie(species: int, pile: tuple[int, ...]) -> bool:
    """Whether the pile may be of those birds: as many as arrive together, or fewer since some were taken."""
    most = GOAL[species] + (species == STILT)
    birds = [BIRDS[card] for card in pile if SPECIES_OF[card] == species]
    return len(birds) == len(pile) <= most and birds == sorted(birds, reverse=True)


def _compare(game: Game, after: State, told: Json, origin: Origin, chance_of_fork: int) -> None:
    """Wrong unless the position is the origin's at that version, for a seat as the fork's seed draws it anew."""
    if origin.game_id != told["game_id"]:
        raise Wrong(CHECK, 1, "The game was forked from another one.", told["game_id"], origin.game_id)
    if told["version"] > len(origin.exported.events):
        raise Wrong(CHECK, 1, "The origin has no such version.", told["version"], len(origin.exported.events))
    seat, memory = told["seat"], game.initial_memory()
    state, document = game.initial(), dict[str, Any]()
    for raw in origin.exported.events[: told["version"]]:
        document = orjson.loads(raw)
        wire = Wire(document["type"], document["schema"], document["seat"], document["data"])
        event, before = game.decode(upcast(game.name, wire)), state
        state = game.evolve(before, event)
        if seat is not None and state is not before:
            memory = game.remember(memory, seat, before, event, state)
    if document["head"] != told["head"]:
        raise Wrong(
            CHECK, 1, "The origin's head at that version is another one.", document["head"], told["head"]
        )
    if setup_of(after).rules != setup_of(state).rules:
        raise Wrong(CHECK, 1, "The fork has other rules than its origin.")
    if seat is not None:
        state = game.resample(state, seat, memory, chance_of_fork)
    if after._replace(setup=None) != state._replace(setup=None):
        drawn = "" if seat is None else f", drawn anew for seat {seat},"
        raise Wrong(CHECK, 2, f"This was not the origin's position{drawn} at version {told['version']}.")
