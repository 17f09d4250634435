"""The words of Migrato: of its own events, of moves, and of what both speak of. Cards are called by their faces."""

from typing import Final

from domain.words.languages import Words

SPECIES: Final = {
    "brant_goose": Words("brant goose", "bernache cravant", "Ringelgans", "oca colombaccio"),
    "black_kite": Words("black kite", "milan noir", "Schwarzmilan", "nibbio bruno"),
    "stilt": Words("stilt", "échasse blanche", "Stelzenläufer", "cavaliere d’Italia"),
    "bee_eater": Words("bee eater", "guêpier", "Bienenfresser", "gruccione"),
    "teal": Words("teal", "sarcelle", "Krickente", "alzavola"),
}
REASONS: Final = {
    "all_arrived": Words(
        "all_arrived", "toutes les espèces sont arrivées", "alle Arten gelandet", "tutte le specie arrivate"
    ),
}
RULES: Final = Words(", rules {rules}", ", règles {rules}", ", Regeln {rules}", ", regole {rules}")
TO_ACT: Final = Words(
    ", seat {to_act} is to act",
    ", place {to_act} au trait",
    ", Platz {to_act} ist dran",
    ", tocca al posto {to_act}",
)
NO_CARDS: Final = Words("nothing", "rien", "nichts", "niente")
COLUMN: Final = Words("column {slot}", "la colonne {slot}", "Reihe {slot}", "la colonna {slot}")
PILE: Final = Words("the {species} pile", "la pile {species}", "Stapel {species}", "la pila {species}")
DRAW: Final = Words("a draw", "match nul", "unentschieden", "pareggio")

BIRD_PLAYED: Final = Words(
    "{who} plays {card} to column {slot}",
    "{who} joue {card} dans la colonne {slot}",
    "{who} spielt {card} in Reihe {slot}",
    "{who} gioca {card} nella colonna {slot}",
)
CARDS_MOVED: Final = Words(
    "{who} moves column {from} from card {card} on to column {to}",
    "{who} déplace la colonne {from} à partir de la carte {card} vers la colonne {to}",
    "{who} legt Reihe {from} ab Karte {card} in Reihe {to}",
    "{who} sposta la colonna {from} dalla carta {card} nella colonna {to}",
)
UNCOVERED: Final = Words(" and uncovers it", " et la retourne", " und deckt sie auf", " e la scopre")
DANGER_PLAYED: Final = Words(
    "{who} plays {danger} and takes {card} from {aim}",
    "{who} joue {danger} et prend {card} dans {aim}",
    "{who} spielt {danger} und nimmt {card} aus {aim}",
    "{who} gioca {danger} e prende {card} da {aim}",
)
BIRDS_ARRIVED: Final = Words(
    "{who} lands {species}: {cards}",
    "{who} fait arriver {species} : {cards}",
    "{who} landet {species}: {cards}",
    "{who} fa arrivare {species}: {cards}",
)
ARRIVAL_FAILED: Final = Words(
    "{who} uncovers column {slot}, no flock: {cards}",
    "{who} retourne la colonne {slot}, pas de vol : {cards}",
    "{who} deckt Reihe {slot} auf, kein Schwarm: {cards}",
    "{who} scopre la colonna {slot}, nessuno stormo: {cards}",
)
RETURN_FLIGHT_TAKEN: Final = Words(
    "{who} takes the return flight of {species} for {cards}",
    "{who} prend le vol retour {species} contre {cards}",
    "{who} nimmt den Rückflug {species} für {cards}",
    "{who} prende il volo di ritorno {species} per {cards}",
)
COLUMN_LOST: Final = Words(
    "{who} loses {cards} of column {slot}",
    "{who} perd {cards} de la colonne {slot}",
    "{who} verliert {cards} aus Reihe {slot}",
    "{who} perde {cards} della colonna {slot}",
)
COLUMN_ABANDONED: Final = Words(
    "{who} abandons {cards} of column {slot}",
    "{who} abandonne {cards} de la colonne {slot}",
    "{who} gibt {cards} aus Reihe {slot} auf",
    "{who} abbandona {cards} della colonna {slot}",
)
HAND_EXCHANGED: Final = Words(
    "{who} exchanges {cards}", "{who} échange {cards}", "{who} tauscht {cards}", "{who} cambia {cards}"
)
CARD_DISCARDED: Final = Words(
    "{who} discards {card}", "{who} défausse {card}", "{who} legt {card} ab", "{who} scarta {card}"
)
CARDS_DRAWN: Final = Words(
    "{who} draws {cards}", "{who} pioche {cards}", "{who} zieht {cards}", "{who} pesca {cards}"
)
DECK_RESHUFFLED: Final = Words(
    "the discard pile becomes a deck of {count}",
    "la défausse devient une pioche de {count}",
    "die Ablage wird ein Stapel mit {count} Karten",
    "gli scarti diventano un mazzo di {count}",
)
TURN_PASSED: Final = Words("{who} passes", "{who} passe", "{who} passt", "{who} passa")
GAME_ENDED: Final = Words(
    "the game ends ({reason}): {verdict}, {scores}",
    "la partie est finie ({reason}) : {verdict}, {scores}",
    "die Partie ist zu Ende ({reason}): {verdict}, {scores}",
    "la partita è finita ({reason}): {verdict}, {scores}",
)
GAME_SCORED: Final = Words(
    "the result is confirmed: {verdict}, {scores}",
    "le résultat est confirmé : {verdict}, {scores}",
    "das Ergebnis ist bestätigt: {verdict}, {scores}",
    "il risultato è confermato: {verdict}, {scores}",
)

