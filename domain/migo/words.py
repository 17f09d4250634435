"""The words of Migo: of its own events, of moves, and of what both speak of. Cards have their ids and pieces."""

from typing import Final

from domain.lifecycle import Json
from domain.words.languages import Words

SHORT: Final[dict[str, str]] = {"carabiner": "carab", "crampons": "cramp", "ice_axe": "ice"}

LAYOUTS: Final = {
    "ropes": Words("ropes", "les cordées", "Seile", "le cordate"),
    "pyramid": Words("pyramid", "une pyramide", "eine Pyramide", "una piramide"),
    "pyramids": Words("pyramids", "trois pyramides", "drei Pyramiden", "tre piramidi"),
}
REASONS: Final = {
    "two_flags": Words("two_flags", "deux drapeaux", "zwei Flaggen", "due bandiere"),
    "round_four": Words("round_four", "quatrième manche", "vierte Runde", "quarta manche"),
}
SEATS: Final = Words(" for {seats}", " à {seats}", " zu {seats}", " in {seats}")
TO_ACT: Final = Words(
    ", in round {round}; seat {to_act} is to act",
    ", à la manche {round} ; place {to_act} au trait",
    ", in Runde {round}; Platz {to_act} ist dran",
    ", nella manche {round}; tocca al posto {to_act}",
)
SHARED: Final = Words(
    "seats {seats} share the first place",
    "les places {seats} se partagent le premier rang",
    "die Plätze {seats} teilen sich den ersten Rang",
    "i posti {seats} condividono il primo posto",
)

ROUND_STARTED: Final = Words(
    "round {round} ({layout}), seat {starter} starts: {cards}{turned}",
    "manche {round} ({layout}), place {starter} débute : {cards}{turned}",
    "Runde {round} ({layout}), Platz {starter} beginnt: {cards}{turned}",
    "manche {round} ({layout}), comincia il posto {starter}: {cards}{turned}",
)
TURNED: Final = Words(
    ", turned to climbers: {cards}",
    ", tournées côté grimpeurs : {cards}",
    ", zu Kletterern gedreht: {cards}",
    ", girate sugli scalatori: {cards}",
)
CARD_TAKEN: Final = Words(
    "{who} takes {card}{face} from place {place}",
    "{who} prend {card}{face} à l’endroit {place}",
    "{who} nimmt {card}{face} von Stelle {place}",
    "{who} prende {card}{face} dal punto {place}",
)
BOTTLE_GAINED: Final = Words(
    "{who} gets a full bottle",
    "{who} reçoit une bouteille pleine",
    "{who} bekommt eine volle Flasche",
    "{who} riceve una bottiglia piena",
)
SHERPA_DISMISSED: Final = Words(
    "{who} dismisses the sherpa of {card}",
    "{who} renvoie le sherpa de {card}",
    "{who} schickt den Sherpa von {card} heim",
    "{who} congeda lo sherpa di {card}",
)
CARD_FLIPPED: Final = Words(
    "{who} turns {card} to {card}{face}",
    "{who} retourne {card} : {card}{face}",
    "{who} dreht {card} zu {card}{face} um",
    "{who} gira {card} in {card}{face}",
)
BOTTLE_DRUNK: Final = Words(
    "{who} drinks a bottle and plays again",
    "{who} boit une bouteille et rejoue",
    "{who} trinkt eine Flasche und ist noch einmal dran",
    "{who} beve una bottiglia e gioca ancora",
)
ROUND_ENDED: Final = Words(
    "round {round} ends, {scores}: seat {winner} takes a flag",
    "la manche {round} est finie, {scores} : place {winner} prend un drapeau",
    "Runde {round} ist zu Ende, {scores}: Platz {winner} nimmt eine Flagge",
    "la manche {round} è finita, {scores}: il posto {winner} prende una bandiera",
)
GAME_ENDED: Final = Words(
    "the game ends ({reason}): {verdict}, flags {flags}, points {scores}",
    "la partie est finie ({reason}) : {verdict}, drapeaux {flags}, points {scores}",
    "die Partie ist zu Ende ({reason}): {verdict}, Flaggen {flags}, Punkte {scores}",
    "la partita è finita ({reason}): {verdict}, bandiere {flags}, punti {scores}",
)
GAME_SCORED: Final = Words(
    "the result is confirmed: {verdict}",
    "le résultat est confirmé : {verdict}",
    "das Ergebnis ist bestätigt: {verdict}",
    "il risultato è confermato: {verdict}",
)

TAKE: Final = Words(
    "take the card at place {place}{card}{flip}{drink}",
    "prendre la carte à l’endroit {place}{card}{flip}{drink}",
    "die Karte an Stelle {place} nehmen{card}{flip}{drink}",
    "prendere la carta al punto {place}{card}{flip}{drink}",
)
FLIP: Final = Words(", turn {card} over", ", retourner {card}", ", {card} umdrehen", ", girare {card}")
FLIP_TO: Final = Words(
    ", turn {card} over to {face}",
    ", retourner {card} : {face}",
    ", {card} zu {face} umdrehen",
    ", girare {card} in {face}",
)
NO_FLIP: Final = Words(
    ", turn no card over", ", ne retourner aucune carte", ", keine Karte umdrehen", ", non girare carte"
)
DRINK: Final = Words(
    ", drink and play again",
    ", boire et rejouer",
    ", trinken und noch einmal ziehen",
    ", bere e giocare ancora",
)


def faces(card: Json) -> str:
    """Pieces of a card: those that are up, and those that are down."""
    return f"{face(card['up'])}/{face(card['down'])}"


def face(shown: Json) -> str:
    """Pieces of a side, such as "rope2"."""
    kind: str = SHORT.get(shown["kind"]) or shown["kind"]
    return f"{kind}{shown['count']}" if shown["count"] > 1 else kind
