// SPDX-License-Identifier: Apache-2.0
// The loader of digests (digest.h). A digest is untrusted input like any profile: every length,
// index and order is checked, and the memory is bounded by the size of the file.
#include <endian.h>
#include <sys/stat.h>

#include "base/coded.h"
#include "base/parallel.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "model/derive/derive.h"
#include "model/digest/digest_read.h"

static int probe(const char *path, const unsigned char *head, size_t head_size, struct error *error)
{
    (void)path, (void)error;
    return head_size >= sizeof DIGEST_MAGIC - 1 &&
                   memcmp(head, DIGEST_MAGIC, sizeof DIGEST_MAGIC - 1) == 0
               ? 100
               : 0;
}

// ---- the file ----------------------------------------------------------------------------------

bool digest_fail_damaged(const struct digest_reader *reader, const char *what, const char *of)
{
    return error_set(reader->error, ERROR_DATA,
                     "%s is a damaged digest: %s%s%s.\nCopy it again, or write it again from the "
                     "profile: dlprof-tui --digest=FILE PROFILE",
                     text_display_path(reader->request->path), what, *of ? " of " : "", of);
}

static bool check_header(struct digest_reader *reader)
{
    struct digest_header header;
    if (reader->size < DIGEST_HEADER)
        return digest_fail_damaged(reader, "it is cut off", "");
    memcpy(&header, reader->bytes, sizeof header);
    if (le32toh(header.version) > DIGEST_VERSION)
        return error_set(reader->error, ERROR_DATA,
                         "%s is a digest of a later dlprof-tui (format %u; this one knows "
                         "%d).\nOpen it with that "
                         "one, or write it again from the profile with this one: dlprof-tui "
                         "--digest=FILE PROFILE",
                         text_display_path(reader->request->path), le32toh(header.version),
                         DIGEST_VERSION);
    if (le64toh(header.size) > reader->size)
        return digest_fail_damaged(reader, "it is cut off", "");
    if (le32toh(header.version) != DIGEST_VERSION || header.zero ||
        le64toh(header.size) != reader->size ||
        le64toh(header.checksum) !=
            digest_checksum(reader->bytes + DIGEST_HEADER, reader->size - DIGEST_HEADER))
        return digest_fail_damaged(reader, "its checksum does not hold", "");
    reader->at = DIGEST_HEADER;
    return true;
}

static const unsigned char *take(struct digest_reader *reader, uint64_t size)
{
    if (size > reader->size - reader->at)
        return NULL;
    const unsigned char *from = reader->bytes + reader->at;
    reader->at += size;
    return from;
}

static bool take_number(struct digest_reader *reader, size_t size, uint64_t *number)
{
    const unsigned char *from = take(reader, size);
    *number = 0;
    for (size_t i = 0; from && i < size; i++)
        *number |= (uint64_t)from[i] << 8 * i;
    return from != NULL;
}

// Reads the next name if it is this one; returns whether it was.
static bool take_name(struct digest_reader *reader, const char *name)
{
    size_t length = strlen(name), left = reader->size - reader->at;
    const unsigned char *from = reader->bytes + reader->at;
    if (left <= length || from[0] != length || memcmp(from + 1, name, length) != 0)
        return false;
    reader->at += length + 1;
    return true;
}

bool digest_read_table(struct digest_reader *reader, const char *name, uint32_t *rows,
                       uint32_t *columns)
{
    uint64_t number = 0, width = 0;
    *rows = *columns = 0;
    if (!take_name(reader, name) || !take_number(reader, 4, &number) ||
        !take_number(reader, 4, &width))
        return digest_fail_damaged(reader, "there is no table", name);
    if (number >= ROW_NONE ||
        (number > DIGEST_ALLOWANCE && number / DIGEST_ROWS_PER_BYTE > reader->size))
        return digest_fail_damaged(reader, "it is too small for the rows", name);
    *rows = (uint32_t)number;
    *columns = (uint32_t)width;
    return true;
}

bool digest_read_column(struct digest_reader *reader, const char *name,
                        struct digest_column *column)
{
    uint64_t from, bytes, has_none;
    column->is_there = take_name(reader, name);
    if (!column->is_there)
        return true;
    bool done = take_number(reader, 1, &from) && take_number(reader, 1, &bytes) &&
                take_number(reader, 1, &has_none) && has_none <= 1 &&
                take_number(reader, 8, &column->coded.size) &&
                (column->bytes = take(reader, column->coded.size));
    if (!done)
        return digest_fail_damaged(reader, "no room for column", name);
    column->coded.from = (uint8_t)from;
    column->coded.bytes = (uint8_t)bytes;
    column->coded.has_none = has_none;
    return true;
}

// ---- texts -------------------------------------------------------------------------------------

static bool take_text(void *context, uint32_t row, const char *text, size_t length)
{
    struct digest_reader *reader = context;
    return strings_intern(reader->profile->strings, text, length) == row + 1;
}

static bool take_word(void *context, uint32_t row, const char *text, size_t length)
{
    struct digest_reader *reader = context;
    reader->words[row] = arena_copy(reader->profile->arena, text, length);
    return true;
}

