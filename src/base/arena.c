// SPDX-License-Identifier: Apache-2.0
// An arena is a list of blocks, each an anonymous mapping. Small requests are cut from the first
// block; large ones get a mapping of their own, which can be released early or grown by mremap().
// Failures leave through longjmp() to the innermost arena_run().
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Under AddressSanitizer memory that is not handed out is poisoned.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISON
#endif
#if __has_feature(thread_sanitizer)
#define ARENA_NO_MREMAP // TSan does not know mremap() and reports false races on moved pages
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_POISON
#endif
#if defined(ARENA_POISON) || defined(ARENA_NO_MREMAP)
enum { CAN_MREMAP = false };
#else
enum { CAN_MREMAP = true };
#endif
#ifdef ARENA_POISON
#include <sanitizer/asan_interface.h>
enum { GAP_BYTES = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
enum { GAP_BYTES = 0 };
#endif

enum {
    BLOCK_BYTES = 256 * 1024, // an ordinary block
    LARGE_BYTES = 64 * 1024,  // requests of this size get a mapping of their own
    ALIGNMENT = _Alignof(max_align_t),
};

// Blocks are anonymous mappings without reserve: a large column is reserved at its upper bound, and
// only the pages that are written take memory.
struct arena_block {
    struct arena_block *next;
    size_t size; // of the mapping, header included
};

struct arena_escape {
    jmp_buf target;
    struct arena_escape *outer;
};

struct arena {
    struct arena_block *blocks; // the first one is being filled
    size_t used;                // bytes of the first block in use, header included
    size_t total;               // bytes handed out
    size_t max_bytes;
    struct arena_escape *escape;
    const atomic_bool *stop;        // NULL: cannot be stopped
    struct arena_cleanup *cleanups; // the latest first
    bool is_temporary;
};

static atomic_uint_fast64_t fail_countdown;

void arena_fail_at(uint64_t n)
{
    atomic_store(&fail_countdown, n);
}

static bool is_failure_due(void)
{
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0)
        return false;
    return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

bool arena_is_stopped(const struct arena *arena)
{
    return arena->stop && atomic_load_explicit(arena->stop, memory_order_relaxed);
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

#define HEADER_BYTES round_up(sizeof(struct arena_block), ALIGNMENT)

static struct arena_block *block_map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    struct arena_block *block = memory;
    block->size = size;
    ASAN_POISON_MEMORY_REGION((char *)block + HEADER_BYTES, size - HEADER_BYTES);
    return block;
}

static void block_unmap(struct arena_block *block)
{
    size_t size = block->size;
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    munmap(block, size);
}

struct arena *arena_new(size_t max_bytes)
{
    if (is_failure_due())
        return NULL;
    struct arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->max_bytes = max_bytes;
    return arena;
}

void arena_set_stop_flag(struct arena *arena, const atomic_bool *stop)
{
    arena->stop = stop;
}

struct arena *arena_child(const struct arena *other)
{
    struct arena *arena = arena_new(0);
    if (arena)
        arena->stop = other->stop;
    return arena;
}

struct arena *arena_temp(const struct arena *other)
{
    struct arena *arena = arena_child(other);
    if (arena)
        arena->is_temporary = true;
    return arena;
}

void arena_add_cleanup(struct arena *arena, struct arena_cleanup *cleanup)
{
    cleanup->next = arena->cleanups;
    arena->cleanups = cleanup;
}

const struct arena_cleanup *arena_last_cleanup(const struct arena *arena)
{
    return arena->cleanups;
}

static void run_cleanups(struct arena *arena)
{
    while (arena->cleanups) {
        struct arena_cleanup *cleanup = arena->cleanups;
        arena->cleanups = cleanup->next;
        cleanup->end(cleanup);
    }
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    run_cleanups(arena);
    for (struct arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        block_unmap(block);
    }
    free(arena);
}

void arena_reset(struct arena *arena)
{
    run_cleanups(arena);
    struct arena_block *keep = NULL;
    // Only the used part must be cleared: small results are reset millions of times.
    size_t used = arena->blocks && arena->blocks->size == BLOCK_BYTES ? arena->used : BLOCK_BYTES;
    for (struct arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        if (!keep && block->size == BLOCK_BYTES) {
            keep = block;
            continue;
        }
        block_unmap(block);
    }
    arena->blocks = keep;
    arena->used = HEADER_BYTES;
    arena->total = 0;
    if (keep) {
        keep->next = NULL;
        ASAN_UNPOISON_MEMORY_REGION(keep, keep->size);
        memset((char *)keep + HEADER_BYTES, 0, used - HEADER_BYTES);
        ASAN_POISON_MEMORY_REGION((char *)keep + HEADER_BYTES, keep->size - HEADER_BYTES);
    }
}

bool arena_run(struct arena *arena, bool (*body)(void *context, struct error *error), void *context,
               struct error *error)
{
    // `target` is not cleared: arena_run() is called for each row of a file
    struct arena_escape escape;
    escape.outer = arena->escape;
    arena->escape = &escape;
    bool done = false;
    if (setjmp(escape.target) == 0)
        done = body(context, error);
    else if (arena_is_stopped(arena))
        error_set(error, ERROR_CANCELLED, "cancelled");
    else
        error_set(error, ERROR_MEMORY, "out of memory (%zu MB in use)", arena->total >> 20);
    arena->escape = escape.outer;
    return done;
}

static _Noreturn void arena_exhausted(struct arena *arena)
{
    if (!arena->escape)
        abort();
    longjmp(arena->escape->target, 1);
}

// Gives the request a mapping of its own, which becomes the second block; the first one is still
// being filled.
static void *arena_alloc_large(struct arena *arena, size_t bytes)
{
    struct arena_block *block = block_map(round_up(HEADER_BYTES + bytes + GAP_BYTES, 4096));
    if (!block)
        arena_exhausted(arena);
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = NULL;
        arena->blocks = block;
        arena->used = block->size;
    }
    ASAN_UNPOISON_MEMORY_REGION((char *)block + HEADER_BYTES, bytes);
    return (char *)block + HEADER_BYTES;
}

