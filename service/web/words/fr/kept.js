/** Ce que la page a gardé d’une partie, et si c’est juste. @type {typeof import("../en/kept.js").default} */
export default {
  kept: "Ce que tu as vu",
  right: "Ce que tu as vu est ce qui est enregistré ({seen} événements sur {of}).",
  wrong: "Quelque chose ne va pas à l’événement {version} : ce qui t’a été montré n’est pas ce à quoi le serveur s’est engagé. Enregistre ce que tu as vu, et demande à quelqu’un qui sait le vérifier.",
  words: "À l’événement {version}, les autres doivent avoir les mêmes mots :",
  save: "Enregistrer ce que tu as vu",
  why: "Comment savoir que personne ne triche ?",
};
