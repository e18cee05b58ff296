# Modules that a loader must refuse, each for one reason; and one that it takes.
set(odd_plugins ${CMAKE_CURRENT_BINARY_DIR}/odd_plugins)
function(odd_plugin name)
  add_library(odd_plugin_${name} MODULE odd_plugin.cpp)
  ballot_flags(odd_plugin_${name})
  set_target_properties(odd_plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${odd_plugins})
  target_link_libraries(odd_plugin_${name} PRIVATE ballot_public)
  target_compile_definitions(odd_plugin_${name} PRIVATE ODD_NAME="${name}" ${ARGN})
endfunction()
odd_plugin(good)
odd_plugin(no_symbol ODD_NO_SYMBOL)
odd_plugin(undefined_symbol ODD_UNDEFINED_SYMBOL)
odd_plugin(wrong_abi ODD_ABI=99)
odd_plugin(wrong_size ODD_SIZE=8)
odd_plugin(wrong_toolchain ODD_TOOLCHAIN="gcc99 libc++ cxx29")
odd_plugin(wrong_kind ODD_KIND="toaster")
odd_plugin(wrong_name ODD_OTHER_NAME="somebody_else")
odd_plugin(empty_handshake ODD_CREATE=nullptr)

ballot_test(unit_plugin_loader THREADS
  SOURCES plugin_loader_test.cpp
  USES ballot_io ballot_base
  DEPENDS odd_plugin_good odd_plugin_no_symbol odd_plugin_undefined_symbol odd_plugin_wrong_abi odd_plugin_wrong_size
    odd_plugin_wrong_toolchain odd_plugin_wrong_kind odd_plugin_wrong_name odd_plugin_empty_handshake
    ballot_plugin_local)
target_compile_definitions(unit_plugin_loader PRIVATE
  BALLOT_ODD_PLUGINS="${odd_plugins}" BALLOT_LOCAL_PLUGIN="$<TARGET_FILE:ballot_plugin_local>")
