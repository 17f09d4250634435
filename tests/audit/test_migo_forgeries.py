"""Games of Migo that were bent while they were played, by whoever runs the engine: everything after fits what was bent.

The forger knows the seed, seals and signs, lets others play on from where it leads, and tells the result that comes of
it. So each is found by the rules, or by the shuffles, at the very event.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from domain.chance import SeededChance, commitment_of
from domain.lifecycle import Create, Score
from domain.migo.game import MIGO
from domain.migo.rules.cards import BOTTLE, SHERPA
from domain.migo.rules.decide import taken
from domain.migo.rules.events import (
    BottleDrunk,
    BottleGained,
    CardFlipped,
    CardTaken,
    GameEnded,
    RoundEnded,
    RoundStarted,
    SherpaDismissed,
)
from domain.migo.rules.legal import flippable, free_places
from domain.migo.rules.moves import Take
from domain.migo.rules.state import State, setup_of, tokens_left
from events.audit.verify import verify
from tests.audit.games import TRUSTED, fault_of, parsed
from tests.audit.migo_games import Played, created, people
from tests.audit.played import SEED
from tests.audit.tamper import parts
from tests.audit.test_in_the_browser import in_node

T = TypeVar("T")
Events = Sequence[Any]
ATTEMPTS = 200  # games that are played until a forgery fits in one
Forge = Callable[[State], Events | None]  # what is recorded in such a position; None where it cannot be


def kind_at(state: State, place: int) -> int:
    """The kind of the card at the place."""
    return setup_of(state).options.card_table.kinds[state.dealt[place]]


def free(state: State, *kinds: int) -> list[int]:
    """The places that can be taken, of these kinds or else of all but sherpas and bottles."""
    wanted = kinds or tuple(range(BOTTLE))
    return [place for place in free_places(state) if kind_at(state, place) in wanted]


def me(state: State) -> int:
    """The seat to act."""
    assert state.to_act is not None
    return state.to_act


# --- takes ------------------------------------------------------------------------------------------------------------


def a_covered_card(state: State) -> Events | None:
    """The card that lies there, with all that follows from it."""
    covered = [place for place in range(len(state.dealt)) if state.lying >> place & 1]
    covered = [place for place in covered if place not in free_places(state)]
    return taken(state, me(state), Take(covered[0])) if covered else None


def a_card_with_its_other_face(state: State) -> Events | None:
    for place in free(state):
        face = state.dealt[place] ^ 1
        if setup_of(state).options.card_table.kinds[face] < BOTTLE:
            return [CardTaken(me(state), place, face)]
    return None


def a_take_out_of_turn(state: State) -> Events | None:
    """By whoever comes next, as if the one to act had been left out."""
    if state.left < 2 or not free(state):
        return None
    others = [seat for seat in range(len(state.players)) if seat not in (*state.resigned, me(state))]
    return taken(state, others[0], Take(free(state)[0]))


# --- sherpas ----------------------------------------------------------------------------------------------------------


def _plain_take(state: State, drink: bool = False) -> list[Any] | None:
    """A take, not the last of a round, and what follows from it."""
    if state.left < 2 or not free(state):
        return None
    return list(taken(state, me(state), Take(free(state)[0], drink=drink)))


def _with(events: list[Any] | None, *more: Any) -> Events | None:
    return None if events is None else [*events, *more]


def _turnable(state: State, *, to_a_bottle: bool = False) -> list[int]:
    """The faces of the seat to act that it may turn over, to a bottle or to something else."""
    table = setup_of(state).options.card_table
    mine = [face for face in state.players[me(state)].cards if table.may_be_turned(face)]
    return [face for face in mine if (table.kinds[face ^ 1] == BOTTLE) == to_a_bottle]


def _at_a_sherpa(state: State, *following: Any) -> Events | None:
    if not (places := free(state, SHERPA)) or state.left < 2:
        return None
    face = state.dealt[places[0]]
    return [CardTaken(me(state), places[0], face), SherpaDismissed(me(state), face), *following]


def a_flip_of_anothers_card(state: State) -> Events | None:
    table = setup_of(state).options.card_table
    for seat, player in enumerate(state.players):
        for card in flippable(player, table) if seat != me(state) else []:
            face = next(face for face in player.cards if face >> 1 == card)
            if table.kinds[face ^ 1] != BOTTLE:
                return _at_a_sherpa(state, CardFlipped(me(state), face ^ 1))
    return None


def a_flip_of_two_cards(state: State) -> Events | None:
    if len(faces := _turnable(state)) < 2:
        return None
    return _at_a_sherpa(state, *(CardFlipped(me(state), face ^ 1) for face in faces[:2]))


def a_flip_that_gives_no_token(state: State) -> Events | None:
    faces = _turnable(state, to_a_bottle=True)
    return _at_a_sherpa(state, CardFlipped(me(state), faces[0] ^ 1)) if faces and tokens_left(state) else None


def a_sherpa_that_stays(state: State) -> Events | None:
    return found[:1] if (found := _at_a_sherpa(state)) else None


# --- bottles ----------------------------------------------------------------------------------------------------------


def a_drink_of_a_token_of_this_turn(state: State) -> Events | None:
    places = free(state, BOTTLE)
    if state.players[me(state)].full or not tokens_left(state) or not places or state.left < 2:
        return None
    return [*taken(state, me(state), Take(places[0])), BottleDrunk(me(state))]


def two_drinks_in_a_turn(state: State) -> Events | None:
    if state.players[me(state)].full < 2:
        return None
    return _with(_plain_take(state, drink=True), BottleDrunk(me(state)))


def a_drink_with_the_last_card(state: State) -> Events | None:
    """One more turn, in which nothing is left: the next round begins with the seat that drank."""
    if not state.players[me(state)].full or state.left != 1 or not free(state):
        return None
    decided = list(MIGO.decide(state, me(state), Take(free(state)[0]), CHANCE))
    return [decided[0], BottleDrunk(me(state)), *decided[1:]]


def a_token_for_nothing(state: State) -> Events | None:
    return _with(_plain_take(state), BottleGained(me(state))) if tokens_left(state) else None


def a_bottle_without_its_token(state: State) -> Events | None:
    places = free(state, BOTTLE)
    if not tokens_left(state) or not places or state.left < 2:
        return None
    return taken(state, me(state), Take(places[0]))[:1]


# --- resigning --------------------------------------------------------------------------------------------------------


def a_resigned_seats_take(state: State) -> Events | None:
    if not state.resigned or not free(state) or state.left < 2:
        return None
    return taken(state, state.resigned[0], Take(free(state)[0]))


# --- rounds and the end -----------------------------------------------------------------------------------------------

CHANCE = SeededChance(SEED, "replaced by each game's own")


def _decided(state: State, kind: type) -> list[Any] | None:
    """The events of the last take of a round, if one of them is of that kind."""
    if state.left != 1:
        return None
    events = list(MIGO.decide(state, me(state), Take(free_places(state)[0]), CHANCE))
    return events if any(isinstance(event, kind) for event in events) else None


def _bent(events: list[Any] | None, kind: Any, **members: Any) -> Events | None:
    if events is None:
        return None
    old = next(event for event in events if isinstance(event, kind))
    told = {name: getattr(old, name) for name in old.__match_args__} | members
    return [kind(**told) if event is old else event for event in events]


def other_scores(state: State) -> Events | None:
    events = _decided(state, RoundEnded)
    if events is None:
        return None
    scores = next(event.scores for event in events if isinstance(event, RoundEnded))
    return _bent(events, RoundEnded, scores=(scores[0] + 4, *scores[1:]))


def no_end_at_two_flags(state: State) -> Events | None:
    """One round more than is played."""
    events = _decided(state, GameEnded)
    if events is None or state.number != 2:
        return None
    faces, size = tuple(sorted([*state.dealt, *state.boxed])), 18 if len(state.players) == 2 else 24
    third = RoundStarted(state.number + 1, "pyramids", 0, faces[:size], (), faces[size:])
    return [*events[:-1], third]


def an_early_end(state: State) -> Events | None:
    seats = len(state.players)
    if state.number < 2 or state.left < 3:
        return None
    flags = tuple([player.flags for player in state.players])
    return [GameEnded(tuple(range(1, seats + 1)), "two_flags", flags, (0,) * seats)]


EVERYWHERE = (2, 3, 4)
BY_THE_RULES: tuple[Forge, ...] = (
    a_covered_card, a_card_with_its_other_face, a_take_out_of_turn, a_flip_of_anothers_card, a_flip_of_two_cards,
    a_flip_that_gives_no_token, a_sherpa_that_stays, a_drink_of_a_token_of_this_turn, two_drinks_in_a_turn,
    a_drink_with_the_last_card, a_token_for_nothing, a_bottle_without_its_token, other_scores, an_early_end,
)  # fmt: skip
FORGERIES: list[tuple[Forge, str, tuple[int, ...]]] = [
    *((forge, "rules", EVERYWHERE) for forge in BY_THE_RULES),
    (a_resigned_seats_take, "rules", EVERYWHERE[1:]),
    (no_end_at_two_flags, "result", EVERYWHERE),
]


def forged(forge: Forge, seats: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Played, int, int]:
    """A game bent once, and played to its end; the versions between which it was bent."""
    for number in range(ATTEMPTS):
        game = created(*people(seats), game_id=f"{forge.__name__}{seats}{number}")
        monkeypatch.setitem(globals(), "CHANCE", game.chance)
        if seats > 2:
            game.play(lambda state: state.takes == 4)
            game.do(seats - 1, MIGO.parse_move({"type": "resign"}))
        if game.play(lambda state: forge(state) is not None):
            break
    else:
        raise AssertionError(f"in no game could there be {forge.__name__}")
    before = game.now.version
    events = forge(game.state)
    assert events is not None
    game.record(*events)
    last = game.now.version
    game.play()
    game.do(None, Score())
    return game, before, last


def test_games_that_were_bent_are_found(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    """At one of the events that were forged, or at the one that is missing after them."""
    for forge, check, tables in FORGERIES:
        for seats in tables:
            with subtests.test(f"{forge.__name__}, {seats} seats"):
                game, before, last = forged(forge, seats, monkeypatch)
                wrong = fault_of(verify(parsed(parts(game.export()).sign().file), trusted=TRUSTED))
                assert (wrong.check, before < (wrong.version or 0) <= last + 1) == (check, True), (
                    wrong.document
                )


class _Chosen:
    """Chance that draws some shuffles with another seed: the operator saw what came of its own, and drew again."""

    def __init__(self, honest: SeededChance, other: SeededChance, bent: frozenset[int]) -> None:
        """`bent`: the numbers of those shuffles; FIRST_SEAT for who starts."""
        self._honest, self._other, self._bent = honest, other, bent
        self.differs = False  # it may come to the same

    def shuffled(self, number: int, cards: Sequence[int], seeds: Sequence[str | None]) -> tuple[int, ...]:
        """As asked of the game's own, or of the other one."""
        draw = [chance.shuffled(number, cards, seeds) for chance in (self._honest, self._other)]
        return self._chosen(number, *draw)

    def first_seat(self, seats: int, seeds: Sequence[str | None]) -> int:
        """As asked of the game's own, or of the other one."""
        draw = [chance.first_seat(seats, seeds) for chance in (self._honest, self._other)]
        return self._chosen(FIRST_SEAT, *draw)

    def _chosen(self, number: int, own: T, other: T) -> T:
        if number not in self._bent:
            return own
        self.differs |= other != own
        return other


