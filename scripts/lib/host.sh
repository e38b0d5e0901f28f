# A Debian 13 host needs no root folder: the packages go into the system itself. Sourced, never run.
# shellcheck shell=bash disable=SC2154  # cache comes from common.sh, suite from apt.sh

host_is_debian_13() {
    [[ -r /etc/os-release ]] && (. /etc/os-release && [[ ${ID:-} == debian && ${VERSION_ID:-} == 13 ]])
}

missing_packages() {
    comm -23 <(package_list | sort -u) \
        <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' | sort -u)
}

add_backports() {
    local mirror list=/etc/apt/sources.list.d/ferry-backports.list
    mirror=$(debian_mirror) || return
    say "adding $suite-backports (for libamqpcpp-dev) in $list"
    source_line "$mirror" "$suite-backports" >"$list"
    apt_update
}

candidate_exists() { apt-cache policy "$1" | grep -q 'Candidate: [^(]'; }

# A container is thrown away after a power failure, so dpkg need not sync every file there; that halves the time.
unpack_options=()
[[ -d /run/systemd/system ]] || unpack_options=(-o Dpkg::Options::=--force-unsafe-io)

# A private policy-rc.d keeps the package scripts from starting a broker and a database nobody asked for.
install_without_starting_services() {
    local policy=/usr/sbin/policy-rc.d
    if [[ ! -e $policy ]]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod +x "$policy"
        trap 'rm -f /usr/sbin/policy-rc.d' EXIT
    fi
    apt_install "${unpack_options[@]}" "$@"
}

install_packages() (
    apt_update &&
        { candidate_exists libamqpcpp-dev || add_backports; } &&
        install_without_starting_services "$@"
)

ensure_host_packages() {
    local missing
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    say "missing here: ${missing[*]}"
    mkdir -p "$cache"
    exec {lock}>"$cache/apt.lock"
    flock "$lock"
    step "installing ${#missing[@]} packages with apt" "$cache/log/env.log" install_packages "${missing[@]}"
    exec {lock}>&-
}