// Calls each(reading, row, text, length) for all texts of a table. Texts must not contain NUL, and
// must be distinct.
static bool read_texts(struct digest_reader *reader, const char *name, uint32_t *count,
                       bool (*each)(void *context, uint32_t row, const char *text, size_t length))
{
    struct digest_column lengths, texts;
    uint32_t columns;
    if (!digest_read_table(reader, name, count, &columns) ||
        !digest_read_column(reader, "length", &lengths) ||
        !digest_read_column(reader, "text", &texts))
        return false;
    int64_t *length = ARENA_ARRAY(reader->scratch, int64_t, (size_t)*count + 1);
    if (columns != 2 || !lengths.is_there || !texts.is_there ||
        !coded_read(&lengths.coded, lengths.bytes, NULL, *count, length, reader->scratch))
        return digest_fail_damaged(reader, "the bytes do not fit", name);
    uint64_t all = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (length[i] < 0 || length[i] > UINT32_MAX)
            return digest_fail_damaged(reader, "a length that cannot be", name);
        all += (uint64_t)length[i];
    }
    if (all > DIGEST_ALLOWANCE && all / DIGEST_TEXT_PER_BYTE > reader->size)
        return digest_fail_damaged(reader, "it is too small for the text", name);
    char *bytes = arena_alloc(reader->scratch, all + 1, 1), *at = bytes;
    if (!coded_read_bytes(texts.bytes, texts.coded.size, bytes, all) || memchr(bytes, 0, all))
        return digest_fail_damaged(reader, "the bytes do not fit", name);
    reader->words = ARENA_ARRAY(reader->scratch, const char *, (size_t)*count + 1);
    for (uint32_t i = 0; i < *count; at += length[i++])
        if (!each(reader, i, at, (size_t)length[i]))
            return digest_fail_damaged(reader, "a text stands there twice", name);
    return true;
}

// ---- all ---------------------------------------------------------------------------------------

static bool read_digest(struct digest_reader *reader)
{
    struct text_file file = {0};
    uint32_t texts;
    const struct load_request *request = reader->request;
    if (!text_file_bytes(request->digest ? request->digest : request->path, SIZE_MAX / 4,
                         reader->scratch, &file, reader->error))
        return false;
    reader->bytes = (const unsigned char *)file.bytes;
    reader->size = file.length;
    if (!check_header(reader) || !read_texts(reader, "texts", &texts, take_text) ||
        !read_texts(reader, "words", &reader->word_count, take_word))
        return false;
    for (size_t i = 0; i < SMALL_TABLES; i++)
        if (!digest_read_small(reader, &digest_tables[i]))
            return false;
    for (size_t i = 0; i < PROFILE_TABLES; i++)
        if (!digest_read_long(reader, &profile_tables[i]))
            return false;
    return digest_read_metrics(reader) && digest_check_whole(reader);
}

// Returns the size of the file that the user named.
static int64_t file_bytes(const struct digest_reader *reader)
{
    struct stat status;
    bool is_kept = reader->request->digest && stat(reader->request->path, &status) == 0;
    return is_kept ? (int64_t)status.st_size : (int64_t)reader->size;
}

static bool read_body(void *context, struct error *error)
{
    struct digest_reader *reader = context;
    struct profile *profile = reader->profile;
    reader->error = error;
    if (!read_digest(reader))
        return false;
    struct source *source = &profile->sources[0], recorded = *source;
    *source = source_new(arena_text(profile->arena, reader->request->path), recorded.format);
    source->version = recorded.version;
    source->schema = recorded.schema;
    source->bytes = file_bytes(reader);
    source->host = recorded.host;
    source->rank = recorded.rank;
    source->world = recorded.world > 0 ? recorded.world : UNKNOWN;
    source->roles = recorded.roles;
    return true;
}

static bool read_guarded(void *context, struct error *error)
{
    struct digest_reader *reader = context;
    return arena_run(reader->scratch, read_body, reader, error);
}

static bool load(const struct load_request *request, struct profile *profile, struct error *error)
{
    struct digest_reader reader = {
        .request = request,
        .profile = profile,
        .scratch = arena_temp(profile->arena),
        .earliest = INT64_MAX,
        .latest = INT64_MIN,
    };
    if (!reader.scratch)
        return error_set(error, ERROR_MEMORY, "out of memory");
    if (request->progress)
        atomic_store(&request->progress->doing, "reading the digest");
    profile->workers = request->threads ? request->threads : parallel_cores();
    bool done = arena_run(profile->arena, read_guarded, &reader, error);
    arena_free(reader.scratch);
    if (!done)
        return false;
    if (request->digest)
        profile_note(profile, NOTE_INFO, "from_cache", 1, NULL,
                     "opened from the digest that was kept of the file when it was opened before; "
                     "--cache=off reads the file itself");
    if (!request->part_of)
        return profile_derive(profile, request, error);
    profile_classify(profile);
    return true;
}

const struct loader digest_loader = {
    .name = "digest",
    .doc = "digest of a profile (dlprof-tui --digest=FILE)",
    .probe = probe,
    .load = load,
    .no_digest_reason = "it is one",
};
