#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks --cache, which keeps digests of opened profiles. A digest gives the same reports as its
# file, is found by the content of the file and is stored only in the user's cache folder. A changed
# file is read again.
# shellcheck disable=SC2317 # functions are called through check
set -u
work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$SOURCE_DIR/tests/e2e/lib.bash"
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache

kept() { find "$work/cache" -name '*.dlp' 2>/dev/null; }
kept_are() { [ "$(kept | wc -l)" = "$1" ]; }
all() { # OPTION OUTPUT: all reports, without the note on where they were read
    local report
    for report in summary kernels layers launches api ranges iterations devices costs trust ops; do
        "$DLPROF_TUI" "$1" "--print=$report" --formats=tsv "$work/job.sqlite" || return 1
    done 2>&1 | grep -v -- '--cache=off' >"$2"
}
is_read() { # yes|no FILE: whether the file is read from its digest
    run 0 "$DLPROF_TUI" --print=trust --formats=tsv "$work/$2" &&
        if [ "$1" = yes ]; then said '--cache=off reads'; else ! said '--cache=off reads'; fi
}

"$DLPROF_GEN" emit "$work/job.sqlite" --steps=40 >"$work/truth"
cp "$work/job.sqlite" "$work/before"
check "it is large enough" test "$(stat -c %s "$work/job.sqlite")" -gt 2000000
check "all of it, of the file" all --cache=off "$work/of.file"
check "nothing is kept unasked of a small file" kept_are 0
check "--cache=fill" run 0 "$DLPROF_TUI" --cache=fill "$work/job.sqlite"
check "... says so" said 'job.sqlite: its digest is kept, [1-9]'
check "... keeps it" kept_are 1
check "... for its owner only" test "$(stat -c %a "$(dirname "$(kept)")")" = 700
beside() { [ "$(cd "$work" && echo job*)" = job.sqlite ] && cmp "$work/job.sqlite" "$work/before"; }
check "... and the digest" test "$(stat -c %a "$(kept)")" = 600
check "... nothing beside the profile, nor in it" beside
check "it is read" is_read yes job.sqlite
check "all of it, of the digest" all --cache=on "$work/of.digest"
check "... is the same" cmp "$work/of.file" "$work/of.digest"
check "again" run 0 "$DLPROF_TUI" --cache=fill "$work/job.sqlite"
check "... is no work" said 'its digest is there already'
check "--cache=off reads the file" run 0 "$DLPROF_TUI" --print=trust --cache=off "$work/job.sqlite"
check "... and says nothing" fails said '--cache=off reads'

check "a part of the file" run 0 "$DLPROF_TUI" --window=..1s --print=trust "$work/job.sqlite"
check "... is the file's" fails said '--cache=off reads'
check "a comparison with itself" run 0 "$DLPROF_TUI" --print=costs --baseline="$work/job.sqlite" "$work/job.sqlite"

mv "$work/job.sqlite" "$work/moved.sqlite"
check "under another name it is the same" is_read yes moved.sqlite
check "... called as it is now" said 'moved.sqlite'
mv "$work/moved.sqlite" "$work/job.sqlite"
touch "$work/job.sqlite-journal"
check "an empty journal is none" is_read yes job.sqlite
echo x >"$work/job.sqlite-journal"
check "one that holds something" run 1 "$DLPROF_TUI" --print=trust "$work/job.sqlite"
check "... is refused as ever" said 'is not whole'
mkdir "$work/links"
ln -s ../job.sqlite "$work/links/link.sqlite"
check "... by a link elsewhere, too" run 1 "$DLPROF_TUI" --print=trust "$work/links/link.sqlite"
rm "$work/job.sqlite-journal"
check "such a link is the same file" is_read yes links/link.sqlite

digest=$(kept)
mv "$digest" "$work/elsewhere"
ln -s "$work/elsewhere" "$digest"
check "a link to one is not read" is_read no job.sqlite
mv "$work/elsewhere" "$digest"
if [ "$(id -u)" = 0 ]; then
    chown 1 "$digest"
    check "nor one of somebody else's" is_read no job.sqlite
    chown 0 "$digest"
fi
check "one's own is" is_read yes job.sqlite
printf 'x' | dd of="$digest" bs=1 seek=5000 conv=notrunc status=none
check "one that is damaged is not read" is_read no job.sqlite
check "... and goes" kept_are 0
check "made again" run 0 "$DLPROF_TUI" --cache=fill "$work/job.sqlite"
touch -r "$work/job.sqlite" "$work/time"
sqlite3 "$work/job.sqlite" "UPDATE NVTX_EVENTS SET text = 'changed' WHERE rowid = 100"
touch -r "$work/time" "$work/job.sqlite"
check "a file that was changed, its time put back" is_read no job.sqlite
cp "$work/before" "$work/job.sqlite"
touch "$work/job.sqlite"
check "one that was written again" is_read no job.sqlite

check "a small file" run 0 "$DLPROF_GEN" tiny "$work/tiny.sqlite"
check "... has none" run 0 "$DLPROF_TUI" --cache=fill "$work/tiny.sqlite"
check "... which is told, and why" said 'tiny.sqlite: no digest is kept of it: so small a file'
cp "$work/before" "$work/journal.sqlite"
echo x >"$work/journal.sqlite-journal"
check "one with a journal" run 0 "$DLPROF_TUI" --cache=fill "$work/journal.sqlite"
check "... has none" said 'journal.sqlite: no digest is kept of it: a journal'
check "a database of DLProf" run 0 "$DLPROF_TUI" --verbosity=quiet --dldb="$work/dldb.sqlite" "$work/tiny.sqlite"
check "... has none" run 0 "$DLPROF_TUI" --cache=fill "$work/dldb.sqlite"
check "... as it is one" said 'dldb.sqlite: no digest is kept of it: a database of DLProf is opened as it is'
check "a digest" run 0 "$DLPROF_TUI" --digest="$work/job.dlp" "$work/job.sqlite"
check "... has none" run 0 "$DLPROF_TUI" --cache=fill "$work/job.dlp"
check "... as it is one" said 'job.dlp: no digest is kept of it: it is one'
for i in {1..9000}; do
    echo "{'kShortName': 'relu', 'kDuration': $i, 'marker': [], 'op': ['mine'], 'tid': 1, 'kLongName': 'void relu<float>(int)'}"
