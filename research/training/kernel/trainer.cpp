// Trains the net by temporal differences: `trainer DIRECTORY GAMES SEED START_GAMES [NET]`, where a NET is trained on.
//
// One thread and one seed: the same games and the same net on the same kind of machine. A line of JSON on stdout tells
// how far it is; the net with averaged weights is written to DIRECTORY/NUMBER.net at every report.
#include "learning.hpp"
#include "net.hpp"

struct Options {
    float opla = 0.35f, flights = 0.35f, limit = 0.2f, deck_list = 0.2f;
    float standard = 0.7f, against_heuristic = 0.25f;
};
static void standard_deck(Rules& r) {
    const int faces[24] = {3, 4, 5, 12, 13, 14, 20, 21, 22, 28, 30, 33, 37, 38, 39, 40, 46, 48, 50, 56, 58, 64, 65, 66};
    const int counts[24] = {2, 3, 2, 2, 3, 2, 4, 4, 3, 3, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 2, 2, 1};
    for (int i = 0; i < 24; i++) r.count[faces[i]] = counts[i];
}
static void other_deck(Rules& r, Rng& rng) {
    standard_deck(r);
    Rules usual = r;
    for (int f = 1; f < FIRST_DANGER; f++) {
        if (!usual.count[f]) continue;
        if (rng.uniform() < 0.3f) r.count[f] = std::max(0, r.count[f] + rng.below(3) - 1);
        if (rng.uniform() < 0.3f) {
            int to = f - F.birds[f] + std::max(1, std::min(9, F.birds[f] + rng.below(7) - 3));
            std::swap(r.count[to], r.count[f]);
        }
    }
    for (int f = FIRST_DANGER; f < FACES; f++) r.count[f] = rng.below(4);
    for (int s = 0; s < SPECIES; s++) {
        int n = 0, any = 0;
        for (int f = 1; f < FIRST_DANGER; f++)
            if (F.species[f] == s) {
                n += r.count[f];
                if (r.count[f]) any = f;
            }
        if (any && n < GOAL[s]) r.count[any] += GOAL[s] - n;
        if (!any) return standard_deck(r = Rules());
    }
    int n = 0;
    for (int f = 0; f < FACES; f++) n += r.count[f];
    if (n < 42 || n > MOST_CARDS) standard_deck(r = Rules());
}
static Rules make_rules(Rng& rng, const Options& o) {
    Rules r;
    if (rng.uniform() < o.standard) standard_deck(r);
    else {
        if (rng.uniform() < o.deck_list) other_deck(r, rng);
        else standard_deck(r);
        r.opla = rng.uniform() < o.opla, r.flights = rng.uniform() < o.flights;
        if (rng.uniform() < o.limit) r.last_turn = 10 + rng.below(70);
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
// Pairs of games of a net against another one, or against `heuristic`: the same deal from both seats.
static double match(const Net& one, const Net* two, int pairs, u64 seed, const Rules& rules, double* error) {
    double sum = 0, squares = 0;
    static Thinker *a, *b;
    a = new Thinker(one), b = new Thinker(two ? *two : one);
    for (int k = 0; k < pairs; k++) {
        double points = 0;
        for (int seat = 0; seat < 2; seat++) {
            Rng deals(seed * 1000003 + k), rng(seed * 77 + k);
            Table t;
            deal(t.g, rules, deals);
            while (!t.g.over && t.g.turn < 400) {
                Game before = t.g;
                Action done;
                if (t.g.to_act == seat || two) {
                    Thinker& who = t.g.to_act == seat ? *a : *b;
                    who.begin(t.g, t.known[t.g.to_act]);
                    Pick pick = who.choose(t.g, rng);
                    who.perform(t.g, pick, rng);
                    done = pick.action;
                } else heuristic_turn(t.g, 0, rng, done);
                t.end(before, done, rng);
            }
            points += outcome(t.g, seat) / 2;
        }
        sum += points, squares += points * points;
    }
    delete a, delete b;
    double mean = sum / pairs;
    *error = 1.96 * std::sqrt((squares / pairs - mean * mean) / pairs);
    return mean;
}
static void save(const Net& n, const char* directory, const char* name) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.net", directory, name);
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(&n, sizeof n, 1, file) != 1) abort();
    fclose(file);
}
static Net load(const char* path) {
    Net n;
    FILE* file = fopen(path, "rb");
    if (!file || fread(&n, sizeof n, 1, file) != 1) abort();
    fclose(file);
    return n;
}

