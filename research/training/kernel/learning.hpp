// How a net learns from samples: Adam (Kingma and Ba 2015) on the cross entropy with a decay of the weights, and an
// average of the weights beside; how fast, at which time. Targets are TD(lambda)'s (Sutton 1988).
#pragma once
#include "layers.hpp"

#ifndef H1
#error "say how wide the first layer is: -DH1=128"
#endif

constexpr char USAGE[] =
    "train DIRECTORY GAMES SEED THREADS START_GAMES RATE LAMBDA MEMORY [NET to train on]\n"
    "match ONE.net TWO.net|heuristic PAIRS THREADS [RULES: o, f or of in Migrato, 2 to 4 seats in Migo]\n";

struct Stage {  // of the training, as the command line says it
    const char *directory, *net;
    long games, seed, start_games, memory;  // how many positions it remembers before it learns
    int threads;
    float rate, lambda;  // at first
    float game;          // its part of all: a product by it is rounded alike wherever this is compiled, a quotient is not

    static bool is_asked(int argc, char** argv) { return (argc == 10 || argc == 11) && !strcmp(argv[1], "train"); }
    explicit Stage(char** argv)
        : directory(argv[2]), net(argv[10]), games(atol(argv[3])), seed(atol(argv[4])), start_games(atol(argv[6])),
          memory(atol(argv[9])), threads(atoi(argv[5])), rate(strtof(argv[7], nullptr)), lambda(strtof(argv[8], nullptr)),
          game(1.0f / games) {}
    // `done`: the share of the games that have been played. The rate rises for 1 % of them, stays to 30 %, and falls to 1 %.
    float rate_at(float done) const {
        return rate * std::min(1.0f, done / 0.01f + 0.1f) * (done < 0.3f ? 1 : std::max(0.01f, 1 - (done - 0.3f) / 0.7f));
    }
    float lambda_at(float done) const { return done < 0.3f ? lambda : 0.75f; }
};

constexpr int MOST_TOLD = 124;  // inputs of a sample
struct Sample {
    u16 n, index[MOST_TOLD];
    int16_t value[MOST_TOLD];
    float target;
};
inline Sample sample_of(const Inputs& in, float target) {
    if (in.n > MOST_TOLD) fprintf(stderr, "%d inputs are more than a sample holds, %d\n", in.n, MOST_TOLD), abort();
    Sample s;
    s.n = in.n, s.target = target;
    memcpy(s.index, in.index, s.n * 2), memcpy(s.value, in.value, s.n * 2);
    return s;
}

template <int INPUTS, int FIRST, int SECOND>
struct Learner {
    using Net = Layers<INPUTS, FIRST, SECOND>;
    static constexpr int WEIGHTS = sizeof(Net) / sizeof(float);
    Net net, gradient, first_moment, second_moment, average;
    long steps = 0;

    void begin(const Net& from) {
        memset(this, 0, sizeof *this);
        net = average = from;
    }
    double train(const std::vector<Sample>& memory, int batch, float rate, Rng& rng) {
        memset(&gradient, 0, sizeof gradient);
        double loss = 0;
        Inputs in;
        for (int b = 0; b < batch; b++) {
            const Sample& s = memory[rng.below(memory.size())];
            in.n = s.n;
            memcpy(in.index, s.index, s.n * 2), memcpy(in.value, s.value, s.n * 2);
            alignas(64) float h[FIRST], q[SECOND], dq[SECOND], dh[FIRST];
            memcpy(h, net.b1, sizeof h);
            net.accumulate(in, h);
            float p = sigmoid(net.finish(h, q)), d = (p - s.target) / batch;
            loss -= s.target * std::log(p + 1e-7f) + (1 - s.target) * std::log(1 - p + 1e-7f);
            gradient.b3[0] += d;
            for (int j = 0; j < SECOND; j++) {
                gradient.w3[j] += d * q[j];
                dq[j] = q[j] > 0 ? d * net.w3[j] : 0;
                gradient.b2[j] += dq[j];
            }
            for (int i = 0; i < FIRST; i++) {
                dh[i] = 0;
                if (h[i] <= 0) continue;
                float sum = 0;
                for (int j = 0; j < SECOND; j++) gradient.w2[i][j] += h[i] * dq[j], sum += net.w2[i][j] * dq[j];
                dh[i] = sum;
            }
            for (int j = 0; j < FIRST; j++) gradient.b1[j] += dh[j];
            for (int k = 0; k < in.n; k++) {
                float* row = gradient.w1[in.index[k]];
                const float x = in.value[k] * (1.0f / ONE);
                for (int j = 0; j < FIRST; j++) row[j] += x * dh[j];
            }
        }
        steps++;
        const float c1 = 1 - std::pow(0.9f, steps), c2 = 1 - std::pow(0.999f, steps);
        float *w = &net.w1[0][0], *g = &gradient.w1[0][0], *m = &first_moment.w1[0][0], *v = &second_moment.w1[0][0];
        const float step = rate / c1, scale = 1 / c2;
        for (int i = 0; i < WEIGHTS; i++) {
            float x = g[i] + 1e-6f * w[i];
            m[i] = 0.9f * m[i] + 0.1f * x, v[i] = 0.999f * v[i] + 0.001f * x * x;
            w[i] -= step * m[i] / (std::sqrt(v[i] * scale) + 1e-7f);
        }
        if (steps % 8 == 0) {
            float keep = std::min(0.998f, 1 - 16.0f / (steps / 8 + 16)), *a = &average.w1[0][0];
            for (int i = 0; i < WEIGHTS; i++) a[i] = keep * a[i] + (1 - keep) * w[i];
        }
        return loss / batch;
    }
};
