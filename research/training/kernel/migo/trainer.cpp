// Trains the net of Migo by temporal differences, a stage at a time (`../learning.hpp`), and lets nets play each other. One
// thread and one seed: the same games and the same net on the same kind of machine.
//
// A line of JSON on stdout tells how far it is; the net with averaged weights is written to DIRECTORY/NUMBER.net at
// every report. What is learnt is the winner of a round, or of the game where the turn limit ends it.
#include "../learning.hpp"
#include "card_tables.hpp"
#include "heuristic.hpp"
#include "net.hpp"

using namespace migo;

struct Options {
    float two = 0.5f, three = 0.25f, large = 0.15f, limit = 0.08f, other_cards = 0.1f, resigns = 0.05f;
};
static Rules make_rules(Rng& rng, const Options& o) {
    Rules r;
    const float seats = rng.uniform();
    r.seats = seats < o.two ? 2 : seats < o.two + o.three ? 3 : 4;
    standard_cards(r);
    if (r.seats == 2) r.large = rng.uniform() < o.large;
    else r.round4 = rng.below(3);
    if (rng.uniform() < o.limit) r.limit = 5 + rng.below(70);
    if (rng.uniform() < o.other_cards) other_cards(r, rng);
    return r;
}
static Learner<INPUTS, FIRST, SECOND> learner;

// One game of the seats' players: nullptr is `heuristic`. The share of each seat.
static void play(const Net* const* nets, const Rules& rules, Rng& rng, float* share) {
    Game g;
    deal(g, rules, rng.below(rules.seats), rng);
    while (true) {
        const Net* net = nets[g.to_act];
        take(g, net ? Thinker(*net).choose(g, rng).move : heuristic::choose(g));
        if (!settled(g)) continue;
        if (g.lying) return shares_when_cut(g, share);
        const int winner = end_round(g, rng);
        if (winner < 0) continue;
        for (int s = 0; s < SEATS; s++) share[s] = s == winner;
        return;
    }
}
// One seat of the first against the others of the second, and the other way round, in every seat: 0.5 if they are alike.
static double match(const Net* one, const Net* two, int pairs, int seats, u64 seed, double* error) {
    double sum = 0, squares = 0;
    Rules rules;
    rules.seats = seats, standard_cards(rules);
    for (int k = 0; k < pairs; k++) {
        double points = 0;
        for (int way = 0; way < 2; way++) {
            const Net* nets[SEATS];
            for (int s = 0; s < SEATS; s++) nets[s] = (s == k % seats) == !way ? one : two;
            Rng rng(seed * 1000003 + k / seats);
            float share[SEATS];
            play(nets, rules, rng, share);
            points += (way ? 1 - share[k % seats] : share[k % seats]) / 2;
        }
        sum += points, squares += points * points;
    }
    const double mean = sum / pairs;
    *error = 1.96 * std::sqrt((squares / pairs - mean * mean) / pairs);
    return mean;
}

