// What the kernels of both games stand on: short names, chance, and what a net is told.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

struct Rng {  // SplitMix64
    u64 state;
    explicit Rng(u64 seed = 1) : state(seed * 0x9E3779B97F4A7C15ull + 0x5DEECE66Dull) { next(), next(); }
    u64 next() {
        u64 z = (state += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    int below(int stop) { return static_cast<int>((next() >> 33) * static_cast<u64>(stop) >> 31); }
    float uniform() { return static_cast<float>(next() >> 40) * (1.0f / 16777216); }
    float gumbel() { return -std::log(-std::log(uniform() + 1e-9f) + 1e-9f); }
    template <class T> void shuffle(T* items, int n) {
        for (int i = n - 1; i > 0; i--) std::swap(items[i], items[below(i + 1)]);
    }
};

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
