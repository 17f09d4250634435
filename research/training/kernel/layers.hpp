// A net of three layers in floats: the same for both games.
#pragma once
#include "common.hpp"

constexpr int LANES = 16;
typedef float Lanes __attribute__((vector_size(4 * LANES)));

template <int INPUTS, int FIRST, int SECOND>
struct Layers {
    static constexpr int V1 = FIRST / LANES, V2 = SECOND / LANES;
    static_assert(FIRST % LANES == 0 && SECOND % LANES == 0);
    alignas(64) float w1[INPUTS][FIRST];
    alignas(64) float b1[FIRST];
    alignas(64) float w2[FIRST][SECOND];
    alignas(64) float b2[SECOND];
    alignas(64) float w3[SECOND];
    alignas(64) float b3[16];  // the first one counts

    void begin(Rng& rng) {
        memset(this, 0, sizeof *this);
        for (auto& row : w1)
            for (float& w : row) w = (rng.uniform() * 2 - 1) * 0.12f;
        for (auto& row : w2)
            for (float& w : row) w = (rng.uniform() * 2 - 1) * std::sqrt(6.0f / FIRST);
        for (float& w : w3) w = (rng.uniform() * 2 - 1) * 0.15f;
        for (float& b : b1) b = 0.1f;
        for (float& b : b2) b = 0.1f;
    }
    void accumulate(const Inputs& in, float* sum) const {
        Lanes h[V1], *to = reinterpret_cast<Lanes*>(sum);
        for (int j = 0; j < V1; j++) h[j] = to[j];
        for (int k = 0; k < in.n; k++) {
            const Lanes* row = reinterpret_cast<const Lanes*>(w1[in.index[k]]);
            const float x = in.value[k] * (1.0f / ONE);
            for (int j = 0; j < V1; j++) h[j] += x * row[j];
        }
        for (int j = 0; j < V1; j++) to[j] = h[j];
    }
    // The logit; `h` comes in as sums and goes out as activations, as does `q`.
    float finish(float* h, float* q) const {
        Lanes s[4][V2] = {};
        for (int j = 0; j < V2; j++) s[0][j] = reinterpret_cast<const Lanes*>(b2)[j];
        for (int i = 0; i < FIRST; i++) h[i] = std::max(h[i], 0.0f);
        for (int i = 0; i < FIRST; i += 4)
            for (int k = 0; k < 4; k++) {  // four sums, so that none waits for the one before
                const Lanes* row = reinterpret_cast<const Lanes*>(w2[i + k]);
                for (int j = 0; j < V2; j++) s[k][j] += h[i + k] * row[j];
            }
        for (int j = 0; j < V2; j++) reinterpret_cast<Lanes*>(q)[j] = (s[0][j] + s[1][j]) + (s[2][j] + s[3][j]);
        float out = b3[0];
        for (int j = 0; j < SECOND; j++) q[j] = std::max(q[j], 0.0f);
        for (int j = 0; j < SECOND; j++) out += q[j] * w3[j];
        return out;
    }
    void save(const char* directory, const char* name) const {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s.net", directory, name);
        FILE* file = fopen(path, "wb");
        if (!file || fwrite(this, sizeof *this, 1, file) != 1) abort();
        fclose(file);
    }
    static Layers load(const char* path) {
        constexpr int MOST = sizeof(Layers) / sizeof(float), REST = 2 * SECOND + 16;
        std::vector<float> numbers(MOST + 1);
        FILE* file = fopen(path, "rb");
        if (!file) abort();
        const int count = fread(numbers.data(), sizeof(float), MOST + 1, file), width = (count - REST) / (INPUTS + 1 + SECOND);
        fclose(file);
        if (width > FIRST || count != width * (INPUTS + 1 + SECOND) + REST) abort();
        Layers net = {};
        const float* from = numbers.data();  // a narrower net plays the same with zeros beside it
        for (auto& row : net.w1) memcpy(row, from, width * 4), from += width;
        memcpy(net.b1, from, width * 4), from += width;
        memcpy(net.w2, from, width * SECOND * 4), from += width * SECOND;
        memcpy(net.b2, from, REST * 4);
        return net;
    }
    float logit(const Inputs& in) const {
        alignas(64) float h[FIRST], q[SECOND];
        memcpy(h, b1, sizeof h);
        accumulate(in, h);
        return finish(h, q);
    }
};
inline float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
