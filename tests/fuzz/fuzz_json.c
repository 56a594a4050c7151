// SPDX-License-Identifier: Apache-2.0
// Bytes as JSON: reading ends, keeps its invariants, and gives the same tokens for any window
// size.
//
// Aims at: base/*json_scan* base/*json_window*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse/json_scan.h"
#include "profile_seed.h"

#define CHECK(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
    const uint8_t *choices; // what to do at the first tokens
    size_t choice_count;
    bool chooses; // false: all tokens are read one by one
    uint64_t hash, tokens;
};

static void add(struct reading *reading, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        reading->hash = (reading->hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u;
}

static enum json_token read_token(struct json_scan *scan, struct reading *reading)
{
    unsigned before = scan->depth;
    enum json_token token = json_scan_next(scan);
    reading->tokens++;
    CHECK(scan->depth <= MAX_JSON_DEPTH);
    CHECK((token == JSON_OBJECT || token == JSON_ARRAY) ? scan->depth == before + 1
          : token == JSON_CLOSE                         ? scan->depth < before
          : token == JSON_END                           ? scan->depth == 0
                                                        : scan->depth == before);
    add(reading, &token, sizeof token);
    if (token >= JSON_KEY)
        add(reading, scan->text, scan->length);
    return token;
}

static bool is_value(enum json_token token)
{
    return token == JSON_OBJECT || token == JSON_ARRAY || token >= JSON_STRING;
}

// Handles a token in one of the ways a user of the scanner can.
static void choose(struct json_scan *scan, struct reading *reading, enum json_token token)
{
    if (!reading->chooses || reading->tokens > reading->choice_count)
        return;
    unsigned depth = scan->depth;
    uint8_t choice = reading->choices[reading->tokens - 1] % 8;
    if (choice == 0)
        json_scan_hold(scan);
    else if (choice == 1)
        json_scan_release(scan);
    else if (choice == 2)
        json_scan_skip(scan, token);
    else if (choice == 3 && token != JSON_KEY)
        json_scan_raw(scan, token);
    bool is_whole = choice == 2 || choice == 3;
    if (is_whole && (token == JSON_OBJECT || token == JSON_ARRAY))
        CHECK(scan->depth < depth);
    if (choice == 3 && is_value(token))
        add(reading, scan->text, scan->length);
}

static struct reading read_all(const uint8_t *data, size_t size, size_t window, bool chooses)
{
    struct arena *arena = arena_new((size_t)1 << 30);
    CHECK(arena);
    json_scan_window(window);
    struct json_scan *scan = json_scan_open(seed_path(), arena, NULL);
    CHECK(scan);
    struct reading reading = {.choices = data, .choice_count = size / 4, .chooses = chooses};
    enum json_token token, before = JSON_END;
    while ((token = read_token(scan, &reading)) != JSON_END) {
        CHECK(before != JSON_KEY || is_value(token));
        CHECK(reading.tokens <= 3 * size + 4);
        before = token;
        choose(scan, &reading, token);
        if (reading.chooses)
            before = JSON_END;
    }
    CHECK(json_scan_bytes(scan) <= size);
    CHECK(scan->first_repair_offset <= size);
    add(&reading, &scan->repair_count, sizeof scan->repair_count);
    add(&reading, &scan->is_cut, sizeof scan->is_cut);
    CHECK(json_scan_close(scan, NULL));
    arena_free(arena);
    return reading;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t windows[] = {1, 2, 5, 16, 64, 300};
    if (size < 2 || size > 1 << 16 || (data[1] == 0x1F && size > 2 && data[2] == 0x8B))
        return 0; // packed input is covered by zlib
    size_t window = windows[data[0] % (sizeof windows / sizeof *windows)];
    bool chooses = data[0] & 0x80;
    seed_write(data + 1, size - 1);
    struct reading small = read_all(data + 1, size - 1, window, chooses);
    struct reading large = read_all(data + 1, size - 1, 0, chooses);
    CHECK(small.hash == large.hash && small.tokens == large.tokens);
    return 0;
}
