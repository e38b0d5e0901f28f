#pragma once

#include <ferry/reflection/enum_names.hpp>
#include <ferry/reflection/members.hpp>
#include <ferry/reflection/type_name.hpp>
