// SPDX-License-Identifier: Apache-2.0
// Formats rows with all threads. The rows are cut into pieces; one batch of pieces is written in
// order while the threads format the next, so that only a few pieces are in memory.
#include "analysis/export/export_shared.h"
#include "base/parallel.h"

enum {
    PIECE_ROWS = 512,
    PIECE_BYTES = 1 << 18, // a longer piece is formatted and written in several parts
    THREAD_PIECES = 4,     // pieces per thread in a batch, to balance the load
    MAX_THREADS = 8,       // one thread writes, which takes a quarter of the time of formatting
};

struct rows_write {
    const struct export_table *table;
    FILE *file;
    void (*write)(const void *context, size_t i, struct bytes *out);
    const void *context;
    const struct arena *arena; // when it stops, the arenas of the pieces stop, too
    unsigned threads;
    size_t next; // first row of the next batch
};

struct piece {
    const struct rows_write *writing;
    size_t first, end;  // rows that are not formatted yet
    struct bytes bytes; // formatted rows that are not written yet
    bool is_made;       // false if memory ran out
};

struct piece_batch {
    struct piece pieces[MAX_THREADS * THREAD_PIECES];
    size_t count;
    struct parallel run;
};

static bool piece_body(void *context, struct error *error)
{
    (void)error;
    struct piece *piece = context;
    const struct rows_write *writing = piece->writing;
    while (piece->first < piece->end && piece->bytes.count < PIECE_BYTES)
        writing->write(writing->context, piece->first++, &piece->bytes);
    return true;
}

static void piece_make(void *context, size_t i)
{
    struct piece *piece = (struct piece *)context + i;
    if (!piece->bytes.arena)
        piece->bytes.arena = arena_child(piece->writing->arena);
    piece->is_made = piece->bytes.arena && arena_run(piece->bytes.arena, piece_body, piece, NULL);
}

static bool piece_write(struct piece *piece)
{
    while (piece->is_made && bytes_write(&piece->bytes, piece->writing->file)) {
        if (piece->first == piece->end)
            return true;
        piece_make(piece, 0);
    }
    return false;
}

static void batch_begin(struct piece_batch *batch, struct rows_write *writing)
{
    size_t rows = export_row_count(writing->table);
    size_t max_pieces = (size_t)writing->threads * THREAD_PIECES;
    for (batch->count = 0; batch->count < max_pieces && writing->next < rows; batch->count++) {
        struct piece *piece = &batch->pieces[batch->count];
        size_t remaining = rows - writing->next;
        piece->writing = writing;
        piece->first = writing->next;
        piece->end = piece->first + (remaining < PIECE_ROWS ? remaining : PIECE_ROWS);
        writing->next = piece->end;
    }
    unsigned threads = writing->threads < batch->count ? writing->threads : (unsigned)batch->count;
    parallel_begin(&batch->run, threads, batch->count, piece_make, batch->pieces);
}

static bool batch_write(struct piece_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (!piece_write(&batch->pieces[i]))
            return false;
    return true;
}

static void batch_free(struct piece_batch *batch)
{
    for (size_t i = 0; i < sizeof batch->pieces / sizeof *batch->pieces; i++)
        arena_free(batch->pieces[i].bytes.arena);
}

bool export_rows(const struct export_table *table, FILE *file,
                 void (*write)(const void *context, size_t i, struct bytes *out),
                 const void *context, const struct arena *arena)
{
    struct rows_write writing = {table, file, write, context, arena, table->threads, 0};
    writing.threads = writing.threads ? writing.threads : parallel_cores();
    writing.threads = writing.threads < MAX_THREADS ? writing.threads : MAX_THREADS;
    struct piece_batch batches[2] = {0};
    bool is_written = true;
    size_t current = 0;
    batch_begin(&batches[current], &writing);
    while (is_written && batches[current].count) {
        parallel_end(&batches[current].run);
        batch_begin(&batches[!current], &writing);
        is_written = batch_write(&batches[current]) && !arena_is_stopped(arena);
        current = !current;
    }
    parallel_end(&batches[current].run);
    batch_free(&batches[0]);
    batch_free(&batches[1]);
    return is_written;
}
