// The rules of Migo as the domain plays them (domain/migo/rules), for games by the hundred thousand.
// Faces, places and kinds have the domain's numbers. `tests/research/test_migo_kernel.py` compares both, move by move.
#pragma once
#include "../common.hpp"

namespace migo {
using u32 = uint32_t;
constexpr int CARDS = 25, FACES = 50, SEATS = 4, PLACES = 25, GEAR = 4, HAT = 4, BOTTLE = 5, SHERPA = 6;
constexpr int TOKENS = 3, MAJORITY = 4, SHARED = 2, ROPES = 0, PYRAMID = 1, PYRAMIDS = 2;
constexpr int MOST_MOVES = 640;
constexpr int ABSENT = -2, NOTHING = -1, NO_LIMIT = 1000000, NEVER = -1;

struct Shape {  // a layout: what lies over each place, directly and in all
    int size = 0;
    u32 over[PLACES] = {}, above[PLACES] = {};
    void close() {
        for (int p = size - 1; p >= 0; p--) {  // what covers a place has a higher number
            above[p] = over[p];
            for (int q = p + 1; q < size; q++)
                if (over[p] >> q & 1) above[p] |= above[q];
        }
    }
    void rope(int length) {
        for (int i = 0; i < length; i++, size++) over[size] = i + 1 < length ? 1u << (size + 1) : 0;
    }
    void pyramid(const std::vector<int>& rows) {
        for (size_t r = 0; r < rows.size(); r++) {
            const int width = rows[r], below = size + width, narrower = r + 1 < rows.size() ? rows[r + 1] : 0;
            for (int at = 0; at < width; at++, size++)
                for (int q : {at - 1, at})
                    if (q >= 0 && q < narrower) over[size] |= 1u << (below + q);
        }
    }
};
struct Shapes {
    Shape of[3][2];  // by name; small and large
    Shapes() {
        for (int length : {6, 5, 4, 3}) of[ROPES][0].rope(length);
        for (int length : {7, 6, 5, 4, 3}) of[ROPES][1].rope(length);
        of[PYRAMID][0].pyramid({6, 5, 4, 3});
        of[PYRAMID][1].pyramid({7, 6, 5, 4, 3});
        for (int i = 0; i < 3; i++) of[PYRAMIDS][0].pyramid({3, 2, 1});
        for (int i = 0; i < 3; i++) of[PYRAMIDS][1].pyramid(i == 1 ? std::vector<int>{3, 2, 1} : std::vector<int>{4, 3, 2});
        for (auto& sizes : of)
            for (Shape& s : sizes) s.close();
    }
};
inline const Shapes SHAPES;

struct Rules {
    int seats = 2, large = 0, round4 = ROPES, limit = NO_LIMIT;
    u8 kinds[FACES] = {}, counts[FACES] = {};
    int layout(int number) const { return number == 4 ? round4 : number - 1; }
    int last_round() const { return seats == 2 ? 3 : 4; }
};
struct Player {
    int held = 0, full = 0, empty = 0, flags = 0, last = NEVER;
    u8 cards[CARDS] = {};
};
struct Move {
    int place = 0, flip = ABSENT, drink = 0;
};
struct Game {
    const Rules* rules = nullptr;
    int to_act = 0, takes = 0, number = 1, starter = 0, dealt_cards = 0, resigned = 0, discards = 0;
    u32 lying = 0;
    u8 dealt[PLACES] = {}, discarded[CARDS] = {};
    Player player[SEATS];
    int sums[SEATS] = {};  // of the rounds that have ended
    const Shape& shape() const { return SHAPES.of[rules->layout(number)][rules->large || rules->seats > 2]; }
    bool plays(int seat) const { return !(resigned >> seat & 1); }
    int left() const { return __builtin_popcount(lying); }
    bool cut() const { return rules->limit < NO_LIMIT && takes >= rules->limit; }  // the turn limit ends the game
};

inline int tokens_left(const Game& g) {
    int taken = 0;
    for (int s = 0; s < g.rules->seats; s++) taken += g.player[s].full + g.player[s].empty;
    return TOKENS - taken;
}
inline int next_seat(const Game& g, int seat) {
    const int n = g.rules->seats;
    int following = (seat + 1) % n;
    while (!g.plays(following) && following != seat) following = (following + 1) % n;
    return following;
}
inline int legal_moves(const Game& g, Move* out) {
    const Player& me = g.player[g.to_act];
    const Rules& r = *g.rules;
    const Shape& shape = g.shape();
    const int choices = me.full > 0 && (g.lying & (g.lying - 1)) ? 2 : 1;
    int n = 0;
    for (int p = 0; p < shape.size; p++) {
        if (!(g.lying >> p & 1) || g.lying & shape.over[p]) continue;
        if (r.kinds[g.dealt[p]] != SHERPA) {
            for (int d = 0; d < choices; d++) out[n++] = {p, ABSENT, d};
            continue;
        }
        for (int d = 0; d < choices; d++) out[n++] = {p, NOTHING, d};
        for (int i = 0; i < me.held; i++)
            if (r.kinds[me.cards[i] ^ 1] != SHERPA)
                for (int d = 0; d < choices; d++) out[n++] = {p, me.cards[i] >> 1, d};
    }
    return n;
}
// What a legal take does itself; the end of a round or of the game is left out.
inline void take(Game& g, const Move& m) {
    const Rules& r = *g.rules;
    const int seat = g.to_act;
    Player& me = g.player[seat];
    int face = g.dealt[m.place];
    g.lying &= ~(1u << m.place);
    me.last = ++g.takes;
    g.to_act = next_seat(g, seat);
    if (r.kinds[face] == SHERPA) {
        g.discarded[g.discards++] = face;
        if (m.flip >= 0)
            for (int i = 0; i < me.held; i++)
                if (me.cards[i] >> 1 == m.flip) face = me.cards[i] ^= 1;
    } else me.cards[me.held++] = face;
    if (r.kinds[face] == BOTTLE && tokens_left(g) > 0) me.full++;
    if (m.drink) me.full--, me.empty++, g.to_act = seat;
}
inline void resign(Game& g, int seat) {  // of more than two
    Player& p = g.player[seat];
    g.resigned |= 1 << seat;
    for (int i = 0; i < p.held; i++) g.discarded[g.discards++] = p.cards[i];
    p.held = 0;
    if (g.to_act == seat) g.to_act = next_seat(g, seat);
}
// By seat the points without majorities, and the pieces by kind.
struct Pieces {
    int of[GEAR][SEATS] = {}, points[SEATS] = {};
    explicit Pieces(const Game& g) {
        const Rules& r = *g.rules;
        for (int s = 0; s < r.seats; s++) {
            const Player& p = g.player[s];
            points[s] = -2 * p.empty;
            for (int i = 0; i < p.held; i++) {
                const int kind = r.kinds[p.cards[i]], count = r.counts[p.cards[i]];
                if (kind < GEAR) of[kind][s] += count, points[s] += count;
                else if (kind == HAT) points[s] += 2 * count;
            }
        }
    }
    // What each seat gets for a kind.
    void majority(const Game& g, int kind, int* points_) const {
        int most = 0, n = 0, who[SEATS];
        for (int s = 0; s < g.rules->seats; s++) {
            if (!g.plays(s)) continue;
            if (of[kind][s] > most) most = of[kind][s], n = 0, who[n++] = s;
            else if (of[kind][s] == most && most) who[n++] = s;
        }
        if (n == 1) points_[who[0]] += MAJORITY;
        else if (n == 2 && g.rules->seats > 2) points_[who[0]] += SHARED, points_[who[1]] += SHARED;
    }
};
inline void scores(const Game& g, int* out) {
    Pieces pieces(g);
    for (int s = 0; s < SEATS; s++) out[s] = pieces.points[s];
    for (int k = 0; k < GEAR; k++) pieces.majority(g, k, out);
}
inline int round_winner(const Game& g, const int* points) {
    int best = -1;
    for (int s = 0; s < g.rules->seats; s++) {
        if (!g.plays(s)) continue;
        if (best < 0 || points[s] > points[best] || (points[s] == points[best] && g.player[s].last > g.player[best].last)) best = s;
    }
    return best;
}
// The share of the first place of each seat, when the turn limit has ended the game within a round.
inline void shares_when_cut(const Game& g, float* out) {
    int points[SEATS], best = -1, n = 0, rank[SEATS];
    scores(g, points);
    for (int s = 0; s < g.rules->seats; s++) {
        rank[s] = g.plays(s) ? g.player[s].flags * 10000 + g.sums[s] + points[s] + 1000 : -1;
        best = std::max(best, rank[s]);
    }
    for (int s = 0; s < g.rules->seats; s++) n += rank[s] == best;
    for (int s = 0; s < g.rules->seats; s++) out[s] = rank[s] == best ? 1.0f / n : 0;
}
inline void lay_out(Game& g, const u8* faces, int number, int starter) {
    const Rules& r = *g.rules;
    g.number = number, g.starter = g.to_act = starter, g.discards = 0;
    const Shape& shape = g.shape();
    for (int p = 0; p < shape.size; p++) {
        g.dealt[p] = faces[p];
        if (!shape.over[p] && r.kinds[faces[p]] == SHERPA) g.dealt[p] ^= 1;
    }
    g.lying = (1u << shape.size) - 1;
    for (Player& p : g.player) p.held = p.full = p.empty = 0, p.last = NEVER;
}
inline void deal(Game& g, const Rules& rules, int starter, Rng& rng) {
    g = Game();
    g.rules = &rules;
    u8 faces[CARDS];
    for (int c = 0; c < CARDS; c++) faces[c] = 2 * c + rng.below(2);
    rng.shuffle(faces, CARDS);
    lay_out(g, faces, 1, starter);
}
// The flag of the round that has ended; the winner of the game, or -1 and the next round is laid out.
inline int end_round(Game& g, Rng& rng) {
    const int n = g.rules->seats;
    int points[SEATS], lowest = -1;
    scores(g, points);
    const int winner = round_winner(g, points);
    for (int s = 0; s < n; s++) g.sums[s] += points[s];
    if (++g.player[winner].flags == 2 || g.number == g.rules->last_round()) return winner;
    for (int step = 0; step < n; step++) {
        const int s = (g.starter + 1 + step) % n;
        if (g.plays(s) && (lowest < 0 || points[s] < points[lowest])) lowest = s;
    }
    u8 faces[CARDS];
    bool there[CARDS] = {};
    int used = 0;
    for (int s = 0; s < n; s++)
        for (int i = 0; i < g.player[s].held; i++) faces[used++] = g.player[s].cards[i];
    for (int i = 0; i < g.discards; i++) faces[used++] = g.discarded[i];
    for (int i = 0; i < used; i++) there[faces[i] >> 1] = true;
    rng.shuffle(faces, used);
    for (int i = 0; i < used / 2; i++) faces[i] ^= 1;
    for (int c = 0; c < CARDS; c++)  // of the box nobody minds which face was up
        if (!there[c]) faces[used++] = 2 * c + rng.below(2);
    rng.shuffle(faces, CARDS);
    lay_out(g, faces, g.number + 1, lowest);
    return -1;
}
}  // namespace migo
