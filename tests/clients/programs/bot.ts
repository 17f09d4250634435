/** A remote bot that verifies who asks: bot.ts; it prints its port, and after a game how often it was asked. */

import { InvalidSignature, verifyQuestion } from "@migrato/client";

interface Asked extends AsyncIterable<Uint8Array> {
  headers: Record<string, string | string[] | undefined>;
}
interface Answer {
  writeHead(status: number): Answer;
  end(body?: string): void;
}
interface Server {
  listen(port: number, host: string, ready: () => void): void;
  address(): { port: number };
}

// @ts-expect-error: Node without its types
const { createServer } = await import("node:http");
const server: Server = createServer(async (asked: Asked, answer: Answer) => {
  const parts: number[] = [];
  for await (const part of asked) {
    parts.push(...part);
  }
  try {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const question = await verifyQuestion(secret, asked.headers, new Uint8Array(parts));
    answer.writeHead(200).end(JSON.stringify({ move: question.legal_moves[0] }));
  } catch (error) {
    answer.writeHead(error instanceof InvalidSignature ? 401 : 500).end();
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
