# compiled into rules
"""Legal moves: the list of all legal moves, and one move's judgement by the same predicates (rules 4, 5, 6, 8).

Nothing here looks at a card that lies face down: columns are asked for their shapes only.
"""

from typing import assert_never

from domain.migrato.rules.cards import DOWN, FIRST_DANGER, GOAL_OF, IS_NIGHT, SPECIES, SPECIES_OF, steals
from domain.migrato.rules.columns import (
    Outline,
    Shape,
    checked_after_move,
    could_arrive,
    may_uncover,
    species_seen,
)
from domain.migrato.rules.moves import (
    ABANDONS,
    DANGER_ON_PILE,
    DANGER_ON_SLOT,
    DISCARDS,
    EXCHANGE,
    JOIN,
    MOVE_CARDS,
    PASS,
    PLAY_NEW,
    PLAY_ON,
    PLAYS,
    RETURN,
    SETTLE,
    SPLITS,
    Abandon,
    Discard,
    Exchange,
    Move,
    MoveCards,
    Pass,
    Play,
    PlayDanger,
    Resign,
)
from domain.migrato.rules.state import ACTION, DISCARD, Player, State, flights_left, setup_of


def legal_moves(state: State) -> list[Move]:
    """Every legal move of the seat to act, `resign` left out; [] when nobody is to act.

    If the player has a choice (uncover or not, settle or return), there is a move for each.
    """
    if state.to_act is None:
        return []
    me = state.players[state.to_act]
    if state.phase is DISCARD:
        return [DISCARDS[card] for card in _faces(me.hand)]
    rules = setup_of(state).rules
    outlines = [rules.placement.outlines[shape] if shape else None for shape in me.shapes]
    moves: list[Move] = []
    for card in _faces(me.hand):
        if card >= FIRST_DANGER:
            _add_dangers(moves, card, state.players[1 - state.to_act])
        elif not me.landed >> SPECIES_OF[card] & 1:
            _add_plays(moves, card, outlines)
    _add_card_moves(moves, outlines, rules.movement == "split_or_join")
    if rules.return_flight and (flights := flights_left(state) & ~me.landed):
        moves = _with_choices(moves, me, flights)
    if me.hand:
        moves.append(EXCHANGE)
    moves += [ABANDONS[slot] for slot, outline in enumerate(outlines) if outline]
    return moves or [PASS]


def _with_choices(moves: list[Move], me: Player, flights: int) -> list[Move]:
    """The moves; where an arrival may bring a Return Flight card, one to settle and one to return (rules 8)."""
    chosen: list[Move] = []
    for move in moves:
        if isinstance(move, Play) and _may_return_after_play(me, move, flights):
            chosen += (PLAYS[move.card, move.slot, SETTLE], PLAYS[move.card, move.slot, RETURN])
        elif isinstance(move, MoveCards) and _may_return_after_move(me, move, flights):
            for choice in (SETTLE, RETURN):
                chosen.append(MOVE_CARDS[move.source, move.index, move.target, move.uncover, choice])
        else:
            chosen.append(move)
    return chosen


def _may_return_after_play(me: Player, move: Play, flights: int) -> bool:
    """True if playing there may bring the species' Return Flight card (rules 8, ruling R6)."""
    length = 0 if move.slot is None else len(me.shapes[move.slot])
    return length + 1 == GOAL_OF[move.card] and bool(flights >> SPECIES_OF[move.card] & 1)


def _may_return_after_move(me: Player, move: MoveCards, flights: int) -> bool:
    """True if joining the cards there may bring some species' Return Flight card (rules 8)."""
    if move.target is None:
        return False
    result = me.shapes[move.target] + me.shapes[move.source][move.index :]
    return checked_after_move(result, move.uncover) and bool(could_arrive(result) & flights)


def _faces(hand: tuple[int, ...]) -> list[int]:
    """The different faces among the cards, each once."""
    faces: list[int] = []
    for at, card in enumerate(hand):
        for earlier in range(at):
            if hand[earlier] == card:
                break
        else:
            faces.append(card)
    return faces


def _add_plays(moves: list[Move], card: int, outlines: list[Outline | None]) -> None:
    """Rules 4.1: onto the columns that it fits, or as a new one."""
    new = True
    for slot, outline in enumerate(outlines):
        if outline is not None:
            if outline.fits >> card & 1:
                moves.append(PLAY_ON[card][slot])
        elif new:  # a new column takes the lowest free slot, whichever that is
            new = False
            moves.append(PLAY_NEW[card])


def _add_card_moves(moves: list[Move], outlines: list[Outline | None], whole_only: bool) -> None:
    """Rules 4.2: `movement` "tail" joins any tail to another column, "split_or_join" whole columns only."""
    has_free_slot = None in outlines
    for source, outline in enumerate(outlines):
        if outline is None:
            continue
        for target, below in enumerate(outlines):
            if below is None or target == source:
                continue
            for join in outline.joins(below):
                if join.start and whole_only:
                    break
                plain, uncovering = JOIN[source][join.start][target]
                moves.append(plain)
                if join.may_uncover:
                    moves.append(uncovering)
        if has_free_slot:
            moves += SPLITS[source][outline.length]


def _add_dangers(moves: list[Move], card: int, other: Player) -> None:
    """Rules 4.3: bottom cards, and top cards of piles that have more than one."""
    for slot, shape in enumerate(other.shapes):
        if shape and steals(card, shape[-1]):
            moves.append(DANGER_ON_SLOT[card - FIRST_DANGER][slot])
    for species, pile in enumerate(other.arrivals):
        if len(pile) > 1 and steals(card, pile[-1]):
            moves.append(DANGER_ON_PILE[card - FIRST_DANGER][species])


