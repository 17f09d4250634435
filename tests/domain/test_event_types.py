"""Every type of event is somebody's decision, or else only follows from the event before it."""

import pytest

from domain.errors import DomainError
from domain.lifecycle import EventRecord
from domain.migrato.game import MIGRATO
from tests.domain.kinds import KINDS

DECIDED = {
    "bird_played", "card_discarded", "cards_moved", "danger_played", "hand_exchanged", "turn_passed", "player_resigned",
    "game_created", "seat_taken", "game_scored", "move_chosen", "hint_given",
    "seat_token_reissued", "game_aborted", "game_adjudicated", "player_replaced", "seat_handed_over",
    "takeback_requested", "takeback_answered", "moves_taken_back",
    "clock_set", "turn_timed_out", "clock_credited",
}  # fmt: skip
FOLLOWS = {
    "game_started", "position_set", "birds_arrived", "arrival_failed", "return_flight_taken", "cards_drawn",
    "deck_reshuffled", "game_ended",
}  # fmt: skip
EITHER = {"column_discarded"}  # by who gives a column up, or with the birds that others arrived with
BEFORE = EventRecord("turn_passed", 1, 0, {})


def test_every_type_is_sorted() -> None:
    """A new one has to be entered above, and where `follows` looks it up: no fork begins before what follows."""
    assert sorted([*DECIDED, *FOLLOWS, *EITHER]) == sorted(KINDS)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_types_are_named_as_they_are_stored(kind: str) -> None:
    """Such an event can be read, if only it had the data; what is read is written under the same name."""
    try:
        read = MIGRATO.decode(EventRecord(kind, 1, 0, {}))
    except DomainError as error:
        pytest.fail(error.detail)
    except KeyError:  # it lacks a member
        pass
    else:
        assert MIGRATO.encode(read).type == kind
    with pytest.raises(DomainError) as refused:
        MIGRATO.decode(EventRecord(f"{kind}_", 1, 0, {}))
    assert refused.value.code == "unknown-event"


@pytest.mark.parametrize("kind", sorted(KINDS - EITHER))
def test_what_follows_is_nobodys_decision(kind: str) -> None:
    """Whatever the event holds."""
    assert MIGRATO.is_consequence(BEFORE, EventRecord(kind, 1, 0, {})) is (kind in FOLLOWS)


@pytest.mark.parametrize("abandoned", [False, True])
def test_a_column_is_given_up_or_goes_with_others(abandoned: bool) -> None:
    """Its event tells which."""
    wire = EventRecord("column_discarded", 1, 0, {"abandoned": abandoned})
    assert MIGRATO.is_consequence(BEFORE, wire) is not abandoned


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_all_that_comes_after_a_bots_choice_follows(kind: str) -> None:
    """It is the move that was chosen."""
    assert MIGRATO.is_consequence(EventRecord("move_chosen", 1, 0, {}), EventRecord(kind, 1, 0, {}))
