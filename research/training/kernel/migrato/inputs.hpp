// What the net is told of an information set: whole numbers, 64 for 1.0, the same as domain/migrato/net/inputs.py.
//
// Judged is the moment after a seat's discard and before its draw. The *pool* is what may be drawn as the seat knows it
// at the beginning of its turn; then comes the opponent's side, then the own one.
#pragma once
#include "rules.hpp"

constexpr int CLASSES = 5;
constexpr int KINDS = 38;  // kinds of cards: species, phase and class of birds, and the dangers
constexpr int USUAL_SIZE = 54;  // cards, as if every deck list had so many
constexpr int USUAL_CARDS[SPECIES] = {14, 11, 11, 8, 5}, USUAL_BIRDS[SPECIES] = {56, 32, 39, 20, 15};
constexpr int WORTH = 4096;  // a worth of 1.0
constexpr int CHANCE = 65536;  // a probability of 1.0
constexpr int PATIENCE = 225, HASTE = 192;  // of 256: what is left of a worth when it comes one turn later

enum Layout {
    LEFT = 0,
    CLOSED = LEFT + KINDS,
    PILE = CLOSED + KINDS,
    DECK = PILE + KINDS,
    DECK_LIST = DECK + 2,
    OPTIONS = DECK_LIST + 2 * SPECIES,
    LIMIT = OPTIONS + 3,
    THEIRS = LIMIT + 8,
    THEIR_DOWN = THEIRS + SPECIES * 6 * CLASSES,
    THEIR_DARK = THEIR_DOWN + SPECIES,
    THEIR_COLUMNS = THEIR_DARK + 12,
    THEIR_HAND = THEIR_COLUMNS + 5,
    THEIR_PROSPECTS = THEIR_HAND + 4,
    OWN = THEIR_PROSPECTS + 3 * SPECIES,
    OWN_DAY = OWN + SPECIES * 5 * CLASSES,
    OWN_TOP = OWN_DAY + SPECIES,
    OWN_COLUMNS = OWN_TOP + SPECIES * CLASSES,
    OWN_MUDDLES = OWN_COLUMNS + 5,
    HAND = OWN_MUDDLES + 5,
    HELD = HAND + KINDS,
    LANDED = HELD + 5,
    FLIGHTS = LANDED + 4 * SPECIES,
    LEAD = FLIGHTS + 3 * SPECIES,
    LEAD_IS = LEAD + 3,
    MISSING = LEAD_IS + 17,
    PROSPECTS = MISSING + 15,
    FITS = PROSPECTS + 3 * SPECIES,
    LAST = FITS + 3 * SPECIES,
    OPPONENT = LAST + 10,
    INPUTS = OPPONENT + 1,
};

inline int kind_of(const Rules& r, int face) {
    if (face >= FIRST_DANGER) return 35 + face - FIRST_DANGER;
    return (face - 1) / 9 * 5 + r.rank[F.species[face]][F.birds[face]];
}

// What the seat knows of the opponent's hidden cards, in expectation: `closed` of a face are there, so many of them in
// hand. The domain keeps every hypothesis (domain/migrato/belief); this is their mean field.
struct Knowledge {
    float closed[FACES] = {}, in_hand = 0;
    float all() const {
        float sum = 0;
        for (float x : closed) sum += x;
        return sum;
    }
    void seen_card(int face, float places, float open_places, const int* left) {  // places that closed cards take
        float sum = all(), open = 0;
        if (sum < 1e-3f || closed[face] <= 0) return;
        for (int f = 1; f < FACES; f++) open += std::max(0.f, left[f] - closed[f]);
        float a = places * closed[face] / sum;
        float b = open < 1e-3f ? 0 : std::max(0.f, open_places) * std::max(0.f, left[face] - closed[face]) / open;
        float p = a + b > 0 ? a / (a + b) : 1;
        closed[face] = std::max(0.f, closed[face] - p);
    }
    void shown_from_hand(int face, int held, const int* left) {
        float before = all();
        seen_card(face, in_hand, held - in_hand, left);
        in_hand = std::max(0.f, in_hand - (before - all()));
    }
    void laid_down(int held) { in_hand *= (held - 1.f) / held; }
    void turned_up(int face, int down, const int* left) {
        float places = std::max(0.f, all() - in_hand);
        seen_card(face, places, down - places, left);
    }
    void stolen(int face) { closed[face] += 1, in_hand += 1; }
    void reshuffled(const int* left, int held) {
        for (int f = 1; f < FACES; f++) closed[f] = left[f];
        in_hand = held;
    }
};

