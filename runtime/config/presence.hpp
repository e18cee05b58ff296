// Presence: whether what a job names is there, on the machine that asks. Asked by `ballot check` only: what is missing
// here may be there when the job is due, or on the node that runs it.
//
//   if (const std::string absent = program_absence("backup", ""); !absent.empty()) findings.warning(at, absent);
//
// Threads: any.
#pragma once

#include <string>

namespace ballot::config {

/// Whether files that jobs name are looked for.
enum class Presence { ignored, looked_at };

/// What is wrong with a program that a run or a hook executes: "" where nothing is, or that cannot be known here.
/// `path`: the PATH that it is searched for in, where its name has no slash; "": that of a run.
std::string program_absence(const std::string& program, const std::string& path);

/// The same of a file that is read, or of a folder. Relative ones are not known here.
std::string file_absence(const std::string& path);

}  // namespace ballot::config
