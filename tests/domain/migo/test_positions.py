"""Positions from outside: every one that a game comes to is accepted, and whatever contradicts itself is refused."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from compiled import in_use
from domain.errors import DomainError
from domain.lifecycle import Create, Json
from domain.migo.game import MIGO
from domain.migo.positions.impossible import impossible_as_seen
from domain.migo.rules.cards import CARDS, IDS
from domain.migo.rules.state import Player, RoundResult, State, layout_of
from tests.domain.migo.table import finish_round, game, people, played, ropes, side
from tests.domain.migo.test_properties import prepared
from tests.domain.migo.test_protocol import forked, shown
from tests.domain.playing import chance_of
from tests.domain.table import refusal


def card_table(rng: Random) -> Json:
    """Any cards, with many sherpas and bottles."""
    gear, backs = ["rope", "crampons", "hat", "bottle"], ["bottle", "sherpa", "ice_axe"]
    fronts = [{"kind": rng.choice(gear), "count": rng.randint(1, 9)} for _ in IDS]
    kinds = [rng.choice(backs) for _ in IDS]
    shown = [{"kind": kind, "count": 0 if kind == "sherpa" else rng.randint(1, 9)} for kind in kinds]
    return {card: {"a": front, "b": back} for card, front, back in zip(IDS, fronts, shown, strict=True)}


def random_game(seed: int, *, own_cards: bool = True) -> Iterator[State]:
    """The states of a game of any kind in which somebody is to act; some resign, at any time."""
    rng, seats = Random(seed), 2 + seed % 3
    options: Json = {"first_seat": rng.choice([*range(seats), "random"])}
    options["round4_layout"] = rng.choice(["ropes", "pyramid", "pyramids"])
    if rng.random() < 0.4:
        options["layout_size"] = "large"
    if own_cards and rng.random() < 0.4:
        options["card_table"] = card_table(rng)
    setup = {"rounds": prepared(rng, seats, options)[: rng.randint(1, 3)]} if rng.random() < 0.4 else None
    resigns = rng.choice([0, 0, 0.02, 0.2])

    def leaver(state: State) -> int | None:
        if len(state.resigned) < seats - 2 and rng.random() < resigns:
            return rng.choice([one for one in range(seats) if one not in state.resigned])
        return None

    create = Create("test", "c", options, people(seats), setup)
    for _, _, state in played(create, rng, chance_of(seed), leaver):
        if state.to_act is not None:
            yield state


def refused(document: Json) -> tuple[str, str, str]:
    """The problem's slug, where it lies, and what it says."""
    why = refusal(MIGO.position, {"view": document})
    ((path, _),) = why.data["errors"].items()
    return why.code, path, why.detail


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_position_of_a_game_is_possible(seats: int) -> None:
    """As it is shown, as it is, and as a fork goes on with it."""
    for seed in range(seats - 2, 18, 3):
        for state in random_game(seed):
            assert state.to_act is not None
            assert MIGO.position({"view": shown(state)}) == MIGO.observe(state, state.to_act)
            assert MIGO.position_fault(state) is None
            assert MIGO.position_fault(forked(state)) is None
            for seat in range(len(state.players)):
                assert impossible_as_seen(MIGO.observe(state, seat).table) is None


# --- what contradicts itself ------------------------------------------------------------------------------------------

HUGE = 10**18
WORDS = {"ropes": "pyramid", "pyramid": "ropes", "a": "b", "b": "a", "rope": "hat"}


def others(value: Any) -> list[Any]:
    """Other values than a member's, or values of another type."""
    strange: list[Any] = [None, [], {}, "zzz", HUGE, 0.5]
    match value:
        case bool():
            return [not value, int(value), str(value).lower(), *strange]
        case int():
            return [value + 1, value - 1, -HUGE, float(value), str(value), bool(value), *strange]
        case str():
            return [WORDS.get(value, value + "x"), IDS[0] if value != IDS[0] else IDS[1], *strange]
        case _:
            return strange


