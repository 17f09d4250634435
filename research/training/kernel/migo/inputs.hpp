// What the net of Migo is told of a table, from a seat: whole numbers, 64 for 1.0, the same as domain/migo/net/inputs.py.
//
// Judged is the moment after a take, while cards lie: all of it is public. Kinds of equipment are told apart by how the
// seat stands in them, not by their names.
#pragma once
#include "rules.hpp"

namespace migo {
constexpr int LEADS = 11, HEAPS = 9;  // of a kind: by how much a seat leads, and how much of it lies
constexpr int CLASSES = 60, COARSE = 9;  // of faces
constexpr int HAT_CLASS = 56, BOTTLE_CLASS = 57, USELESS_CLASS = 58, SHERPA_CLASS = 59;
constexpr int MARGINS = 31;  // of points: from 15 behind to 15 ahead

enum Layout {
    KIND = 0,
    TIED = KIND + 2 * LEADS * HEAPS,
    FREE = TIED + LEADS,
    FREE_NEXT = FREE + 2 * CLASSES,
    UNDER = FREE_NEXT + CLASSES,
    DEEP = UNDER + 2 * CLASSES,
    FAR = DEEP + CLASSES,
    PAIR = FAR + COARSE,
    AHEAD = PAIR + COARSE * COARSE,
    LAST_TAKER = AHEAD + 26,
    FREE_COUNT = LAST_TAKER + 4,
    LAYOUT = FREE_COUNT + 10,
    POINTS = LAYOUT + 6,
    SCORE = POINTS + MARGINS,
    END = SCORE + MARGINS,
    AGAINST = END + 3 * MARGINS,
    TIE_BREAK = AGAINST + 3,
    FULL = TIE_BREAK + 1,
    OTHERS_FULL = FULL + 8,
    NEXT_FULL = OTHERS_FULL + 4,
    TOKENS_LEFT = NEXT_FULL + 4,
    SHERPAS = TOKENS_LEFT + 4,
    FLIP = SHERPAS + 5,
    NEXT_FLIP = FLIP + 11,
    TO_ACT = NEXT_FLIP + 11,
    IN_GAME = TO_ACT + 4,
    PLAYING = IN_GAME + 3,
    OWN_FLAG = PLAYING + 3,
    FLAG = OWN_FLAG + 1,
    ROUND = FLAG + 3,
    CUT = ROUND + 4,
    TOTAL = CUT + 1,
    FLAG_LEAD = TOTAL + MARGINS,
    INPUTS = FLAG_LEAD + 3,
};
inline int within(int x, int most) { return std::max(-most, std::min(most, x)); }

// How a seat stands in each kind.
struct Standing {
    int own[GEAR], best[GEAR], ties[GEAR], lead[GEAR];
    Standing(const Game& g, const Pieces& pieces, int seat) {
        for (int k = 0; k < GEAR; k++) {
            own[k] = pieces.of[k][seat], best[k] = ties[k] = 0;
            for (int s = 0; s < g.rules->seats; s++) {
                if (s == seat || !g.plays(s)) continue;
                if (pieces.of[k][s] > best[k]) best[k] = pieces.of[k][s], ties[k] = 1;
                else if (pieces.of[k][s] == best[k] && best[k]) ties[k]++;
            }
            lead[k] = own[k] - best[k];
        }
    }
    int majority(int seats, int kind, int pieces) const {
        if (pieces > best[kind]) return MAJORITY;
        return pieces && pieces == best[kind] && seats > 2 && ties[kind] == 1 ? SHARED : 0;
    }
};
struct Told {
    const Game& g;
    const Rules& r;
    int lies[GEAR] = {}, sherpas = 0;

