# compiled into migo
"""Legal moves: the list of all legal moves, and one move's judgement by the same predicates (rules 3)."""

from domain.migo.rules.cards import BOTTLE, SHERPA, CardTable
from domain.migo.rules.moves import ABSENT, DRINKING, NOTHING, PLAIN, SOBER, Move, Take
from domain.migo.rules.state import Player, State, layout_of, setup_of, tokens_left


def legal_moves(state: State) -> list[Move]:
    """Every legal move of the seat to act, `resign` left out; [] when nobody is to act.

    One for each choice: at a sherpa each card that can be turned over, nothing first; to drink or not, where that is
    possible, not first.
    """
    if state.to_act is None:
        return []
    me = state.players[state.to_act]
    table = setup_of(state).options.card_table
    dealt, drinks = state.dealt, may_drink(state, me)
    moves: list[Move] = []
    for place in free_places(state):
        if table.kinds[dealt[place]] != SHERPA:
            _add(moves, place, ABSENT, drinks)
        else:
            _add(moves, place, NOTHING, drinks)
            for card in flippable(me, table):
                _add(moves, place, card, drinks)
    return moves


def _add(moves: list[Move], place: int, flip: int, drinks: bool) -> None:
    if drinks:
        moves.append(SOBER[place][flip - ABSENT])
        moves.append(DRINKING[place][flip - ABSENT])
    else:
        moves.append(PLAIN[place][flip - ABSENT])


def free_places(state: State) -> tuple[int, ...]:
    """The places whose cards can be taken, in ascending order: nothing covers them."""
    return layout_of(state).free(state.lying)


def flippable(player: Player, table: CardTable) -> list[int]:
    """The player's cards, by number, that may be turned over, in the order in which they came."""
    return [face >> 1 for face in player.cards if table.may_be_turned(face)]


def may_drink(state: State, player: Player) -> bool:
    """True if the player has a full token from an earlier turn (M12), and a card is left for the extra turn (M14)."""
    return player.full > 0 and state.lying & state.lying - 1 != 0


def refusal(state: State, seat: int, move: Take) -> tuple[str, str] | None:
    """The reason and the rule by which the seat to act cannot make the move; None if it can."""
    place, dealt, lying = move.place, state.dealt, state.lying
    if place >= len(dealt):
        return f"The layout {layout_of(state).name} has {len(dealt)} places, 0 to {len(dealt) - 1}.", "6"
    if not lying >> place & 1:
        return "The card at this place has been taken.", "3"
    if lying & layout_of(state).over[place]:
        return "Another card lies over this one.", "3"
    face, me, table = dealt[place], state.players[seat], setup_of(state).options.card_table
    if move.flip >= 0:
        if table.kinds[face] != SHERPA:
            return "Only a sherpa turns a card over.", "3"
        if move.flip not in [card >> 1 for card in me.cards]:
            return "Only an own card can be turned over.", "3"
        if move.flip not in flippable(me, table):
            return "A card whose other face is a sherpa cannot be turned over.", "3"
    if move.drink and not may_drink(state, me):
        if me.full:
            return "No card would be left for the extra turn.", "M14"
        if tokens_left(state) and table.kinds[_face_gained(me, face, move)] == BOTTLE:
            return "The token that this take brings can be drunk from the next turn on.", "M12"
        return "There is no full token from an earlier turn.", "M12"
    return None


def _face_gained(player: Player, face: int, move: Take) -> int:
    """The face that the take gains: the taken one, or, for a sherpa, the new face of the card that is turned over."""
    if move.flip < 0:
        return face
    return next(own ^ 1 for own in player.cards if own >> 1 == move.flip)
