// A card game for two, for server.js and drive.js: a deck of 54, hands of 3, 54 moves a match.
const { PlayerView } = require('boardgame.io/core');
const { INVALID_MOVE } = require('boardgame.io/core');

const act = (toColumn) => ({ G, playerID }, handIndex, col) => {
  const me = G.players[playerID];
  if (!Number.isInteger(handIndex) || handIndex < 0 || handIndex >= me.hand.length) return INVALID_MOVE;
  if (toColumn && !(Number.isInteger(col) && col >= 0 && col < G.columns.length)) return INVALID_MOVE;
  const [card] = me.hand.splice(handIndex, 1);
  if (toColumn) G.columns[col].push(card); else G.discard.push(card);
  if (G.secret.deck.length) me.hand.push(G.secret.deck.pop());
  G.deckCount = G.secret.deck.length;
  G.handCounts[playerID] = me.hand.length;
};

const Game = {
  name: 'cards54',
  setup: ({ random }) => {
    const cards = [];
    for (const s of ['r', 'g', 'b', 'y', 'p', 'w']) for (let v = 1; v <= 9; v++) cards.push({ s, v });
    const deck = random.Shuffle(cards);                         // 54 cards
    const players = { 0: { hand: [] }, 1: { hand: [] } };
    for (let i = 0; i < 3; i++) for (const p of ['0', '1']) players[p].hand.push(deck.pop());
    return { secret: { deck }, players, columns: [[], [], [], [], [], []], discard: [],
             deckCount: deck.length, handCounts: { 0: 3, 1: 3 } };
  },
  playerView: PlayerView.STRIP_SECRETS,
  turn: { minMoves: 1, maxMoves: 1 },
  // the deck is secret, so the client cannot simulate the draw: moves run on the server only
  moves: {
    play: { move: act(true), client: false },
    discard: { move: act(false), client: false },
  },
  endIf: ({ G }) => (G.handCounts[0] === 0 && G.handCounts[1] === 0 ? { draw: true } : undefined),
};
module.exports = { Game };
