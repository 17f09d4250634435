// The net and a player that looks one move ahead with it.
#pragma once
#include "../layers.hpp"
#include "heuristic.hpp"
#include "inputs.hpp"

constexpr int H2 = 32;
using Net = Layers<INPUTS, H1, H2>;

// What the opponent may have face down at the bottom of a column: consistent flocks from many birds down.
inline void hidden_faces(const Game& g, int seat, int slot, const int* left, int samples, Rng& rng, int* faces) {
    const Side& other = g.side[1 - seat];
    const Rules& r = *g.rules;
    int n = other.length[slot];
    for (int k = 0; k < samples; k++) {
        int l[FACES], above = -1, most = 9, chosen = 0;
        memcpy(l, left, sizeof l);
        for (int i = 0; i < n; i++) {
            int face = other.column[slot][i];
            if (F.night[face]) {
                int species = above >= 0 ? F.species[above] : -1;
                for (int j = i; j < n && species < 0; j++)
                    if (!F.night[other.column[slot][j]]) species = F.species[other.column[slot][j]];
                float w[FACES], total = 0;
                for (int f = 1; f < FIRST_DANGER; f++) {
                    w[f] = 0;
                    if (!F.night[f] || l[f] <= 0) continue;
                    int s = F.species[f];
                    bool fits = (species < 0 || s == species) && !(other.landed >> s & 1) && n <= GOAL[s] && F.birds[f] <= most;
                    w[f] = l[f] * (fits ? std::pow(0.3f, r.rank[s][F.birds[f]]) : 0.003f);
                    total += w[f];
                }
                float at = rng.uniform() * total;
                for (int f = 1; f < FIRST_DANGER; f++)
                    if (w[f] > 0) {
                        face = f, at -= w[f];
                        if (at < 0) break;
                    }
                l[face]--;
            }
            above = face, most = F.birds[face], chosen = face;
        }
        faces[k] = chosen;
    }
}

struct Pick {
    Action action;
    int discard = -1;  // -1: none, or chosen when it is seen what was stolen
    float logit = -1e9f;
};
constexpr float CERTAIN = 12, MOST_LOGIT = 9;

struct Thinker {
    const Net& net;
    bool weak_opponent = false;
    float noise = 0;
    Pool pool;
    Theirs theirs;
    int left[FACES], seat = 0;
    alignas(64) float pool_sum[H1];
    alignas(64) float base[H1];

    explicit Thinker(const Net& of) : net(of) {}

    void begin(const Game& g, const Knowledge& known) {
        seat = g.to_act;
        int closed[FACES];
        unseen(g, seat, left);
        for (int f = 0; f < FACES; f++) closed[f] = std::lround(std::min<float>(left[f], known.closed[f]) * ONE);
        pool.begin(g, left, closed);
        memcpy(pool_sum, net.b1, sizeof pool_sum);
        net.accumulate(pool.inputs, pool_sum);
        face(g);
    }
    void face(const Game& g) {  // the opponent's side as it is there
        theirs.begin(g, seat, pool);
        memcpy(base, pool_sum, sizeof base);
        net.accumulate(theirs.inputs, base);
    }
    float judge(const Game& g) {
        if (g.over || g.turn == g.rules->last_turn) {
            int lead = lead_of(g, seat);
            return lead > 0 ? CERTAIN : lead < 0 ? -CERTAIN : 0;
        }
        Inputs own;
        own_inputs(g, seat, pool, theirs, weak_opponent, own);
        alignas(64) float h[H1], q[H2];
        memcpy(h, base, sizeof h);
        net.accumulate(own, h);
        constexpr float less = CERTAIN - 1e-3f;  // nothing that goes on is as sure as an end
        return std::max(-less, std::min(less, net.finish(h, q)));
    }
    Inputs inputs(const Game& g) {
        Inputs all = pool.inputs, own;
        own_inputs(g, seat, pool, theirs, weak_opponent, own);
        for (const Inputs* part : {&theirs.inputs, &own})
            for (int k = 0; k < part->n; k++) all.add(part->index[k], part->value[k]);
        return all;
    }
    float best_discard(const Game& g, int& card, float noisy, Rng& rng) {
        const Side& me = g.side[seat];
        float most = -1e9f;
        for (int i = 0; i < me.held; i++) {
            if (std::find(me.hand, me.hand + i, me.hand[i]) != me.hand + i) continue;
            Game after = g;
            discard(after, me.hand[i]);
            float v = judge(after) + (noisy > 0 ? noisy * rng.gumbel() : 0);
            if (v > most) most = v, card = me.hand[i];
        }
        return most;
    }
    float blind_theft(const Game& g, const Action& a, Rng& rng) {
        constexpr int SAMPLES = 6;
        int faces[SAMPLES], card;
        hidden_faces(g, seat, a.slot, left, SAMPLES, rng, faces);
        float sum = 0;
        std::sort(faces, faces + SAMPLES);
        float value = 0;
        for (int k = 0; k < SAMPLES; k++) {
            if (!k || faces[k] != faces[k - 1]) {
                Game after = g;
                Side& other = after.side[1 - seat];
                other.column[a.slot][other.length[a.slot] - 1] = faces[k];
                act(after, a);
                if (!k) face(after);
                value = sigmoid(best_discard(after, card, 0, rng));
            }
            sum += value;
        }
        face(g);
        float p = sum / SAMPLES;
        return p <= 0 ? -MOST_LOGIT : p >= 1 ? MOST_LOGIT : std::max(-MOST_LOGIT, std::min(MOST_LOGIT, std::log(p / (1 - p))));
    }
    // After `begin`.
    Pick choose(const Game& g, Rng& rng) {
        Action legal[256];
        int n = legal_actions(g, legal);
        Pick best;
        for (int i = 0; i < n; i++) {
            const Action& a = legal[i];
            const Side& other = g.side[1 - seat];
            int card = -1;
            float v;
            if (a.kind == STEAL && F.night[other.column[a.slot][other.length[a.slot] - 1]]) {
                v = blind_theft(g, a, rng) + (noise > 0 ? noise * rng.gumbel() : 0);
            } else {
                Game after = g;
                bool discards = act(after, a);
                if (a.kind == STEAL) face(after);
                if (discards) v = best_discard(after, card, noise, rng);
                else v = judge(after) + (noise > 0 && !after.over ? noise * rng.gumbel() : 0);
                if (a.kind == STEAL) face(g);
            }
            if (v > best.logit) best = {a, card, v};
        }
        return best;
    }
    // The pick up to before the draw; the judged moment, or false if the game is over.
    bool perform(Game& g, const Pick& pick, Rng& rng) {
        bool discards = act(g, pick.action);
        if (pick.action.kind == STEAL) face(g);
        if (discards) {
            int card = pick.discard;
            if (card < 0) best_discard(g, card, 0, rng);
            discard(g, card);
        }
        return !g.over && g.turn != g.rules->last_turn;
    }
};

