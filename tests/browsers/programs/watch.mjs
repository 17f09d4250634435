// Watches a stream of states by a package of npm, and prints a line for each state, error and end.
//   node watch.mjs PACKAGE URL
const [name, url] = process.argv.slice(2);
const known = await import(name);
const Source = known.EventSource ?? known.default.EventSourcePolyfill;
const source = new Source(url);
const say = (what) => console.log(JSON.stringify(what));

source.addEventListener("state", (event) => say({ state: Number(event.lastEventId) }));
source.addEventListener("error", () => say({ error: source.readyState }));
source.addEventListener("end", () => {
  source.close();
  say({ end: true });
});
setInterval(() => {}, 1000); // a package's timer for its next attempt does not keep the process alive