FIRST_SEAT = -1
SHUFFLES = {
    "who starts": (1, {FIRST_SEAT}),
    "the order and the faces of round 1": (1, {10}),
    "the order of round 2": (2, {20}),
    "what is turned over before round 2": (2, {21}),
    "the order of round 3": (3, {30}),
    "what is turned over before round 3": (3, {31}),
    "the order of round 4": (4, {40}),
    "what is turned over before round 4": (4, {41}),
}


def _drawn_again(what: str, seats: int) -> Played:
    """A finished game that got so far, and in which it made a difference."""
    number, bent = SHUFFLES[what]
    for attempt in range(ATTEMPTS):
        game = Played(f"chosen{seats}{attempt}")
        other = SeededChance(bytes(32), f"again{attempt}")
        game.chance = chance = _Chosen(game.chance, other, frozenset(bent))
        options = {"first_seat": "random"}
        game.do(None, Create(game.game_id, commitment_of(SEED), options, people(seats)))
        game.play()
        if chance.differs and game.state.number >= number:
            game.do(None, Score())
            return game
    raise AssertionError(f"in no game {what} made a difference")


def _at(game: Played, what: str) -> int:
    """The version of the event in which that shuffle shows."""
    drawn = [event.version for event in game.history if event.type == "round_started"]
    return drawn[SHUFFLES[what][0] - 1] - (what == "who starts")


def test_shuffles_that_were_chosen_are_found(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """The operator of the engine draws one shuffle again, until it is to its liking; all the rest is honest.

    The browser finds it as well.
    """
    chosen, where = dict[str, bytes](), dict[str, int]()
    for what, (number, _) in SHUFFLES.items():
        for seats in EVERYWHERE if number < 4 else EVERYWHERE[1:]:
            with subtests.test(name := f"{what}, {seats} seats"):
                game = _drawn_again(what, seats)
                chosen[name], where[name] = parts(game.export()).sign().file, _at(game, what)
                wrong = fault_of(verify(parsed(chosen[name]), trusted=TRUSTED))
                assert (wrong.check, wrong.version) == ("shuffles", where[name]), wrong.document
    for name, there in in_node(tmp_path, chosen).items():
        assert (there["wrong"]["check"], there["wrong"]["version"]) == ("shuffles", where[name]), name
