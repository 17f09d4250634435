/** Quello che la pagina ha conservato di una partita, e se è giusto. @type {typeof import("../en/kept.js").default} */
export default {
  kept: "Quello che hai visto",
  right: "Quello che hai visto è quello che è registrato ({seen} eventi su {of}).",
  wrong: "Qualcosa non va con l’evento {version}: quello che ti è stato mostrato non è quello a cui il server si è vincolato. Salva quello che hai visto, e chiedi a qualcuno che sappia controllarlo.",
  words: "All’evento {version} gli altri devono avere le stesse parole:",
  save: "Salva quello che hai visto",
  why: "Come so che nessuno bara?",
};
