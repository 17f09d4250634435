// The kernel of Migrato as a library: what the tests of `research/training/migrato_kernel.py` compare with the domain.
// A game is an array of whole numbers, as that module writes it.
#include "../layers.hpp"
#include "decks.hpp"
#include "greedy.hpp"
#include "heuristic.hpp"
#include "inputs.hpp"

using WideNet = Layers<INPUTS, 256, 32>;  // wide enough for those that are trained

struct Reader {
    const int* at;
    int next() { return *at++; }
};
static void read_game(const int* data, Rules& rules, Game& g) {
    Reader r{data};
    rules.opla = r.next(), rules.flights = r.next(), rules.last_turn = r.next();
    for (u8& count : rules.count) count = r.next();
    rules.finish();
    g = Game();
    g.rules = &rules, g.to_act = r.next(), g.turn = r.next(), g.deck_size = r.next();
    for (int i = 0; i < g.deck_size; i++) g.deck[g.deck_size - 1 - i] = r.next();
    for (u8& n : g.discarded) g.discards += n = r.next();
    for (Side& p : g.side) {
        p.held = r.next();
        for (int i = 0; i < p.held; i++) p.hand[i] = r.next();
        for (int c = 0; c < SLOTS; c++) {
            p.length[c] = r.next();
            for (int i = 0; i < p.length[c]; i++) p.column[c][i] = r.next();
        }
        for (int s = 0; s < SPECIES; s++) {
            p.height[s] = r.next();
            for (int i = 0; i < p.height[s]; i++) p.pile[s][i] = r.next();
        }
        p.landed = r.next(), p.flights = r.next();
    }
}
static int write_game(const Game& g, int* out) {
    int n = 0;
    out[n++] = g.to_act, out[n++] = g.turn, out[n++] = g.deck_size;
    for (int i = 0; i < g.deck_size; i++) out[n++] = g.deck[g.deck_size - 1 - i];
    for (u8 count : g.discarded) out[n++] = count;
    for (const Side& p : g.side) {
        out[n++] = p.held;
        for (int i = 0; i < p.held; i++) out[n++] = p.hand[i];
        for (int c = 0; c < SLOTS; c++) {
            out[n++] = p.length[c];
            for (int i = 0; i < p.length[c]; i++) out[n++] = p.column[c][i];
        }
        for (int s = 0; s < SPECIES; s++) {
            out[n++] = p.height[s];
            for (int i = 0; i < p.height[s]; i++) out[n++] = p.pile[s][i];
        }
        out[n++] = p.landed, out[n++] = p.flights;
    }
    out[n++] = g.over;
    return n;
}
static int* write_action(const Action& a, int* out) {
    for (int x : {static_cast<int>(a.kind), +a.card, +a.slot, +a.index, +a.target, +a.uncover, +a.returns}) *out++ = x;
    return out;
}
static Action read_action(const int* a) {
    return {static_cast<Kind>(a[0]), static_cast<u8>(a[1]), static_cast<u8>(a[2]), static_cast<u8>(a[3]),
            static_cast<u8>(a[4]), static_cast<u8>(a[5]), static_cast<u8>(a[6])};
}

extern "C" {
int number_of_inputs() { return INPUTS; }
int legal(const int* game, int* out) {
    Rules rules;
    Game g;
    read_game(game, rules, g);
    Action actions[256];
    int n = legal_actions(g, actions);
    for (int i = 0; i < n; i++) out = write_action(actions[i], out);
    return n;
}
// The choice of `heuristic`, or of `greedy`.
void bots_action(const int* game, int is_greedy, int* out) {
    Rules rules;
    Game g;
    read_game(game, rules, g);
    Action actions[256];
    const int n = legal_actions(g, actions);
    write_action(is_greedy ? greedy::choose(g, actions, n) : heuristic::choose(g, actions, n), out);
}
// Of a game that waits for a discard.
int bots_discard(const int* game, int is_greedy) {
    Rules rules;
    Game g;
    read_game(game, rules, g);
    return is_greedy ? greedy::choose_discard(g) : heuristic::choose_discard(g);
}
// The game after a whole turn; -1: the deck would have been reshuffled.
int after_turn(const int* game, const int* action, int card, int* out) {
    Rules rules;
    Game g;
    read_game(game, rules, g);
    Rng rng;
    Action a = read_action(action);
    if (act(g, a)) discard(g, card);
    if (end_turn(g, a, rng)) return -1;
    return write_game(g, out);
}
// What the net is told of the moment after the action and the discard: index and value of each input.
int inputs(const int* game, const int* action, int card, const int* closed, int weak_opponent, int* out) {
    Rules rules;
    Game g;
    read_game(game, rules, g);
    int left[FACES], seat = g.to_act, n = 0;
    unseen(g, seat, left);
    static Pool pool;
    pool.begin(g, left, closed);
    Action a = read_action(action);
    if (act(g, a)) discard(g, card);
    Theirs theirs;
    theirs.begin(g, seat, pool);
    Inputs own;
    own_inputs(g, seat, pool, theirs, weak_opponent, own);
    for (const Inputs* part : {&pool.inputs, &theirs.inputs, &own})
        for (int k = 0; k < part->n; k++) out[n++] = part->index[k], out[n++] = part->value[k];
    return n / 2;
}
// How many cards of each face: of the standard list where there is no seed, else of a list that the trainer may draw.
void deck_list(int seed, int near, int* out) {
    Rules rules;
    Rng rng(seed);
    if (!seed) standard_deck(rules);
    else if (near) near_deck(rules, rng);
    else any_deck(rules, rng);
    std::copy(rules.count, rules.count + FACES, out);
}
// What a net in a file makes of so many pairs of an input and a value.
float logit(const char* net, const int* told, int n) {
    Inputs in;
    for (int k = 0; k < n; k++) in.add(told[2 * k], told[2 * k + 1]);
    return WideNet::load(net).logit(in);
}
}
