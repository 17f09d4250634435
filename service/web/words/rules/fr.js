/** The rules that forbid what somebody tries, in French. */
export default {
  "rule.migrato.3": "Tu as quatre colonnes au plus, et une nouvelle prend la première place libre.",
  "rule.migrato.4": "Un tour, c’est une action, et la défausse vient après.",
  "rule.migrato.4.1": "Une espèce arrivée chez toi ne vient plus dans tes colonnes.",
  "rule.migrato.4.2": "Une carte se déplace avec toutes celles du dessous ; selon les règles imprimées, seule une colonne entière en rejoint une autre.",
  "rule.migrato.4.3": "Seul un danger prend des cartes d’en face, la dernière d’une colonne ou le dessus d’une pile de plusieurs : le chasseur de jour, la pollution lumineuse de nuit, l’habitat détruit à toute heure.",
  "rule.migrato.5": "Une colonne reçoit une seule espèce, jamais plus d’oiseaux sur une carte que sur celle du dessus, et pas plus de cartes que le vol n’en demande.",
  "rule.migo.3": "On ne prend qu’une carte qu’aucune autre ne couvre.",
};
