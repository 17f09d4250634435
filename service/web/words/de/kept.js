/** Was die Seite von einem Spiel aufgehoben hat, und ob es stimmt. @type {typeof import("../en/kept.js").default} */
export default {
  kept: "Was du gesehen hast",
  right: "Was du gesehen hast, ist genau so aufgezeichnet ({seen} von {of} Ereignissen).",
  wrong: "Mit Ereignis {version} stimmt etwas nicht: Was dir gezeigt wurde, ist nicht das, worauf sich der Server festgelegt hat. Speichere, was du gesehen hast, und frag jemanden, der es prüfen kann.",
  words: "Die anderen müssen bei Ereignis {version} dieselben Wörter haben:",
  save: "Speichern, was du gesehen hast",
  why: "Woher weiß ich, dass niemand schummelt?",
};
