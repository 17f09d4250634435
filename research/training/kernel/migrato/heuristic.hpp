// The domain's bot `heuristic` (domain/migrato/bots/heuristic.py): whom the net starts from and is measured against.
#pragma once
#include "rules.hpp"

namespace heuristic {
constexpr double PATIENCE = 0.88, LANDING = 2.0, VICTORY = 8.0, THREAT = 0.8, SPARE = 0.05, CROWDED = 0.4, SLOT = 0.2,
                 DANGER_CARD = 0.25, NEW_CARD = 0.2, DRAWS = 2.5, DECISIVE = 1000.0;
struct Kind {
    int birds, cards;
    double chance;
};
struct Plans {
    const std::vector<Kind>* supply;
    int last, lead;
    double memo[SPECIES][6][10][6];
    void begin(const std::vector<Kind>* of, int last_, int lead_) {
        supply = of, last = last_, lead = lead_;
        std::fill(&memo[0][0][0][0], &memo[0][0][0][0] + SPECIES * 6 * 10 * 6, -1.0);
    }
    double landing(int s, int birds) const {
        if (s != last) return birds + LANDING;
        int then = lead + birds;
        return then > 0 ? birds + LANDING + VICTORY : then == 0 ? birds : 0.0;
    }
    double wait(int s, int lacking, int bottom, int drawn) {
        if (!lacking) return landing(s, bottom);
        double& known = memo[s][lacking][bottom][drawn];
        if (known >= 0) return known;
        std::pair<double, double> offers[10];
        int n = 0;
        for (auto& kind : supply[s]) {
            int used = kind.birds == bottom ? drawn : 0;
            if (kind.birds <= bottom && kind.cards > used)
                offers[n++] = {wait(s, lacking - 1, kind.birds, used + 1), DRAWS * kind.chance * (kind.cards - used) / kind.cards};
        }
        std::sort(offers, offers + n, std::greater<>());
        double best = 0, gain = 0, chance = 0;
        for (int i = 0; i < n; i++) {
            double fresh = std::min(offers[i].second, 1 - chance);
            chance += fresh, gain += fresh * offers[i].first;
            best = std::max(best, PATIENCE * gain / (1 - PATIENCE * (1 - chance)));
        }
        return known = best;
    }
    double worth(int s, int lacking, int bottom, const int* held, int n) {
        double best = wait(s, lacking, bottom, 0);
        if (lacking)
            for (int i = 0; i < n; i++)
                if (held[i] <= bottom) best = std::max(best, PATIENCE * worth(s, lacking - 1, held[i], held + i + 1, n - i - 1));
        return best;
    }
};
struct Judge {
    const Game& g;
    const Side &me, &other;
    int lead;
    bool lost = false;
    std::vector<Kind> supply[SPECIES];
    Plans mine, theirs;
    double threat;

