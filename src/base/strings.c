// SPDX-License-Identifier: Apache-2.0
// A hash table with open addressing from texts to ids. Entries are stored by id and keep their
// hash, so that doubling the table does not read the texts again.
#include "base/strings.h"

#include <string.h>

struct string_entry {
    const char *text;
    uint32_t length;
    uint32_t hash;
};

struct strings {
    struct arena *arena;
    struct string_entry *entries; // by id
    size_t count, capacity;
    uint32_t *slots; // open addressing: id, or 0 if free
    size_t slot_count;
};

static uint32_t text_hash(const char *text, size_t length)
{
    uint64_t hash = 0x9E3779B97F4A7C15u ^ length;
    while (length >= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
        hash ^= hash >> 32;
        text += 8;
        length -= 8;
    }
    uint64_t tail = 0;
    memcpy(&tail, text, length);
    hash = (hash ^ tail) * 0xC4CEB9FE1A85EC53u;
    return (uint32_t)(hash ^ hash >> 29);
}

struct strings *strings_new(struct arena *arena)
{
    struct strings *strings = ARENA_NEW(arena, struct strings);
    strings->arena = arena;
    strings->slot_count = 1024;
    strings->slots = ARENA_ARRAY(arena, uint32_t, strings->slot_count);
    strings->capacity = 512;
    strings->entries = ARENA_ARRAY(arena, struct string_entry, strings->capacity);
    strings->entries[0].text = "";
    strings->count = 1;
    return strings;
}

static size_t slot_of(const struct strings *strings, const char *text, size_t length, uint32_t hash)
{
    size_t mask = strings->slot_count - 1;
    size_t slot = hash & mask;
    for (; strings->slots[slot]; slot = (slot + 1) & mask) {
        const struct string_entry *entry = &strings->entries[strings->slots[slot]];
        if (entry->hash == hash && entry->length == length &&
            memcmp(entry->text, text, length) == 0)
            break;
    }
    return slot;
}

static void slots_double(struct strings *strings)
{
    strings->slot_count *= 2;
    strings->slots = ARENA_ARRAY(strings->arena, uint32_t, strings->slot_count);
    size_t mask = strings->slot_count - 1;
    for (uint32_t id = 1; id < strings->count; id++) {
        size_t slot = strings->entries[id].hash & mask;
        while (strings->slots[slot])
            slot = (slot + 1) & mask;
        strings->slots[slot] = id;
    }
}

string_id strings_intern(struct strings *strings, const char *text, size_t length)
{
    const char *nul = length ? memchr(text, 0, length) : NULL;
    if (nul)
        length = (size_t)(nul - text);
    if (length > UINT32_MAX)
        length = UINT32_MAX;
    if (!text)
        text = "";
    uint32_t hash = text_hash(text, length);
    size_t slot = slot_of(strings, text, length, hash);
    if (strings->slots[slot])
        return strings->slots[slot];
    struct string_entry entry = {arena_copy(strings->arena, text, length), (uint32_t)length, hash};
    uint32_t id = (uint32_t)strings->count;
    ARENA_PUSH(strings->arena, strings->entries, strings->count, strings->capacity) = entry;
    strings->slots[slot] = id;
    if (strings->count * 2 > strings->slot_count)
        slots_double(strings);
    return id;
}

string_id strings_intern_text(struct strings *strings, const char *text)
{
    return text ? strings_intern(strings, text, strlen(text)) : STRING_NONE;
}

string_id strings_find(const struct strings *strings, const char *text)
{
    size_t length = strlen(text);
    return strings->slots[slot_of(strings, text, length, text_hash(text, length))];
}

const char *strings_text(const struct strings *strings, string_id id)
{
    return id < strings->count ? strings->entries[id].text : "";
}

size_t strings_length(const struct strings *strings, string_id id)
{
    return id < strings->count ? strings->entries[id].length : 0;
}

uint32_t strings_count(const struct strings *strings)
{
    return (uint32_t)strings->count;
}

struct strings *strings_share(const struct strings *strings)
{
    // Entries below `count` never change; slots do, so they are copied.
    struct strings *shared = ARENA_NEW(strings->arena, struct strings);
    *shared = *strings;
    shared->slots = ARENA_ARRAY(strings->arena, uint32_t, strings->slot_count);
    memcpy(shared->slots, strings->slots, strings->slot_count * sizeof *shared->slots);
    return shared;
}
