# Every third-party package, in one place. The installed package finds the same ones again (ferryConfig.cmake.in).

if(POLICY CMP0167) # CMake before 3.30 looks for Boost's own package files by itself
  cmake_policy(SET CMP0167 NEW)
endif()
find_package(Threads REQUIRED)
find_package(Boost 1.83 REQUIRED COMPONENTS headers)
find_package(simdjson CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)

find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(opentelemetry-cpp CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(amqpcpp REQUIRED IMPORTED_TARGET amqpcpp) # its own CMake file lies where nobody looks
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(libpqxx REQUIRED IMPORTED_TARGET libpqxx>=7.10)

if(FERRY_BUILD_TESTS)
  find_package(GTest CONFIG REQUIRED)
endif()
if(FERRY_BUILD_BENCHMARKS)
  find_package(benchmark CONFIG REQUIRED)
endif()
if(FERRY_BUILD_TESTS OR FERRY_BUILD_BENCHMARKS)
  find_package(nlohmann_json CONFIG REQUIRED)
endif()
