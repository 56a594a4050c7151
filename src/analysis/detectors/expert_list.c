// SPDX-License-Identifier: Apache-2.0
// What is said of a list of findings as a whole: how many, of what time, what is left out.
#include <inttypes.h>

#include "analysis/detectors/expert.h"
#include "base/text/format.h"
#include "model/profile/recorder.h"

bool finding_is_folded(const struct finding *finding)
{
    return (finding->detector->is_dlprof || finding->detector->is_plugin) &&
           finding->gain_ns == UNKNOWN;
}

size_t expert_number(const struct finding_list *findings, const struct finding *finding)
{
    size_t place = (size_t)(finding - findings->items) + 1;
    if (finding->detector->is_about_capture || finding->severity == SEVERITY_NOT_JUDGED ||
        finding_is_folded(finding))
        return 0;
    for (const struct finding *before = findings->items; before < finding; before++)
        place -= before->detector->is_about_capture;
    return place;
}

size_t expert_count(const struct finding_list *findings, enum severity severity)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->items[i].severity == severity && !finding_is_folded(&findings->items[i]);
    return count;
}

size_t expert_folded(const struct finding_list *findings)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += finding_is_folded(&findings->items[i]);
    return count;
}

const char *expert_folded_text(const struct finding_list *findings, struct arena *arena)
{
    size_t folded = expert_folded(findings), unjudged = 0;
    for (size_t i = 0; i < findings->count; i++)
        unjudged += finding_is_folded(&findings->items[i]) &&
                    findings->items[i].severity == SEVERITY_NOT_JUDGED;
    const char *judge = unjudged == 0 ? ""
                                      : arena_format(arena, "%snot judge %zu",
                                                     folded > unjudged ? " and " : "", unjudged);
    return folded == 0 ? NULL
           : folded == unjudged
               ? arena_format(arena, "DLProf would %s", judge)
               : arena_format(arena, "DLProf would also say %zu%s", folded - unjudged, judge);
}

size_t expert_passed_count(const struct finding_list *findings)
{
    size_t clean = 0;
    for (size_t d = 0; d < detector_count; d++) {
        bool has_finding = false;
        for (size_t i = 0; i < findings->count; i++)
            has_finding = has_finding || findings->items[i].detector == detectors[d];
        clean += !has_finding;
    }
    return clean;
}

const char *expert_total_text(const struct finding_list *findings, const struct profile *profile,
                              bool ascii, struct arena *arena)
{
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    if (findings->gain_ns <= 0)
        return NULL;
    return arena_format(arena, "%s = %s%% of %s", format_duration(time, findings->gain_ns, ascii),
                        format_percent(percent, findings->share),
                        expert_base_text(findings, profile, ascii, arena));
}

const char *detector_source(const struct detector *detector)
{
    return detector->is_dlprof ? "dlprof" : detector->is_plugin ? "plugin" : "dlprof-tui";
}

const char *expert_base_text(const struct finding_list *findings, const struct profile *profile,
                             bool ascii, struct arena *arena)
{
    char time[FORMAT_SIZE];
    const char *scope = findings->lacks_times ? " of GPU work" : "";
    format_duration(time, findings->step_ns, ascii);
    return profile->device_count > 1
               ? arena_format(arena, "GPU %" PRId64 "'s %s%s",
                              device_number(profile, findings->device), time, scope)
               : arena_format(arena, "%s%s", time, scope);
}

const char *expert_cut_text(const struct finding_list *findings, struct arena *arena)
{
    char cut[FORMAT_SIZE];
    if (findings->cut == 0)
        return NULL;
    return arena_format(
        arena, "%u of %u: %s %s not judged", findings->steps - findings->cut, findings->steps,
        format_counted(cut, findings->cut, arena_format(arena, "cut %s", findings->unit)),
        findings->cut == 1 ? "is" : "are");
}

bool expert_has_capture_hint(const struct finding_list *findings)
{
    bool has_hint = false;
    for (size_t i = 0; i < findings->count; i++)
        has_hint |= findings->items[i].severity == SEVERITY_NOT_JUDGED && findings->items[i].flag;
    return has_hint;
}

const char *expert_empty_text(const struct profile *profile, const struct finding_list *findings,
                              bool *is_judged)
{
    *is_judged = profile->work.count > 0 && !findings->lacks_gpu_work;
    if (*is_judged)
        return "No recommendations detected.";
    if (profile->work.count == 0)
        return profile->api.count > 0 ? "Nothing is judged: no GPU work; see the view Trust"
                                      : recorder_lack_text(profile, LACKS_ALL);
    return findings->cut > 0 && findings->cut == findings->steps
               ? "Nothing is judged: the capture cuts what is selected"
               : "Nothing is judged: no GPU work in what is selected";
}
