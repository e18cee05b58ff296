# Debian ships ZooKeeper's C client without CMake or pkg-config files: this makes the target ZooKeeper::zookeeper_mt.
find_path(ZooKeeper_INCLUDE_DIR zookeeper/zookeeper.h)
find_library(ZooKeeper_LIBRARY zookeeper_mt)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZooKeeper REQUIRED_VARS ZooKeeper_LIBRARY ZooKeeper_INCLUDE_DIR)
if(ZooKeeper_FOUND AND NOT TARGET ZooKeeper::zookeeper_mt)
  add_library(ZooKeeper::zookeeper_mt UNKNOWN IMPORTED GLOBAL)
  set_target_properties(ZooKeeper::zookeeper_mt PROPERTIES
    IMPORTED_LOCATION ${ZooKeeper_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${ZooKeeper_INCLUDE_DIR})
endif()