int main(int argc, char** argv) {
    if ((argc == 6 || argc == 7) && !strcmp(argv[1], "match")) {
        static Net one, two;
        one = Net::load(argv[2]);
        const bool nets = strcmp(argv[3], "heuristic");
        if (nets) two = Net::load(argv[3]);
        const int pairs = atoi(argv[4]), seats = argc == 7 ? atoi(argv[6]) : 2;
        double error, score = match(&one, nets ? &two : nullptr, pairs, seats, 4242, &error);
        printf("{\"score\": %.4f, \"error\": %.4f, \"games\": %d}\n", score, error, 2 * pairs);
        return 0;
    }
    if (!Stage::is_asked(argc, argv)) return fprintf(stderr, "%s", USAGE), 2;
    const Stage stage(argv);
    const long report = std::max(1000L, stage.games / 20);
    const size_t capacity = 500000, enough = stage.memory;
    Rng rng(stage.seed);
    const Options options;
    static Net start;
    start.begin(rng);
    if (stage.net) start = Net::load(stage.net);
    learner.begin(start);
    std::vector<Sample> memory;
    memory.reserve(capacity);
    size_t next = 0;
    std::vector<Inputs> trace[SEATS];
    std::vector<float> predicted[SEATS];
    auto finish_round = [&](const float* share, float lambda) {
        int added = 0;
        for (int s = 0; s < SEATS; s++) {
            float target = share[s];
            for (int k = static_cast<int>(trace[s].size()) - 1; k >= 0; k--, added++) {
                if (memory.size() < capacity) memory.push_back(sample_of(trace[s][k], target));
                else memory[next] = sample_of(trace[s][k], target), next = (next + 1) % capacity;
                target = lambda * target + (1 - lambda) * predicted[s][k];
            }
            trace[s].clear(), predicted[s].clear();
        }
        return added;
    };
    Thinker thinker(learner.net);
    auto one_game = [&](float whim, float lambda) {  // a whim of 0: the net plays
        const Rules rules = make_rules(rng, options);
        const bool resigns = rules.seats > 2 && rng.uniform() < options.resigns;
        const int resigns_at = resigns ? rng.below(50) : -1;
        int added = 0;
        Game g;
        deal(g, rules, rng.below(rules.seats), rng);
        while (true) {
            if (g.takes == resigns_at && !g.resigned) {
                const int seat = rng.below(rules.seats);
                resign(g, seat);
                trace[seat].clear(), predicted[seat].clear();
            }
            thinker.noise = rng.uniform() < 0.15f ? 0.15f : 0;
            Move move;
            if (!whim) move = thinker.choose(g, rng).move;
            else {
                Move moves[MOST_MOVES];
                const int n = legal_moves(g, moves);
                move = rng.uniform() < whim ? moves[rng.below(n)] : heuristic::choose(g);
            }
            take(g, move);
            float share[SEATS] = {};
            if (!settled(g)) {
                for (int s = 0; s < rules.seats; s++) {
                    if (!g.plays(s)) continue;
                    Inputs in;
                    inputs_of(g, s, in);
                    trace[s].push_back(in), predicted[s].push_back(whim ? 0 : sigmoid(learner.net.logit(in)));
                }
                continue;
            }
            if (g.lying) return shares_when_cut(g, share), added + finish_round(share, lambda);
            int points[SEATS];
            scores(g, points);
            share[round_winner(g, points)] = 1;
            added += finish_round(share, lambda);
            if (end_round(g, rng) >= 0) return added;
            if (g.cut()) return added;
        }
    };
    for (long k = 0; k < stage.start_games; k++) one_game(k % 2 ? 0.12f : 0.03f, 1);
    const long fits = static_cast<long>(memory.size() * 3 / 2 / 200);
    double loss = 0;
    long batches = 0, fresh = 0;
    for (long k = 0; k < fits; k++) loss += learner.train(memory, 200, 2e-3f * std::min(1.0f, 2.05f - 2.0f * k / fits), rng), batches++;
    for (long k = 0; k <= stage.games; k++) {
        if (k % report == 0 || k == stage.games) {
            double error[3], score[3];
            for (int n = 2; n <= 4; n++) score[n - 2] = match(&learner.average, nullptr, 300, n, 9999, &error[n - 2]);
            char name[40];
            snprintf(name, sizeof name, "%06ld", k);
            learner.average.save(stage.directory, name);
            printf("{\"games\": %ld, \"of\": %ld, \"loss\": %.4f, \"score\": %.4f, \"error\": %.4f, \"of_three\": %.4f, "
                   "\"of_four\": %.4f, \"memory\": %zu}\n", k, stage.games, loss / std::max(1L, batches), score[0], error[0],
                   score[1], score[2], memory.size());
            fflush(stdout);
            loss = 0, batches = 0;
        }
        const float done = k * stage.game, lambda = stage.lambda_at(done), rate = stage.rate_at(done);
        fresh += one_game(0, lambda);
        if (memory.size() < enough) fresh = 0;
        for (; fresh >= 200; fresh -= 200) loss += learner.train(memory, 200, rate, rng), batches++;
    }
}
