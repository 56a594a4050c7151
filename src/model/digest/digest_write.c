// SPDX-License-Identifier: Apache-2.0
// Writes a digest: encodes each table of a profile and pads the file.
#include <endian.h>

#include "base/coded.h"
#include "base/scratch.h"
#include "model/digest/digest.h"

struct digest_writer {
    const struct profile *part;
    struct arena *arena;
    unsigned threads;
    struct strings *words;     // texts that are not in the profile's strings
    uint64_t rows, text_bytes; // rows of the largest table; bytes of the longest text
};

// ---- bytes -------------------------------------------------------------------------------------

static void put_number(struct bytes *out, uint64_t number, size_t size)
{
    uint64_t little = htole64(number);
    bytes_add(out, (const char *)&little, size);
}

static void put_name(struct bytes *out, const char *name)
{
    size_t length = strlen(name);
    put_number(out, length, 1);
    bytes_add(out, name, length);
}

static void put_table(struct digest_writer *writer, struct bytes *out, const char *name,
                      uint32_t rows, uint32_t columns)
{
    put_name(out, name);
    put_number(out, rows, 4);
    put_number(out, columns, 4);
    writer->rows = rows > writer->rows ? rows : writer->rows;
}

static void put_column(struct bytes *out, const char *name, const struct coded *coded,
                       const unsigned char *bytes)
{
    put_name(out, name);
    put_number(out, coded->from, 1);
    put_number(out, coded->bytes, 1);
    put_number(out, coded->has_none, 1);
    put_number(out, coded->size, 8);
    bytes_add(out, (const char *)bytes, coded->size);
}

static void put_values(struct digest_writer *writer, struct bytes *out, const char *name,
                       const int64_t *values, size_t count)
{
    unsigned char *bytes = ARENA_ARRAY(writer->arena, unsigned char, coded_max_bytes(8 * count));
    struct coded coded;
    if (!coded_write(values, NULL, count, bytes, &coded, writer->arena))
        arena_alloc(writer->arena, SIZE_MAX, SIZE_MAX); // fails: jumps out with "out of memory"
    put_column(out, name, &coded, bytes);
    ARENA_RELEASE(writer->arena, bytes, coded_max_bytes(8 * count));
}

// ---- texts -------------------------------------------------------------------------------------

static void put_strings(struct digest_writer *writer, struct bytes *out, const char *name,
                        const struct strings *strings)
{
    uint32_t count = strings_count(strings) - 1; // without id 0, which is no text
    int64_t *lengths = ARENA_ARRAY(writer->arena, int64_t, (size_t)count + 1);
    struct bytes all = {.arena = writer->arena};
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = (int64_t)strings_length(strings, i + 1);
        bytes_add(&all, strings_text(strings, i + 1), (size_t)lengths[i]);
    }
    put_table(writer, out, name, count, 2);
    put_values(writer, out, "length", lengths, count);
    unsigned char *bytes = ARENA_ARRAY(writer->arena, unsigned char, coded_max_bytes(all.count));
    struct coded coded = {0};
    if (!coded_write_bytes(all.items, all.count, bytes, &coded.size))
        arena_alloc(writer->arena, SIZE_MAX, SIZE_MAX);
    put_column(out, "text", &coded, bytes);
    writer->text_bytes = all.count > writer->text_bytes ? all.count : writer->text_bytes;
}

// ---- the small tables --------------------------------------------------------------------------

static int64_t member_value(struct digest_writer *writer, const struct member *member,
                            const char *row)
{
    const void *at = row + member->at;
    switch (member->kind) {
    case MEMBER_U8:
        return *(const uint8_t *)at;
    case MEMBER_BOOL:
        return *(const bool *)at;
    case MEMBER_I32:
        return *(const int32_t *)at;
    case MEMBER_U32:
        return *(const uint32_t *)at == ROW_NONE ? COLUMN_NONE64 : *(const uint32_t *)at;
    case MEMBER_I64:
        return *(const int64_t *)at;
    case MEMBER_WORD:
        break;
    }
    const char *word = *(const char *const *)at;
    return strings_intern_text(writer->words, word ? word : "");
}

static void put_small(struct digest_writer *writer, struct bytes *out,
                      const struct small_table *table)
{
    uint32_t count = small_table_rows(writer->part, table);
    int64_t *values = ARENA_ARRAY(writer->arena, int64_t, (size_t)count + 1);
    put_table(writer, out, table->name, count, (uint32_t)table->member_count);
    for (size_t m = 0; m < table->member_count; m++) {
        for (uint32_t i = 0; i < count; i++)
            values[i] =
                member_value(writer, &table->members[m], small_table_row(writer->part, table, i));
        put_values(writer, out, table->members[m].name, values, count);
    }
}

// ---- the long tables ---------------------------------------------------------------------------

struct encoded_column {
    const struct field *field;
    struct coded coded;
    unsigned char *bytes;
    bool is_done;
};

struct encoded_table {
    const struct profile *part;
    const struct table *table;
    uint32_t count, column_count;
    const int64_t *lengths; // NULL: the rows have no lengths
    struct encoded_column columns[16];
};

static void column_job(void *context, size_t i, struct arena *scratch)
{
    struct encoded_table *all = context;
    struct encoded_column *column = &all->columns[i];
    const struct field *field = column->field, *fields = all->table->fields;
    bool is_length = all->lengths && field == &fields[1];
    bool is_row = field_size(field) == 4;
    int64_t *values = ARENA_ARRAY(scratch, int64_t, (size_t)all->count + 1);
    for (uint32_t row = 0; row < all->count; row++) {
        int64_t value = is_length ? all->lengths[row] : field_value(all->part, field, row);
        values[row] = is_row && value == ROW_NONE ? COLUMN_NONE64 : value;
    }
    column->is_done = coded_write(values, field == &fields[0] ? all->lengths : NULL, all->count,
                                  column->bytes, &column->coded, scratch);
}

