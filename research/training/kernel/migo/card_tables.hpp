// The card tables of the trainer's games: the domain's standard one, and others. `tests/research/test_migo_kernel.py`
// compares them with the domain.
#pragma once
#include "rules.hpp"

namespace migo {
constexpr u8 STANDARD[FACES][2] = {  // kind and count
    {0, 1}, {1, 1}, {0, 2}, {2, 1}, {0, 1}, {2, 2}, {0, 1}, {3, 1}, {3, 2}, {0, 1}, {1, 2}, {2, 1}, {1, 1}, {2, 1},
    {3, 1}, {1, 2}, {1, 1}, {3, 1}, {2, 2}, {3, 1}, {2, 1}, {3, 2}, {4, 1}, {0, 2}, {0, 1}, {4, 1}, {4, 1}, {1, 1},
    {1, 1}, {4, 1}, {4, 1}, {2, 1}, {3, 1}, {4, 1}, {4, 1}, {2, 2}, {5, 1}, {0, 2}, {1, 2}, {5, 1}, {5, 1}, {3, 2},
    {0, 1}, {6, 0}, {1, 1}, {6, 0}, {2, 1}, {6, 0}, {3, 1}, {6, 0}};
inline void standard_cards(Rules& r) {
    for (int f = 0; f < FACES; f++) r.kinds[f] = STANDARD[f][0], r.counts[f] = STANDARD[f][1];
}
inline void other_cards(Rules& r, Rng& rng) {  // some faces show something else
    for (int f = 0; f < FACES; f++) {
        if (rng.uniform() < 0.7f) continue;
        const int kind = rng.below(f & 1 ? 7 : 6);
        r.kinds[f] = kind, r.counts[f] = kind == SHERPA ? 0 : 1 + (rng.below(3) == 0);
    }
}
}  // namespace migo
