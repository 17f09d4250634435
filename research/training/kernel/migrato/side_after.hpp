// A player's own side after a move, as the domain's bot `greedy` foresees it (domain/migrato/bots/side_after.py).
#pragma once
#include "rules.hpp"

// `p`, the side of the seat to act, after birds were played or moved; the points that they bring, and the cards that are lost.
inline int side_after(const Game& g, const Action& a, Side& p, int& lost) {
    int t = a.kind == PLAY ? a.slot : a.target, points = 0;
    bool fresh = t == NEW, checked;
    lost = 0;
    if (fresh) t = std::find(p.length, p.length + SLOTS, 0) - p.length;
    if (a.kind == PLAY) {
        take_from_hand(p, a.card);
        p.column[t][p.length[t]++] = a.card;
        checked = p.length[t] == GOAL[F.species[a.card]];
    } else {
        for (int i = a.index; i < p.length[a.slot]; i++) p.column[t][p.length[t]++] = p.column[a.slot][i];
        p.length[a.slot] = a.index;
        int s = -1;
        for (int i = 0; i < p.length[t] && s < 0; i++)
            if (!F.night[p.column[t][i]]) s = F.species[p.column[t][i]];
        checked = !fresh && (s < 0 ? a.uncover : p.length[t] == GOAL[s]);
    }
    if (!checked) return 0;
    int n = p.length[t], s = arriving(p.column[t], n, p.landed, a.kind == MOVE);
    p.length[t] = 0;
    if (s < 0) lost = n;
    else if (a.returns && flights_left(g) >> s & 1) points = g.rules->flight_points[s];
    else {
        points = F.birds[p.column[t][n - 1]], p.landed |= 1 << s;
        for (int c = 0; c < SLOTS; c++)
            for (int i = 0; i < p.length[c]; i++)
                if (F.species[p.column[c][i]] == s) p.length[c] = 0;
    }
    return points;
}