struct Offer {
    int worth, rate;
    bool operator<(const Offer& o) const { return worth != o.worth ? worth > o.worth : rate > o.rate; }
};
// How soon and with how many points a flock lands, by what may be drawn: as domain/migrato/net/prospects.py.
struct Prospects {
    const std::vector<std::pair<int, int>>* supply = nullptr;  // by species: birds, chance; most birds first
    int patience = 0;
    bool points = false;
    int memo[SPECIES][6][10][10];
    void begin(const std::vector<std::pair<int, int>>* of, int patience_, bool points_) {
        supply = of, patience = patience_, points = points_;
        memset(memo, -1, sizeof memo);
    }
    int wait(int s, int lacking, int top, int bottom) {
        if (!lacking) return points ? bottom * WORTH : WORTH;
        const int known = memo[s][lacking][top][bottom];
        return known >= 0 ? known : found(s, lacking, top, bottom);
    }
    __attribute__((noinline)) int found(int s, int lacking, int top, int bottom) {
        Offer offers[10];
        int n = 0;
        for (auto [birds, chance] : supply[s]) {
            Offer offer{0, 5 * chance / 2};
            if (birds <= bottom) offer.worth = wait(s, lacking - 1, lacking == GOAL[s] ? birds : top, birds);
            else if (birds >= top) offer.worth = patience * wait(s, lacking - 1, birds, bottom) / 256;
            else continue;
            int at = n++;
            for (; at && offer < offers[at - 1]; at--) offers[at] = offers[at - 1];
            offers[at] = offer;
        }
        // an offer is worth taking if it is worth more than to wait for better ones: gain / of
        int64_t gain = 0, of = (256 - patience) * CHANCE, left = CHANCE;
        for (int i = 0; i < n && offers[i].worth * of > gain; i++) {
            const int64_t fresh = std::min<int64_t>(offers[i].rate, left);
            left -= fresh, gain += patience * fresh * offers[i].worth, of += patience * fresh;
        }
        return memo[s][lacking][top][bottom] = static_cast<int>(gain / of);
    }
    int worth(int s, int lacking, int top, int bottom, const int* held, int n) {
        int best = wait(s, lacking, top, bottom);
        if (lacking)
            for (int i = 0; i < n; i++) {
                int w;
                if (held[i] <= bottom)
                    w = patience * worth(s, lacking - 1, lacking == GOAL[s] ? held[i] : top, held[i], held + i + 1, n - i - 1) / 256;
                else if (held[i] >= top)
                    w = patience * (patience * worth(s, lacking - 1, held[i], bottom, held + i + 1, n - i - 1) / 256) / 256;
                else continue;
                best = std::max(best, w);
            }
        return best;
    }
};

