// Drives the pages of a Chromium: each line of the input is one request, each line of the output its answer.
//   {"open": "http://..."}              -> the number of the page
//   {"page": 0, "evaluate": "..."}      -> the value of the expression
import { createInterface } from "node:readline";

const [port] = process.argv.slice(2);
const pages = [];

async function open(url) {
  const target = await (await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: "PUT" })).json();
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((done) => socket.addEventListener("open", done));
  const asked = new Map();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    asked.get(id)?.(error ?? result);
  });
  const page = (method, params = {}) =>
    new Promise((done) => {
      const id = asked.size + 1;
      asked.set(id, done);
      socket.send(JSON.stringify({ id, method, params }));
    });
  pages.push(page);
  await page("Page.enable");
  await page("Page.navigate", { url });
  return pages.length - 1;
}

async function evaluate(page, expression) {
  const { result, exceptionDetails } = await pages[page]("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value ?? null;
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  try {
    const value = asked.open ? await open(asked.open) : await evaluate(asked.page, asked.evaluate);
    console.log(JSON.stringify({ value }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
process.exit(0);
