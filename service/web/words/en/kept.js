/** Of what the page kept of a game, and of how it compares. */
export default {
  kept: "What you saw",
  right: "What you saw is what is recorded ({seen} of {of} events).",
  wrong: "Something is wrong with event {version}: what you were shown is not what the engine has bound itself to. Save what you saw, and ask somebody who can check it.",
  words: "The others must have the same words at event {version}:",
  save: "Save what you saw",
  why: "How do I know that nobody cheats?",
};