def leaves(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all members that are neither objects nor lists."""
    if not isinstance(document, (dict, list)):
        yield path
        return
    for name, value in document.items() if isinstance(document, dict) else enumerate(document):
        yield from leaves(value, (*path, name))


def lists(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all lists."""
    if isinstance(document, list):
        yield path
    if isinstance(document, (dict, list)):
        for name, value in document.items() if isinstance(document, dict) else enumerate(document):
            yield from lists(value, (*path, name))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    """The member at the path."""
    for name in path:
        document = document[name]
    return document


def with_other(document: Json, path: tuple[Any, ...], value: Any) -> Json:
    """A copy with another value at the path."""
    copy = deepcopy(document)
    at(copy, path[:-1])[path[-1]] = value
    return copy


def is_another_position(document: Json, path: tuple[Any, ...], value: Any) -> bool:
    """True if the member may say this instead: a score of an earlier round, where a free card lies, or who resigned.

    Where seats have resigned, a view does not tell when, so another seat may have started the round. A seat without
    cards may have resigned or not.
    """
    state = document["state"]
    some_resigned = any(player["resigned"] for player in state["players"])
    match path:
        case ("state", "rounds", _, "scores", _):
            return type(value) is int and abs(value) < 100
        case ("state", "starter"):
            return some_resigned and type(value) is int
        case ("state", "players", seat, "resigned"):
            return type(value) is bool and not state["players"][seat]["cards"]
        case ("state", "table", entry, "place"):
            taken = [
                place for place in range(CARDS) if all(place != card["place"] for card in state["table"])
            ]
            return type(value) is int and state["table"][entry]["free"] and value in taken
        case _:
            return False


def mutations(document: Json) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every other value of every member, one at a time; lists with an entry less, and with one twice."""
    known = {name: document[name] for name in ("game", "status", "viewer", "to_act", "turn", "state")}
    for path in leaves(known):
        old = at(document, path)
        for value in others(old):
            if type(value) is not type(old) or value != old:
                yield path, value
    for path in [*lists(known), ("seats",)]:
        entries = at(document, path)
        yield path, [*entries, entries[-1]] if entries else [None]
        yield path, {}
        if entries:
            yield path, entries[1:]
            yield path, entries[:-1]


@pytest.mark.parametrize("seed", range(3))
def test_a_member_that_says_something_else_is_refused(seed: int) -> None:
    """Any one member of a view; the message is short, whatever was sent."""
    rng = Random(seed)
    document = shown(rng.choice(list(random_game(seed, own_cards=False))))
    assert MIGO.position({"view": document}).moves
    tried = 0
    for path, value in mutations(document):
        if not is_another_position(document, path, value):
            mutated = with_other(document, path, value)
            with pytest.raises(DomainError) as caught:
                pytest.fail(f"{path}: {value!r} gave {MIGO.position({'view': mutated}).seat}")
            assert caught.value.code in ("impossible-position", "validation-error"), (path, value)
            assert len(caught.value.detail) < 200, (path, value)
            tried += 1
    assert tried > 300


def test_positions_that_no_play_leads_to_are_told_apart() -> None:
    """Every member says the same, but the order of play, sherpas, bottles or earlier rounds do not allow it."""
    start, four = game(2), game(4, layout_size="large")
    on = finish_round(game(4))
    (ended,) = on.rounds
    last = on.starter  # what the lowest score is worth is no starter's any more if it is somebody else's
    e22 = side("E22b").cards[0]
    fronts = game(2, rounds=[ropes("E01a E02a E03a E04a")])
    moved = tuple([e22 if place == 5 else face for place, face in enumerate(fronts.dealt)])
    hand = side("E22b")
    boxed = start._replace(players=(Player(start.boxed, 0, 0, 0, -1), start.players[1]), boxed=())
    alone = (four.dealt[0],) + (-1,) * (len(four.dealt) - 1)
    rest = (*four.dealt[1:], *four.boxed)
    wrong: list[tuple[State, str]] = [
        (start._replace(to_act=1), "turn of seat 0"),
        (start._replace(starter=1, to_act=1), "Another seat started"),
        (on._replace(starter=(last + 1) % 4, to_act=(last + 1) % 4), "Another seat started"),
        (boxed, "more cards than it can have taken"),
        (four._replace(dealt=alone, lying=1, boxed=rest, takes=24), "sherpas can have been dismissed"),
        (_with(start, 0, full=3), "more bottle tokens than it can"),
        (_one_taken(side("E01a", empty=1))._replace(to_act=0), "drunk before"),
        (_shows(fronts, moved), "where it could have been taken"),
        (_one_taken(hand), "shows a sherpa"),
        (_one_taken(side("E19a")), "got no token"),
        (_one_taken(side("E01a", full=1)), "more bottle tokens than it can"),
        (on._replace(rounds=(ended._replace(winner=last),), players=_flag(on, last)), "highest score"),
        (on._replace(rounds=(ended._replace(scores=_best(ended, HUGE)),)), "Nobody can have scored"),
        (on._replace(rounds=(ended._replace(scores=(-HUGE,) * 4),)), "Nobody can have scored"),
    ]
    for state, words in wrong:
        assert words in str(impossible_as_seen(state)), words


def test_cards_out_of_sight_have_to_fit_too() -> None:
    """In a position that a fork goes on with: the box, the discarded cards, and who took which card last."""
    state = next(state for state in random_game(2) if state.takes == 9)
    assert MIGO.position_fault(state) is None
    assert (state.number, [one.empty for one in state.players]) == (1, [0] * 4)
    first, second = state.players[:2]
    wrong: list[tuple[State, str]] = [
        (state._replace(discarded=(), boxed=state.boxed + state.discarded), "stay in the box"),
        (state._replace(discarded=(state.discarded[0] ^ 1,)), "shows no sherpa"),
        (state._replace(players=(first._replace(last=0), *state.players[1:])), "none of its own"),
        (state._replace(players=(first._replace(last=second.last), *state.players[1:])), "none of its own"),
        (state._replace(players=tuple([one._replace(last=-1) for one in state.players])), "the last take"),
        (_swapped(state), "order of play"),
        (state._replace(players=_without_last(state)), "has taken nothing"),
    ]
    for other, words in wrong:
        assert words in str(MIGO.position_fault(other)), words


def _swapped(state: State) -> State:
    """The last takes of the first two, each called the other's."""
    first, second, *rest = state.players
    return state._replace(players=(first._replace(last=second.last), second._replace(last=first.last), *rest))


def _without_last(state: State) -> tuple[Player, ...]:
    """One of those who did not make the last take has made none, it is said."""
    seat = next(seat for seat, one in enumerate(state.players) if one.last < state.takes)
    return tuple([one._replace(last=-1) if at == seat else one for at, one in enumerate(state.players)])


def _with(state: State, seat: int, **more: int) -> State:
    """The state with something else before a player."""
    players = [one._replace(**more) if at == seat else one for at, one in enumerate(state.players)]
    return state._replace(players=tuple(players))


def _shows(state: State, dealt: tuple[int, ...]) -> State:
    """The state with these faces on the table, and the others in the box."""
    laid = {face >> 1 for face in dealt}
    return state._replace(dealt=dealt, boxed=tuple([2 * card for card in range(CARDS) if card not in laid]))


def _one_taken(player: Player) -> State:
    """Round 1 of two, in which the first player took one card, and this lies before it now."""
    state = game(2, rounds=[ropes("E01a E02a E03a E04a")])
    places = layout_of(state).start
    others = [face for face in range(0, 2 * CARDS, 2) if face >> 1 != player.cards[0] >> 1]
    dealt = tuple([-1 if at == places[0] else face for at, face in enumerate(others[: len(state.dealt)])])
    used = {face >> 1 for face in (*dealt, *player.cards) if face != -1}
    boxed = tuple([2 * card for card in range(CARDS) if card not in used])
    players = (player._replace(last=1), state.players[1])
    lying = state.lying & ~(1 << places[0])
    return state._replace(dealt=dealt, lying=lying, boxed=boxed, players=players, takes=1, to_act=1)


def _flag(state: State, seat: int) -> tuple[Player, ...]:
    """The players, the one flag before this seat."""
    return tuple([one._replace(flags=int(at == seat)) for at, one in enumerate(state.players)])


def _best(ended: RoundResult, points: int) -> tuple[int, ...]:
    """The scores, the winner's so many."""
    return tuple([points if seat == ended.winner else score for seat, score in enumerate(ended.scores)])


IMPOSSIBLE: list[tuple[tuple[Any, ...], Any]] = [
    (("state", "bottles"), 99),
    (("state", "layout"), "pyramid"),
    (("state", "phase"), "zzz"),
    (("state", "players", 0, "score"), 99),
    (("state", "players", 0, "seat"), 1),
    (("state", "table", 0, "free"), True),
    (("state", "table", 0, "up", "count"), 9),
]
INVALID: list[tuple[tuple[Any, ...], Any]] = [
    (("state", "table", 0, "free"), 0),
    (("turn",), True),
    (("to_act",), 0.0),
]
ELSEWHERE: list[tuple[tuple[Any, ...], Any, str]] = [  # another member is named
    (("state", "players", 0, "resigned"), "false", "view.state"),
    (("seats",), [{}] * 4, "view.state.players"),
]
NO_INT = "view.turn" if in_use() == "plain" else "view.state"  # compiled code refuses it where it is read


def test_the_member_is_named() -> None:
    """The refusal names the member that differs from what the others come to."""
    document = shown(game())
    for code, changes in (("impossible-position", IMPOSSIBLE), ("validation-error", INVALID)):
        for path, value in changes:
            named = ".".join(map(str, ("view", *path)))
            assert refused(with_other(document, path, value))[:2] == (code, named)
    for path, value, place in ELSEWHERE:
        assert refused(with_other(document, path, value))[:2] == ("impossible-position", place)
    assert refused(document | {"turn": 1.0})[:2] == ("validation-error", NO_INT)


def test_not_every_member_is_needed() -> None:
    """Members that follow from the others may be left out, the cards may stand in any order, and more may be said."""
    state = game()
    document = shown(state)
    table = document["state"]
    for name in ("phase", "layout", "bottles"):
        del table[name]
    for card in table["table"]:
        del card["up"], card["free"]
        card["colour"] = "red"
    table["table"].reverse()
    assert MIGO.position({"view": document}) == MIGO.observe(state, 0)
