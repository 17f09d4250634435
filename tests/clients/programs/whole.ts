/** Everything that the client can ask an engine: whole.ts URL APP_KEY */

import { Altered, type AnyEvent, type AnyNewlyCreated, ApiError, Client, Unreachable } from "@migrato/client";
import { all, appKey, equal, failing, url } from "./check.ts";

const app = new Client(url, { appKey });
const anybody = new Client(`${url}/`);
const people = (): Promise<AnyNewlyCreated> => app.createGame({ seats: [{ kind: "human" }, { kind: "human" }] });

// A game of each kind
for (const game of ["migrato", "migo"] as const) {
  const seat = await app.playAgainst("greedy", { game, options: { turn_limit: 12 } });
  for await (const turn of seat.turns()) {
    await seat.move(turn.legalMoves[0]!, { turnVersion: turn.turnVersion });
  }
  const view = await seat.view();
  equal([view.game, view.status], [game, "finished"]);
  const events = await all(seat.events());
  equal(events.map((event) => event.version), events.map((_, index) => index + 1));
  equal(await all(seat.watch()), events);
  equal(await all(seat.watch(events.length)), []);
  equal(await all(seat.events(0, 3)), events);
}

// A game that is followed and kept, by a seat that gives a client seed
{
  const seat = await app.playAgainst("greedy", { options: { turn_limit: 12 } }, "ada");
  const kept: AnyEvent[] = [];
  const playing = (async () => {
    for await (const turn of seat.turns()) {
      await seat.move(turn.legalMoves[0]!, { turnVersion: turn.turnVersion });
    }
  })();
  await all(seat.follow({ keep: (event) => kept.push(event) }));
  await playing;
  const whole = await all(seat.events());
  equal([seat.seen, kept.length], [{ seen: whole.length, of: whole.length }, whole.length]);
  const taken = whole.find((event) => event.type === "seat_taken");
  equal(/^[0-9a-f]{32}$/.test((taken?.data as { client_seed: string }).client_seed), true);
  await all(seat.follow({ kept: kept.slice(0, 12) }));
  equal(seat.seen, { seen: 12, of: whole.length });
  const lie = structuredClone(kept.find((event) => event.redacted.length && "count" in event.data)!);
  (lie.data as { count: number }).count += 1;
  const found = await failing(Altered, all(seat.follow({ kept: [lie] })));
  for (const { told, version } of [{ told: "another", version: taken!.version }, { told: (taken!.data as { client_seed: string }).client_seed, version: 10 ** 6 }]) {
    const look = { version: 10 ** 6, seat: taken!.seat!, client_seed: told };
    equal((await failing(Altered, all(seat.follow({ look })))).version, version);
  }
  equal([found.version, found.message], [lie.version, `event ${lie.version}: it was shown otherwise before`]);
}

// Two people, and somebody who watches
{
  const created = await app.createGame({ seats: [{ kind: "human" }, { kind: "open" }], visibility: "public" });
  const ada = app.seat(created, 0);
  equal((await anybody.game(ada.id).lookAtSeat(1)).kind, "open");
  const bo = await app.game(ada.id).takeSeat(1, { player: "bo" });
  const { version } = await ada.view();
  equal(await bo.wait(version, 1), undefined);
  const seen: number[] = [];
  for await (const state of anybody.game(ada.id).states()) {
    equal(state.view.viewer, null);
    if (seen.push(state.version) === 1) {
      await bo.resign();
    }
  }
  equal(seen[0], version);
  equal((await bo.wait(version))?.status, "finished");
}

