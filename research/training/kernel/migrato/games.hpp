// Games for a trainer: what both seats know, a turn of `heuristic`, many games at a time, and the memory of what was told.
#pragma once
#include "../learning.hpp"
#include "decks.hpp"
#include "net.hpp"
#include <atomic>
#include <thread>

static float outcome(const Game& g, int seat) {  // a game without end counts as it stands: a turn limit would end it so
    int lead = lead_of(g, seat);
    return lead > 0 ? 1 : lead < 0 ? 0 : 0.5f;
}
static void heuristic_turn(Game& g, float whim, Rng& rng, Action& a) {
    Action legal[256];
    int n = legal_actions(g, legal);
    a = n == 1 ? legal[0] : rng.uniform() < whim ? legal[rng.below(n)] : heuristic::choose(g, legal, n);
    if (act(g, a)) {
        const Side& me = g.side[g.to_act];
        discard(g, me.held == 1 ? me.hand[0] : rng.uniform() < whim ? me.hand[rng.below(me.held)] : heuristic::choose_discard(g));
    }
}
struct Table {  // a game and what both seats know
    Game g;
    Knowledge known[2];
    void end(const Game& before, const Action& a, Rng& rng) {
        int other = 1 - g.to_act, mover = g.to_act;
        learn(known[other], before, g, a, other);
        if (a.kind == STEAL && known[mover].closed[0] == 0) {  // the thief saw what it took
            const Side& was = before.side[other];
            int card = was.column[a.slot][was.length[a.slot] - 1], down = 0, left[FACES];
            if (F.night[card]) {
                for (int c = 0; c < SLOTS; c++)
                    for (int i = 0; i < was.length[c]; i++) down += F.night[was.column[c][i]];
                unseen(before, mover, left);
                known[mover].turned_up(card, std::max(1, down), left);
            }
        }
        int left[2][FACES], held[2] = {g.side[0].held, g.side[1].held};
        for (int s = 0; s < 2; s++) unseen(g, s, left[s]);
        int drew = g.deck_size;
        if (end_turn(g, a, rng)) {
            // the mover drew the old deck to its end first: those cards are its own
            for (int s = 0; s < 2; s++) {
                if (s == mover)
                    for (int i = held[s]; i < std::min<int>(held[s] + drew, g.side[s].held); i++) left[s][g.side[s].hand[i]]--;
                known[s].reshuffled(left[s], s == mover ? held[1 - s] : std::min(3, held[1 - s] + drew));
            }
        }
    }
};
// `work` for each number below `stop`, by so many threads; who is free takes the next.
static int threads = 1;
template <class Work> static void in_parallel(int stop, Work work) {
    std::atomic<int> next{0};
    auto some = [&] {
        for (int k; (k = next++) < stop;) work(k);
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++) others.emplace_back(some);
    some();
    for (auto& other : others) other.join();
}
static Rng rng_of(u64 seed, u64 number) { return Rng(Rng(seed * 1000003 + number).next()); }
static double mean_of(const std::vector<float>& points, double* error) {  // and half of its 95 % interval
    const int pairs = points.size();
    double sum = 0, squares = 0;
    for (float x : points) sum += x, squares += x * x;
    const double mean = sum / pairs;
    *error = 1.96 * std::sqrt((squares / pairs - mean * mean) / pairs);
    return mean;
}
constexpr int ROUND = 64;
struct Memory {  // of the last positions
    static constexpr size_t capacity = 1500000;
    std::vector<Sample> samples;
    size_t next = 0;
    Memory() { samples.reserve(capacity); }
    int add(std::vector<Sample>& more) {
        const int count = more.size();
        for (const Sample& sample : more) {
            if (samples.size() < capacity) samples.push_back(sample);
            else samples[next] = sample, next = (next + 1) % capacity;
        }
        more.clear();
        return count;
    }
};
struct Trace {  // what a game's seats were told, and what was predicted
    std::vector<Sample> told[2];
    void add(int seat, const Inputs& in, float predicted) { told[seat].push_back(sample_of(in, predicted)); }
    void finish(const Game& g, float lambda, std::vector<Sample>& out) {
        for (int s = 0; s < 2; s++) {
            float target = outcome(g, s);
            for (int k = static_cast<int>(told[s].size()) - 1; k >= 0; k--) {
                const float predicted = told[s][k].target;
                out.push_back(told[s][k]), out.back().target = target;
                target = lambda * target + (1 - lambda) * predicted;
            }
        }
    }
};
static void start_game(const Net& net, const Rules& rules, long number, Rng& rng, std::vector<Sample>& out) {  // of `heuristic`, with whims
    Table t;
    Trace trace;
    Thinker thinker(net);
    deal(t.g, rules, rng);
    const float whim = number % 2 ? 0.12f : 0.03f;
    while (!t.g.over && t.g.turn < 250) {
        Game before = t.g;
        Action a;
        const bool wanted = rng.uniform() < 0.6f;
        if (wanted) thinker.begin(t.g, t.known[t.g.to_act]);
        heuristic_turn(t.g, whim, rng, a);
        if (wanted && !t.g.over && t.g.turn != rules.last_turn) {
            thinker.weak_opponent = rng.uniform() < 0.5f;
            if (a.kind == STEAL) thinker.face(t.g);
            trace.add(t.g.to_act, thinker.inputs(t.g), 0);
        }
        t.end(before, a, rng);
    }
    trace.finish(t.g, 1, out);
}
// Train a stage: `rules` draws those of a game; `play` plays one, by the net and at a lambda, and adds its positions; `score`
// measures the net, and its error, after every `report` games.
template <class Draw, class Play, class Score>
static void learn_from_games(const Stage& stage, long report, Draw rules, Play play, Score score_of) {
    static Learner<INPUTS, H1, H2> learner;
    Net &net = learner.net, &average = learner.average;
    const u64 seed = stage.seed;
    Rng rng(seed);
    net.begin(rng);
    if (stage.net) net = Net::load(stage.net);
    average = net;
    Memory memory;
    std::vector<Sample> played[ROUND], former[ROUND];
    for (long k = 0; k < stage.start_games; k += ROUND) {
        const int count = std::min<long>(ROUND, stage.start_games - k);
        in_parallel(count, [&](int i) {
            Rng chance = rng_of(seed + 1, k + i);
            const Rules drawn = rules(chance);
            start_game(net, drawn, k + i, chance, played[i]);
        });
        for (int i = 0; i < count; i++) memory.add(played[i]);
    }
    const long fits = static_cast<long>(memory.samples.size() * 3 / 2 / 200);
    double loss = 0;
    long batches = 0, fresh = 0;
    auto learn_once = [&](float rate) { loss += learner.train(memory.samples, 200, rate, rng), batches++; };
    for (long k = 0; k < fits; k++) learn_once(2e-3f * std::min(1.0f, 2.05f - 2.0f * k / fits));
    for (long k = 0;;) {
        if (k % report == 0 || k == stage.games) {
            double error, score = score_of(average, &error);
            char name[40];
            snprintf(name, sizeof name, "%06ld", k);
            average.save(stage.directory, name);
            printf("{\"games\": %ld, \"of\": %ld, \"loss\": %.4f, \"score\": %.4f, \"error\": %.4f, \"memory\": %zu}\n", k, stage.games,
                   loss / std::max(1L, batches), score, error, memory.samples.size());
            fflush(stdout);
            loss = 0, batches = 0;
        }
        if (k == stage.games) return;
        const float done = k * stage.game, lambda = stage.lambda_at(done), rate = stage.rate_at(done);
        const int count = std::min<long>(ROUND, std::min(stage.games, k - k % report + report) - k);
        std::swap(played, former);
        const Net judge = net;
        in_parallel(count + 1, [&](int i) {
            if (i) return play(judge, lambda, rng_of(seed + 2, k + i - 1), played[i - 1]);
            for (auto& samples : former) fresh += memory.add(samples);
            if (memory.samples.size() < static_cast<size_t>(stage.memory)) fresh = 0;
            for (; fresh >= 100; fresh -= 100) learn_once(rate);
        });
        k += count;
    }
}
