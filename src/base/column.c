// SPDX-License-Identifier: Apache-2.0
#include "base/column.h"

#include "base/parallel.h"

// Each parallel job packs JOB_BLOCKS blocks into a draft, which has room for codes of full width.
enum { JOB_BLOCKS = 1024, JOB_DRAFT_BYTES = JOB_BLOCKS * COLUMN_BLOCK * 8 };
enum { MAX_STACK_BLOCKS = 64 }; // a draft of this size is too small for arena_release()

struct column_pack {
    const uint32_t *narrow; // the values are in `narrow` or in `wide`
    const int64_t *wide;
    const uint32_t *order;
    size_t count, block_count;
    struct column_block *blocks; // at first, `at` counts from the start of the block's job
    uint64_t *draft;             // the drafts of all jobs
    uint32_t *job_units;         // by job: size of its codes in COLUMN_UNITs
};

struct block_values { // the values of one block
    size_t count;
    bool has_none;           // COLUMN_NONE64 is among them
    int64_t least, greatest; // of the other values
    int64_t items[COLUMN_BLOCK];
};

static inline void values_add(struct block_values *values, int64_t value)
{
    bool is_none = value == COLUMN_NONE64; // INT64_MIN, so it never raises `greatest`
    values->has_none |= is_none;
    values->least = !is_none && value < values->least ? value : values->least;
    values->greatest = value > values->greatest ? value : values->greatest;
    values->items[values->count++] = value;
}

static void values_clear(struct block_values *values)
{
    values->count = 0;
    values->has_none = false;
    values->least = INT64_MAX;
    values->greatest = INT64_MIN;
}

static void values_finish(struct block_values *values)
{
    if (values->least > values->greatest) // all values are COLUMN_NONE64
        values->least = values->greatest = 0;
}

static void values_load(const struct column_pack *pack, size_t block, struct block_values *values)
{
    size_t first = block * COLUMN_BLOCK, remaining = pack->count - first;
    size_t end = first + (remaining < COLUMN_BLOCK ? remaining : COLUMN_BLOCK);
    values_clear(values);
    for (size_t i = first; i < end && pack->wide; i++)
        values_add(values, pack->wide[pack->order ? pack->order[i] : i]);
    for (size_t i = first; i < end && !pack->wide; i++) {
        uint32_t value = pack->narrow[pack->order ? pack->order[i] : i];
        values_add(values, value == COLUMN_NONE32 ? COLUMN_NONE64 : value);
    }
    values_finish(values);
}

static struct column_block block_of_values(const struct block_values *values)
{
    enum { MAX_SHORT_BIT = 56 }; // 56 + 1 bits that start up to 7 bits into a word still fit in one
    uint64_t farthest = (uint64_t)values->greatest - (uint64_t)values->least + values->has_none;
    int last = 63 - __builtin_clzll(farthest | 1);
    return (struct column_block){
        .base = (int64_t)((uint64_t)values->least - values->has_none),
        .last = (uint8_t)(last > MAX_SHORT_BIT ? 63 : last),
        .has_none = values->has_none,
    };
}

struct bit_writer {
    uint64_t *word;
    uint64_t bits; // bits of the next word so far
    unsigned used, width;
};

static inline void write_code(struct bit_writer *writer, uint64_t code)
{
    writer->bits |= code << writer->used;
    writer->used += writer->width;
    if (writer->used < 64)
        return;
    *writer->word++ = htole64(writer->bits);
    writer->used -= 64;
    writer->bits = writer->used ? code >> (writer->width - writer->used) : 0;
}

static void write_codes(const struct column_block *block, const struct block_values *values,
                        uint64_t *word)
{
    struct bit_writer writer = {word, 0, 0, block->last + 1u};
    for (size_t i = 0; i < values->count; i++)
        write_code(&writer, values->items[i] == COLUMN_NONE64
                                ? 0
                                : (uint64_t)values->items[i] - (uint64_t)block->base);
    if (writer.used)
        *writer.word = htole64(writer.bits);
}