// An invite, the lobby, all games of the app
{
  await all(app.events());
  const watching = app.watch("0", ["game.created"]);
  const created = await app.createGame({ seats: [{ kind: "human" }, { kind: "open" }], joining: "invite" });
  for await (const event of watching) {
    if (event.data.game_id === created.id) {
      break;
    }
  }
  const game = app.game(created.id);
  equal((await all(app.lobby({ joining: "invite", limit: 1 }))).map((line) => line.id).includes(game.id), true);
  const revoked = await game.invite(1);
  await game.revokeInvite(revoked.id);
  const { id: short, invite, join_code: code } = await game.invite(1, { expires_in: 60, short: true });
  const found = await anybody.findInvite(` ${code!.slice(0, 4).toLowerCase()} ${code!.slice(4)}`);
  equal([found.game_id, found.seat, found.invite], [game.id, 1, invite]);
  equal((await game.invites()).map(({ id }) => id), [short]);
  equal((await failing(ApiError, anybody.findInvite("00000000"))).status, 404);
  await failing(ApiError, anybody.game(game.id).takeSeat(1, { player: "bo", invite: revoked.invite }));
  const bo = await anybody.game(game.id).takeSeat(1, { player: "bo", invite });
  equal((await (await bo.handOver(1, "cy")).view()).seats[1]!.player, "cy");
  equal((await failing(ApiError, bo.view())).status, 401);
}

// The app's own data
{
  const order = crypto.randomUUID();
  const { id } = await app.createGame({ external_id: order, metadata: { order, "a b&c": "d=e" } });
  equal((await app.changeGame(id, { metadata: { order: null, paid: order } })).metadata, { "a b&c": "d=e", paid: order });
  equal((await all(app.games({ external_id: order }))).map((line) => line.id), [id]);
  equal((await all(app.games({ metadata: "a b&c=d=e", external_id: order }))).map((line) => line.id), [id]);
  equal(await all(app.games({ metadata: `order=${order}` })), []);
}

// Quick match, webhooks
{
  const waiting = app.quickMatch({ player: "gus" });
  const [first, second] = await Promise.all([waiting, app.quickMatch({ player: "hal" })]);
  equal(first.id, second.id);
  const { ticket } = await app.joinQuickMatch({ player: "ida" });
  await app.cancelMatch(ticket);
  equal((await app.waitForMatch(ticket, 1)).status, "cancelled");
  const { id } = await app.webhooks.create({ url: "http://127.0.0.1:9/" });
  await app.webhooks.ping(id);
  equal((await app.webhooks.rotateSecret(id, 0)).former_expires_at, null);
  equal((await app.webhooks.change(id, { disabled: true })).disabled_reason, "app");
  await app.webhooks.delete(id);
  equal(await app.webhooks.list(), []);
}

// A move that is taken back
{
  const seats = [{ kind: "human" as const }, { kind: "human" as const }];
  const created = await app.createGame({ game: "migo", seats });
  const [first, second] = [app.seat(created, 0), app.seat(created, 1)];
  const [mover, other] = (await first.legalMoves()).length ? [first, second] : [second, first];
  await mover.move((await mover.legalMoves())[0]!);
  await mover.takeBack();
  equal((await other.takebackState()).missing.length, 1);
  await other.takeBack(false);
  await mover.takeBack();
  equal((await other.takeBack(true)).events.at(-1)!.type, "moves_taken_back");
  equal((await mover.takebackState()).to_version, null);
  equal((await failing(ApiError, other.claim())).code, "nothing-to-claim");
}

// A finished game, judged
{
  const seats = ["vi", "wu"].map((player) => ({ kind: "human" as const, player }));
  const created = await app.createGame({ seats, options: { turn_limit: 2 } });
  const players = [app.seat(created, 0), app.seat(created, 1)];
  for (let view = await players[0]!.view(); view.status === "playing"; view = await players[0]!.view()) {
    const mover = players[view.to_act ?? 0]!;
    await mover.move((await mover.legalMoves())[0]!);
  }
  equal(new Set((await players[0]!.analysis()).points.map(({ seat }) => seat)).size, 2);
}

// A rematch, and who is strong
{
  const seats = ["vi", "wu"].map((player) => ({ kind: "human" as const, player }));
  const created = await app.createGame({ seats });
  const [vi, wu] = [app.seat(created, 0), app.seat(created, 1)];
  await wu.resign();
  equal(await vi.rematch(), undefined);
  await vi.withdrawRematch();
  equal((await vi.rematchState()).agreed, []);
  equal(await wu.rematch(), undefined);
  equal((await (await vi.rematch())!.view()).viewer, 1);
  equal((await (await wu.rematch())!.view()).viewer, 0);
  equal(Array.isArray(await all(app.leaderboard({ limit: 1 }))), true);
  equal(await all(app.leaderboard({ around: "nobody" })), []);
}