def refusal(state: State, seat: int, move: Move) -> tuple[str, str] | None:
    """None if the seat, which is to act, may make the move (any `discard` in it aside); else (why, rule).

    A move is legal exactly if it is in `legal_moves`, where "settle" is the same as no choice. Resigning always is.
    """
    if isinstance(move, Resign):
        return None
    if isinstance(move, Discard):
        if state.phase is not DISCARD:
            return "The turn's action comes before its discard.", "4"
        return None if move.card in state.players[seat].hand else _not_in_hand()
    if state.phase is not ACTION:
        return "The action has been taken; a discard must follow.", "4"
    me = state.players[seat]
    if isinstance(move, Play):
        return _play_refusal(state, me, move)
    if isinstance(move, MoveCards):
        return _move_cards_refusal(state, me, move)
    if isinstance(move, PlayDanger):
        return _danger_refusal(me, state.players[1 - seat], move)
    if isinstance(move, Exchange):
        return None if me.hand else ("There is no hand to exchange.", "R15")
    if isinstance(move, Abandon):
        return None if me.columns[move.slot] else _no_column(move.slot)
    if isinstance(move, Pass):
        others = legal_moves(state) != [PASS]
        return ("Passing is legal only when nothing else is.", "R2") if others else None
    assert_never(move)


def _not_in_hand() -> tuple[str, str]:
    return "That card is not in the hand.", "4"


def _no_column(slot: int) -> tuple[str, str]:
    return f"There is no column in slot {slot + 1}.", "3"


def _play_refusal(state: State, me: Player, move: Play) -> tuple[str, str] | None:
    card, rules = move.card, setup_of(state).rules
    if card not in me.hand:
        return _not_in_hand()
    if card >= FIRST_DANGER:
        return 'A danger card is not a bird; use {"type": "danger"}.', "4.3"
    if me.landed >> SPECIES_OF[card] & 1:
        return f"The {SPECIES[SPECIES_OF[card]].id} is already in the own arrival zone.", "4.1"
    shape: Shape = ()
    if move.slot is not None:
        shape = me.shapes[move.slot]
        if not shape:
            return _no_column(move.slot)
        if not rules.placement.fits[shape] >> card & 1:
            return (
                f"No flock could fill the column in slot {move.slot + 1} with that card at its bottom.",
                "5",
            )
    elif () not in me.shapes:
        return "All four columns are taken.", "3"
    flights = flights_left(state) & ~me.landed
    if move.on_arrival == RETURN and not _may_return_after_play(me, move, flights):
        return "No Return Flight card could be taken by this.", "8"
    return None


def _move_cards_refusal(state: State, me: Player, move: MoveCards) -> tuple[str, str] | None:
    rules, shape = setup_of(state).rules, me.shapes[move.source]
    if not shape:
        return _no_column(move.source)
    if move.index >= len(shape):
        return f"The column in slot {move.source + 1} has {len(shape)} cards; index counts from 0.", "4.2"
    if move.target is None:
        return _split_refusal(me, move)
    if move.target == move.source:
        return "Cards move to another column.", "4.2"
    if not me.shapes[move.target]:
        return _no_column(move.target)
    if move.index and rules.movement == "split_or_join":
        return "Only a whole column can be joined to another.", "4.2"
    result = me.shapes[move.target] + shape[move.index :]
    if not rules.placement.possible[result]:
        return "No flock could fill the resulting column.", "5"
    if move.uncover and not may_uncover(result):
        return "Uncovering is offered for 2, 4 or 5 cards that all lie face down.", "R7"
    flights = flights_left(state) & ~me.landed
    if move.on_arrival == RETURN and not _may_return_after_move(me, move, flights):
        return "No Return Flight card could be taken by this.", "8"
    return None


def _split_refusal(me: Player, move: MoveCards) -> tuple[str, str] | None:
    if not move.index:
        return "At least one card must stay behind.", "4.2"
    if () not in me.shapes:
        return "All four columns are taken.", "3"
    if move.uncover or move.on_arrival == RETURN:
        return "A split adds to no column: nothing is checked or uncovered.", "6"
    return None


def _danger_refusal(me: Player, other: Player, move: PlayDanger) -> tuple[str, str] | None:
    if move.card not in me.hand:
        return _not_in_hand()
    if move.card < FIRST_DANGER:
        return "A bird card is no danger.", "4.3"
    if move.slot is not None:
        shape = other.shapes[move.slot]
        if not shape:
            return f"The opponent has no column in slot {move.slot + 1}.", "4.3"
        target = shape[-1]
    else:
        assert move.pile is not None
        pile = other.arrivals[move.pile]
        if len(pile) < 2:
            return "Only a pile of more than one card can be robbed.", "4.3"
        target = pile[-1]
    if not steals(move.card, target):
        return f"That danger does not take {'night' if IS_NIGHT[target] else 'day'} cards.", "4.3"
    return None


def outcome_is_known(state: State, seat: int, move: Move) -> bool:
    """True if the outcome of a legal action, draws aside, follows from what the player can see."""
    me = state.players[seat]
    match move:
        case Play(card, slot):
            shape = me.shapes[slot] if slot is not None else ()
            return len(shape) + 1 != GOAL_OF[card] or DOWN not in shape
        case MoveCards(source, index, target, uncover):
            if target is None:
                return True
            result = me.shapes[target] + me.shapes[source][index:]
            seen = species_seen(result) is not None
            return not checked_after_move(result, uncover) or (seen and DOWN not in result)
        case PlayDanger(_, slot):
            return slot is None or state.players[1 - seat].shapes[slot][-1] != DOWN
        case _:
            return True
