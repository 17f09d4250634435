// The rules of Migrato as the domain plays them (domain/migrato/rules), for games by the hundred thousand.
// Faces have the domain's numbers. `tests/research/test_training_kernel.py` compares both, move by move.
#pragma once
#include "../common.hpp"

constexpr int FACES = 67, FIRST_DANGER = 64, SPECIES = 5, SLOTS = 4, NEW = 4, HAND_SIZE = 3;
constexpr int FEWEST_CARDS = 39, MOST_CARDS = 200, MOST_OF_A_FACE = 54;  // of a deck list
constexpr int GOOSE = 0, KITE = 1, STILT = 2, BEE_EATER = 3, TEAL = 4, ALL_SPECIES = 31;
constexpr int GOAL[SPECIES] = {5, 4, 4, 3, 2};
constexpr int HUNTER = 64, HABITAT = 65, LIGHT = 66;

struct Faces {  // a face number is 9 to a species and phase, in the order of the domain's table
    int species[FACES], birds[FACES];
    bool night[FACES];
    Faces() {
        const int of[7] = {0, 0, 1, 2, 3, 4, 4};
        const bool by_night[7] = {false, true, false, true, false, false, true};
        species[0] = -1, birds[0] = 0, night[0] = true;
        for (int f = 1; f < FIRST_DANGER; f++) {
            species[f] = of[(f - 1) / 9], birds[f] = (f - 1) % 9 + 1, night[f] = by_night[(f - 1) / 9];
        }
        for (int f = FIRST_DANGER; f < FACES; f++) species[f] = -1, birds[f] = 0, night[f] = false;
    }
};
inline const Faces F;
inline u8 seen(u8 face) { return F.night[face] ? 0 : face; }
// The species of a column whose cards are all of one, the birds never rising; else -1.
inline int flock_of(const u8* column, int n) {
    for (int i = 0; i < n; i++)
        if (F.species[column[i]] != F.species[column[0]] || (i && F.birds[column[i]] > F.birds[column[i - 1]])) return -1;
    return F.species[column[0]];
}
inline bool steals(int danger, int face) {
    return danger == HABITAT || (danger == HUNTER) == !F.night[face];
}

struct Rules {
    bool opla = false, flights = false;
    int last_turn = 2000;
    int flight_points[SPECIES] = {3, 2, 2, 2, 1};
    u8 count[FACES] = {};
    int cards = 0;
    u8 night[SPECIES][10] = {};
    u8 rank[SPECIES][10] = {};      // the class of a number of birds, 0 the most, at most 4
    int hidden_birds[SPECIES] = {};  // what face-down columns are feared to have at their bottom
    mutable std::vector<u64> keys;
    mutable std::vector<u8> answers;
    mutable int known = 0;

    void finish() {
        cards = 0;
        memset(night, 0, sizeof night);
        for (int f = 0; f < FACES; f++) {
            cards += count[f];
            if (f && f < FIRST_DANGER && F.night[f]) night[F.species[f]][F.birds[f]] += count[f];
        }
        for (int s = 0; s < SPECIES; s++) {
            bool there[10] = {};
            for (int f = 1; f < FIRST_DANGER; f++)
                if (count[f] && F.species[f] == s) there[F.birds[f]] = true;
            int distinct = 0, at = 0;
            for (int b = 1; b < 10; b++) distinct += there[b];
            for (int b = 9; b > 0; b--) {
                rank[s][b] = std::min(4, distinct > 5 ? at * 5 / distinct : at);
                at += there[b];
            }
            hidden_birds[s] = 0;
            for (int b = 1; b < 10; b++)
                if (night[s][b]) hidden_birds[s] = b;
        }
        if (hidden_birds[GOOSE] > 1) hidden_birds[GOOSE]--;
        keys.assign(1 << 14, 0), answers.assign(1 << 14, 0), known = 0;
    }
    bool fills(int s, const u8* shape, int n) const {
        if (n > GOAL[s]) return false;
        int left[10];
        for (int b = 0; b < 10; b++) left[b] = night[s][b];
        for (int i = 0; i < n; i++)
            if (shape[i]) {
                if (F.species[shape[i]] != s) return false;
                if (F.night[shape[i]]) left[F.birds[shape[i]]]--;
            }
        int above = 9;
        for (int i = 0; i < n; i++) {
            if (shape[i]) {
                if (F.birds[shape[i]] > above) return false;
                above = F.birds[shape[i]];
                continue;
            }
            int below = 0;
            for (int j = i; j < n && !below; j++) below = F.birds[shape[j]];
            int b = above;
            while (b >= std::max(1, below) && left[b] <= 0) b--;
            if (b < std::max(1, below)) return false;
            above = b, left[b]--;
        }
        return true;
    }
    bool possible(const u8* shape, int n) const {
        if (n > 5) return false;
        u64 key = n + 1;
        for (int i = 0; i < n; i++) key = key << 7 | shape[i];
        u64 mask = keys.size() - 1, at = key * 0x9E3779B97F4A7C15ull >> 40 & mask;
        while (keys[at]) {
            if (keys[at] == key) return answers[at];
            at = (at + 1) & mask;
        }
        bool answer = false;
        for (int s = 0; s < SPECIES && !answer; s++) answer = fills(s, shape, n);
        if (++known > static_cast<int>(keys.size()) / 2) std::fill(keys.begin(), keys.end(), 0), known = 0, at = key * 0x9E3779B97F4A7C15ull >> 40 & mask;
        keys[at] = key, answers[at] = answer;
        return answer;
    }
};