// What the app decides
{
  const game = app.game((await people()).id);
  const { token } = await game.reissueToken(1);
  equal((await app.game(game.id, token).view()).viewer, 1);
  equal((await game.head()).version, (await game.view()).version);
  await game.replacePlayer(0, "greedy");
  equal((await game.adjudicate({ winner: 1 })).status, "finished");
  equal((await game.audit()).wrong, null);
  equal((await game.export())[0], "{");
  const steps = await all(game.replay(undefined, 1));
  equal(steps.length >= 2, true);
  app.seat(await game.fork({ version: steps[0]!.version }), 0);
  equal((await app.game((await people()).id).abort()).aborted, true);
}

// Bots, hints, previews, pages, tickets
{
  const created = await people();
  const seat = app.seat(created, 0);
  equal((await app.bots("migo")).some((bot) => bot.name === "maxn"), true);
  const legal = await seat.legalMoves();
  const kinds = legal.map((move) => move.type);
  equal(kinds.includes((await seat.hint("greedy")).move.type), true);
  equal(kinds.includes((await app.choose("greedy", await seat.position())).move.type), true);
  const several = await app.chooseAll("greedy", [await seat.position(), { view: {} }]);
  equal(JSON.stringify(several.map((one) => one.answer === null)), "[false,true]");
  equal((await seat.preview(legal[0]!)).version, (await seat.view()).version);
  const listed = (await all(app.games({ limit: 2 }))).map((line) => line.id);
  equal([listed[0], new Set(listed).size], [seat.id, listed.length]);
  equal((await seat.ticket({ view: "spectator" })).viewer, null);
  await seat.revokeTickets();
  equal((await failing(ApiError, seat.embed("https://game.example"))).code, "validation-error"); // nobody may frame it
  equal(Array.isArray(await app.signingKeys()), true);
  const [first, again] = [{ idempotencyKey: "kept" }, { idempotencyKey: "kept" }];
  equal(await seat.move(legal[0]!, first), await seat.move(legal[0]!, again));
}

// Refusals
{
  const created = await people();
  const [ada, bo] = [app.seat(created, 0), app.seat(created, 1)];
  const early = await failing(ApiError, bo.move({ type: "exchange" }));
  equal([early.status, early.code, early.name], [409, "not-your-turn", "ApiError"]);
  const illegal = await failing(ApiError, ada.move({ type: "abandon", slot: 1 }));
  equal([illegal.code, typeof illegal.rule], ["illegal-move", "string"]);
  const late = await failing(ApiError, ada.move({ type: "exchange" }, { at: 1 }));
  equal([late.code, late.version], ["version-mismatch", created.version]);
  const wrong = await failing(ApiError, app.request("POST", "/v1/games", { body: { seats: [{ kind: "bot" }] } }));
  equal([wrong.code, Object.keys(wrong.errors)], ["validation-error", ["seats.0.bot"]]);
  equal(wrong.message.includes("seats.0.bot"), true);
  equal((await failing(ApiError, all(app.game("nothing-here").watch()))).code, "not-found");
  equal((await failing(ApiError, all(app.game(ada.id, "mg_wrong").states()))).code, "unauthorized");
  equal((await failing(ApiError, app.game("../bots").view())).code, "not-found");
  await failing(TypeError, (async () => app.seat(created, 2))());
}

// Nobody answers, and somebody who does not want to wait any longer
{
  const nobody = new Client("http://127.0.0.1:9", { appKey, patience: 0.2 });
  const alone = await failing(Unreachable, nobody.bots());
  equal(alone.message.includes(appKey), false);
  await failing(Unreachable, all(nobody.game("x").states()));
  const leaving = new AbortController();
  const states = app.seat(await people(), 0).states(leaving.signal);
  await states.next();
  setTimeout(() => leaving.abort(new Error("gone")), 50);
  equal((await failing(Error, states.next())).message, "gone");
}
console.log("done");
