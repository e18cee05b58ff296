# Makes the source file OUT, which has the page's files (those of FOLDER that have a type below), scripts and styles without
# comments (after two blanks, or on lines of their own), empty lines, indentation and what aligns `=`, and styles without
# blanks beside `:;,{}`, as they are and compressed: runtime/http/page_files.hpp.
# Run by cmake -P when one of them has changed.
#
#   cmake -DFOLDER=runtime/http/page -DOUT=page_files.cpp -P page_files.cmake
cmake_minimum_required(VERSION 3.25)
set(types
  ".html=text/html$<SEMICOLON> charset=utf-8" ".css=text/css$<SEMICOLON> charset=utf-8"
  ".js=text/javascript$<SEMICOLON> charset=utf-8" ".mjs=text/javascript$<SEMICOLON> charset=utf-8"
  ".svg=image/svg+xml")
get_filename_component(out_folder ${OUT} DIRECTORY)
file(GLOB_RECURSE files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(blobs "")
set(names "")
set(table "")
set(number 0)
foreach(file IN LISTS files)
  get_filename_component(ending ${file} LAST_EXT)
  set(type "")
  foreach(one IN LISTS types)
    if(one MATCHES "^${ending}=(.*)$")
      string(REPLACE "$<SEMICOLON>" ";" type "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  if("${type}" STREQUAL "")
    continue()
  endif()
  string(REPLACE "/" "_" flat ${file})
  set(sent ${FOLDER}/${file})
  set(packed ${out_folder}/page_files/${flat}.gz)
  file(MAKE_DIRECTORY ${out_folder}/page_files)
  if(ending MATCHES "[.](js|css)$")
    set(sent ${out_folder}/page_files/${flat})
    set(styles "")
    if(ending STREQUAL .css)
      set(styles -e "/^\\/\\*/,/\\*\\/$/d" -e "s/ *$//" -e "s/\\([:\;,]\\) /\\1/g" -e "s/ *{ */{/g" -e "s/\;* *}/}/g")
    endif()
    execute_process(COMMAND sed -e "/^ *\\(\\/\\/.*\\|\\/\\*.*\\*\\/\\)\\?$/d" -e "s/  \\/\\/ [^'\"`]*$//" -e "s/  \\/\\*.*\\*\\/$//"
                    -e "s/^[ \\t]*//" -e "s/   *\\([=:?]\\) / \\1 /" ${styles} ${FOLDER}/${file} OUTPUT_FILE ${sent} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  execute_process(COMMAND gzip -9 -n -c ${sent} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
  foreach(form file packed)
    set(path ${sent})
    if("${form}" STREQUAL "packed")
      set(path ${packed})
    endif()
    string(APPEND blobs "  \"ballot_page_${form}_${number}: .incbin \\\"${path}\\\"\\nballot_page_${form}_${number}_end:\\n\"\n")
    string(APPEND names "extern const char ballot_page_${form}_${number}[], ballot_page_${form}_${number}_end[];\n")
  endforeach()
  string(APPEND table "    {\"${file}\", \"${type}\",\n     {ballot_page_file_${number}, ballot_page_file_${number}_end},\n     {ballot_page_packed_${number}, ballot_page_packed_${number}_end}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made by cmake/page_files.cmake of the files in runtime/http/page.
#include \"http/page_files.hpp\"

__asm__(
  \".pushsection .rodata\\n\"
${blobs}  \".popsection\\n\");

extern \"C\" {
#pragma GCC visibility push(hidden)
${names}#pragma GCC visibility pop
}

namespace ballot::web {

std::span<const PageFile> page_files() {
  static const PageFile files[] = {
${table}  };
  return files;
}

}  // namespace ballot::web
")