struct Side {
    u8 hand[5] = {}, held = 0;
    u8 column[SLOTS][6] = {}, length[SLOTS] = {};
    u8 pile[SPECIES][5] = {}, height[SPECIES] = {};
    u8 landed = 0, flights = 0;
};
enum Kind : u8 { PLAY, MOVE, STEAL, ROB, EXCHANGE, ABANDON, PASS };
struct Action {
    Kind kind;
    u8 card, slot, index, target, uncover, returns;
};
struct Game {
    const Rules* rules = nullptr;
    Side side[2];
    u8 deck[MOST_CARDS], discarded[FACES];
    int deck_size = 0, discards = 0, turn = 1;
    u8 to_act = 0, over = 0;
};

inline int score(const Side& p, const Rules& r) {
    int points = 0;
    for (int s = 0; s < SPECIES; s++) {
        if (p.height[s]) points += F.birds[p.pile[s][p.height[s] - 1]];
        if (p.flights >> s & 1) points += r.flight_points[s];
    }
    return points;
}
inline int lead_of(const Game& g, int seat) {
    return score(g.side[seat], *g.rules) - score(g.side[1 - seat], *g.rules);
}
inline int flights_left(const Game& g) {
    return g.rules->flights ? ALL_SPECIES & ~(g.side[0].flights | g.side[1].flights) : 0;
}
inline int species_seen(const u8* shape, int n) {
    for (int i = 0; i < n; i++)
        if (shape[i]) return F.species[shape[i]];
    return -1;
}
inline bool may_arrive(const u8* shape, int n, int flights) {
    int s = species_seen(shape, n);
    if (s >= 0) return flights >> s & 1;
    return (n == 5 && (flights >> GOOSE & 1)) || ((n == 4 || n == 5) && (flights >> STILT & 1)) ||
           (n == 2 && (flights >> TEAL & 1));
}