    explicit Told(const Game& of) : g(of), r(*of.rules) {
        for (int p = 0; p < g.shape().size; p++) {
            if (!(g.lying >> p & 1)) continue;
            const int kind = r.kinds[g.dealt[p]];
            if (kind < GEAR) lies[kind] += r.counts[g.dealt[p]];
            sherpas += kind == SHERPA;
        }
    }
    int class_of(int face, const Standing& of) const {
        const int kind = r.kinds[face], count = r.counts[face];
        if (kind == HAT) return HAT_CLASS;
        if (kind == BOTTLE) return tokens_left(g) > 0 ? BOTTLE_CLASS : USELESS_CLASS;
        if (kind == SHERPA) return SHERPA_CLASS;
        const int rest = std::min(3, (lies[kind] - count + 1) / 2);
        return ((std::min(count, 2) - 1) * 7 + within(of.lead[kind], 3) + 3) * 4 + rest;
    }
    int coarse(int face, const Standing& of) const {
        const int kind = r.kinds[face];
        if (kind >= GEAR) return 6 + kind - HAT;
        return (std::min<int>(r.counts[face], 2) - 1) * 3 + (of.lead[kind] <= -2 ? 0 : of.lead[kind] < 2 ? 1 : 2);
    }
    // The points that turning one card over brings at most, tokens left out.
    int best_flip(int seat, const Standing& of) const {
        const Player& p = g.player[seat];
        int best = 0;
        for (int i = 0; i < p.held; i++) {
            const int down = p.cards[i], up = down ^ 1, from = r.kinds[down], to = r.kinds[up];
            if (to == SHERPA) continue;
            int gain = 0;
            if (from == to && from < GEAR) {
                const int pieces = of.own[from] - r.counts[down] + r.counts[up];
                gain = r.counts[up] - r.counts[down] + of.majority(r.seats, from, pieces) - of.majority(r.seats, from, of.own[from]);
            } else {
                gain = worth(of, to, r.counts[up]) + worth(of, from, -r.counts[down]);
            }
            best = std::max(best, gain);
        }
        return std::min(10, best);
    }
    int worth(const Standing& of, int kind, int count) const {
        if (kind == HAT) return 2 * count;
        if (kind >= GEAR) return 0;
        return count + of.majority(r.seats, kind, of.own[kind] + count) - of.majority(r.seats, kind, of.own[kind]);
    }
};
inline void inputs_of(const Game& g, int seat, Inputs& in) {
    const Rules& r = *g.rules;
    const Shape& shape = g.shape();
    const Told told(g);
    const Pieces pieces(g);
    const int n = r.seats, next = g.to_act, mine = next == seat;
    const Standing own(g, pieces, seat), others(g, pieces, next);
    in.n = 0;
    for (int k = 0; k < GEAR; k++) {
        const int lead = within(own.lead[k], 5) + 5;
        in.add(KIND + ((n > 2) * LEADS + lead) * HEAPS + std::min(told.lies[k], 8), ONE);
        if (n > 2 && own.ties[k] > 1) in.add(TIED + lead, ONE);
    }
    int free = 0;
    for (int p = 0; p < shape.size; p++) {
        if (!(g.lying >> p & 1)) continue;
        const int face = g.dealt[p], value = r.kinds[face] == HAT ? r.counts[face] * ONE : ONE;
        const u32 above = g.lying & shape.above[p];
        const int depth = __builtin_popcount(above);
        if (depth == 0) {
            free++;
            in.add(FREE + mine * CLASSES + told.class_of(face, own), value);
            if (!mine) in.add(FREE_NEXT + told.class_of(face, others), value);
        } else if (depth == 1) {
            in.add(UNDER + mine * CLASSES + told.class_of(face, own), value);
            in.add(PAIR + told.coarse(g.dealt[__builtin_ctz(above)], own) * COARSE + told.coarse(face, own), ONE);
        } else if (depth == 2) in.add(DEEP + told.class_of(face, own), value);
        else in.add(FAR + told.coarse(face, own), value);
    }
    const int left = g.left(), ahead = std::min(left, r.limit - g.takes);
    const bool cut = ahead < left;
    int playing = 0, now[SEATS] = {}, points = -1000, score = -1000, total = -100000, last = NEVER, flags = 0, full = 0;
    scores(g, now);
    for (int s = 0; s < n; s++) {
        playing += g.plays(s);
        if (s == seat || !g.plays(s)) continue;
        const Player& p = g.player[s];
        points = std::max(points, pieces.points[s]), score = std::max(score, now[s]);
        total = std::max(total, g.sums[s] + now[s]), last = std::max(last, p.last);
        flags = std::max(flags, p.flags), full += p.full;
    }
    in.add(AHEAD + std::min(ahead, 25), ONE);
    int taker = next;
    for (int step = (ahead - 1) % playing; step > 0; step--) taker = next_seat(g, taker);
    in.add(LAST_TAKER + (taker - seat + n) % n, ONE);
    in.add(FREE_COUNT + std::min(free, 9), ONE);
    in.add(LAYOUT + r.layout(g.number) * 2 + (r.large || n > 2), ONE);
    const int margin = within(now[seat] - score, 15) + 15;
    in.add(POINTS + within(pieces.points[seat] - points, 15) + 15, ONE);
    in.add(SCORE + margin, ONE);
    if (ahead <= 3) in.add(END + (ahead - 1) * MARGINS + margin, ONE);
    const Player& me = g.player[seat];
    if (me.last > last) in.add(TIE_BREAK, ONE);
    in.add(FULL + mine * 4 + me.full, ONE), in.add(OTHERS_FULL + std::min(3, full), ONE);
    if (!mine) in.add(NEXT_FULL + g.player[next].full, ONE);
    in.add(TOKENS_LEFT + tokens_left(g), ONE);
    in.add(SHERPAS + std::min(4, told.sherpas), ONE);
    if (told.sherpas) {
        in.add(FLIP + told.best_flip(seat, own), ONE);
        if (!mine) in.add(NEXT_FLIP + told.best_flip(next, others), ONE);
    }
    in.add(TO_ACT + (next - seat + n) % n, ONE);
    in.add(IN_GAME + n - 2, ONE), in.add(PLAYING + playing - 2, ONE);
    for (int step = 1; step < n; step++) {
        const int s = (seat + step) % n;
        if (!g.plays(s)) continue;
        in.add(AGAINST + step - 1, within(now[seat] - now[s], 32) * 8);
        if ((n > 2 || cut) && g.player[s].flags) in.add(FLAG + step - 1, ONE);
    }
    if (n > 2 || cut) {
        if (me.flags) in.add(OWN_FLAG, ONE);
        in.add(ROUND + g.number - 1, ONE);
    }
    if (cut) {
        in.add(CUT, ONE), in.add(TOTAL + within(g.sums[seat] + now[seat] - total, 15) + 15, ONE);
        in.add(FLAG_LEAD + within(me.flags - flags, 1) + 1, ONE);
    }
}
}  // namespace migo
