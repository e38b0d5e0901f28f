# ferry_component(NAME bus SOURCES ... [DEPENDS ferry::other Boost::headers ...])
#
# Makes the library ferry::NAME from the current folder: public headers in include/ferry, sources in src. A component
# sees only the headers of what it names in DEPENDS, so the compiler keeps the arrows between components one way.
function(ferry_component)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  set(target ferry_${arg_NAME})
  add_library(${target} ${arg_SOURCES})
  add_library(ferry::${arg_NAME} ALIAS ${target})
  ferry_target_settings(${target})
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>")
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  # The standard headers nearly every source needs, read once for all of them; scripts/lint sees to it that each header
  # still names what it uses.
  target_precompile_headers(${target} PRIVATE <chrono> <exception> <functional> <map> <memory> <mutex> <string> <vector>)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME} POSITION_INDEPENDENT_CODE ON)
  set_property(GLOBAL APPEND PROPERTY FERRY_TARGETS ${target})
  if(IS_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/include") # a component may be begun from within
    set_property(GLOBAL APPEND PROPERTY FERRY_HEADER_FOLDERS "${CMAKE_CURRENT_SOURCE_DIR}/include/")
  endif()
endfunction()

# ferry_umbrella(ferry COMPONENTS bus ...): one name for what every program needs.
function(ferry_umbrella name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMPONENTS")
  add_library(${name} INTERFACE)
  add_library(ferry::${name} ALIAS ${name})
  list(TRANSFORM arg_COMPONENTS PREPEND ferry::)
  target_link_libraries(${name} INTERFACE ${arg_COMPONENTS})
  set_property(GLOBAL APPEND PROPERTY FERRY_TARGETS ${name})
endfunction()
