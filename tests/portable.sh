#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# portable.sh BUILD_DIR: runs the static program (BUILD_DIR/portable/dlprof-tui) alone in a chroot with one
# terminfo entry and a profile, like a machine with nothing installed. Exits with 77 if this machine does
# not permit a chroot.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin # Debian's chroot is in /usr/sbin
build=$1
program=$build/portable/dlprof-tui
terminal=xterm-256color

work= # set by lib.bash
# shellcheck source=tests/e2e/lib.bash
. "$(dirname "$0")/e2e/lib.bash"
skip() { echo "skip $*"; exit 77; }
fail() { not_ok "$*"; exit 1; }

[ -x "$program" ] || skip "no program in $build"

enter=(chroot)
[ "$(id -u)" = 0 ] || enter=(unshare --map-root-user chroot)

root=$work
socket=dlprof-portable-$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$root"' EXIT
cp "$program" "$root/"
"${enter[@]}" "$root" /dlprof-tui --version >/dev/null 2>"$root/error" || {
    grep -q 'Operation not permitted' "$root/error" && skip "no chroot and no user namespace here"
    cat "$root/error"
    fail "--version"
}
ok "--version"
if command -v readelf >/dev/null; then
    readelf -hW "$program" | grep -q 'Type: *DYN' || fail "it is always at the same place"
    readelf -lW "$program" | grep -q GNU_RELRO || fail "addresses of functions can be written"
    ok "hardened"
fi

entry=$(find /lib/terminfo /usr/share/terminfo -name "$terminal" 2>/dev/null | head -n 1)
[ -n "$entry" ] || fail "this machine has no terminfo entry for $terminal"
mkdir -p "$root/lib/terminfo/${terminal:0:1}"
cp -L "$entry" "$root/lib/terminfo/${terminal:0:1}/"

[ -x "$build/dlprof-gen" ] || skip "no generator in $build"
"$build/dlprof-gen" tiny "$root/tiny.sqlite" >/dev/null
"${enter[@]}" "$root" /dlprof-tui --print=kernels /tiny.sqlite | grep -q . || fail "--print=kernels"
ok "--print=kernels"

screen_shows_something() { tmux -L "$socket" capture-pane -p 2>/dev/null | grep -q '[[:alnum:]]'; }
session_is_over() { ! tmux -L "$socket" has-session 2>/dev/null; }
status_is_known() { [ -s "$root/status" ]; }

command="env -i PATH=$PATH TERM=$terminal LC_ALL=C.UTF-8 ${enter[*]} $root /dlprof-tui /tiny.sqlite"
tmux -L "$socket" -f /dev/null new-session -d -x 80 -y 24 "$command; echo \$? >$root/status"
until_true 20 screen_shows_something || fail "the screen stays empty"
tmux -L "$socket" send-keys q
until_true 10 status_is_known || fail "q does not end it"
[ "$(cat "$root/status")" = 0 ] || fail "status $(cat "$root/status") from the screen"
until_true 10 session_is_over || fail "the terminal is not given back"
ok "the screen opens and closes"