    explicit Judge(const Game& game)
        : g(game), me(game.side[game.to_act]), other(game.side[1 - game.to_act]), lead(lead_of(game, game.to_act)) {
        int missing = ALL_SPECIES & ~(me.landed | other.landed);
        int last = __builtin_popcount(missing) == 1 ? __builtin_ctz(missing) : -1;
        fill_supply();
        if (last >= 0 && (me.landed | 1 << last) == ALL_SPECIES && !(flights_left(g) >> last & 1)) {
            int left = GOAL[last], points = 0;
            for (int b = 9; b && left > 0; b--)
                for (int f = 1; f < FIRST_DANGER; f++)
                    if (F.species[f] == last && F.birds[f] == b && g.rules->count[f] && left > 0) left -= g.rules->count[f], points = b;
            lost = lead + points < 0;
        }
        bool returns = last >= 0 && lead < 0 && (flights_left(g) >> last & 1);
        mine.begin(supply, lost || returns ? -1 : last, lead), theirs.begin(supply, last, -lead);
        threat = threat_of(-1);
    }
    void fill_supply() {
        int left[FACES], total = 0;
        unseen(g, g.to_act, left);
        for (int f = 1; f < FACES; f++) total += left[f];
        double again = std::max(0.0, 1 - g.deck_size / 12.0), share = (1 - again) / std::max(1, total);
        int cards[SPECIES][10] = {};
        double chance[SPECIES][10] = {};
        for (int f = 1; f < FIRST_DANGER; f++) {
            int s = F.species[f], b = F.birds[f];
            if (left[f]) cards[s][b] += left[f], chance[s][b] += left[f] * share;
            if (again > 0 && g.discards && g.discarded[f])
                cards[s][b] += g.discarded[f], chance[s][b] += g.discarded[f] * (again / g.discards);
        }
        for (int s = 0; s < SPECIES; s++)
            for (int b = 9; b; b--)
                if (cards[s][b]) supply[s].push_back({b, cards[s][b], chance[s][b]});
    }
    double threat_of(int robbed) {
        double total = 0;
        for (int c = 0; c < SLOTS; c++) {
            int n = other.length[c] - (c == robbed), s = -1, bottom = 0;
            if (n <= 0) continue;
            for (int i = 0; i < n; i++)
                if (!F.night[other.column[c][i]]) {
                    if (s < 0) s = F.species[other.column[c][i]];
                    bottom = F.birds[other.column[c][i]];
                }
            if (s < 0) s = other.landed >> STILT & 1 ? GOOSE : STILT, bottom = s == STILT ? 6 : 4;
            if (!(other.landed >> s & 1) && n <= GOAL[s]) total += theirs.worth(s, std::max(1, GOAL[s] - n), bottom, nullptr, 0);
        }
        return THREAT * total;
    }
    double side(const Side& p, const u8* hand, int held) {
        int free = 0, dangers = 0, flocks[SPECIES][SLOTS], count[SPECIES] = {};
        for (int c = 0; c < SLOTS; c++) {
            if (!p.length[c]) { free++; continue; }
            int s = flock_of(p.column[c], p.length[c]);
            if (s >= 0) flocks[s][count[s]++] = c;
        }
        for (int i = 0; i < held; i++) dangers += hand[i] >= FIRST_DANGER;
        double total = LANDING * __builtin_popcount(p.landed) + SLOT * std::min(free, 3) + DANGER_CARD * dangers;
        for (int s = 0; s < SPECIES; s++) {
            if (p.landed >> s & 1) continue;
            int birds[5], n = 0;
            for (int i = 0; i < held; i++)
                if (F.species[hand[i]] == s) birds[n++] = F.birds[hand[i]];
            std::sort(birds, birds + n, std::greater<>());
            if (!count[s]) {
                total += mine.worth(s, GOAL[s], 9, birds, n) * (free ? 1.0 : CROWDED);
                continue;
            }
            double best = -1e9, sum = 0;
            for (int i = 0; i < count[s]; i++) {
                int up = flocks[s][i], lacking = GOAL[s] - p.length[up], bottom = F.birds[p.column[up][p.length[up] - 1]];
                double alone = mine.worth(s, std::max(lacking, 0), bottom, birds, n);
                double w = lacking > 0 ? alone : PATIENCE * PATIENCE * alone;
                best = std::max(best, w), sum += w;
                for (int j = 0; j < count[s]; j++) {
                    int low = flocks[s][j];
                    if (low == up || bottom < F.birds[p.column[low][0]] || p.length[low] > lacking) continue;
                    double joined = PATIENCE * mine.worth(s, lacking - p.length[low], F.birds[p.column[low][p.length[low] - 1]], birds, n);
                    best = std::max(best, joined), sum += joined;
                }
            }
            total += best + SPARE * (sum - best);
        }
        return total;
    }
    double best_rest(const Side& p) {
        if (!p.held) return side(p, p.hand, 0);
        double best = -1e18;
        for (int i = 0; i < p.held; i++) {
            if (std::find(p.hand, p.hand + i, p.hand[i]) != p.hand + i) continue;
            best = std::max(best, side_without(p, i));
        }
        return best;
    }
    double side_without(const Side& p, int at) {
        u8 rest[5];
        int n = 0;
        for (int j = 0; j < p.held; j++)
            if (j != at) rest[n++] = p.hand[j];
        return side(p, rest, n);
    }
    double worth(const Action& a) {
        Side after = me;
        switch (a.kind) {
        case PLAY:
        case MOVE: return bird_worth(a, after);
        case STEAL:
        case ROB: {
            take_from_hand(after, a.card);
            int then = lead;
            double fear = threat;
            u8 card;
            if (a.kind == STEAL) card = seen(other.column[a.slot][other.length[a.slot] - 1]), fear = threat_of(a.slot);
            else {
                int n = other.height[a.slot];
                card = other.pile[a.slot][n - 1], then += F.birds[card] - F.birds[other.pile[a.slot][n - 2]];
            }
            if (!card) return then + side(after, after.hand, after.held) - fear - NEW_CARD;
            after.hand[after.held++] = card;
            return then + best_rest(after) - fear - NEW_CARD;
        }
        case EXCHANGE: return lead + side(me, me.hand, 0) - threat + NEW_CARD;
        case ABANDON: after.length[a.slot] = 0; return lead + side(after, after.hand, after.held) - threat - 2 * NEW_CARD;
        default: return -DECISIVE;
        }
    }
    double bird_worth(const Action& a, Side& p) {
        int t = a.kind == PLAY ? a.slot : a.target, points = 0;
        bool fresh = t == NEW, checked;
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
        if (checked) {
            int n = p.length[t], s = arriving(p.column[t], n, p.landed, a.kind == MOVE);
            p.length[t] = 0;
            if (s >= 0 && a.returns && flights_left(g) >> s & 1) points = g.rules->flight_points[s];
            else if (s >= 0) {
                points = F.birds[p.column[t][n - 1]], p.landed |= 1 << s;
                for (int c = 0; c < SLOTS; c++)
                    for (int i = 0; i < p.length[c]; i++)
                        if (F.species[p.column[c][i]] == s) p.length[c] = 0;
            }
        }
        int then = lead + points;
        if ((p.landed | other.landed) == ALL_SPECIES) return then > 0 || lost ? DECISIVE : then < 0 ? -DECISIVE : 0.0;
        return then + best_rest(p) - threat - (a.kind == PLAY ? 0 : NEW_CARD);
    }
};
inline Action choose(const Game& g, const Action* legal, int n) {
    Judge judge(g);
    int best = 0;
    double most = -1e18;
    for (int i = 0; i < n; i++) {
        double w = judge.worth(legal[i]);
        if (w > most) most = w, best = i;
    }
    return legal[best];
}
inline u8 choose_discard(const Game& g) {
    const Side& me = g.side[g.to_act];
    Judge judge(g);
    int best = 0;
    double most = -1e18;
    for (int i = 0; i < me.held; i++) {
        double w = judge.side_without(me, i);
        if (w > most) most = w, best = i;
    }
    return me.hand[best];
}
}  // namespace heuristic