static void pack_blocks_job(void *context, size_t job)
{
    struct column_pack *pack = context;
    struct block_values values;
    uint32_t at = 0;
    uint64_t *draft = pack->draft + job * (JOB_DRAFT_BYTES / 8);
    size_t end = (job + 1) * JOB_BLOCKS;
    end = end < pack->block_count ? end : pack->block_count;
    for (size_t i = job * JOB_BLOCKS; i < end; i++) {
        uint64_t *word = draft + (size_t)at * (COLUMN_UNIT / 8);
        values_load(pack, i, &values);
        if (values.count < COLUMN_BLOCK) // the last block has unwritten codes
            memset(word, 0, (size_t)COLUMN_BLOCK * 8);
        struct column_block block = block_of_values(&values);
        write_codes(&block, &values, word);
        block.at = at;
        pack->blocks[i] = block;
        at += block.last + 1u;
    }
    pack->job_units[job] = at;
}

static struct packed pack_blocks(struct column_pack *pack, struct arena *arena, unsigned threads)
{
    pack->block_count = pack->count / COLUMN_BLOCK + 1; // an empty column has one block without
                                                        // rows
    size_t jobs = (pack->block_count + JOB_BLOCKS - 1) / JOB_BLOCKS, total = 0;
    pack->blocks = ARENA_ARRAY(arena, struct column_block, pack->block_count);
    pack->job_units = ARENA_ARRAY(arena, uint32_t, jobs);
    // The draft is reserved for the worst case; pages that are not written take no memory.
    uint64_t stack_draft[MAX_STACK_BLOCKS * COLUMN_BLOCK];
    bool is_on_stack = pack->block_count <= MAX_STACK_BLOCKS;
    pack->draft =
        is_on_stack ? stack_draft : arena_alloc(arena, pack->block_count, (size_t)COLUMN_BLOCK * 8);
    parallel_run(threads, jobs, pack_blocks_job, pack);
    for (size_t i = 0; i < jobs; i++)
        total += pack->job_units[i];
    // Padding: a code is read as eight bytes.
    unsigned char *codes = arena_alloc(arena, total * COLUMN_UNIT + sizeof(uint64_t), 1);
    uint32_t at = 0;
    for (size_t i = 0; i < jobs; i++) {
        memcpy(codes + (size_t)at * COLUMN_UNIT, pack->draft + i * (JOB_DRAFT_BYTES / 8),
               (size_t)pack->job_units[i] * COLUMN_UNIT);
        size_t end = (i + 1) * JOB_BLOCKS;
        for (size_t b = i * JOB_BLOCKS; b < end && b < pack->block_count; b++)
            pack->blocks[b].at += at;
        at += pack->job_units[i];
    }
    if (!is_on_stack)
        arena_release(arena, pack->draft, pack->block_count * COLUMN_BLOCK * 8);
    return (struct packed){pack->blocks, codes};
}

struct column32 column32_pack(struct arena *arena, unsigned threads, const uint32_t *values,
                              const uint32_t *order, size_t count)
{
    struct column_pack pack = {.narrow = values, .order = order, .count = count};
    return (struct column32){pack_blocks(&pack, arena, threads)};
}

struct column64 column64_pack(struct arena *arena, unsigned threads, const int64_t *values,
                              const uint32_t *order, size_t count)
{
    struct column_pack pack = {.wide = values, .order = order, .count = count};
    return (struct column64){pack_blocks(&pack, arena, threads)};
}

// ---- column writer -----------------------------------------------------------------------------

struct column_writer {
    struct arena *arena;
    struct block_values values; // of the current block
    struct column_block *blocks;
    size_t block_count, block_capacity;
    uint64_t *words;
    size_t word_count, word_capacity;
};

struct column_writer *column_begin(struct arena *scratch)
{
    struct column_writer *writer = ARENA_NEW(scratch, struct column_writer);
    writer->arena = scratch;
    values_clear(&writer->values);
    return writer;
}

static void block_write(struct column_writer *writer)
{
    enum { UNIT_WORDS = COLUMN_UNIT / sizeof(uint64_t), MAX_BLOCK_WORDS = COLUMN_BLOCK };
    values_finish(&writer->values);
    struct column_block block = block_of_values(&writer->values);
    while (writer->word_capacity < writer->word_count + MAX_BLOCK_WORDS)
        writer->words = arena_grow(writer->arena, writer->words, writer->word_capacity,
                                   &writer->word_capacity, sizeof *writer->words);
    uint64_t *word = writer->words + writer->word_count;
    if (writer->values.count < COLUMN_BLOCK) // the last block has unwritten codes
        memset(word, 0, (block.last + 1u) * (size_t)COLUMN_UNIT);
    write_codes(&block, &writer->values, word);
    block.at = (uint32_t)(writer->word_count / UNIT_WORDS);
    writer->word_count += (size_t)(block.last + 1u) * UNIT_WORDS;
    ARENA_PUSH(writer->arena, writer->blocks, writer->block_count, writer->block_capacity) = block;
    values_clear(&writer->values);
}

