/** Short tones for what happens at the table, if the player wants them: made by the browser, without a file. */
import { own } from "../shell/own.js";
import { isOn } from "./settings.js";

/** @type {AudioContext | null} */
let audio = null;

const LAST = 0.16; // seconds of a tone
const NEXT = 0.11; // seconds until the next begins
const TURN = [660, 880]; // hertz
/** @type {Record<string, number[]>} */
const TONES = {
  bird_played: [392], cards_moved: [392], card_taken: [392],
  danger_played: [220, 165], arrival_failed: [247, 196], column_discarded: [247, 196],
  birds_arrived: [523, 659, 784], bottle_gained: [523, 659], round_ended: [523, 659, 784],
  game_ended: [784, 659, 523], takeback_requested: [440, 440],
};

/** What events sound like; at the end of them, that it is this player's turn. @param {any[]} events @param {boolean} myTurn */
export function play(events, myTurn) {
  if (!isOn("sounds")) return;
  const tones = [...events.flatMap(({ type }) => own(TONES, type) ?? []).slice(0, 6), ...(myTurn ? TURN : [])];
  audio ??= new AudioContext();
  void audio.resume();
  for (const [index, hertz] of tones.entries()) tone(audio, hertz, audio.currentTime + index * NEXT);
}

/** @param {AudioContext} context @param {number} hertz @param {number} at */
function tone(context, hertz, at) {
  const [source, volume] = [context.createOscillator(), context.createGain()];
  source.type = "triangle";
  source.frequency.value = hertz;
  volume.gain.setValueAtTime(0.12, at);
  volume.gain.exponentialRampToValueAtTime(0.001, at + LAST);
  source.connect(volume).connect(context.destination);
  source.start(at);
  source.stop(at + LAST);
}
