# Debian ships cctz without CMake or pkg-config files: this makes the target cctz::cctz.
find_path(CCTZ_INCLUDE_DIR cctz/time_zone.h)
find_library(CCTZ_LIBRARY cctz)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cctz REQUIRED_VARS CCTZ_LIBRARY CCTZ_INCLUDE_DIR)
if(Cctz_FOUND AND NOT TARGET cctz::cctz)
  add_library(cctz::cctz UNKNOWN IMPORTED)
  set_target_properties(cctz::cctz PROPERTIES
    IMPORTED_LOCATION ${CCTZ_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${CCTZ_INCLUDE_DIR})
endif()
