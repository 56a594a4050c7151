// SPDX-License-Identifier: Apache-2.0
#include "base/column.h"

#include "base/parallel.h"

enum { JOB_BLOCKS = 1024, JOB_BYTES = JOB_BLOCKS * COLUMN_BLOCK * 8 }; // of a thread at a time
enum { FEW_BLOCKS = 64 }; // whose draft is too small for the arena to take back

struct pack {
    const uint32_t *narrow; // the values: these or
    const int64_t *wide;
    const uint32_t *order;
    size_t count, block_count;
    struct column_block *blocks; // `at` in their job
    uint64_t *draft;             // codes of each job at its place if none were packed
    uint32_t *job_units;         // that its codes take
};

// The block of values whose least and greatest of those that are not none are these; none of them
// if `least` is above `most`.
static struct column_block block_of(int64_t least, int64_t most, bool has_none)
{
    enum { WIDEST = 56 }; // and 7 bits before it are a word
    if (least > most)
        least = most = 0;
    uint64_t farthest = (uint64_t)most - (uint64_t)least + has_none;
    int last = 63 - __builtin_clzll(farthest | 1);
    return (struct column_block){
        .base = (int64_t)((uint64_t)least - has_none),
        .last = (uint8_t)(last > WIDEST ? 63 : last),
        .has_none = has_none,
    };
}

struct writer {
    uint64_t *word;
    uint64_t bits; // of the next word so far
    unsigned used, width;
};

static inline void write_code(struct writer *writer, uint64_t code)
{
    writer->bits |= code << writer->used;
    writer->used += writer->width;
    if (writer->used < 64)
        return;
    *writer->word++ = htole64(writer->bits);
    writer->used -= 64;
    writer->bits = writer->used ? code >> (writer->width - writer->used) : 0;
}

static void write_end(struct writer *writer)
{
    if (writer->used)
        *writer->word = htole64(writer->bits);
}

// none is the greatest number: adding one makes it the least.
static struct column_block pack_narrow(const struct pack *pack, size_t first, size_t count,
                                       uint64_t *word)
{
    uint32_t gathered[COLUMN_BLOCK], least = COLUMN_NONE32, above = 0;
    const uint32_t *values = count ? pack->narrow + first : NULL;
    if (pack->order && count) {
        for (size_t i = 0; i < count; i++)
            gathered[i] = pack->narrow[pack->order[first + i]];
        values = gathered;
    }
    bool has_none = false;
    for (size_t i = 0; i < count; i++) {
        uint32_t next = values[i] + 1; // cppcheck-suppress uninitvar
        least = values[i] < least ? values[i] : least;
        above = next > above ? next : above;
        has_none |= next == 0;
    }
    struct column_block block = block_of(least, (int64_t)above - 1, has_none);
    struct writer writer = {word, 0, 0, block.last + 1u};
    uint32_t base = (uint32_t)block.base;
    for (size_t i = 0; i < count; i++)
        write_code(&writer, values[i] == COLUMN_NONE32 ? 0 : values[i] - base);
    write_end(&writer);
    return block;
}

static struct column_block pack_wide(const struct pack *pack, size_t first, size_t count,
                                     uint64_t *word)
{
    int64_t gathered[COLUMN_BLOCK], least = INT64_MAX, most = INT64_MIN;
    const int64_t *values = count ? pack->wide + first : NULL;
    if (pack->order && count) {
        for (size_t i = 0; i < count; i++)
            gathered[i] = pack->wide[pack->order[first + i]];
        values = gathered;
    }
    bool has_none = false;
    for (size_t i = 0; i < count; i++) {
        bool is_none = values[i] == COLUMN_NONE64; // cppcheck-suppress uninitvar
        least = values[i] < least && !is_none ? values[i] : least;
        most = values[i] > most ? values[i] : most;
        has_none |= is_none;
    }
    struct column_block block = block_of(least, most, has_none);
    struct writer writer = {word, 0, 0, block.last + 1u};
    for (size_t i = 0; i < count; i++)
        write_code(&writer,
                   values[i] == COLUMN_NONE64 ? 0 : (uint64_t)values[i] - (uint64_t)block.base);
    write_end(&writer);
    return block;
}

