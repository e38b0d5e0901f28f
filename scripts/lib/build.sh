# Configuring and building a preset. Sourced, never run.
# shellcheck shell=bash disable=SC2154  # project comes from common.sh

logs=$project/build/log

# Ninja configures again by itself when a CMake file changes, but knows nothing of presets and environments.
is_configured() {
    local folder=$project/build/$1
    [[ -e $folder/build.ninja && $folder/build.ninja -nt $project/CMakePresets.json &&
        $(cat "$folder/environment" 2>/dev/null) == "$FERRY_ENV" ]]
}

# configure PRESET [CMAKE-ARGUMENT...]: --fresh, because a compiler found in another environment must not stay cached.
configure() {
    local preset=$1
    ! is_configured "$preset" || return 0
    step "configuring $preset" "$logs/configure-$preset.log" cmake --fresh -S "$project" --preset "$@"
    printf '%s\n' "$FERRY_ENV" >"$project/build/$preset/environment"
}

# build PRESET [TARGET...]: one at a time in a build folder, since ninja does not look after that.
build() {
    local preset=$1 lock
    shift
    mkdir -p "$project/build/$preset"
    take_lock "$project/build/$preset/lock" "another build of $preset is running"
    configure "$preset"
    NINJA_STATUS='[%f/%t] ' step "building $preset" "$logs/build-$preset.log" \
        cmake --build "$project/build/$preset" ${1:+--target "$@"}
    exec {lock}>&-
}

# The sanitizers' shadow memory does not fit every layout of the address space the kernel may choose at random.
# Prints the command that switches that off, a word a line; nothing where a container forbids it.
without_random_addresses() { ! setarch -R true 2>/dev/null || printf '%s\n' setarch -R; }
