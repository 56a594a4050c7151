// SPDX-License-Identifier: Apache-2.0
// Formats findings and the rules of detectors as text.
#include <string.h>

#include "analysis/detectors/expert.h"
#include "analysis/place/selection_text.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/rules/rules.h"

// Returns true when `text` contains `key` as a whole word: "x.steps" does not mention "x.step".
static bool mentions_key(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key))
        if (!((at[length] >= 'a' && at[length] <= 'z') || at[length] == '_'))
            return true;
    return false;
}

const char *expert_rule(const struct detector *detector, struct arena *arena)
{
    const char *text = detector->doc, *key;
    bool has_threshold = false;
    double value;
    for (size_t i = 0; rules_threshold_at(rules_get(), i, &key, &value); i++) {
        if (!mentions_key(detector->doc, key))
            continue;
        text = arena_format(
            arena, "%s%s\n  %s = %g", text,
            has_threshold ? "" : "\n\nThresholds (expert.yaml, :reload reads it again):", key,
            value);
        has_threshold = true;
    }
    return text;
}

// Returns " HEAD: text." for a paragraph, or "" if there is no text.
static const char *labelled_sentence(struct arena *arena, const char *head, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    if (length == 0)
        return "";
    return arena_format(arena, " %s: %s%s", head, text, text[length - 1] == '.' ? "" : ".");
}

const char *expert_place_text(const struct finding *finding, struct arena *arena)
{
    if (!finding->place || !finding->source)
        return finding->place ? finding->place : finding->source;
    return arena_format(arena, "%s, %s", finding->place, finding->source);
}

const char *expert_paragraph(const struct finding_list *findings, const struct finding *finding,
                             const struct profile *profile, struct arena *arena)
{
    const char *bound = "", *proof = NULL, *selected;
    char time[FORMAT_SIZE], percent[FORMAT_SIZE];
    if (finding->gain_ns != UNKNOWN && finding->gain_ns > 0)
        bound = arena_format(
            arena, " At most %s %s (%s %% of %s), %s; no other finding counts this time.",
            format_duration(time, finding->gain_ns, true), expert_unit(&finding->evidence),
            format_percent(percent, finding->share),
            expert_base_text(findings, profile, true, arena), certainty_names[finding->certainty]);
    selected = selection_text(profile, &finding->evidence, arena);
    if (finding->opens)
        proof = arena_format(arena, "report %s%s%s, %s", finding->opens,
                             finding->filter ? " filtered by " : "",
                             finding->filter ? finding->filter : "", selected);
    const char *text =
        arena_format(arena, "%s.%s%s%s%s%s%s [%s, %s]", finding->problem, bound,
                     labelled_sentence(arena, "Why", finding->why),
                     labelled_sentence(arena, "Do", finding->recommendation),
                     labelled_sentence(arena, "Where", expert_place_text(finding, arena)),
                     labelled_sentence(arena, "Capture", finding->flag),
                     labelled_sentence(arena, "Proof", proof), finding->id,
                     profile->source_count ? profile->sources[0].path : "");
    return text_safe(arena, text, strlen(text), true);
}
