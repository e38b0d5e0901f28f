# Compiler settings for ferry's own targets; users of ferry inherit only the language level.

set(CMAKE_CXX_SCAN_FOR_MODULES OFF) # there are none, and looking for them doubles the build steps

find_program(FERRY_CCACHE ccache)
if(FERRY_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${FERRY_CCACHE}")
endif()

set(FERRY_SANITIZE "" CACHE STRING "Sanitizers for everything built here, for example address,undefined or thread")
if(FERRY_SANITIZE)
  add_compile_options("-fsanitize=${FERRY_SANITIZE}" -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${FERRY_SANITIZE}")
  if(FERRY_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan) # Asio has fences, which ThreadSanitizer does not follow
  endif()
  if(FERRY_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

option(FERRY_COVERAGE "Instrument for coverage" OFF)
if(FERRY_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# Settings every ferry target shares: library, test, example or benchmark.
function(ferry_target_settings target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                                           -Wold-style-cast -Woverloaded-virtual -Wundef)
  if(FERRY_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented, g++ no longer sees that std::regex and Asio's use_future initialise what they use.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
  endif()
  if(FERRY_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
