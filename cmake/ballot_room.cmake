# A room is a folder that is a target. It sees only the rooms that it names: each room's headers are reached through a
# folder of links of its own (build/rooms/<room>/<room>), so that an include which is not allowed does not compile.

function(ballot_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    -Wno-restrict  # g++ 12 warns of std::string's own code (GCC bug 105651)
    $<$<BOOL:${BALLOT_WERROR}>:-Werror>)
  if(BALLOT_SANITIZER)
    target_compile_options(${target} PUBLIC -fsanitize=${BALLOT_SANITIZER} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${BALLOT_SANITIZER})
    if(BALLOT_SANITIZER MATCHES thread)
      target_compile_options(${target} PRIVATE -Wno-tsan)
    endif()
  endif()
endfunction()

# ballot_room(NAME SOURCES file... [USES room...] [LIBRARIES library...])
# Makes the static library ballot_NAME. USES is what its headers and sources may include; LIBRARIES stay in the room.
function(ballot_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  set(links ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${links})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${links}/${name} SYMBOLIC)
  add_library(ballot_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(ballot_${name} PUBLIC ${links})
  ballot_flags(ballot_${name})
  list(TRANSFORM ROOM_USES PREPEND ballot_)
  target_link_libraries(ballot_${name} PUBLIC ${ROOM_USES} PRIVATE ${ROOM_LIBRARIES})
endfunction()
