# compiled into migo
"""Numbers of the net's inputs; `research/training/kernel/migo/inputs.hpp` has the same numbers."""

from typing import Final

LEADS: Final = 11  # of a kind: from 5 pieces behind the best of the others to 5 ahead
HEAPS: Final = 9  # pieces of it on the table, 8 and more as one
CLASSES: Final = 60  # of faces, by what they are to a seat
HAT_CLASS: Final = 56
BOTTLE_CLASS: Final = 57
USELESS_CLASS: Final = 58  # a bottle when no token is left
SHERPA_CLASS: Final = 59
COARSE: Final = 9  # fewer classes
MARGINS: Final = 31  # of points: from 15 behind to 15 ahead

KIND: Final = 0  # by two seats or more, lead and heap: each kind of equipment
TIED: Final = KIND + 2 * LEADS * HEAPS  # by lead: where several others have the most
FREE: Final = TIED + LEADS  # by whether the seat is to act, and class: what can be taken
FREE_NEXT: Final = FREE + 2 * CLASSES  # the same by what it is to another seat that is to act
UNDER: Final = FREE_NEXT + CLASSES  # by whether the seat is to act, and class: what one card covers
DEEP: Final = UNDER + 2 * CLASSES  # by class: what two cards cover
FAR: Final = DEEP + CLASSES  # by coarse class: what more cover
PAIR: Final = FAR + COARSE  # by coarse classes: a free card, and what it alone covers
AHEAD: Final = PAIR + COARSE * COARSE  # takes that are to come in the round
LAST_TAKER: Final = AHEAD + 26  # by place after the seat: who takes last if nobody drinks
FREE_COUNT: Final = LAST_TAKER + 4
LAYOUT: Final = FREE_COUNT + 10  # by layout and size
POINTS: Final = LAYOUT + 6  # by margin over the best of the others: points without majorities
SCORE: Final = POINTS + MARGINS  # the same of the score as it stands
END: Final = SCORE + MARGINS  # the same by takes, of the last three
AGAINST: Final = END + 3 * MARGINS  # by place after the seat: the lead over each of the others
TIE_BREAK: Final = AGAINST + 3  # the seat has played last
FULL: Final = TIE_BREAK + 1  # by whether the seat is to act: its full tokens
OTHERS_FULL: Final = FULL + 8
NEXT_FULL: Final = OTHERS_FULL + 4
TOKENS_LEFT: Final = NEXT_FULL + 4
SHERPAS: Final = TOKENS_LEFT + 4
FLIP: Final = SHERPAS + 5  # points that turning a card over brings at most
NEXT_FLIP: Final = FLIP + 11
TO_ACT: Final = NEXT_FLIP + 11  # by place after the seat
IN_GAME: Final = TO_ACT + 4  # seats
PLAYING: Final = IN_GAME + 3  # seats that have not resigned
OWN_FLAG: Final = PLAYING + 3
FLAG: Final = OWN_FLAG + 1  # by place after the seat
ROUND: Final = FLAG + 3
CUT: Final = ROUND + 4  # the turn limit ends the game within the round
TOTAL: Final = CUT + 1  # then by margin: points of all rounds
FLAG_LEAD: Final = TOTAL + MARGINS
INPUTS: Final = FLAG_LEAD + 3
