"""A seat's memory: all that it could know, and nothing that it may not see."""

from typing import Any

import pytest

from domain.errors import DomainError
from domain.migrato.belief import hypotheses
from domain.migrato.belief.hypotheses import UNINFORMED, Hypothesis, Pool
from domain.migrato.belief.knowledge import NOTHING, update_knowledge
from domain.migrato.belief.observation import observe
from domain.migrato.codec.move_codec import parse_move
from domain.migrato.rules.cards import DOWN, FACE, NAME, SEEN
from domain.migrato.rules.events import BirdPlayed, CardsDrawn, DeckReshuffled, Event
from domain.migrato.rules.options import resolve
from domain.migrato.rules.state import WAITING, State
from domain.prng import Prng
from tests.domain.playing import OPTIONS
from tests.domain.remembering import Told, games_told
from tests.domain.sampling import determinize
from tests.domain.table import CHANCE, cards, side, table


def _as_redealt(event: Event, seat: int, dice: Prng) -> Event:
    """The event with other cards where the seat sees none."""
    night = [face for face in range(1, len(SEEN)) if SEEN[face] == DOWN]
    match event:
        case BirdPlayed(player, card) if player != seat and SEEN[card] == DOWN:
            return event._replace(card=night[dice.randrange(len(night))])
        case CardsDrawn(player, drawn) if player != seat:
            return event._replace(cards=tuple(1 + dice.randrange(60) for _ in drawn))
        case DeckReshuffled(deck):
            return DeckReshuffled(tuple(1 + dice.randrange(60) for _ in deck))
        case _:
            return event


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_hidden_cards_leave_no_trace_in_memory(options: dict[str, Any]) -> None:
    """Told of a game with its hidden cards dealt anew before every event, a seat remembers the very same."""
    for seed, wild, seat in ((1, 0.2, 0), (1, 0.2, 1), (2, 1.0, 0), (2, 1.0, 1)):
        *_, told = games_told(seed, options, 100, wild)
        again, memory, dice = Told(), NOTHING, Prng(seed)
        for event in told.events:
            before = again.state
            if before.phase is not WAITING:
                before = _with_hidden(before, determinize(observe(before, seat), dice))
            again.happens(event)
            memory = update_knowledge(memory, seat, before, _as_redealt(event, seat, dice), again.state)
            assert memory == again.memories[seat]


def _with_hidden(state: State, sample: State) -> State:
    """The state with the cards of a sample of it."""
    return state._replace(deck=sample.deck, players=sample.players)


def _lived(state: State, *moves: dict[str, Any]) -> Told:
    """A position, and moves made from it by whoever is to act."""
    told = Told(state)
    for move in moves:
        told.plays(parse_move(move), CHANCE)
    return told


def test_a_card_stolen_from_the_seat_is_known_to_be_in_the_opponents_hand() -> None:
    """Ruling R14: the victim once put it there, face down or not; until it is seen again."""
    state = table(side("HUN HAB K4d"), side("B4d", {1: "S6n", 2: "K3d"}), top="G5d T5d")
    told = _lived(state, {"type": "danger", "card": "HAB", "target": {"slot": 1}})
    assert told.memories[1].hypotheses == (Hypothesis(1.0, (Pool(cards("S6n"), 1, ()),)),)
    told.plays(parse_move({"type": "discard", "card": "S6n"}), CHANCE)
    gone, kept = list(told.memories[1].hypotheses)
    assert gone.pools == ()
    assert gone.weight == pytest.approx(1 / (1 + 2 * 3 / 50)), (
        "or it was one of two others, of three such of 50"
    )
    assert kept.pools == (Pool(cards("S6n"), 1, ()),)


def test_a_known_night_card_may_lie_face_down_or_be_in_hand_still() -> None:
    """After the opponent has played one of its three cards face down, both ways are told apart by chance alone."""
    known = (Hypothesis(1.0, (Pool(cards("S6n"), 1, ()),)),)
    after = hypotheses.laid_down(known, 7, 3)
    assert {past.pools: round(past.weight, 6) for past in after} == {
        (Pool(cards("S6n"), 1, ()),): round(2 / 3, 6),
        (Pool(cards("S6n"), 0, (7,)),): round(1 / 3, 6),
    }
    left = [0] * hypotheses.FACES
    left[FACE["S6n"]], left[FACE["K3d"]] = 1, 3
    shown = hypotheses.shown_from_hand(after, FACE["S6n"], 2, left)
    assert shown == UNINFORMED, "the only one there is: it was in hand"
    turned = hypotheses.turned_up(after, 7, FACE["S6n"], left)
    assert turned == UNINFORMED


def test_a_card_of_a_known_face_may_have_been_another_one() -> None:
    """Of three hand cards one is a known G5d; of the ten unseen cards another one is. A G5d is shown: which was it?"""
    left = [0] * hypotheses.FACES
    left[FACE["G5d"]], left[FACE["K3d"]] = 2, 9
    known = (Hypothesis(1.0, (Pool(cards("G5d"), 1, ()),)),)
    known_one, other_one = hypotheses.shown_from_hand(known, FACE["G5d"], 3, left)
    assert known_one.pools == ()
    assert known_one.weight == pytest.approx(1 / (1 + 2 / 10))
    assert other_one.pools == (Pool(cards("G5d"), 1, ()),)


def test_the_hidden_cards_are_known_together_once_the_deck_has_run_out() -> None:
    """Once the deck has run out a seat knows the hidden cards as a whole, but for those drawn from the new deck."""
    left = [0] * hypotheses.FACES
    for face in cards("S6n S3n K4d G5d"):
        left[face] += 1
    after = hypotheses.reshuffled(UNINFORMED, 2, [3, 5], left)
    assert after == (Hypothesis(1.0, (Pool(tuple(sorted(cards("S6n S3n K4d G5d"))), 2, (3, 5)),)),)
    with pytest.raises(DomainError, match="contradicts"):
        hypotheses.drawn(after, FACE["S6n"], left)


def test_a_draw_may_fall_partly_before_and_partly_after_a_reshuffle() -> None:
    """The opponent draws the last card of the old deck, then two of the new one: only that one is known."""
    mine, rest = side("G5d G4d G3d", {1: "K4d K3d"}), _rest("G5d G4d G3d K4d K3d K4d S6n")
    state = table(mine, side("K4d"), deck="S6n", discard_pile=rest)
    told = _lived(state._replace(to_act=1), {"type": "exchange"})
    kinds = [type(event).__name__ for event in told.events]
    assert kinds == ["HandExchanged", "CardsDrawn", "DeckReshuffled", "CardsDrawn"]
    assert told.memories[0].hypotheses == (Hypothesis(1.0, (Pool(cards("S6n"), 1, ()),)),)


def _rest(gone: str) -> str:
    """All other cards of the deck, written."""
    left = list(resolve({}).deck)
    for card in cards(gone):
        left.remove(card)
    return " ".join(NAME[card] for card in left)


def test_pasts_stay_few() -> None:
    """The most that ever need to be told apart in a game in which there is much to remember."""
    most = 0
    for told in games_told(23, OPTIONS[3], 120):
        most = max(most, *(len(memory.hypotheses) for memory in told.memories))
    assert 1 < most <= 100
