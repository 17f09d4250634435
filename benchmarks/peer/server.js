// node server.js PORT memory|flatfile310 DIR: boardgame.io's own server; prints READY, and ends with its standard input
const { Server, FlatFile } = require('boardgame.io/server');
const { Game } = require('./game');

const [port, storage, dir] = process.argv.slice(2);
const options = { games: [Game], origins: ['http://127.0.0.1'] };
if (storage === 'flatfile310') {
  options.db = new FlatFile({ dir, logging: false, ttl: false });
  options.db.games = require('node-persist-310'); // from 3.1.1 on, node-persist writes once a second only
}
process.stdin.resume().on('end', () => process.exit(0));
Server(options).run({ port: Number(port) }).then(() => console.log('READY'));
