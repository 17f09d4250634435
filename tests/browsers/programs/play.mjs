// Plays one seat by the tutorial's table.js, where there is no browser, and gives up at last: node play.mjs SEAT_AS_JSON
import { EventSource } from "eventsource";
import { Table } from "./public/table.js";

globalThis.EventSource = EventSource;
const LONG = 150; // events of a game that is long enough to be interrupted twice
const told = (connection) => console.log(JSON.stringify({ connection }));
const show = ({ version, view, legal_moves }) => {
  console.log(JSON.stringify({ version, status: view.status, hand: view.state?.players[view.viewer].hand }));
  const move = version > LONG ? { type: "resign" } : legal_moves?.[0];
  if (legal_moves) table.play(move, view.turn_version); // not `version`: a restart may give time back
  if (view.status === "finished") process.exit(0);
};
const table = new Table(JSON.parse(process.argv[2]), show, console.error, told);
table.watch();
setInterval(() => {}, 1000);
