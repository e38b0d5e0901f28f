include(GoogleTest)

# ferry_tests(NAME bus LABEL unit SOURCES ... [LIBRARIES ferry::bus ...])
#
# One test program per folder. Every test is known to CTest by its own name and carries the label, so that
# `ctest -L unit` picks a kind and `ctest -R Json` a subject.
function(ferry_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;LABEL" "SOURCES;LIBRARIES")
  set(target ${arg_NAME}_tests)
  add_executable(${target} ${arg_SOURCES})
  ferry_target_settings(${target})
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <chrono> <functional> <map> <memory>)
  if(arg_LABEL MATCHES "^(unit|conformance)$")
    ferry_needs_no_server(${target})
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 120
                                  ENVIRONMENT "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
endfunction()

# ferry_tests_of_telemetry(NAME otlp SOURCES ... [LIBRARIES ...])
#
# Unit tests of what goes through OpenTelemetry's SDK. Neither that nor gRPC is instrumented, so to ThreadSanitizer
# whatever they hand from one thread to another looks like a race: there these tests are built with all others only.
function(ferry_tests_of_telemetry)
  if(FERRY_SANITIZE MATCHES "thread")
    ferry_tests(${ARGN} LABEL telemetry)
  else()
    ferry_tests(${ARGN} LABEL unit)
  endif()
endfunction()

# ferry_needs_no_server(TARGET): it is built for `scripts/test --serverless`.
function(ferry_needs_no_server target)
  if(NOT TARGET tests_without_servers)
    add_custom_target(tests_without_servers)
  endif()
  add_dependencies(tests_without_servers ${target})
endfunction()

# ferry_compile_failures(PREFIX does_not_compile LIBRARY ferry::bus)
#
# A test for each file in compile_fail/: the compiler refuses it with the sentence its first line expects, and with no
# other error.
function(ferry_compile_failures)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PREFIX;LIBRARY" "")
  file(GLOB files CONFIGURE_DEPENDS compile_fail/*.cpp)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    file(STRINGS "${file}" expectation LIMIT_COUNT 1)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}") # its first line is read here
    string(REPLACE "// expect: " "" sentence "${expectation}")
    add_test(NAME ${arg_PREFIX}.${name}
             COMMAND "${CMAKE_CXX_COMPILER}" -std=c++23 -fsyntax-only
                     "-I$<JOIN:$<TARGET_PROPERTY:${arg_LIBRARY},INTERFACE_INCLUDE_DIRECTORIES>,;-I>" "${file}"
             COMMAND_EXPAND_LISTS)
    set_tests_properties(${arg_PREFIX}.${name} PROPERTIES LABELS unit PASS_REGULAR_EXPRESSION "${sentence}"
                                                          FAIL_REGULAR_EXPRESSION "error: .*error: ")
  endforeach()
endfunction()
