// The moves of a game that is over, as far as they can be told without its rules: what begins one, and what only follows.

import { CheckFailed } from "./findings.js";

/** Looks at every event. */
export class Moves {
  #forms;
  #at = "";
  #mover = /** @type {number | null} */ (null); // who made the last move
  /** @type {{version: number, seat: number} | null} the choice of a bot that the event before recorded */ #chosen = null;

  /** @param {import("./forms.js").Forms} forms */
  constructor(forms) {
    this.#forms = forms;
  }

  /** One more event, of a seat that is there. Throws CheckFailed "rules" or "bot-seeds". @param {any} event @param {import("./seating.js").Seat[]} seats */
  take(event, seats) {
    const { version, type, seat, at } = event;
    const chosen = this.#chosen;
    if (this.#forms.isMove(event)) this.#checkMove(event, seats);
    else if (chosen) this.#fail(version);
    if (at !== this.#at && (chosen || this.#forms.isConsequence(event))) {
      throw new CheckFailed("rules", version, "The events of one move must all have the same time.", this.#at, at);
    }
    if (this.#forms.isMove(event)) this.#mover = seat;
    else if (seat !== null && type !== "moves_taken_back" && this.#forms.isConsequence(event) && seat !== this.#mover) {
      throw new CheckFailed("rules", version, "The event follows from a move, but is of another seat.", this.#mover, seat);
    }
    this.#at = at;
    this.#chosen = type === "move_chosen" ? { version, seat } : null;
  }

  /** No more events are there. */
  end() {
    if (this.#chosen) this.#fail(this.#chosen.version);
  }

  /** @param {number} version */
  #fail(version) {
    throw new CheckFailed("rules", version, "A bot's choice is recorded, but its move does not follow.");
  }

  /** @param {any} event @param {import("./seating.js").Seat[]} seats */
  #checkMove({ version, seat }, seats) {
    if (this.#chosen && this.#chosen.seat !== seat) this.#fail(version);
    if (!this.#chosen && seats[seat]?.kind === "bot") {
      throw new CheckFailed("bot-seeds", version, "A bot's seat moves, but no event records the bot's choice.");
    }
  }
}