inline int legal_actions(const Game& g, Action* out) {
    const Side &me = g.side[g.to_act], &other = g.side[1 - g.to_act];
    const Rules& r = *g.rules;
    int n = 0, flights = flights_left(g) & ~me.landed;
    u8 shape[SLOTS][12];
    bool free = false;
    for (int c = 0; c < SLOTS; c++) {
        free |= !me.length[c];
        for (int i = 0; i < me.length[c]; i++) shape[c][i] = seen(me.column[c][i]);
    }
    auto with_choice = [&](Action a, bool choice) {
        out[n++] = a;
        if (choice) a.returns = 1, out[n++] = a;
    };
    for (int h = 0; h < me.held; h++) {
        u8 card = me.hand[h];
        if (std::find(me.hand, me.hand + h, card) != me.hand + h) continue;
        if (card >= FIRST_DANGER) {
            for (int c = 0; c < SLOTS; c++)
                if (other.length[c] && steals(card, other.column[c][other.length[c] - 1]))
                    out[n++] = {STEAL, card, static_cast<u8>(c), 0, 0, 0, 0};
            for (int s = 0; s < SPECIES; s++)
                if (other.height[s] > 1 && steals(card, other.pile[s][other.height[s] - 1]))
                    out[n++] = {ROB, card, static_cast<u8>(s), 0, 0, 0, 0};
        } else if (!(me.landed >> F.species[card] & 1)) {
            bool new_column = true, flight = flights >> F.species[card] & 1;
            for (int c = 0; c < SLOTS; c++) {
                if (me.length[c]) {
                    shape[c][me.length[c]] = card;
                    if (r.possible(shape[c], me.length[c] + 1))
                        with_choice({PLAY, card, static_cast<u8>(c), 0, 0, 0, 0},
                                    flight && me.length[c] + 1 == GOAL[F.species[card]]);
                } else if (new_column) {
                    new_column = false;
                    out[n++] = {PLAY, card, NEW, 0, 0, 0, 0};
                }
            }
        }
    }
    for (int c = 0; c < SLOTS; c++) {
        if (!me.length[c]) continue;
        for (int t = 0; t < SLOTS; t++) {
            if (t == c || !me.length[t]) continue;
            for (int start = 0; start < (r.opla ? 1 : me.length[c]); start++) {
                u8 result[12];
                memcpy(result, shape[t], me.length[t]);
                int m = me.length[t];
                for (int i = start; i < me.length[c]; i++) result[m++] = shape[c][i];
                if (!r.possible(result, m)) continue;
                int s = species_seen(result, m);
                bool may = may_arrive(result, m, flights);
                Action a{MOVE, 0, static_cast<u8>(c), static_cast<u8>(start), static_cast<u8>(t), 0, 0};
                with_choice(a, s >= 0 && m == GOAL[s] && may);
                if (s < 0 && (m == 2 || m == 4 || m == 5)) a.uncover = 1, with_choice(a, may);
            }
        }
        if (free)
            for (int start = 1; start < me.length[c]; start++)
                out[n++] = {MOVE, 0, static_cast<u8>(c), static_cast<u8>(start), NEW, 0, 0};
    }
    if (me.held) out[n++] = {EXCHANGE, 0, 0, 0, 0, 0, 0};
    for (int c = 0; c < SLOTS; c++)
        if (me.length[c]) out[n++] = {ABANDON, 0, static_cast<u8>(c), 0, 0, 0, 0};
    if (!n) out[n++] = {PASS, 0, 0, 0, 0, 0, 0};
    return n;
}

