// Trains a net to beat one bot that does not learn, a stage at a time, and measures it against that bot (`research/training/best_response.py`).
//
// Games, learning and output are those of the trainer; but every game is against that bot, and only the net's own positions are learnt from.
#include "games.hpp"
#include "greedy.hpp"

constexpr char HELP[] =
    "train DIRECTORY GAMES SEED THREADS START_GAMES RATE LAMBDA MEMORY BOT LIST [NET to train on]\n"
    "match NET BOT LIST PAIRS SEED THREADS\n"
    "BOT: greedy, heuristic, or a net that looks no further than its move; LIST: counts of the faces 1, 2, ... with commas, or standard\n";

struct Bot {
    enum { GREEDY, HEURISTIC, BY_NET } kind;
    Net net;

    explicit Bot(const char* name)
        : kind(!strcmp(name, "greedy") ? GREEDY : !strcmp(name, "heuristic") ? HEURISTIC : BY_NET), net(kind == BY_NET ? Net::load(name) : Net()) {}
    Action turn(Table& t, Thinker& thinker, Rng& rng) const {  // the thinker is by its net
        Game& g = t.g;
        Action done;
        if (kind == HEURISTIC) heuristic_turn(g, 0, rng, done);
        else if (kind == GREEDY) {
            Action legal[256];
            done = greedy::choose(g, legal, legal_actions(g, legal));
            if (act(g, done)) discard(g, greedy::choose_discard(g));
        } else {
            thinker.begin(g, t.known[g.to_act]);
            const Pick pick = thinker.choose(g, rng);
            thinker.perform(g, pick, rng);
            done = pick.action;
        }
        return done;
    }
};
// A game of the net, at that seat, against the bot. Where it is learnt from, some moves are blurred, so that the net tries others too.
static float play(const Net& judge, const Bot& bot, int seat, const Rules& asked, Rng deals, Rng rng, float lambda = 0,
                  std::vector<Sample>* out = nullptr) {
    const Rules rules = asked;  // with a cache of its own
    Table t;
    Trace trace;
    Thinker thinker(judge), other(bot.net);
    deal(t.g, rules, deals);
    while (!t.g.over && t.g.turn < 300) {
        Game before = t.g;
        Action done;
        if (t.g.to_act != seat) done = bot.turn(t, other, rng);
        else {
            thinker.begin(t.g, t.known[seat]);
            thinker.noise = out && rng.uniform() < 0.2f ? 0.1f : 0;
            const Pick pick = thinker.choose(t.g, rng);
            done = pick.action;
            if (thinker.perform(t.g, pick, rng) && out) {
                const Inputs in = thinker.inputs(t.g);
                trace.add(seat, in, sigmoid(judge.logit(in)));
            }
        }
        t.end(before, done, rng);
    }
    if (out) trace.finish(t.g, lambda, *out);
    return outcome(t.g, seat);
}
// Pairs of games: the same deal from both seats.
static double measure(const Net& net, const Bot& bot, const Rules& rules, int pairs, u64 seed, double* error) {
    std::vector<float> points(pairs);
    in_parallel(pairs, [&](int k) {
        for (int seat = 0; seat < 2; seat++)
            points[k] += play(net, bot, seat, rules, rng_of(seed, k), rng_of(seed + 1, k)) / 2;
    });
    return mean_of(points, error);
}
static Rules rules_of_list(const char* list) {
    Rules r;
    if (!strcmp(list, "standard")) standard_deck(r);
    else
        for (int f = 1; f < FACES && *list; f++) {
            char* end;
            r.count[f] = strtol(list, &end, 10);
            list = *end ? end + 1 : end;
        }
    r.finish();
    return r;
}

int main(int argc, char** argv) {
    if (argc == 8 && !strcmp(argv[1], "match")) {
        threads = atoi(argv[7]);
        const int pairs = atoi(argv[5]);
        double error, score = measure(Net::load(argv[2]), Bot(argv[3]), rules_of_list(argv[4]), pairs, atol(argv[6]), &error);
        printf("{\"score\": %.4f, \"error\": %.4f, \"games\": %d}\n", score, error, 2 * pairs);
        return 0;
    }
    if ((argc != 12 && argc != 13) || strcmp(argv[1], "train")) return fprintf(stderr, "%s", HELP), 2;
    const Bot bot(argv[10]);
    const Rules rules = rules_of_list(argv[11]);
    Stage stage(argv);
    stage.net = argc == 13 ? argv[12] : nullptr;
    threads = stage.threads;
    learn_from_games(
        stage, std::max(1000L, stage.games / 8), [&](Rng&) { return rules; },
        [&](const Net& judge, float lambda, Rng rng, std::vector<Sample>& out) {
            const int seat = rng.below(2);
            const Rng deals(rng.next());
            play(judge, bot, seat, rules, deals, rng, lambda, &out);
        },
        [&](const Net& net, double* error) { return measure(net, bot, rules, 200, 9999, error); });
}
