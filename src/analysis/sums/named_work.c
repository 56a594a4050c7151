// SPDX-License-Identifier: Apache-2.0
// Rows and column accessors of named work, see named_work.h.
#include "analysis/sums/named_work.h"

#include "analysis/sums/work_text.h"

struct named_work named_work_of(const struct profile *profile, const struct selection *selection,
                                uint32_t function)
{
    const struct function *source = &profile->functions[function];
    string_id name = selection_name(profile, selection, function);
    return (struct named_work){
        .name = profile_text(profile, name),
        .full = profile_text(profile, source->full),
        .family = profile_text(profile, source->family),
        .alike = profile_text(profile, selection->names == NAME_FULL ? source->alike : name),
        .name_id = name,
        .kind = source->kind,
        .class = source->class,
    };
}

static const struct named_work *work_of(const void *row)
{
    return row;
}

struct row_match named_work_match(const void *row)
{
    return (struct row_match){{work_of(row)->alike, work_kind_names[work_of(row)->kind]}};
}

struct row_match named_work_match_family(const void *row)
{
    return (struct row_match){{work_of(row)->family, work_kind_names[work_of(row)->kind]}};
}

// ---- columns ------------------------------------------------------------------------------------

struct value named_work_name(const void *row)
{
    return value_text(work_of(row)->name);
}

struct value named_work_share(const void *row)
{
    return value_share(work_of(row)->gpu.total, work_of(row)->work_ns);
}

struct value named_work_total(const void *row)
{
    return value_integer(work_of(row)->gpu.total);
}

struct value named_work_calls(const void *row)
{
    return value_integer((int64_t)work_of(row)->gpu.count);
}

struct value named_work_avg(const void *row)
{
    return value_real(work_of(row)->gpu.mean);
}

struct value named_work_min(const void *row)
{
    return value_integer(work_of(row)->gpu.min);
}

struct value named_work_max(const void *row)
{
    return value_integer(work_of(row)->gpu.max);
}

struct value named_work_exclusive(const void *row)
{
    return value_integer(work_of(row)->exclusive_ns);
}

struct value named_work_kind(const void *row)
{
    return value_text(work_kind_names[work_of(row)->kind]);
}

struct value named_work_class(const void *row)
{
    return value_text(work_class_names[work_of(row)->class]);
}

struct value named_work_functions(const void *row)
{
    return value_integer(work_of(row)->functions);
}

struct value named_work_full(const void *row)
{
    return value_text(work_of(row)->full);
}
