// node drive.js PORT MATCHES_AT_ONCE ROUNDS real|lean: play matches, print moves per second and latencies (ms) as JSON.
// "real" is boardgame.io's own client, "lean" sends the same messages over bare sockets.
const { Client } = require('boardgame.io/client');
const { SocketIO } = require('boardgame.io/multiplayer');
const io = require('socket.io-client');
const { Game } = require('./game');

const [port, atOnce, rounds, kind] = process.argv.slice(2);
const base = `http://127.0.0.1:${port}`;
const STALLED = 120000; // ms
const latencies = [];

let seed = 12345; // the choice of moves is the same in every run
const random = (below) => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 8) % below;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = (since) => Number(process.hrtime.bigint() - since) / 1e9;

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} ${answer.status}`);
  return answer.json();
}

async function createMatch() {
  const { matchID } = await post('/games/cards54/create', { numPlayers: 2 });
  const join = (playerID) => post(`/games/cards54/${matchID}/join`, { playerID, playerName: `n${playerID}` });
  return { matchID, credentials: [(await join('0')).playerCredentials, (await join('1')).playerCredentials] };
}

function realPlayer(matchID, playerID, credentials) {
  const multiplayer = SocketIO({ server: base });
  const client = Client({ game: Game, numPlayers: 2, matchID, playerID, credentials, debug: false, multiplayer });
  client.start();
  return {
    state: () => client.getState(),
    move: (type, ...args) => client.moves[type](...args),
    onChange: (listener) => client.subscribe(listener),
    stop: () => client.stop(),
    upgraded: () => client.transport.socket.io.engine.transport.name === 'websocket',
  };
}

function leanPlayer(matchID, playerID, credentials) {
  const socket = io(`${base}/cards54`, { forceNew: true });
  const listeners = [];
  let state = null;
  const changed = (newState) => {
    state = newState;
    listeners.forEach((listener) => listener());
  };
  socket.on('connect', () => socket.emit('sync', matchID, playerID, credentials, 2));
  socket.on('sync', (_, info) => changed(info.state));
  socket.on('update', (_, newState) => changed(newState));
  return {
    state: () => state,
    move: (type, ...args) => {
      const action = { type: 'MAKE_MOVE', payload: { type, args, playerID, credentials } };
      socket.emit('update', action, state._stateID, matchID, playerID);
    },
    onChange: (listener) => listeners.push(listener),
    stop: () => socket.close(),
    upgraded: () => socket.io.engine?.transport.name === 'websocket',
  };
}

// Plays a match to its end; its number of moves. A move's latency ends when its player sees the new state.
function play(players) {
  return new Promise((resolve, reject) => {
    let moves = 0, mover = null, sentAt = 0n, wanted = 0, over = false;
    const timer = setTimeout(() => reject(new Error(`a match stalled after ${moves} moves`)), STALLED);
    const end = () => {
      over = true;
      clearTimeout(timer);
      resolve(moves);
    };
    const step = () => {
      const states = players.map((player) => player.state());
      if (over || states.includes(null)) return;
      if (mover !== null) {
        if (states[mover]._stateID < wanted) return;
        latencies.push(seconds(sentAt) * 1000);
        mover = null;
        moves += 1;
      }
      if (states.every((state) => state.ctx.gameover !== undefined)) return end();
      const latest = Math.max(...states.map((state) => state._stateID));
      const known = states.find((state) => state._stateID === latest);
      const next = Number(known.ctx.currentPlayer);
      if (known.ctx.gameover !== undefined || states[next]._stateID !== latest) return; // somebody has not seen it yet
      const cards = states[next].G.players[next].hand.length;
      mover = next;
      wanted = latest + 1;
      sentAt = process.hrtime.bigint();
      if (random(4) === 0) players[next].move('discard', random(cards));
      else players[next].move('play', random(cards), random(6));
    };
    players.forEach((player) => player.onChange(step));
    step();
  });
}

async function connected(players) {
  const began = process.hrtime.bigint();
  while (!players.every((player) => player.state() && player.upgraded())) {
    if (seconds(began) > 15) throw new Error('the clients could not connect');
    await sleep(5);
  }
  await sleep(60);
}

async function main() {
  const makePlayer = kind === 'lean' ? leanPlayer : realPlayer;
  let moves = 0, playing = 0;
  for (let round = 0; round < Number(rounds); round++) {
    const matches = [];
    for (let i = 0; i < Number(atOnce); i++) matches.push(await createMatch());
    const tables = matches.map(({ matchID, credentials }) => ['0', '1'].map((id, i) => makePlayer(matchID, id, credentials[i])));
    await connected(tables.flat());
    const began = process.hrtime.bigint();
    for (const played of await Promise.all(tables.map(play))) moves += played;
    playing += seconds(began);
    tables.flat().forEach((player) => player.stop());
    await sleep(20);
  }
  latencies.sort((a, b) => a - b);
  const quantile = (part) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))];
  console.log(JSON.stringify({ moves_s: moves / playing, p50: quantile(0.5), p99: quantile(0.99) }));
  process.exit(0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