// A turn as the other seat sees it: what it learns of its opponent's hidden cards.
inline void learn(Knowledge& known, const Game& before, const Game& after, const Action& a, int seat) {
    // `before` the action, `after` the discard, with the opponent of `seat` to act in both
    const Side &was = before.side[1 - seat], &is = after.side[1 - seat];
    int left[FACES], held = was.held, down = 0;
    unseen(before, seat, left);
    for (int c = 0; c < SLOTS; c++)
        for (int i = 0; i < was.length[c]; i++) down += F.night[was.column[c][i]];
    if (a.kind == PLAY && F.night[a.card]) known.laid_down(std::max(1, held)), down++, held--;
    else if (a.kind == PLAY || a.kind == STEAL || a.kind == ROB) {
        known.shown_from_hand(a.card, std::max(1, held), left);
        left[a.card]--, held--;
    }
    if (a.kind == STEAL) known.stolen(before.side[seat].column[a.slot][before.side[seat].length[a.slot] - 1]), held++;
    if (a.kind == ROB) known.stolen(before.side[seat].pile[a.slot][before.side[seat].height[a.slot] - 1]), held++;
    // what came to lie open: on the discard pile or in the arrival zone
    for (int f = 1; f < FACES; f++) {
        int shown = after.discarded[f] - before.discarded[f];
        for (int s = 0; s < SPECIES; s++)
            if (is.height[s] && !was.height[s])
                for (int i = 0; i < is.height[s]; i++) shown += is.pile[s][i] == f;
        if (a.kind == STEAL || a.kind == ROB) shown -= a.card == f;
        if (shown <= 0) continue;
        int columns = 0;
        for (int c = 0; c < SLOTS; c++) {
            for (int i = 0; i < was.length[c]; i++) columns += was.column[c][i] == f;
            for (int i = 0; i < is.length[c]; i++) columns -= is.column[c][i] == f;
        }
        if (a.kind == PLAY && a.card == f) columns++;
        for (int k = 0; k < shown; k++) {
            if (columns-- > 0) {
                if (F.night[f]) known.turned_up(f, std::max(1, down--), left), left[f]--;
            } else known.shown_from_hand(f, std::max(1, held--), left), left[f]--;
        }
    }
    // whatever is now unseen bounds what can be closed
    int now[FACES];
    unseen(after, seat, now);
    for (int f = 1; f < FACES; f++) known.closed[f] = std::min<float>(known.closed[f], std::max(0, now[f]));
}
