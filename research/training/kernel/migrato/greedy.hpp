// The domain's bot `greedy` (domain/migrato/bots/greedy.py).
#pragma once
#include "side_after.hpp"

namespace greedy {
inline double progress(const Side& p) {
    double sum = 0;
    for (int c = 0; c < SLOTS; c++)
        if (p.length[c]) {
            const int s = flock_of(p.column[c], p.length[c]);
            sum += s < 0 ? -1.0 : static_cast<double>(p.length[c] * p.length[c]) / GOAL[s];
        }
    return sum;
}
inline double worth(const Game& g, const Action& a) {
    const Side &me = g.side[g.to_act], &other = g.side[1 - g.to_act];
    switch (a.kind) {
    case PLAY:
    case MOVE: {
        Side after = me;
        int lost, points = side_after(g, a, after, lost);
        return 20 * points + progress(after) - progress(me) - 5 * lost - (a.kind == MOVE ? 0.5 : 0.0);
    }
    case STEAL: return 2.0 + other.length[a.slot];
    case EXCHANGE: return 0.2;
    case ABANDON: return flock_of(me.column[a.slot], me.length[a.slot]) < 0 ? 0.1 : -me.length[a.slot];
    default: return 0;
    }
}
inline double use(const Side& me, u8 card) {
    if (card >= FIRST_DANGER) return 3.0;
    if (me.landed >> F.species[card] & 1) return 0;
    bool fits = false;
    for (int c = 0; c < SLOTS; c++) {
        u8 column[7];
        memcpy(column, me.column[c], me.length[c]), column[me.length[c]] = card;
        fits |= me.length[c] && flock_of(column, me.length[c] + 1) >= 0;
    }
    return (fits ? 5.0 : 1.0) + F.birds[card] / 10.0;
}
inline Action choose(const Game& g, const Action* legal, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (worth(g, legal[i]) > worth(g, legal[best])) best = i;
    return legal[best];
}
inline u8 choose_discard(const Game& g) {
    const Side& me = g.side[g.to_act];
    int best = 0;
    for (int i = 1; i < me.held; i++)
        if (use(me, me.hand[i]) < use(me, me.hand[best])) best = i;
    return me.hand[best];
}
}  // namespace greedy