int main(int argc, char** argv) {
    if (argc == 6 && !strcmp(argv[1], "match")) {  // match ONE.net TWO.net|heuristic PAIRS RULES
        Net one = load(argv[2]);
        Rules rules;
        standard_deck(rules);
        rules.opla = strchr(argv[5], 'o'), rules.flights = strchr(argv[5], 'f'), rules.finish();
        double error, score;
        if (!strcmp(argv[3], "heuristic")) score = match(one, nullptr, atoi(argv[4]), 4242, rules, &error);
        else {
            Net two = load(argv[3]);
            score = match(one, &two, atoi(argv[4]), 4242, rules, &error);
        }
        printf("{\"score\": %.4f, \"error\": %.4f, \"games\": %d}\n", score, error, 2 * atoi(argv[4]));
        return 0;
    }
    if (argc != 5 && argc != 6) return fprintf(stderr, "trainer DIRECTORY GAMES SEED START_GAMES [NET]\n"), 2;
    const bool goes_on = argc == 6;
    const char* directory = argv[1];
    const long games = atol(argv[2]), start_games = atol(argv[4]), report = std::max(goes_on ? 4000L : 1000L, games / 40);
    const size_t capacity = 1500000, enough = goes_on ? 150000 : 2000;
    Rng rng(atol(argv[3]));
    Options options;
    net.begin(rng);
    if (goes_on) net = load(argv[5]);
    average = net;
    Rules standard;
    standard_deck(standard), standard.finish();
    std::vector<Sample> memory;
    memory.reserve(capacity);
    size_t next = 0;
    auto remember = [&](const Inputs& in, float target) {
        if (memory.size() < capacity) memory.push_back(sample_of(in, target));
        else memory[next] = sample_of(in, target), next = (next + 1) % capacity;
    };
    std::vector<Inputs> trace[2];
    std::vector<float> predicted[2];
    Thinker* thinker = new Thinker(net);
    auto finish_game = [&](const Game& g, float lambda) {
        int added = 0;
        for (int s = 0; s < 2; s++) {
            float target = outcome(g, s);
            for (int k = static_cast<int>(trace[s].size()) - 1; k >= 0; k--) {
                remember(trace[s][k], target), added++;
                target = lambda * target + (1 - lambda) * predicted[s][k];
            }
            trace[s].clear(), predicted[s].clear();
        }
        return added;
    };
    for (long k = 0; k < start_games; k++) {  // games of `heuristic`, with whims
        Rules rules = make_rules(rng, options);
        Table t;
        deal(t.g, rules, rng);
        const float whim = k % 2 ? 0.12f : 0.03f;
        while (!t.g.over && t.g.turn < 250) {
            Game before = t.g;
            Action a;
            const bool wanted = rng.uniform() < 0.6f;
            if (wanted) thinker->begin(t.g, t.known[t.g.to_act]);
            heuristic_turn(t.g, whim, rng, a);
            if (wanted && !t.g.over && t.g.turn != rules.last_turn) {
                thinker->weak_opponent = rng.uniform() < 0.5f;
                if (a.kind == STEAL) thinker->face(t.g);
                trace[t.g.to_act].push_back(thinker->inputs(t.g)), predicted[t.g.to_act].push_back(0);
            }
            t.end(before, a, rng);
        }
        finish_game(t.g, 1);
    }
    const long fits = static_cast<long>(memory.size() * 3 / 2 / 200);
    double loss = 0;
    long batches = 0;
    for (long k = 0; k < fits; k++) loss += train(memory, 200, 2e-3f * std::min(1.0f, 2.05f - 2.0f * k / fits), rng), batches++;
    long fresh = 0;
    for (long k = 0; k <= games; k++) {
        if (k % report == 0) {
            double error, score = match(average, nullptr, 300, 9999, standard, &error);
            char name[40];
            snprintf(name, sizeof name, "%06ld", k);
            save(average, directory, name);
            printf("{\"games\": %ld, \"of\": %ld, \"loss\": %.4f, \"score\": %.4f, \"error\": %.4f, \"memory\": %zu}\n", k, games,
                   loss / std::max(1L, batches), score, error, memory.size());
            fflush(stdout);
            loss = 0, batches = 0;
        }
        const float done = static_cast<float>(k) / games, lambda = done < 0.3f ? (goes_on ? 0.8f : 0.9f) : 0.75f;
        const float rate = (goes_on ? 6e-4f : 1e-3f) * std::min(1.0f, done / 0.01f + 0.1f) * (done < 0.3f ? 1 : std::max(0.01f, 1 - (done - 0.3f) / 0.7f));
        Rules rules = make_rules(rng, options);
        const bool weak = rng.uniform() < options.against_heuristic;
        const int heuristic_seat = weak ? rng.below(2) : -1;
        thinker->weak_opponent = weak;
        Table t;
        deal(t.g, rules, rng);
        while (!t.g.over && t.g.turn < 250) {
            Game before = t.g;
            const int seat = t.g.to_act;
            Action done_action;
            if (seat == heuristic_seat) heuristic_turn(t.g, 0, rng, done_action);
            else {
                thinker->begin(t.g, t.known[seat]);
                thinker->noise = rng.uniform() < 0.2f ? 0.1f : 0;
                Pick pick = thinker->choose(t.g, rng);
                done_action = pick.action;
                if (thinker->perform(t.g, pick, rng)) {
                    Inputs in = thinker->inputs(t.g);
                    trace[seat].push_back(in), predicted[seat].push_back(sigmoid(net.logit(in)));
                }
            }
            t.end(before, done_action, rng);
        }
        fresh += finish_game(t.g, lambda);
        if (memory.size() < enough) fresh = 0;
        for (; fresh >= 100; fresh -= 100) loss += train(memory, 200, rate, rng), batches++;
    }
}
