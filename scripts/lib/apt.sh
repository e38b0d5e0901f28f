# Reads the machine's own apt configuration, so that no mirror's address is written down here. Sourced, never run.
# shellcheck shell=bash disable=SC2154  # project comes from common.sh

suite=trixie

package_list() { sed 's/#.*//' "$project/scripts/packages.txt" | xargs -n 1; }

# Every archive address apt knows: deb822 files first, then one-line files. `mirror+file:` stands for a file of addresses.
apt_addresses() {
    {
        cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed -n 's/^URIs:[[:space:]]*//p' | xargs -r -n 1
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
            sed -nE 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+)[[:space:]].*/\2/p'
    } | while read -r address; do
        case $address in
            mirror+file:*) awk '!/^#/ && NF { print $1 }' "${address#mirror+file:}" ;;
            *) printf '%s\n' "$address" ;;
        esac
    done | sed 's,/*$,,' | awk '!seen[$0]++'
}

# when_apt_is_free COMMAND...: a machine that has just started looks for updates, and apt does not wait for itself
# everywhere. It says so in these words.
when_apt_is_free() {
    local answer status began=$SECONDS
    answer=$(mktemp)
    while true; do
        status=0
        LC_ALL=C "$@" 2>&1 | tee "$answer" || status=$?
        if ((!status || SECONDS - began > 600)) || ! grep -q 'Could not get lock' "$answer"; then
            break
        fi
        say "another apt is at work on this machine; waiting for it"
        sleep 5
    done
    rm -f "$answer"
    return "$status"
}

apt_update() { when_apt_is_free apt-get update; }

# apt_install OPTION-OR-PACKAGE...
apt_install() {
    DEBIAN_FRONTEND=noninteractive when_apt_is_free \
        apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "$@"
}

# find_suite MIRROR SUITE: asks with apt's own downloader, which knows about proxies and credentials. Prints what apt
# says when there is none.
find_suite() {
    local release reason status=0
    release=$(mktemp)
    reason=$(LC_ALL=C /usr/lib/apt/apt-helper download-file "$1/dists/$2/InRelease" "$release" 2>&1) || status=$?
    rm -f "$release"
    ((!status)) || sed -n 's/^E: Failed to fetch //p' <<<"$reason"
    return "$status"
}

suite_exists() { find_suite "$@" >/dev/null; }

# The first address that carries Debian 13. FERRY_DEBIAN_MIRROR is for hosts whose apt knows no Debian at all.
debian_mirror() {
    local mirror reason reasons=''
    while read -r mirror; do
        if reason=$(find_suite "$mirror" "$suite"); then
            printf '%s\n' "$mirror"
            return
        fi
        reasons+=$'\n'"  ${reason:-$mirror}"
    done < <(printf '%s\n' ${FERRY_DEBIAN_MIRROR:+"$FERRY_DEBIAN_MIRROR"} && apt_addresses)
    if [[ $reasons && $reasons != *' 404 '* ]]; then
        fail "no Debian mirror can be reached; is there a network? apt says:$reasons"
    fi
    fail "no mirror in this machine's apt configuration carries Debian 13 ($suite);" \
        "name one: FERRY_DEBIAN_MIRROR=<address> $0$reasons"
}

# The keyring that holds the keys of Debian 13, if it is where Debian puts it.
debian_keyring() {
    local keyring
    for keyring in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
        [[ ! -r $keyring ]] || { printf '%s\n' "$keyring" && return; }
    done
}

# source_line MIRROR SUITE
source_line() {
    local keyring
    keyring=$(debian_keyring)
    printf 'deb %s%s %s main\n' "${keyring:+[signed-by=$keyring] }" "$1" "$2"
}
