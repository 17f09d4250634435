/** A table of the engine in a frame of somebody's page, and the messages between the two. */

/** What every message of a table says: which form of messages it is, and which game is told of. */
interface Said {
  readonly protocol: 1;
  readonly game: string;
}

/** The table listens from now on. */
export interface Ready extends Said {
  readonly type: "migrato:ready";
}

/** Another turn; `seat` is played in the frame, null if it only watches. */
export interface TurnBegun extends Said {
  readonly type: "migrato:turn";
  readonly seat: number | null;
  readonly to_act: number | null;
  readonly yours: boolean;
}

/** The game is over; `result` is that of its view, null if it was aborted. */
export interface GameOver extends Said {
  readonly type: "migrato:over";
  readonly seat: number | null;
  readonly aborted: boolean;
  readonly result: { readonly winner: number | null; readonly scores: readonly number[]; readonly reason: string } | null;
}

/** The least height of the frame, in CSS pixels, at which nothing is cut off; a higher one has larger cards. */
export interface TableSize extends Said {
  readonly type: "migrato:size";
  readonly height: number;
}

/**
 * The table shows nothing more. `ticket`: its ticket was used, or is void; with the address of a new one it goes on. `seat`:
 * the seat has another token. `gone`: there is no such game, or not for this viewer. `unreachable`: the engine does not
 * answer. `mistake`: one of the table's own. `detail` is for programmers.
 */
export interface TableError extends Said {
  readonly type: "migrato:error";
  readonly code: "ticket" | "seat" | "gone" | "unreachable" | "mistake";
  readonly detail: string;
}

/** What a table tells the page around it. */
export type TableMessage = Ready | TurnBegun | GameOver | TableSize | TableError;

/** What the page around it tells a table. */
export type PageMessage =
  | { readonly type: "migrato:language"; readonly language: "en" | "de" | "fr" | "it" }
  | { readonly type: "migrato:theme"; readonly theme: "auto" | "light" | "dark" };

/** A table in a frame of this page. */
export interface Table {
  /** Tell it something; it listens after `migrato:ready`. */
  tell(message: PageMessage): void;
  /** Hear no more of it. */
  stop(): void;
}

/**
 * Hear what the table in a frame tells: messages of that frame, from the origin of the engine, and of no other. `engine`: the
 * address of the engine.
 */
export function onTable(frame: HTMLIFrameElement, engine: string, heard: (message: TableMessage) => void): Table {
  const { origin } = new URL(engine);
  const listen = ({ source, origin: from, data }: MessageEvent): void => {
    if (source === frame.contentWindow && from === origin && data?.protocol === 1) {
      heard(data as TableMessage);
    }
  };
  addEventListener("message", listen);
  return {
    tell: (message) => frame.contentWindow?.postMessage({ protocol: 1, ...message }, origin),
    stop: () => removeEventListener("message", listen),
  };
}
