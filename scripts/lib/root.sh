# Makes a Debian 13 root folder on any other host, and runs commands inside it. Sourced, never run.
# shellcheck shell=bash disable=SC2154,SC2016
# project and cache come from common.sh, suite from apt.sh; mmdebstrap's hooks have a $1 of their own.

# What is in a root, as mmdebstrap's options.
root_contents() {
    printf '%s\n' --variant=apt "--include=$(package_list | paste -sd,)" \
        '--dpkgopt=path-exclude=/usr/share/man/*' '--dpkgopt=path-exclude=/usr/share/locale/*' \
        '--dpkgopt=path-exclude=/usr/share/doc/*' \
        '--customize-hook=printf "127.0.0.1 localhost\n::1 localhost\n" >"$1/etc/hosts"' \
        '--customize-hook=touch "$1/etc/ferry-env"'
}

# The name changes with the contents, so an outdated root is never used.
root_folder() {
    local key
    key=$({ root_contents && uname -m; } | sha256sum)
    printf '%s/root-%s\n' "$cache" "${key:0:12}"
}

etc=/etc # tests have one of their own

# allows_ids FILE: whether /etc/subuid or /etc/subgid has enough for a Debian, in a line by name or by number.
allows_ids() {
    awk -F: -v name="$(id -un)" -v number="$(id -u)" \
        '($1 == name || $1 == number) && $3 >= 65536 { found = 1 } END { exit !found }' "$1" 2>/dev/null
}

# The first 65536 ids nobody has yet.
free_ids() {
    { cat "$etc/subuid" "$etc/subgid" 2>/dev/null || true; } |
        awk -F: 'BEGIN { first = 100000 } $2 + $3 > first { first = $2 + $3 } END { print first "-" first + 65535 }'
}

# What stands between an ordinary user and a root of their own, one sentence each.
obstacles_for_users() {
    local root=$1 ids
    [[ -e $root/etc/ferry-env ]] || command -v mmdebstrap >/dev/null ||
        echo "the package mmdebstrap is missing: apt-get install mmdebstrap"
    command -v newuidmap >/dev/null ||
        echo "the package uidmap is missing: apt-get install uidmap"
    ids=$(free_ids)
    allows_ids "$etc/subuid" ||
        echo "$(id -un) has no 65536 ids in /etc/subuid: usermod --add-subuids $ids $(id -un)"
    allows_ids "$etc/subgid" ||
        echo "$(id -un) has no 65536 ids in /etc/subgid: usermod --add-subgids $ids $(id -un)"
    unshare --user --map-root-user true 2>/dev/null ||
        echo "the kernel lets no ordinary user make a namespace: sysctl kernel.unprivileged_userns_clone=1" \
            "kernel.apparmor_restrict_unprivileged_userns=0"
    unshare --help | grep -q -- --map-auto ||
        echo "unshare is too old for --map-auto: util-linux 2.38 or newer"
}

# newuidmap can be there and have no rights: its file has lost them, or a container forbids to gain any.
obstacle_to_mapping() {
    local reason
    reason=$(in_namespace true 2>&1) ||
        echo "newuidmap may not hand out the ids of $(id -un) ($reason):" \
            "chmod u+s $(command -v newuidmap newgidmap | paste -sd' '); in a container, allow new privileges"
}

# Where the host itself can be the environment, nobody needs a root folder.
simplest_way() {
    ! host_is_debian_13 ||
        printf '\n%s' "or, the simplest on Debian 13, root runs this once and everybody has its packages:" \
            "  $project/scripts/env true"
}

# Root may be no more than its name, in a container say.
require_namespaces_for_root() {
    unshare --mount true 2>/dev/null ||
        fail "root may make no mount namespace here; in a container the capability SYS_ADMIN is missing:" \
            "docker run --cap-add SYS_ADMIN --security-opt apparmor=unconfined, or use the Dockerfile, which needs none"
}

