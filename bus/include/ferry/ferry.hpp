#pragma once

/// Everything a service needs but its transport and its store.

#include <ferry/bus.hpp>
#include <ferry/bus_builder.hpp>
#include <ferry/header_names.hpp>
