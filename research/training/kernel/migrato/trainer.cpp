// Trains the net by temporal differences, a stage at a time (`../learning.hpp`), and lets nets play each other.
//
// Games are played in rounds, each by the net as it was when its round began, while the net learns from the round before.
// So one seed gives the same games and the same net on the same kind of machine, by however many threads. A line of JSON
// on stdout tells how far it is; the net with averaged weights is written to DIRECTORY/NUMBER.net at every report.
#include "games.hpp"

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
    return mean_of(points, error);
}
static const Options options;
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
    const Rules standard = rules_of("");
    learn_from_games(
        stage, std::max(1000L, stage.games / 40), [](Rng& rng) { return make_rules(rng, options); }, own_game,
        [&](const Net& net, double* error) { return match(net, nullptr, 300, 9999, standard, error); });
}