inline void take_from_hand(Side& p, u8 card) {
    int at = std::find(p.hand, p.hand + p.held, card) - p.hand;
    if (at == p.held) abort();
    for (; at + 1 < p.held; at++) p.hand[at] = p.hand[at + 1];
    p.held--;
}
inline void to_pile(Game& g, u8 card) { g.discarded[card]++, g.discards++; }
inline void column_to_pile(Game& g, Side& p, int c) {
    for (int i = 0; i < p.length[c]; i++) to_pile(g, p.column[c][i]);
    p.length[c] = 0;
}
inline int arriving(const u8* column, int n, int landed, bool after_move) {
    int s = F.species[column[0]], above = 9;
    if (landed >> s & 1 || !(n == GOAL[s] || (after_move && s == STILT && n == 5))) return -1;
    for (int i = 0; i < n; i++) {
        if (F.species[column[i]] != s || F.birds[column[i]] > above) return -1;
        above = F.birds[column[i]];
    }
    return s;
}
inline void sweep(Game& g, Side& me, int s) {
    for (int c = 0; c < SLOTS; c++) {
        if (g.rules->opla) {
            int kept = 0;
            for (int i = 0; i < me.length[c]; i++) {
                if (F.species[me.column[c][i]] == s) to_pile(g, me.column[c][i]);
                else me.column[c][kept++] = me.column[c][i];
            }
            me.length[c] = kept;
        } else {
            bool visible = false;
            for (int i = 0; i < me.length[c]; i++)
                visible |= !F.night[me.column[c][i]] && F.species[me.column[c][i]] == s;
            if (visible) column_to_pile(g, me, c);
        }
    }
}
inline void check_column(Game& g, int c, bool after_move, bool returns) {
    Side& me = g.side[g.to_act];
    int s = arriving(me.column[c], me.length[c], me.landed, after_move);
    if (s < 0) return column_to_pile(g, me, c);
    if (returns && flights_left(g) >> s & 1) {
        me.flights |= 1 << s;
        return column_to_pile(g, me, c);
    }
    memcpy(me.pile[s], me.column[c], me.length[c]);
    me.height[s] = me.length[c], me.length[c] = 0, me.landed |= 1 << s;
    sweep(g, me, s);
    g.over = (g.side[0].landed | g.side[1].landed) == ALL_SPECIES;
}
// The action; true if a discard must follow.
inline bool act(Game& g, const Action& a) {
    Side &me = g.side[g.to_act], &other = g.side[1 - g.to_act];
    switch (a.kind) {
    case PLAY: {
        int c = a.slot;
        if (c == NEW) c = std::find(me.length, me.length + SLOTS, 0) - me.length;
        take_from_hand(me, a.card);
        me.column[c][me.length[c]++] = a.card;
        if (me.length[c] == GOAL[F.species[a.card]]) check_column(g, c, false, a.returns);
        break;
    }
    case MOVE: {
        int t = a.target;
        if (t == NEW) t = std::find(me.length, me.length + SLOTS, 0) - me.length;
        for (int i = a.index; i < me.length[a.slot]; i++) me.column[t][me.length[t]++] = me.column[a.slot][i];
        me.length[a.slot] = a.index;
        if (a.target != NEW) {
            int s = -1;
            for (int i = 0; i < me.length[t] && s < 0; i++)
                if (!F.night[me.column[t][i]]) s = F.species[me.column[t][i]];
            if (s < 0 ? a.uncover : me.length[t] == GOAL[s]) check_column(g, t, true, a.returns);
        }
        break;
    }
    case STEAL:
    case ROB:
        take_from_hand(me, a.card), to_pile(g, a.card);
        me.hand[me.held++] = a.kind == STEAL ? other.column[a.slot][--other.length[a.slot]]
                                             : other.pile[a.slot][--other.height[a.slot]];
        break;
    case EXCHANGE:
        for (int i = 0; i < me.held; i++) to_pile(g, me.hand[i]);
        me.held = 0;
        return false;
    case ABANDON: column_to_pile(g, me, a.slot); return false;
    case PASS: return false;
    }
    return !g.over && me.held > 0;
}
inline void discard(Game& g, u8 card) { take_from_hand(g.side[g.to_act], card), to_pile(g, card); }
// The draw and the turn's end; true if the deck was reshuffled.
inline bool end_turn(Game& g, const Action& a, Rng& rng) {
    bool reshuffled = false;
    if (g.over) return false;
    Side& me = g.side[g.to_act];
    if (a.kind != ABANDON && a.kind != PASS)
        while (me.held < HAND_SIZE) {
            if (!g.deck_size) {
                if (!g.discards) break;
                for (int f = 0; f < FACES; f++)
                    while (g.discarded[f]) g.discarded[f]--, g.deck[g.deck_size++] = f;
                g.discards = 0, reshuffled = true;
                rng.shuffle(g.deck, g.deck_size);
            }
            me.hand[me.held++] = g.deck[--g.deck_size];
        }
    if (g.turn++ == g.rules->last_turn) g.over = 1;
    else g.to_act ^= 1;
    return reshuffled;
}
inline void deal(Game& g, const Rules& rules, Rng& rng) {
    g = Game();
    g.rules = &rules;
    memset(g.discarded, 0, sizeof g.discarded);
    for (int f = 0; f < FACES; f++)
        for (int k = 0; k < rules.count[f]; k++) g.deck[g.deck_size++] = f;
    rng.shuffle(g.deck, g.deck_size);
    for (int i = 0; i < HAND_SIZE; i++)
        for (auto& side : g.side) side.hand[side.held++] = g.deck[--g.deck_size];
}
inline void unseen(const Game& g, int seat, int* left) {
    const Side &me = g.side[seat], &other = g.side[1 - seat];
    for (int f = 0; f < FACES; f++) left[f] = g.rules->count[f] - g.discarded[f];
    for (int i = 0; i < me.held; i++) left[me.hand[i]]--;
    for (int c = 0; c < SLOTS; c++) {
        for (int i = 0; i < me.length[c]; i++) left[me.column[c][i]]--;
        for (int i = 0; i < other.length[c]; i++)
            if (!F.night[other.column[c][i]]) left[other.column[c][i]]--;
    }
    for (int s = 0; s < SPECIES; s++) {
        for (int i = 0; i < me.height[s]; i++) left[me.pile[s][i]]--;
        for (int i = 0; i < other.height[s]; i++) left[other.pile[s][i]]--;
    }
}