done >"$work/net.dict"
report() { "$DLPROF_TUI" "$1" --print=pyprof --formats=csv "$work/net.dict"; }
same() { cmp <(report --cache=off) <(report --cache=on); }
check "what PyProf's parser printed" run 0 "$DLPROF_TUI" --cache=fill "$work/net.dict"
check "... has one" said 'net.dict: its digest is kept, [1-9]'
check "... which is read" is_read yes net.dict
check "... and says the same" same
check "... as of times" run 0 "$DLPROF_TUI" --print=api "$work/net.dict"
check "... that it has not" said "Not known: PyProf's parser keeps how long kernels ran"
check "a file that is none" run 1 "$DLPROF_TUI" --cache=fill "$work/truth" "$work/none"
rm -rf "$work/cache"
check "with an option that the file has no use for" run 0 "$DLPROF_TUI" --cache=fill --domain=x "$work/job.sqlite"
check "... the digest is read" is_read yes job.sqlite
check "... and says nothing of it" fails said 'domain'
check "no home" run 1 env -u XDG_CACHE_HOME -u HOME "$DLPROF_TUI" --cache=fill "$work/job.sqlite"
check "... is said" said 'set XDG_CACHE_HOME or HOME'
echo 'cache: fill' >"$work/config.yaml"
check "in a configuration" run 2 "$DLPROF_TUI" --config="$work/config.yaml" --print=trust "$work/job.sqlite"
check "... it would be for ever" said 'fill is for the command line only'
echo 'cache: off' >"$work/config.yaml"
check "off may stand there" run 0 "$DLPROF_TUI" --config="$work/config.yaml" --print=trust "$work/job.sqlite"
check "... and holds" fails said '--cache=off reads'
check "no folder for it" run 1 env XDG_CACHE_HOME=/dev/null "$DLPROF_TUI" --cache=fill "$work/job.sqlite"
check "... is said" said '/dev/null/dlprof-tui'
check "... and in nobody's way" run 0 env XDG_CACHE_HOME=/dev/null "$DLPROF_TUI" --print=summary "$work/job.sqlite"
check "with something else" run 2 "$DLPROF_TUI" --cache=fill --print=summary "$work/job.sqlite"
check "... refused" said '--cache=fill writes a digest and nothing else'
check "of a part" run 2 "$DLPROF_TUI" --cache=fill --window=..1s "$work/job.sqlite"
check "a word that is none" run 2 "$DLPROF_TUI" --cache=fil "$work/job.sqlite"
check "... has a neighbour" said 'did you mean fill'

truncate -s 17G "$work/cache/dlprof-tui/old.dlp"
touch -d '2 days ago' "$work/cache/dlprof-tui/old.dlp"
check "a cache that is too large" run 0 "$DLPROF_TUI" --cache=fill "$work/job.sqlite"
check "... loses what was opened longest ago" test ! -e "$work/cache/dlprof-tui/old.dlp"
check "... and no other" is_read yes job.sqlite

"$DLPROF_GEN" healthy "$work/rank.sqlite" --steps=60 --processes=2 --split=2 >"$work/truth"
check "several" run 0 "$DLPROF_TUI" --cache=fill "$work"/rank.rank?.sqlite
check "... have one each" kept_are 3
check "... and are one job" run 0 "$DLPROF_TUI" --print=trust "$work"/rank.rank?.sqlite
check "... read from them" said '--cache=off reads'

# On the screen the digest of a large file is made automatically. The file is made large by zeros
# after the database, which do not belong to it.
screen_keeps() { # OPTION UNTIL COMMAND...
    rm -rf "$work/cache"
    socket=dlprof-cache-$$-$1 # a tmux server that is ending accepts no session
    tmux -L "$socket" -f /dev/null new-session -d -x 80 -y 24 \
        "env LC_ALL=C.UTF-8 '$DLPROF_TUI' $1 '$work/large.sqlite'"
    until_true 60 seen "$2" && until_true 60 "${@:3}" && tmux -L "$socket" kill-server
}
begun() { kept_are 1 || pgrep -f "cache=fill.*$work/large" >"$work/out"; }
seen() { tmux -L "$socket" capture-pane -p 2>/dev/null | grep -qF -- "$1"; }
if command -v tmux >/dev/null; then
    socket=dlprof-cache-$$
    trap 'tmux -L "$socket" kill-server 2>/dev/null; rm -rf "$work"' EXIT
    mv "$work/before" "$work/large.sqlite"
    truncate -s 65000000 "$work/large.sqlite"
    check "on the screen, --cache=off" screen_keeps --cache=off "[1 Sum" sleep 0.5
    check "... keeps none" kept_are 0
    check "on the screen" screen_keeps --view=trust "[0 Trust" begun
    check "... is kept, though the screen is gone" until_true 60 kept_are 1
    check "... and read" is_read yes large.sqlite
else
    echo "skip tmux is not here: the screen"
fi
nothing_left() { [ -z "$(find "$work/cache" -type f ! -name '*.dlp')" ]; }
check "no draft is left" nothing_left
finish
