# cctz as a part of Abseil: Debian has that as a static library and cctz itself as a shared one only, which no other
# distribution need have. Of the rest of Abseil only containers are used that are headers alone. This makes the target
# cctz::cctz. Debian's static library cannot be a part of a shared one: for those there is Cctz_SHARED_LIBRARY.
find_path(ABSL_INCLUDE_DIR absl/time/internal/cctz/include/cctz/time_zone.h)
find_library(ABSL_TIME_ZONE_ARCHIVE libabsl_time_zone.a)
find_library(Cctz_SHARED_LIBRARY libabsl_time_zone.so)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cctz REQUIRED_VARS ABSL_TIME_ZONE_ARCHIVE Cctz_SHARED_LIBRARY ABSL_INCLUDE_DIR)
if(Cctz_FOUND AND NOT TARGET cctz::cctz)
  add_library(cctz::cctz STATIC IMPORTED)
  set_target_properties(cctz::cctz PROPERTIES
    IMPORTED_LOCATION ${ABSL_TIME_ZONE_ARCHIVE} INTERFACE_INCLUDE_DIRECTORIES ${ABSL_INCLUDE_DIR})
  if(BALLOT_SANITIZER)  # Abseil's containers check their iterators then, and log what is wrong
    find_library(ABSL_RAW_LOGGING_LIBRARY libabsl_raw_logging_internal.so REQUIRED)
    set_target_properties(cctz::cctz PROPERTIES INTERFACE_LINK_LIBRARIES ${ABSL_RAW_LOGGING_LIBRARY})
  endif()
endif()
