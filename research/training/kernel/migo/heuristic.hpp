// The domain's bot `heuristic` of Migo (domain/migo/bots/heuristic.py), which the net is measured against.
#pragma once
#include "rules.hpp"

namespace migo::heuristic {
constexpr double SHARPEST = 0.35, SOFTER = 0.45, TOKEN = 0.3, THREAT = 0.8;
inline double lead(const Game& g, int seat) {
    const Rules& r = *g.rules;
    const Pieces pieces(g);
    double lies[GEAR] = {}, expected[SEATS];
    for (int p = 0; p < g.shape().size; p++)
        if (g.lying >> p & 1 && r.kinds[g.dealt[p]] < GEAR) lies[r.kinds[g.dealt[p]]] += r.counts[g.dealt[p]];
    for (int s = 0; s < r.seats; s++) expected[s] = pieces.points[s] + TOKEN * g.player[s].full;
    for (int k = 0; k < GEAR; k++) {
        const double width = SHARPEST + SOFTER * std::sqrt(lies[k]);
        double weights[SEATS], total = 0;
        int most = 0;
        for (int s = 0; s < r.seats; s++) most = std::max(most, pieces.of[k][s]);
        for (int s = 0; s < r.seats; s++) {
            weights[s] = g.plays(s) ? std::exp((pieces.of[k][s] - most) / width) : 0;
            total += weights[s];
        }
        for (int s = 0; s < r.seats; s++) expected[s] += MAJORITY * weights[s] / total;
    }
    double others = -1e9;
    for (int s = 0; s < r.seats; s++)
        if (s != seat && g.plays(s)) others = std::max(others, expected[s]);
    return expected[seat] - others;
}
inline double best_gain(const Game& g) {
    Move moves[MOST_MOVES];
    const int n = legal_moves(g, moves), seat = g.to_act;
    double best = -1e9;
    for (int i = 0; i < n; i++) {
        if (moves[i].drink) continue;
        Game after = g;
        take(after, moves[i]);
        best = std::max(best, lead(after, seat));
    }
    return best - lead(g, seat);
}
inline Move choose(const Game& g) {
    Move moves[MOST_MOVES], best;
    const int n = legal_moves(g, moves), seat = g.to_act;
    double most = -1e9;
    for (int i = 0; i < n; i++) {
        Game after = g;
        take(after, moves[i]);
        double worth = lead(after, seat);
        if (after.lying) worth += (after.to_act == seat ? 1 : -1) * THREAT * best_gain(after);
        if (worth > most) most = worth, best = moves[i];
    }
    return best;
}
}  // namespace migo::heuristic