# require_namespaces ROOT
require_namespaces() {
    local obstacles
    ((EUID)) || { require_namespaces_for_root && return; }
    obstacles=$(obstacles_for_users "$1")
    [[ $obstacles ]] || obstacles=$(obstacle_to_mapping)
    [[ -z $obstacles ]] ||
        fail "this needs root, or as an ordinary user (the commands are for root):"$'\n'"$obstacles$(simplest_way)"
}

require_mmdebstrap() {
    command -v mmdebstrap >/dev/null && return
    command -v apt-get >/dev/null ||
        fail "this host is not Debian 13 and has no apt; install mmdebstrap, or use the Dockerfile"
    step "installing mmdebstrap" "$cache/log/env.log" install_mmdebstrap
}

install_mmdebstrap() { apt_install mmdebstrap || { apt_update && apt_install mmdebstrap; }; }

# An ordinary user becomes root of a namespace whose other ids are the user's own sub-ids.
in_namespace() {
    if ((EUID)); then
        unshare --user --map-auto --map-root-user --mount "$@"
    else
        unshare --mount "$@"
    fi
}

# How this machine reaches its mirror is a matter of apt's settings: proxies, certificates, validity of snapshots.
apt_transport_options() {
    apt-config dump | sed -nE 's/^Acquire::(https?::|Check-Valid-Until|Retries|ForceIPv)/--aptopt=&/p'
}

# Credentials for the mirror are needed inside while the root is made, and not afterwards.
apt_credential_options() {
    ! compgen -G '/etc/apt/auth.conf.d/*' >/dev/null ||
        printf '%s\n' '--setup-hook=copy-in /etc/apt/auth.conf.d /etc/apt' \
            '--customize-hook=rm -rf "$1"/etc/apt/auth.conf.d'
}

# Built under another name and renamed when complete: whoever finds the folder finds all of it.
make_root() {
    local root=$1 mirror=$2 options
    mapfile -t options < <(root_contents && apt_transport_options && apt_credential_options)
    in_namespace mmdebstrap --mode=root "${options[@]}" "$suite" "$root.part" - < <(root_sources "$mirror") &&
        mv -T "$root.part" "$root"
}

root_sources() {
    source_line "$1" "$suite"
    ! suite_exists "$1" "$suite-updates" || source_line "$1" "$suite-updates"
    source_line "$1" "$suite-backports"
}

# Mounts of an interrupted run went away with its namespace, so what is left are ordinary folders.
remove_folders() {
    (($#)) || return 0
    in_namespace rm -rf --one-file-system "$@"
}

lock_roots() {
    mkdir -p "$cache"
    take_lock "$cache/root.lock" "another run is making the Debian 13 root"
}

ensure_root() {
    local root=$1
    require_namespaces "$root"
    [[ ! -e $root/etc/ferry-env ]] || return 0
    lock_roots
    if [[ ! -e $root/etc/ferry-env ]]; then
        local mirror leftovers
        require_mmdebstrap
        mirror=$(debian_mirror)
        mapfile -t leftovers < <(compgen -G "$cache/root-*.part")
        remove_folders "${leftovers[@]}"
        step "making a Debian 13 root in $root (once, about two minutes)" "$cache/log/env.log" make_root "$root" "$mirror"
    fi
    exec {lock}>&-
}

# Roots of earlier package lists; other branches may still want them, so nobody removes them unasked.
prune_roots() {
    local old
    lock_roots
    mapfile -t old < <(compgen -G "$cache/root-????????????*" | grep -vxF "$(root_folder)")
    remove_folders "${old[@]}"
    say "removed ${#old[@]} old root folders"
}

enter_root() {
    local root=$1
    shift
    if ((EUID)); then
        exec unshare --user --map-auto --map-root-user --mount "$project/scripts/lib/enter" "$root" "$project" "$cache" "$@"
    fi
    exec unshare --mount "$project/scripts/lib/enter" "$root" "$project" "$cache" "$@"
}
