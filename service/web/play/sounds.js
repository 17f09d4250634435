/** Short tones for what happens at the table, if the player wants them: made by the browser, without a file. */
import { own } from "../shell/own.js";
import { isOn } from "./settings.js";

/** @type {AudioContext | null} */
let audio = null;

const LAST = 0.16; // seconds of a tone
const NEXT = 0.11; // seconds until the next begins
const TURN = [660, 880]; // hertz
/** Of events that every game has. @type {Record<string, number[]>} */
const COMMON = { game_ended: [784, 659, 523], takeback_requested: [440, 440] };

/**
 * What events sound like; at the end of them, that it is this player's turn.
 * @param {any[]} events @param {Record<string, number[]>} ofGame the tones of the game's own events @param {boolean} myTurn
 */
export function play(events, ofGame, myTurn) {
  if (!isOn("sounds")) return;
  const tones = [...events.flatMap(({ type }) => own(COMMON, type) ?? own(ofGame, type) ?? []).slice(0, 6), ...(myTurn ? TURN : [])];
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