// Returns the size of a request after rounding. Does not return if the request must fail.
static size_t checked_bytes(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (is_failure_due() || arena_is_stopped(arena) ||
        __builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4)
        arena_exhausted(arena);
    return round_up(bytes ? bytes : 1, ALIGNMENT);
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    size_t bytes = checked_bytes(arena, count, size);
    size_t needed = bytes + GAP_BYTES;
    if (arena->max_bytes && bytes > arena->max_bytes - arena->total)
        arena_exhausted(arena);
    arena->total += bytes;
    if (bytes >= LARGE_BYTES)
        return arena_alloc_large(arena, bytes);
    if (!arena->blocks || needed > arena->blocks->size - arena->used) {
        struct arena_block *block = block_map(BLOCK_BYTES);
        if (!block)
            arena_exhausted(arena);
        block->next = arena->blocks;
        arena->blocks = block;
        arena->used = HEADER_BYTES;
    }
    void *memory = (char *)arena->blocks + arena->used;
    arena->used += needed;
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    return memory;
}

// Returns the pointer to the block of a large allocation in the list of blocks.
static struct arena_block **block_link(struct arena *arena, void *memory)
{
    struct arena_block *block = (struct arena_block *)((char *)memory - HEADER_BYTES),
                       **link = &arena->blocks;
    for (; *link != block; link = &(*link)->next)
        if (!*link)
            abort(); // not a large piece of this arena
    return link;
}

void arena_release(struct arena *arena, void *memory, size_t bytes)
{
    bytes = round_up(bytes, ALIGNMENT);
    if (!memory || !bytes)
        return;
    ASAN_POISON_MEMORY_REGION(memory, bytes);
    if (bytes < LARGE_BYTES)
        return;
    struct arena_block **link = block_link(arena, memory), *block = *link;
    *link = block->next;
    if (link == &arena->blocks && block->next)
        arena->used = block->next->size; // its free bytes are unknown: treat it as full
    arena->total -= bytes;
    block_unmap(block);
}

// Grows a large allocation in place or moves its pages, so that nothing is copied and there are
// never two copies.
static void *arena_remap(struct arena *arena, void *memory, size_t bytes, size_t larger)
{
    struct arena_block **link = block_link(arena, memory);
    size_t size = round_up(HEADER_BYTES + larger, 4096);
    struct arena_block *block = mremap(*link, (*link)->size, size, MREMAP_MAYMOVE);
    if (block == MAP_FAILED)
        arena_exhausted(arena);
    block->size = size;
    if (link == &arena->blocks)
        arena->used = size;
    *link = block;
    arena->total += larger - bytes;
    return (char *)block + HEADER_BYTES;
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    size_t old_bytes = round_up(*capacity * size, ALIGNMENT);
    size_t larger = *capacity ? *capacity * 2 : 16;
    bool can_remap = CAN_MREMAP && arena->is_temporary && old_bytes >= LARGE_BYTES;
    if (can_remap) {
        items = arena_remap(arena, items, old_bytes, checked_bytes(arena, larger, size));
    } else {
        void *copy = arena_alloc(arena, larger, size);
        if (count)
            memcpy(copy, items, count * size);
        if (arena->is_temporary)
            arena_release(arena, items, old_bytes);
        items = copy;
    }
    *capacity = larger;
    return items;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1, 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_text(struct arena *arena, const char *text)
{
    return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    char short_text[256]; // most texts fit; longer ones are formatted twice
    va_list arguments, arguments_copy;
    va_start(arguments, format);
    va_copy(arguments_copy, arguments);
    int length = vsnprintf(short_text, sizeof short_text, format, arguments);
    va_end(arguments);
    char *text = arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1, 1);
    if (length > 0 && (size_t)length < sizeof short_text)
        memcpy(text, short_text, (size_t)length);
    else if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, arguments_copy);
    va_end(arguments_copy);
    return text;
}

size_t arena_bytes(const struct arena *arena)
{
    return arena->total;
}