static const int64_t *lengths_of(const struct encoded_table *all, struct arena *arena)
{
    const struct field *fields = all->table->fields;
    if (!table_has_spans(all->table) || !field_exists(all->part, &fields[0]))
        return NULL;
    int64_t *lengths = ARENA_ARRAY(arena, int64_t, (size_t)all->count + 1);
    for (uint32_t row = 0; row < all->count; row++)
        lengths[row] =
            field_value(all->part, &fields[1], row) - field_value(all->part, &fields[0], row);
    return lengths;
}

struct put_long_job {
    struct digest_writer *writer;
    struct bytes *out;
    const struct table *table;
};

static void put_long(void *context, struct arena *scratch)
{
    const struct put_long_job *job = context;
    struct digest_writer *writer = job->writer;
    const struct table *table = job->table;
    struct encoded_table all = {
        .part = writer->part, .table = table, .count = table_rows(writer->part, table)};
    all.lengths = lengths_of(&all, scratch);
    for (size_t f = 0; f < table->field_count; f++)
        if (field_exists(writer->part, &table->fields[f]))
            all.columns[all.column_count++] = (struct encoded_column){
                .field = &table->fields[f],
                .bytes =
                    ARENA_ARRAY(scratch, unsigned char, coded_max_bytes((size_t)8 * all.count)),
            };
    scratch_jobs(scratch, writer->threads, all.column_count, column_job, &all);
    put_table(writer, job->out, table->name, all.count, all.column_count);
    for (uint32_t i = 0; i < all.column_count; i++) {
        if (!all.columns[i].is_done)
            arena_alloc(scratch, SIZE_MAX, SIZE_MAX);
        put_column(job->out, all.columns[i].field->name, &all.columns[i].coded,
                   all.columns[i].bytes);
    }
}

// ---- samples of GPU metrics --------------------------------------------------------------------

// Returns the value of a sample, the difference to the sum before it, as the bits of the original
// float.
static int64_t sample_bits(const struct gpu_metrics *metrics, uint32_t row, bool is_first)
{
    float value = (float)(metrics->sum[row] - (is_first ? 0 : metrics->sum[row - 1]));
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_metrics(struct digest_writer *writer, struct bytes *out)
{
    const struct gpu_metrics *metrics = &writer->part->metrics;
    uint32_t groups = metrics->first ? writer->part->device_count * METRIC_COUNT : 0;
    int64_t *first = ARENA_ARRAY(writer->arena, int64_t, (size_t)groups + 1);
    int64_t *bits = ARENA_ARRAY(writer->arena, int64_t, (size_t)metrics->count + 1);
    for (uint32_t g = 0; g < groups; g++) {
        first[g] = metrics->first[g];
        for (uint32_t i = metrics->first[g]; i < metrics->first[g + 1]; i++)
            bits[i] = sample_bits(metrics, i, i == metrics->first[g]);
    }
    put_table(writer, out, "metrics", metrics->count, 2);
    put_values(writer, out, "time", metrics->time, metrics->count);
    put_values(writer, out, "value", bits, metrics->count);
    put_table(writer, out, "metrics.first", groups, 1);
    put_values(writer, out, "row", first, groups);
}

// ---- the file ----------------------------------------------------------------------------------

// Pads the file: a long table of equal values takes almost no bytes, and a reader would reject it.
static void pad_file(const struct digest_writer *writer, struct bytes *out)
{
    uint64_t rows = writer->rows > DIGEST_ALLOWANCE ? writer->rows / DIGEST_ROWS_PER_BYTE + 1 : 0;
    uint64_t texts =
        writer->text_bytes > DIGEST_ALLOWANCE ? writer->text_bytes / DIGEST_TEXT_PER_BYTE + 1 : 0;
    uint64_t min_size = rows > texts ? rows : texts;
    if (out->count < min_size)
        memset(bytes_reserve(out, min_size - out->count), 0, min_size - out->count);
    out->count = out->count < min_size ? min_size : out->count;
}

static void put_header(struct bytes *out)
{
    struct digest_header header = {
        .version = htole32(DIGEST_VERSION),
        .size = htole64(out->count),
        .checksum =
            htole64(digest_checksum(out->items + DIGEST_HEADER, out->count - DIGEST_HEADER)),
    };
    memcpy(header.magic, DIGEST_MAGIC, sizeof header.magic);
    memcpy(out->items, &header, sizeof header);
}

void digest_encode(const struct profile *part, unsigned threads, struct bytes *digest,
                   struct arena *arena)
{
    struct digest_writer writer = {
        .part = part, .arena = arena, .threads = threads, .words = strings_new(arena)};
    struct bytes tables = {.arena = arena};
    for (size_t i = 0; i < SMALL_TABLES; i++)
        put_small(&writer, &tables, &digest_tables[i]);
    for (size_t i = 0; i < PROFILE_TABLES; i++)
        scratch_run(arena, put_long, &(struct put_long_job){&writer, &tables, &profile_tables[i]});
    put_metrics(&writer, &tables);
    *digest = (struct bytes){.arena = arena};
    memset(bytes_reserve(digest, DIGEST_HEADER), 0, DIGEST_HEADER);
    digest->count = DIGEST_HEADER;
    put_strings(&writer, digest, "texts", part->strings);
    put_strings(&writer, digest, "words", writer.words);
    bytes_add(digest, tables.items, tables.count);
    pad_file(&writer, digest);
    put_header(digest);
}
