// Trains the net by temporal differences, a stage at a time (`../learning.hpp`), and lets nets play each other.
//
// Games are played in rounds, each by the net as it was when its round began, while the net learns from the round before.
// So one seed gives the same games and the same net on the same kind of machine, by however many threads. A line of JSON
// on stdout tells how far it is; the net with averaged weights is written to DIRECTORY/NUMBER.net at every report.
#include "../learning.hpp"
#include "decks.hpp"
#include "net.hpp"
#include <atomic>
#include <thread>

struct Options {
    float against_heuristic = 0.25f;  // of a stage's games
    float standard = 0.7f;            // have the usual rules; of the others these have
    float opla = 0.35f, flights = 0.35f, any_deck = 0.3f;
    float near_deck = 0.2f, limit = 0.2f;  // of those without `any_deck`
};
static Rules rules_of(const char* letters) {  // o: opla, f: Return Flight
    Rules r;
    standard_deck(r);
    r.opla = strchr(letters, 'o'), r.flights = strchr(letters, 'f'), r.finish();
    return r;
}
static Rules make_rules(Rng& rng, const Options& o) {
    Rules r;
    if (rng.uniform() < o.standard) standard_deck(r);
    else {
        const bool any = rng.uniform() < o.any_deck, near = rng.uniform() < o.near_deck;
        any ? any_deck(r, rng) : near ? near_deck(r, rng) : standard_deck(r);
        r.opla = rng.uniform() < o.opla, r.flights = rng.uniform() < o.flights;
        if (any) r.last_turn = 20 + rng.below(140);  // or the longest games would be the most of what is learnt
        else if (rng.uniform() < o.limit) r.last_turn = 10 + rng.below(70);
    }
    r.finish();
    return r;
}

static Learner<INPUTS, H1, H2> learner;
static Net &net = learner.net, &average = learner.average;

static double train(const std::vector<Sample>& memory, int batch, float rate, Rng& rng) {
    return learner.train(memory, batch, rate, rng);
}

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
static float points_of(const Net& one, const Net* two, int seat, const Rules& rules, Rng deals, Rng rng) {
    Table t;
    Thinker a(one), b(two ? *two : one);
    deal(t.g, rules, deals);
    while (!t.g.over && t.g.turn < 400) {
        Game before = t.g;
        Action done;
        if (t.g.to_act == seat || two) {
            Thinker& who = t.g.to_act == seat ? a : b;
            who.begin(t.g, t.known[t.g.to_act]);
            Pick pick = who.choose(t.g, rng);
            who.perform(t.g, pick, rng);
            done = pick.action;
        } else heuristic_turn(t.g, 0, rng, done);
        t.end(before, done, rng);
    }
    return outcome(t.g, seat);
}
// Pairs of games of a net against another one, or against `heuristic`: the same deal from both seats.
static double match(const Net& one, const Net* two, int pairs, u64 seed, const Rules& asked, double* error) {
    std::vector<float> points(pairs);
    in_parallel(pairs, [&](int k) {
        const Rules rules = asked;  // with a cache of its own
        for (int seat = 0; seat < 2; seat++)
            points[k] += points_of(one, two, seat, rules, rng_of(seed, k), rng_of(seed + 1, k)) / 2;
    });
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
static const Options options;
static void start_game(long number, Rng rng, std::vector<Sample>& out) {  // of `heuristic`, with whims
    Rules rules = make_rules(rng, options);
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
static void own_game(const Net& judge, float lambda, Rng rng, std::vector<Sample>& out) {
    Rules rules = make_rules(rng, options);
    Table t;
    Trace trace;
    Thinker thinker(judge);
    thinker.weak_opponent = rng.uniform() < options.against_heuristic;
    const int heuristic_seat = thinker.weak_opponent ? rng.below(2) : -1;
    deal(t.g, rules, rng);
    while (!t.g.over && t.g.turn < 250) {
        Game before = t.g;
        const int seat = t.g.to_act;
        Action done;
        if (seat == heuristic_seat) heuristic_turn(t.g, 0, rng, done);
        else {
            thinker.begin(t.g, t.known[seat]);
            thinker.noise = rng.uniform() < 0.2f ? 0.1f : 0;
            Pick pick = thinker.choose(t.g, rng);
            done = pick.action;
            if (thinker.perform(t.g, pick, rng)) {
                Inputs in = thinker.inputs(t.g);
                trace.add(seat, in, sigmoid(judge.logit(in)));
            }
        }
        t.end(before, done, rng);
    }
    trace.finish(t.g, lambda, out);
}

static void train_stage(const Stage& stage) {
    const long report = std::max(1000L, stage.games / 40);
    const u64 seed = stage.seed;
    Rng rng(seed);
    net.begin(rng);
    if (stage.net) net = Net::load(stage.net);
    average = net;
    const Rules standard = rules_of("");
    Memory memory;
    std::vector<Sample> played[ROUND], former[ROUND];
    for (long k = 0; k < stage.start_games; k += ROUND) {
        const int count = std::min<long>(ROUND, stage.start_games - k);
        in_parallel(count, [&](int i) { start_game(k + i, rng_of(seed + 1, k + i), played[i]); });
        for (int i = 0; i < count; i++) memory.add(played[i]);
    }
    const long fits = static_cast<long>(memory.samples.size() * 3 / 2 / 200);
    double loss = 0;
    long batches = 0, fresh = 0;
    auto learn_once = [&](float rate) { loss += train(memory.samples, 200, rate, rng), batches++; };
    for (long k = 0; k < fits; k++) learn_once(2e-3f * std::min(1.0f, 2.05f - 2.0f * k / fits));
    for (long k = 0;;) {
        if (k % report == 0 || k == stage.games) {
            double error, score = match(average, nullptr, 300, 9999, standard, &error);
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
            if (i) return own_game(judge, lambda, rng_of(seed + 2, k + i - 1), played[i - 1]);
            for (auto& samples : former) fresh += memory.add(samples);
            if (memory.samples.size() < static_cast<size_t>(stage.memory)) fresh = 0;
            for (; fresh >= 100; fresh -= 100) learn_once(rate);
        });
        k += count;
    }
}

int main(int argc, char** argv) {
    if ((argc == 6 || argc == 7) && !strcmp(argv[1], "match")) {
        threads = atoi(argv[5]);
        const Net one = Net::load(argv[2]);
        const bool nets = strcmp(argv[3], "heuristic");
        const Net two = nets ? Net::load(argv[3]) : one;
        const int pairs = atoi(argv[4]);
        double error, score = match(one, nets ? &two : nullptr, pairs, 4242, rules_of(argc == 7 ? argv[6] : ""), &error);
        printf("{\"score\": %.4f, \"error\": %.4f, \"games\": %d}\n", score, error, 2 * pairs);
        return 0;
    }
    if (!Stage::is_asked(argc, argv)) return fprintf(stderr, "%s", USAGE), 2;
    const Stage stage(argv);
    threads = stage.threads;
    train_stage(stage);
}
