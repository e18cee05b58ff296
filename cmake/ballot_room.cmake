# A room is a folder that is a target. It sees only the rooms that it names: each room's headers are reached through a
# folder of links of its own (build/rooms/<room>/<room>), so that an include which is not allowed does not compile.

# The name of a file's own function or constant must then be its own in the whole target, or the file stay out of it:
# set_source_files_properties(FILE PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON).
function(ballot_flags target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD "${BALLOT_UNITY}" UNITY_BUILD_BATCH_SIZE 0)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual $<$<BOOL:${BALLOT_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE
      -Wshadow$<$<BOOL:${BALLOT_UNITY}>:=local>  # another file's constants are no concern of a local variable
      -Wno-restrict)  # g++ 12 warns of std::string's own code (GCC bug 105651)
  else()
    # For g++ no part of -Wconversion; [this] of which another branch of a template makes use.
    target_compile_options(${target} PRIVATE -Wno-sign-conversion -Wno-unused-lambda-capture)
  endif()
  if(BALLOT_SANITIZER)
    target_compile_options(${target} PUBLIC -fsanitize=${BALLOT_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    # null, alignment: a third of the compilation, for what ends the process anyhow, or x86 allows. vptr: it asks a pipe
    # whether memory can be read, and takes each object for broken in a process that has no descriptor left.
    if(BALLOT_SANITIZER MATCHES undefined)
      target_compile_options(${target} PUBLIC -fno-sanitize=null,alignment,vptr)
    endif()
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # the names by which g++ says so
      if(BALLOT_SANITIZER MATCHES address)
        target_compile_definitions(${target} PUBLIC __SANITIZE_ADDRESS__=1)
      elseif(BALLOT_SANITIZER MATCHES thread)
        target_compile_definitions(${target} PUBLIC __SANITIZE_THREAD__=1)
      endif()
    endif()
    target_link_options(${target} PUBLIC -fsanitize=${BALLOT_SANITIZER})
  endif()
endfunction()

# In a debug build: code that simulations keep busy is compiled with optimization, and code that runs once without. Under
# sanitizers none is: a quarter of the work, and there little is simulated.
function(ballot_busy target)
  if(NOT BALLOT_SANITIZER)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O1>)
  endif()
endfunction()
function(ballot_idle target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
  ballot_no_product(${target})
endfunction()
# What undefined behaviour a test has does not matter enough for what its checks cost to compile.
function(ballot_no_product target)
  if(BALLOT_SANITIZER MATCHES undefined)
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

# In a release: compiled for size. Most of what is resident of a daemon without jobs is code, and the kernel maps it in
# large parts: what runs once, or when somebody asks, is there beside what runs all the time.
function(ballot_small target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
endfunction()

# ballot_room(NAME [TARGET target] SOURCES file... [USES room...] [LIBRARIES library...])
# Makes the static library ballot_NAME, or ballot_TARGET. USES is what its headers and sources may include; LIBRARIES stay
# in the room.
function(ballot_room folder)
  cmake_parse_arguments(ROOM "" "TARGET" "SOURCES;USES;LIBRARIES" ${ARGN})
  set(name ${folder})
  if(ROOM_TARGET)
    set(name ${ROOM_TARGET})
  endif()
  set(links ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${links})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${links}/${folder} SYMBOLIC)
  add_library(ballot_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(ballot_${name} PUBLIC $<BUILD_INTERFACE:${links}>)
  ballot_flags(ballot_${name})
  list(TRANSFORM ROOM_USES PREPEND ballot_)
  target_link_libraries(ballot_${name} PUBLIC ${ROOM_USES} PRIVATE ${ROOM_LIBRARIES})
endfunction()