struct Worths {
    u32 key = 0;
    int points, tempo, hurry;
};
struct Pool {  // what may be drawn, as a seat sees it at the beginning of its turn
    std::vector<std::pair<int, int>> supply[SPECIES];
    Prospects points, tempo, hurry;
    Worths found[SPECIES][64];  // for hands and flocks met before: moves have most of them in common
    const Worths& worths(int s, int lacking, int top, int bottom, const int* held, int n) {
        u32 key = 1;
        for (int i = 0; i < n; i++) key = key << 4 | held[i];
        key = ((key << 3 | lacking) << 4 | top) << 4 | bottom;
        Worths& w = found[s][key * 0x9E3779B1u >> 26];
        if (w.key != key)
            w = {key, points.worth(s, lacking, top, bottom, held, n), tempo.worth(s, lacking, top, bottom, held, n),
                 hurry.worth(s, lacking, top, bottom, held, n)};
        return w;
    }
    Inputs inputs;
    // `closed`: 64 for each card of the face that is known to be the opponent's
    void begin(const Game& g, const int* left, const int* closed) {
        const Rules& r = *g.rules;
        inputs.n = 0;
        int near = std::max(0, 12 - g.deck_size), kinds[3][KINDS] = {};
        int sum = 0;
        for (int f = 1; f < FACES; f++) {
            int k = kind_of(r, f), open = std::max(0, ONE * left[f] - closed[f]);
            kinds[0][k] += open, kinds[1][k] += closed[f], kinds[2][k] += g.discarded[f];
            sum += open;
        }
        const int soon = std::max(0, 16 - g.deck_size), size = r.cards;
        for (int k = 0; k < KINDS; k++) {
            inputs.add(LEFT + k, kinds[0][k] * USUAL_SIZE / size / 2);
            inputs.add(CLOSED + k, kinds[1][k]);
            inputs.add(PILE + k, kinds[2][k] * USUAL_SIZE * soon * 2 / size);
        }
        for (int s = 0; s < SPECIES; s++) {
            supply[s].clear();
            int chance[10] = {};
            for (int f = 1; f < FIRST_DANGER; f++)
                if (F.species[f] == s) {
                    int open = std::max(0, ONE * left[f] - closed[f]);
                    chance[F.birds[f]] += (12 - near) * open * (CHANCE / 16) / (12 * std::max(ONE, sum)) * 16;
                    if (near && g.discards) chance[F.birds[f]] += near * g.discarded[f] * CHANCE / (12 * g.discards);
                }
            for (int b = 9; b; b--)
                if (chance[b]) supply[s].push_back({b, chance[b]});
        }
        points.begin(supply, PATIENCE, true), tempo.begin(supply, PATIENCE, false), hurry.begin(supply, HASTE, false);
        for (auto& of : found)
            for (Worths& w : of) w.key = 0;
        inputs.add(DECK, g.deck_size * USUAL_SIZE * 3 / (2 * size)), inputs.add(DECK + 1, near * ONE / 12);
        for (int s = 0; s < SPECIES; s++) {
            int n = 0, birds = 0;
            for (int f = 1; f < FIRST_DANGER; f++)
                if (F.species[f] == s) n += r.count[f], birds += r.count[f] * F.birds[f];
            inputs.add(DECK_LIST + s, n * USUAL_SIZE * 8 / size - USUAL_CARDS[s] * 8);
            inputs.add(DECK_LIST + SPECIES + s, birds * USUAL_SIZE * 2 / size - USUAL_BIRDS[s] * 2);
        }
        inputs.add(OPTIONS, r.opla * ONE), inputs.add(OPTIONS + 1, r.flights * ONE);
        int turns = r.last_turn - g.turn;
        if (turns < 24) {
            inputs.add(OPTIONS + 2, (24 - turns) * ONE / 24);
            inputs.add(LIMIT + (turns < 4 ? std::max(0, turns) : turns < 6 ? 4 : turns < 9 ? 5 : turns < 14 ? 6 : 7), ONE);
        }
    }
};

struct Theirs {  // the opponent's side as everybody sees it
    Inputs inputs;
    int tempo[SPECIES], length[SPECIES], bottom[SPECIES];
    void begin(const Game& g, int seat, Pool& pool) {
        const Side& other = g.side[1 - seat];
        const Rules& r = *g.rules;
        int top[SPECIES];
        inputs.n = 0;
        int used = 0;
        for (int s = 0; s < SPECIES; s++) tempo[s] = length[s] = 0, top[s] = bottom[s] = 9;
        for (int c = 0; c < SLOTS; c++) {
            int n = other.length[c], s = -1, birds = 0, down = 0, first = 9;
            if (!n) continue;
            used++;
            for (int i = 0; i < n; i++) {
                int f = other.column[c][i];
                if (F.night[f]) down++;
                else {
                    if (!i) first = F.birds[f];
                    s = F.species[f], birds = F.birds[f], down = 0;
                }
            }
            if (s >= 0) {
                inputs.add(THEIRS + s * 30 + std::min(n - 1, 5) * 5 + r.rank[s][birds], ONE);
                inputs.add(THEIR_DOWN + s, down * ONE);
            } else {
                int dark = other.landed >> STILT & 1;
                inputs.add(THEIR_DARK + dark * 6 + std::min(n, 5), ONE);
                s = dark ? GOOSE : STILT, birds = first = r.hidden_birds[s];
            }
            if (!(other.landed >> s & 1) && n <= GOAL[s]) {
                int shown = std::min(n, GOAL[s] - 1);
                if (shown > length[s]) length[s] = shown, bottom[s] = birds, top[s] = first;
            }
        }
        inputs.add(THEIR_COLUMNS + used, ONE), inputs.add(THEIR_HAND + std::min<int>(other.held, 3), ONE);
        for (int s = 0; s < SPECIES; s++) {
            if (other.landed >> s & 1) continue;
            int lacking = GOAL[s] - length[s];
            tempo[s] = pool.tempo.wait(s, lacking, top[s], bottom[s]);
            inputs.add(THEIR_PROSPECTS + s * 3, pool.points.wait(s, lacking, top[s], bottom[s]) / 128);
            inputs.add(THEIR_PROSPECTS + s * 3 + 1, tempo[s] / 32);
            inputs.add(THEIR_PROSPECTS + s * 3 + 2, pool.hurry.wait(s, lacking, top[s], bottom[s]) / 32);
        }
    }
};