static void pack_job(void *context, size_t job)
{
    struct pack *pack = context;
    uint32_t at = 0;
    uint64_t *draft = pack->draft + job * (JOB_BYTES / 8);
    size_t end = (job + 1) * JOB_BLOCKS;
    end = end < pack->block_count ? end : pack->block_count;
    for (size_t i = job * JOB_BLOCKS; i < end; i++) {
        size_t first = i * COLUMN_BLOCK, left = pack->count - first;
        size_t count = left < COLUMN_BLOCK ? left : COLUMN_BLOCK;
        if (count < COLUMN_BLOCK) // its unit is kept whole
            memset(draft + (size_t)at * (COLUMN_UNIT / 8), 0, (size_t)COLUMN_BLOCK * 8);
        uint64_t *word = draft + (size_t)at * (COLUMN_UNIT / 8);
        struct column_block block = pack->wide ? pack_wide(pack, first, count, word)
                                               : pack_narrow(pack, first, count, word);
        block.at = at;
        pack->blocks[i] = block;
        at += block.last + 1u;
    }
    pack->job_units[job] = at;
}

static struct packed run(struct pack *pack, struct arena *arena, unsigned threads)
{
    pack->block_count = pack->count / COLUMN_BLOCK + 1; // one of no rows for a column of none
    size_t jobs = (pack->block_count + JOB_BLOCKS - 1) / JOB_BLOCKS, total = 0;
    pack->blocks = ARENA_ARRAY(arena, struct column_block, pack->block_count);
    pack->job_units = ARENA_ARRAY(arena, uint32_t, jobs);
    // Room for the worst; what is not written takes no memory.
    uint64_t few[FEW_BLOCKS * COLUMN_BLOCK];
    bool has_few = pack->block_count <= FEW_BLOCKS;
    pack->draft = has_few ? few : arena_alloc(arena, pack->block_count, (size_t)COLUMN_BLOCK * 8);
    parallel_run(threads, jobs, pack_job, pack);
    for (size_t i = 0; i < jobs; i++)
        total += pack->job_units[i];
    // Codes are read eight bytes at a time.
    unsigned char *codes = arena_alloc(arena, total * COLUMN_UNIT + sizeof(uint64_t), 1);
    uint32_t at = 0;
    for (size_t i = 0; i < jobs; i++) {
        memcpy(codes + (size_t)at * COLUMN_UNIT, pack->draft + i * (JOB_BYTES / 8),
               (size_t)pack->job_units[i] * COLUMN_UNIT);
        size_t end = (i + 1) * JOB_BLOCKS;
        for (size_t b = i * JOB_BLOCKS; b < end && b < pack->block_count; b++)
            pack->blocks[b].at += at;
        at += pack->job_units[i];
    }
    if (!has_few)
        arena_release(arena, pack->draft, pack->block_count * COLUMN_BLOCK * 8);
    return (struct packed){pack->blocks, codes};
}

struct column32 column32_pack(struct arena *arena, unsigned threads, const uint32_t *values,
                              const uint32_t *order, size_t count)
{
    struct pack pack = {.narrow = values, .order = order, .count = count};
    return (struct column32){run(&pack, arena, threads)};
}

struct column64 column64_pack(struct arena *arena, unsigned threads, const int64_t *values,
                              const uint32_t *order, size_t count)
{
    struct pack pack = {.wide = values, .order = order, .count = count};
    return (struct column64){run(&pack, arena, threads)};
}

uint32_t *column32_unpack(struct arena *arena, struct column32 column, size_t count)
{
    uint32_t *values = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        values[i] = AT(column, i);
    return values;
}

int64_t *column64_unpack(struct arena *arena, struct column64 column, size_t count)
{
    int64_t *values = ARENA_ARRAY(arena, int64_t, count);
    for (size_t i = 0; i < count; i++)
        values[i] = AT(column, i);
    return values;
}

int64_t column64_least(const struct column64 *column, size_t count)
{
    const struct column_block *blocks = column->packed.blocks;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i <= (count - 1) / COLUMN_BLOCK; i++) {
        int64_t own = blocks[i].base + blocks[i].has_none;
        least = own < least ? own : least;
    }
    return least;
}

int64_t column64_most(const struct column64 *column, size_t count)
{
    int64_t most = column64_at(column, count - 1);
    for (size_t i = (count - 1) / COLUMN_BLOCK + 1;
         i-- > 0;) { // times: the last ones are the latest
        const struct column_block *block = &column->packed.blocks[i];
        uint64_t room = (UINT64_C(2) << block->last) - 1;
        if (block->base <= most && room <= (uint64_t)most - (uint64_t)block->base)
            continue;
        size_t end = (i + 1) * COLUMN_BLOCK;
        for (size_t row = i * COLUMN_BLOCK; row < end && row < count; row++) {
            int64_t value = column64_at(column, row);
            most = value > most ? value : most;
        }
    }
    return most;
}
