#include <iostream>

#include "everything.hpp"

const char* other_unit();

int main() { std::cout << other_unit() << '\n'; }