inline void own_inputs(const Game& g, int seat, Pool& pool, const Theirs& theirs, bool weak_opponent, Inputs& in) {
    const Side &me = g.side[seat], &other = g.side[1 - seat];
    const Rules& r = *g.rules;
    int used = 0, muddles = 0, length[SPECIES] = {}, top[SPECIES], bottom[SPECIES];
    for (int s = 0; s < SPECIES; s++) top[s] = 0, bottom[s] = 9;
    for (int c = 0; c < SLOTS; c++) {
        int n = me.length[c];
        if (!n) continue;
        used++;
        int s = flock_of(me.column[c], n), last = me.column[c][n - 1];
        if (s < 0 || me.landed >> s & 1 || n > GOAL[s]) {
            muddles++;
            continue;
        }
        int b = F.birds[last], t = F.birds[me.column[c][0]], shown = std::min(n, GOAL[s] - 1);
        in.add(OWN + s * 25 + (n - 1) * 5 + r.rank[s][b], ONE);
        if (!F.night[last]) in.add(OWN_DAY + s, ONE);
        in.add(OWN_TOP + s * 5 + r.rank[s][t], ONE);
        if (shown > length[s] || (shown == length[s] && (b > bottom[s] || (b == bottom[s] && t < top[s]))))
            length[s] = shown, bottom[s] = b, top[s] = t;
    }
    in.add(OWN_COLUMNS + used, ONE), in.add(OWN_MUDDLES + muddles, ONE);
    for (int i = 0; i < me.held; i++) in.add(HAND + kind_of(r, me.hand[i]), ONE);
    in.add(HELD + std::min<int>(me.held, 4), ONE);
    for (int s = 0; s < SPECIES; s++) {
        in.add(LANDED + s * 4 + (me.landed >> s & 1) + 2 * (other.landed >> s & 1), ONE);
        if (r.flights) in.add(FLIGHTS + s * 3 + (me.flights >> s & 1 ? 1 : other.flights >> s & 1 ? 2 : 0), ONE);
    }
    int lead = lead_of(g, seat), capped = std::max(-8, std::min(8, lead)), turns = r.last_turn - g.turn;
    int missing = ALL_SPECIES & ~(me.landed | other.landed), sign = lead > 0 ? 0 : lead == 0 ? 1 : 2;
    in.add(LEAD, std::max(-24, std::min(24, lead)) * 13), in.add(LEAD + 1, std::max(-3, std::min(3, lead)) * 21);
    if (turns < 24) in.add(LEAD + 2, capped * ((24 - turns) / 2));
    in.add(LEAD_IS + capped + 8, ONE);
    if (missing) in.add(MISSING + (__builtin_popcount(missing) - 1) * 3 + sign, ONE);
    int tempo[SPECIES] = {};
    for (int s = 0; s < SPECIES; s++) {
        if (me.landed >> s & 1) continue;
        int held[5], n = 0, fitting = 0;
        for (int i = 0; i < me.held; i++)
            if (F.species[me.hand[i]] == s) {
                int at = n++, birds = F.birds[me.hand[i]];
                for (; at && held[at - 1] < birds; at--) held[at] = held[at - 1];
                held[at] = birds;
            }
        for (int i = 0; i < n; i++) fitting += held[i] <= bottom[s];
        int lacking = GOAL[s] - length[s];
        if (fitting) in.add(FITS + s * 3 + std::min(std::min(fitting, 3), lacking) - 1, ONE);
        const Worths& w = pool.worths(s, lacking, top[s], bottom[s], held, n);
        tempo[s] = w.tempo;
        in.add(PROSPECTS + s * 3, w.points / 128);
        in.add(PROSPECTS + s * 3 + 1, w.tempo / 32);
        in.add(PROSPECTS + s * 3 + 2, w.hurry / 32);
    }
    if (__builtin_popcount(missing) == 1) {  // whose landing ends the game
        int s = __builtin_ctz(missing), mine = lead + bottom[s], their = lead - theirs.bottom[s];
        in.add(LAST + sign, tempo[s] / 32), in.add(LAST + 3 + sign, theirs.tempo[s] / 32);
        if (mine > 0) in.add(LAST + 6, ONE);
        if (mine < 0) in.add(LAST + 7, ONE);
        if (their > 0) in.add(LAST + 8, ONE);
        if (their < 0) in.add(LAST + 9, ONE);
    }
    if (weak_opponent) in.add(OPPONENT, ONE);
}
