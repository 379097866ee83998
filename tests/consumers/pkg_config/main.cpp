#include <iostream>
#include <regimen/core/version.hpp>

int main() { std::cout << "regimen " << regimen::version.text() << '\n'; }
