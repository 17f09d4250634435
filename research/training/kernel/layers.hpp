// A net of three layers in floats, and what it is told: the same for both games.
#pragma once
#include "common.hpp"

constexpr int ONE = 64;  // an input of 1.0
constexpr int MOST_INPUTS = 192;  // at a time

struct Inputs {
    int n = 0;
    u16 index[MOST_INPUTS];
    int16_t value[MOST_INPUTS];
    void add(int at, int x) {
        if (!x) return;
        if (n == MOST_INPUTS) abort();
        index[n] = at, value[n++] = std::max(-4096, std::min(4096, x));
    }
};

template <int INPUTS, int FIRST, int SECOND>
struct Layers {
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
        alignas(64) float h[FIRST];
        for (int j = 0; j < FIRST; j++) h[j] = sum[j];
        for (int k = 0; k < in.n; k++) {
            const float* row = w1[in.index[k]];
            const float x = in.value[k] * (1.0f / ONE);
            for (int j = 0; j < FIRST; j++) h[j] += x * row[j];
        }
        for (int j = 0; j < FIRST; j++) sum[j] = h[j];
    }
    // The logit; `h` comes in as sums and goes out as activations, as does `q`.
    float finish(float* h, float* q) const {
        alignas(64) float s[SECOND];
        for (int j = 0; j < SECOND; j++) s[j] = b2[j];
        for (int i = 0; i < FIRST; i++) h[i] = std::max(h[i], 0.0f);
        for (int i = 0; i < FIRST; i++) {
            const float x = h[i];
            for (int j = 0; j < SECOND; j++) s[j] += x * w2[i][j];
        }
        float out = b3[0];
        for (int j = 0; j < SECOND; j++) s[j] = std::max(s[j], 0.0f);
        for (int j = 0; j < SECOND; j++) out += s[j] * w3[j];
        memcpy(q, s, sizeof s);
        return out;
    }
    float logit(const Inputs& in) const {
        alignas(64) float h[FIRST], q[SECOND];
        memcpy(h, b1, sizeof h);
        accumulate(in, h);
        return finish(h, q);
    }
};
inline float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
