// SPDX-License-Identifier: Apache-2.0
//
// The generator's only source of randomness: splitmix64, so that a seed gives the same profile on
// every machine. Nothing in tests/gen may read the clock or call rand().
#ifndef DLPROF_GEN_RNG_H
#define DLPROF_GEN_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} Rng;

static inline uint64_t rng_next(Rng *rng)
{
    uint64_t mixed = (rng->state += 0x9e3779b97f4a7c15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

// Returns a generator for one purpose. Ranks that must agree (a late batch on shared storage) use
// the same keys. Two problems never share a generator, or removing one would change the other.
static inline Rng rng_seeded(uint64_t seed, uint64_t purpose, uint64_t index)
{
    Rng rng = {seed ^ (purpose * 0xd1342543de82ef95u) ^ (index * 0xaf251af3b0f025b5u)};
    rng_next(&rng);
    return rng;
}

// Returns a uniform number in [0, 1).
static inline double rng_unit(Rng *rng)
{
    return (double)(rng_next(rng) >> 11) * (1.0 / 9007199254740992.0);
}

// Returns a roughly normal number around 1 with the given relative spread, within 3.5 spreads.
static inline double rng_jitter(Rng *rng, double spread)
{
    double sum = rng_unit(rng) + rng_unit(rng) + rng_unit(rng) + rng_unit(rng) - 2.0;
    return 1.0 + sum * 1.7320508 * spread;
}

#endif