void column64_put(struct column_writer *writer, int64_t value)
{
    values_add(&writer->values, value);
    if (writer->values.count == COLUMN_BLOCK)
        block_write(writer);
}

void column32_put(struct column_writer *writer, uint32_t value)
{
    column64_put(writer, value == COLUMN_NONE32 ? COLUMN_NONE64 : value);
}

static struct packed writer_end(struct column_writer *writer, struct arena *arena)
{
    if (writer->values.count || writer->block_count == 0)
        block_write(writer);
    size_t bytes = writer->word_count * sizeof *writer->words;
    struct column_block *blocks = ARENA_ARRAY(arena, struct column_block, writer->block_count);
    // Padding: a code is read as eight bytes.
    unsigned char *codes = arena_alloc(arena, bytes + sizeof(uint64_t), 1);
    memcpy(blocks, writer->blocks, writer->block_count * sizeof *blocks);
    memcpy(codes, writer->words, bytes);
    ARENA_RELEASE(writer->arena, writer->words, writer->word_capacity);
    ARENA_RELEASE(writer->arena, writer->blocks, writer->block_capacity);
    return (struct packed){blocks, codes};
}

struct column64 column64_end(struct column_writer *writer, struct arena *arena)
{
    return (struct column64){writer_end(writer, arena)};
}

struct column32 column32_end(struct column_writer *writer, struct arena *arena)
{
    return (struct column32){writer_end(writer, arena)};
}

// ---- reading -----------------------------------------------------------------------------------

static struct packed packed_copy(struct arena *arena, struct packed packed, size_t count)
{
    if (!packed.blocks)
        return packed;
    size_t last = count ? (count - 1) / COLUMN_BLOCK : 0;
    size_t units = (size_t)packed.blocks[last].at + packed.blocks[last].last + 1u;
    size_t bytes = units * COLUMN_UNIT + sizeof(uint64_t);
    struct column_block *blocks = ARENA_ARRAY(arena, struct column_block, last + 1);
    unsigned char *codes = arena_alloc(arena, bytes, 1);
    memcpy(blocks, packed.blocks, (last + 1) * sizeof *blocks);
    memcpy(codes, packed.codes, bytes);
    return (struct packed){blocks, codes};
}

struct column32 column32_copy(struct arena *arena, struct column32 column, size_t count)
{
    return (struct column32){packed_copy(arena, column.packed, count)};
}

struct column64 column64_copy(struct arena *arena, struct column64 column, size_t count)
{
    return (struct column64){packed_copy(arena, column.packed, count)};
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

int64_t column64_min(const struct column64 *column, size_t count)
{
    const struct column_block *blocks = column->packed.blocks;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i <= (count - 1) / COLUMN_BLOCK; i++) {
        int64_t block_least = blocks[i].base + blocks[i].has_none;
        least = block_least < least ? block_least : least;
    }
    return least;
}

int64_t column64_max(const struct column64 *column, size_t count)
{
    // Starts with the last block: in columns of times it holds the greatest values, and most other
    // blocks are skipped.
    int64_t greatest = column64_at(column, count - 1);
    for (size_t i = (count - 1) / COLUMN_BLOCK + 1; i-- > 0;) {
        const struct column_block *block = &column->packed.blocks[i];
        uint64_t code_limit = (UINT64_C(2) << block->last) - 1;
        if (block->base <= greatest && code_limit <= (uint64_t)greatest - (uint64_t)block->base)
            continue;
        size_t end = (i + 1) * COLUMN_BLOCK;
        for (size_t row = i * COLUMN_BLOCK; row < end && row < count; row++) {
            int64_t value = column64_at(column, row);
            greatest = value > greatest ? value : greatest;
        }
    }
    return greatest;
}
