// The deck lists of the trainer's games: the domain's standard list, others near it, and any that the domain takes.
// `tests/research/test_training_kernel.py` compares them with the domain.
#pragma once
#include "inputs.hpp"

inline void standard_deck(Rules& r) {
    const int faces[24] = {3, 4, 5, 12, 13, 14, 20, 21, 22, 28, 30, 33, 37, 38, 39, 40, 46, 48, 50, 56, 58, 64, 65, 66};
    const int counts[24] = {2, 3, 2, 2, 3, 2, 4, 4, 3, 3, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 2, 2, 1};
    for (int i = 0; i < 24; i++) r.count[faces[i]] = counts[i];
}
inline void near_deck(Rules& r, Rng& rng) {
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
// Any list that the domain takes: of any size, with few faces or many, with danger cards or without; in every other list some
// species may be scarce and others most of it.
inline void any_deck(Rules& r, Rng& rng) {
    int n = 0, most = MOST_OF_A_FACE + 1;
    while (n < FEWEST_CARDS || n > MOST_CARDS || most > MOST_OF_A_FACE) {
        r = Rules();
        const int size = FEWEST_CARDS + rng.below(MOST_CARDS - FEWEST_CARDS + 1);
        const bool usual = rng.below(2);
        float share[SPECIES], of_danger[FACES - FIRST_DANGER], birds = 0, weight = 1e-6f, x = rng.uniform();
        const float dangers = rng.below(5) ? size * x * x / 2 : 0;
        for (int s = 0; s < SPECIES; s++) {
            x = rng.uniform();
            birds += share[s] = usual ? USUAL_CARDS[s] * (0.5f + x) : x * x + 0.01f;
        }
        for (int s = 0; s < SPECIES; s++) {
            int faces[FACES], of_species = 0;
            for (int f = 1; f < FIRST_DANGER; f++)
                if (F.species[f] == s) faces[of_species++] = f;
            const int kinds = 1 + rng.below(rng.below(2) ? 9 : 3);
            for (int k = 0; k < kinds; k++) std::swap(faces[k], faces[k + rng.below(of_species - k)]);
            const int cards = static_cast<int>(share[s] * (size - dangers) / birds);
            for (int k = std::max(GOAL[s], cards); k; k--) r.count[faces[rng.below(kinds)]]++;
        }
        for (float& w : of_danger) weight += w = rng.uniform();
        for (int f = FIRST_DANGER; f < FACES; f++) r.count[f] = static_cast<int>(dangers * of_danger[f - FIRST_DANGER] / weight);
        n = most = 0;
        for (int f = 1; f < FACES; f++) n += r.count[f], most = std::max<int>(most, r.count[f]);
    }
}
