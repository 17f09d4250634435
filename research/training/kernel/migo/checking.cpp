// The kernel of Migo as a library: what `tests/research/test_migo_kernel.py` compares with the domain.
// A game is an array of whole numbers, as `research/training/migo_kernel.py` writes it.
#include "card_tables.hpp"
#include "heuristic.hpp"
#include "inputs.hpp"

using namespace migo;

static void read_game(const int* at, Rules& r, Game& g) {
    auto next = [&at] { return *at++; };
    r.seats = next(), r.large = next(), r.round4 = next(), r.limit = next();
    for (u8& kind : r.kinds) kind = next();
    for (u8& count : r.counts) count = next();
    g = Game();
    g.rules = &r, g.to_act = next(), g.takes = next(), g.number = next(), g.starter = next();
    for (int p = 0; p < g.shape().size; p++) {
        const int face = next();
        if (face >= 0) g.dealt[p] = face, g.lying |= 1u << p;
    }
    for (int s = 0; s < r.seats; s++) {
        Player& p = g.player[s];
        p.full = next(), p.empty = next(), p.flags = next(), p.last = next(), p.held = next();
        for (int i = 0; i < p.held; i++) p.cards[i] = next();
        if (next()) g.resigned |= 1 << s;
        g.sums[s] = next();
    }
}
static int write_game(const Game& g, int* out) {
    int n = 0;
    out[n++] = g.to_act, out[n++] = g.takes, out[n++] = g.number, out[n++] = g.starter;
    for (int p = 0; p < g.shape().size; p++) out[n++] = g.lying >> p & 1 ? g.dealt[p] : -1;
    for (int s = 0; s < g.rules->seats; s++) {
        const Player& p = g.player[s];
        out[n++] = p.full, out[n++] = p.empty, out[n++] = p.flags, out[n++] = p.last, out[n++] = p.held;
        for (int i = 0; i < p.held; i++) out[n++] = p.cards[i];
        out[n++] = !g.plays(s), out[n++] = g.sums[s];
    }
    return n;
}
static int write_moves(const Move* moves, int n, int* out) {
    for (int i = 0; i < n; i++) out[3 * i] = moves[i].place, out[3 * i + 1] = moves[i].flip, out[3 * i + 2] = moves[i].drink;
    return n;
}

extern "C" {
int number_of_inputs() { return INPUTS; }
int legal(const int* game, int* out) {
    Rules r;
    Game g;
    read_game(game, r, g);
    Move moves[MOST_MOVES];
    return write_moves(moves, legal_moves(g, moves), out);
}
int after_take(const int* game, const int* move, int* out) {
    Rules r;
    Game g;
    read_game(game, r, g);
    take(g, {move[0], move[1], move[2]});
    return write_game(g, out);
}
int after_resignation(const int* game, int seat, int* out) {
    Rules r;
    Game g;
    read_game(game, r, g);
    resign(g, seat);
    return write_game(g, out);
}
// Kind and count of each face: of the standard table where there is no seed, else of one that the trainer may draw.
void card_table(int seed, int* out) {
    Rules r;
    Rng rng(seed);
    standard_cards(r);
    if (seed) other_cards(r, rng);
    for (int f = 0; f < FACES; f++) out[2 * f] = r.kinds[f], out[2 * f + 1] = r.counts[f];
}
// The scores as the cards lie, and the seat that would take the flag.
void standing(const int* game, int* out) {
    Rules r;
    Game g;
    read_game(game, r, g);
    int points[SEATS];
    scores(g, points);
    for (int s = 0; s < r.seats; s++) out[s] = points[s];
    out[r.seats] = round_winner(g, points);
}
void heuristics_choice(const int* game, int* out) {
    Rules r;
    Game g;
    read_game(game, r, g);
    const Move move = heuristic::choose(g);
    write_moves(&move, 1, out);
}
// The round that follows one that has ended: the game, and the winner or -1.
int next_round(const int* game, int seed, int* out) {
    Rules r;
    Game g;
    read_game(game, r, g);
    Rng rng(seed);
    const int winner = end_round(g, rng), n = write_game(g, out);
    out[n] = winner;
    return n;
}
int inputs(const int* game, int seat, int* out) {
    Rules r;
    Game g;
    read_game(game, r, g);
    Inputs in;
    inputs_of(g, seat, in);
    for (int k = 0; k < in.n; k++) out[2 * k] = in.index[k], out[2 * k + 1] = in.value[k];
    return in.n;
}
}
