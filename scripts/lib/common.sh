# What every script here shares: where things are, and how progress is told. Sourced, never run.
# shellcheck shell=bash disable=SC2034  # the variables are for those who source this

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
: "${HOME:=$(cd ~ && pwd -P)}"
export HOME
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ferry

# scripts/env leaves FERRY_ENV behind: a root folder's path, or `host` where the host itself is Debian 13.
inside_environment() { [[ ${FERRY_ENV:-} == host || (${FERRY_ENV:-} && -e /etc/ferry-env) ]]; }

# enter_environment SCRIPT ARGUMENTS...: runs the script again inside, unless it is inside.
enter_environment() { inside_environment || exec "$project/scripts/env" "$@"; }

say() { printf 'ferry: %s\n' "$*" >&2; }

fail() {
    say "$@"
    exit 1
}

# The comment block at the top of a script is its help.
print_help() {
    sed -n '2,/^[^#]/{ s/^# \{0,1\}//p }' "$1"
}

# take_lock FILE WHO: opens FILE as `lock` of the caller, and tells who has it while somebody else has. What is started
# meanwhile has it too, so it goes when the last of that is gone.
take_lock() {
    exec {lock}>"$1"
    flock --nonblock "$lock" || { say "$2; waiting for it" && flock "$lock"; }
}

# A program is told to end when this script ends, so that a cancelled script leaves nothing behind that works on.
# A function goes on in a shell of its own: half a set-up is worse than one nobody waits for.
attached() {
    if [[ $(type -t "$1") == function ]]; then
        ("$@")
    else
        setpriv --pdeathsig=TERM -- "$@"
    fi
}

# step TITLE LOG COMMAND...: runs COMMAND with its whole output in LOG and its latest line on the terminal.
step() {
    local title=$1 log=$2 status=0 began=$SECONDS screen reader
    shift 2
    mkdir -p "$(dirname "$log")"
    : >"$log"
    say "$title"
    exec {screen}> >(show_latest_line "$log")
    reader=$!
    attached "$@" >&"$screen" 2>&1 </dev/null || status=$?
    exec {screen}>&-
    wait "$reader"
    if ((status)); then
        tail -n 60 "$log" >&2
        say "$title: failed after $((SECONDS - began)) s; the full log is $log"
        return "$status"
    fi
    say "$title: done in $((SECONDS - began)) s"
}

# Reads with a timeout so that the elapsed time keeps moving while the command is silent.
show_latest_line() {
    local log=$1 line='' part='' latest='' status began=$SECONDS told=0
    while true; do
        status=0
        IFS= read -r -t 1 line || status=$?
        part+=$line
        if ((status <= 128)); then
            ((status == 0)) || [[ $part ]] || break
            printf '%s\n' "$part" >>"$log"
            latest=$part part=''
        fi
        show_elapsed "$((SECONDS - began))" "$latest"
    done
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# One moving line on a terminal; in a file a new line every 15 seconds is enough.
show_elapsed() {
    local elapsed=$1 line=${2:0:100}
    if [[ -t 2 ]]; then
        printf '\r\033[K%6d s  %s' "$elapsed" "$line" >&2
    elif ((elapsed >= told + 15)); then
        printf '%6d s  %s\n' "$elapsed" "$line" >&2
        told=$elapsed
    fi
}
