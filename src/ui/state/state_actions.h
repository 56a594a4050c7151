// SPDX-License-Identifier: Apache-2.0
// The actions of ui/state, for the rows of the list (ui/app/action_list.c). `argument` is what
// follows the command, "" for a key.
#ifndef UI_STATE_STATE_ACTIONS_H
#define UI_STATE_STATE_ACTIONS_H

struct app;

// app_trail.c
void app_cancel(struct app *app, const char *argument);
void app_back(struct app *app, const char *argument);
void app_view(struct app *app, const char *argument);
void app_next_view(struct app *app, const char *argument);
void app_previous_view(struct app *app, const char *argument);
void app_who(struct app *app, const char *argument);
void app_row(struct app *app, const char *argument);
void app_help(struct app *app, const char *argument);

// app_findings.c
void app_next_finding(struct app *app, const char *argument);
void app_previous_finding(struct app *app, const char *argument);

// app_split.c
void app_split(struct app *app, const char *argument);

// app_panes.c
void app_pane(struct app *app, const char *argument);
void app_close_pane(struct app *app, const char *argument);
void app_grow_pane(struct app *app, const char *argument);
void app_shrink_pane(struct app *app, const char *argument);
void app_turn_panes(struct app *app, const char *argument);

// app_sets.c
void app_set(struct app *app, const char *argument);
void app_go_step(struct app *app, const char *argument);
void app_all(struct app *app, const char *argument);
void app_steady(struct app *app, const char *argument);
void app_warm_up(struct app *app, const char *argument);
void app_outliers(struct app *app, const char *argument);
void app_start(struct app *app, const char *argument);
void app_stop(struct app *app, const char *argument);
void app_previous_step(struct app *app, const char *argument);
void app_next_step(struct app *app, const char *argument);

// app_splits.c
void app_key_op(struct app *app, const char *argument);

// app_scope.c
void app_scope(struct app *app, const char *argument);
void app_previous_device(struct app *app, const char *argument);
void app_next_device(struct app *app, const char *argument);
void app_adoption(struct app *app, const char *argument);
void app_flops(struct app *app, const char *argument);
void app_items(struct app *app, const char *argument);
void app_with_backward(struct app *app, const char *argument);
void app_siblings(struct app *app, const char *argument);
void app_names(struct app *app, const char *argument);

// app_baseline.c
void app_take_baseline(struct app *app, const char *argument);
void app_deltas(struct app *app, const char *argument);

// app_undo.c
void app_undo(struct app *app, const char *argument);
void app_redo(struct app *app, const char *argument);

// app_table.c
void app_search(struct app *app, const char *argument);
void app_search_word(struct app *app, const char *argument);
void app_filter(struct app *app, const char *argument);
void app_sort(struct app *app, const char *argument);
void app_detail(struct app *app, const char *argument);
void app_unfilter(struct app *app, const char *argument);
void app_share(struct app *app, const char *argument);
void app_per_step(struct app *app, const char *argument);

// app_explain.c
void app_explain(struct app *app, const char *argument);
void app_capture_line(struct app *app, const char *argument);

// app_save.c
void app_save(struct app *app, const char *argument);
void app_page(struct app *app, const char *argument);

// app_copy.c
void app_copy_command(struct app *app, const char *argument);
void app_copy_view(struct app *app, const char *argument);

// app_columns.c
void app_columns(struct app *app, const char *argument);

#endif
