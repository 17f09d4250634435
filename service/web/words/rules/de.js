/** The rules that forbid what somebody tries, in German. */
export default {
  "rule.migrato.3": "Du hast höchstens vier Reihen, und eine neue nimmt den ersten freien Platz.",
  "rule.migrato.4": "Ein Zug ist eine Aktion, und abgelegt wird danach.",
  "rule.migrato.4.1": "Eine Art, die bei dir gelandet ist, kommt nicht mehr in deine Reihen.",
  "rule.migrato.4.2": "Eine Karte wandert mit allen, die unter ihr liegen; nach den gedruckten Regeln kommt nur eine ganze Reihe zu einer anderen.",
  "rule.migrato.4.3": "Nur Gefahren holen Karten der anderen Seite, die letzte einer Reihe oder die oberste eines Stapels von mehreren: der Jäger bei Tag, Lichtverschmutzung bei Nacht, zerstörter Lebensraum jederzeit.",
  "rule.migrato.5": "In eine Reihe kommt eine einzige Art, nie mehr Vögel auf einer Karte als auf der darüber, und nicht mehr Karten, als der Schwarm braucht.",
  "rule.migo.3": "Nehmen kann man nur eine Karte, die keine andere verdeckt.",
};
