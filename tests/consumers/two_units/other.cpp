#include "everything.hpp"

const char* other_unit() { return "linked"; }