PLAY: Final = Words(
    "play {card} to column {slot}",
    "jouer {card} dans la colonne {slot}",
    "{card} in Reihe {slot} spielen",
    "giocare {card} nella colonna {slot}",
)
PLAY_NEW: Final = Words(
    "play {card} as a new column",
    "commencer une colonne avec {card}",
    "mit {card} eine Reihe beginnen",
    "iniziare una colonna con {card}",
)
MOVE_CARDS: Final = Words(
    "move column {from} from card {card} on to column {to}",
    "déplacer la colonne {from} à partir de la carte {card} vers la colonne {to}",
    "Reihe {from} ab Karte {card} in Reihe {to} legen",
    "spostare la colonna {from} dalla carta {card} nella colonna {to}",
)
SPLIT: Final = Words(
    "move column {from} from card {card} on as a new column",
    "commencer une colonne avec la colonne {from} à partir de la carte {card}",
    "mit Reihe {from} ab Karte {card} eine neue Reihe beginnen",
    "iniziare una colonna con la colonna {from} dalla carta {card}",
)
UNCOVER: Final = Words(" and uncover it", ", et la retourner", " und aufdecken", ", e scoprirla")
RETURN: Final = Words(
    ", on arrival take the return flight",
    ", à l’arrivée prendre le vol retour",
    ", bei Ankunft den Rückflug nehmen",
    ", all’arrivo prendere il volo di ritorno",
)
DANGER: Final = Words(
    "play {card} and take a card from {aim}",
    "jouer {card} et prendre une carte dans {aim}",
    "{card} spielen und eine Karte aus {aim} nehmen",
    "giocare {card} e prendere una carta da {aim}",
)
DISCARD: Final = Words("discard {card}", "défausser {card}", "{card} ablegen", "scartare {card}")
EXCHANGE: Final = Words(
    "exchange the whole hand", "échanger toute la main", "die ganze Hand tauschen", "cambiare tutta la mano"
)
ABANDON: Final = Words(
    "abandon column {slot}",
    "abandonner la colonne {slot}",
    "Reihe {slot} aufgeben",
    "abbandonare la colonna {slot}",
)
PASS: Final = Words("pass", "passer", "passen", "passare")
