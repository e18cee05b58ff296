#include "app/print/fact_line.hpp"

#include <iostream>

#include "app/print/escape.hpp"

namespace ballot::app {

void print_fact(std::string_view name, const std::string& text) {
  std::cout << name << std::string(name.size() < fact_indent ? fact_indent - name.size() : 1, ' ')
            << escaped(text, Escape::plain) << '\n';
}

}  // namespace ballot::app
