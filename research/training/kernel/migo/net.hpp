// The net of Migo and a player that looks one take ahead with it.
#pragma once
#include "../layers.hpp"
#include "inputs.hpp"

namespace migo {
constexpr int FIRST = H1, SECOND = 32;
using Net = Layers<INPUTS, FIRST, SECOND>;

// The chances of the game if `winner` takes the flag of the running round; later rounds are anybody's.
inline void after_round(const Rules& r, int resigned, const int* flags, int winner, int number, float* out) {
    int after[SEATS], playing = 0;
    for (int s = 0; s < r.seats; s++) after[s] = flags[s] + (s == winner), out[s] = s == winner, playing += !(resigned >> s & 1);
    if (after[winner] >= 2 || number == r.last_round()) return;
    float sums[SEATS] = {}, of[SEATS];
    for (int w = 0; w < r.seats; w++) {
        if (resigned >> w & 1) continue;
        after_round(r, resigned, after, w, number + 1, of);
        for (int s = 0; s < r.seats; s++) sums[s] += of[s] / playing;
    }
    for (int s = 0; s < r.seats; s++) out[s] = sums[s];
}
inline bool settled(const Game& g) { return !g.lying || g.cut(); }

struct Pick {
    Move move;
    float worth = -1e9f;
};
struct Thinker {
    const Net& net;
    float noise = 0;
    float worth[SEATS][SEATS];  // by the round's winner, then by seat

    explicit Thinker(const Net& of) : net(of) {}
    // The chances of the seats of taking the round's flag, or the game where the turn limit ends it; while cards lie.
    void shares(const Game& g, float* out) const {
        const int n = g.rules->seats, mover = last_mover(g);
        Inputs in;
        float sum = 0;
        for (int s = 0; s < n; s++) out[s] = 0;
        if (n == 2) {
            inputs_of(g, mover, in);
            out[mover] = sigmoid(net.logit(in)), out[1 - mover] = 1 - out[mover];
            return;
        }
        for (int s = 0; s < n; s++) {
            if (!g.plays(s)) continue;
            inputs_of(g, s, in);
            sum += out[s] = sigmoid(net.logit(in));
        }
        for (int s = 0; s < n; s++) out[s] /= sum + 1e-9f;
    }
    static int last_mover(const Game& g) {
        int mover = 0;
        for (int s = 1; s < g.rules->seats; s++)
            if (g.player[s].last > g.player[mover].last) mover = s;
        return mover;
    }
    void begin(const Game& g) {
        int flags[SEATS];
        for (int s = 0; s < g.rules->seats; s++) flags[s] = g.player[s].flags;
        for (int w = 0; w < g.rules->seats; w++)
            if (g.plays(w)) after_round(*g.rules, g.resigned, flags, w, g.number, worth[w]);
    }
    // The seat's chance of the game, after `begin` in this round.
    float chance(const Game& g, int seat) const {
        float share[SEATS];
        if (g.cut() && g.lying) return shares_when_cut(g, share), share[seat];
        if (!g.lying) {
            int points[SEATS];
            scores(g, points);
            return worth[round_winner(g, points)][seat];
        }
        shares(g, share);
        if (g.rules->limit - g.takes < g.left()) return share[seat];
        float sum = 0;
        for (int w = 0; w < g.rules->seats; w++)
            if (g.plays(w)) sum += share[w] * worth[w][seat];
        return sum;
    }
    Pick choose(const Game& g, Rng& rng) {
        Move moves[MOST_MOVES];
        const int n = legal_moves(g, moves), seat = g.to_act;
        begin(g);
        Pick best;
        for (int i = 0; i < n; i++) {
            Game after = g;
            take(after, moves[i]);
            float p = chance(after, seat);
            if (noise > 0 && !settled(after)) p = std::log((p + 1e-4f) / (1.0001f - p)) + noise * rng.gumbel();
            else if (noise > 0) p = std::log((p + 1e-4f) / (1.0001f - p));
            if (p > best.worth) best = {moves[i], p};
        }
        return best;
    }
};
}  // namespace migo
