// SPDX-License-Identifier: Apache-2.0
// Workloads by the name of their command: "pound_clock_gettime --threads 48" becomes a program that
// runs on the modelled machine. Each kind is one file in scenarios/programs/ that registers itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace linefill::scenarios {

class UserTask;

/// One argument of a workload's command.
struct ArgumentSpec {
    std::string flag;                ///< long name, "--threads"
    std::string alias;               ///< other spelling, "-t"; empty: none
    std::string value;               ///< how help names the value, "N"
    std::string doc;                 ///< what it is, with its unit
    std::uint64_t min = 1, max = 1;  ///< allowed values, both included
    bool required = false;
    std::uint64_t fallback = 0;  ///< value if it is left out and not required; 0: none
    bool makes_rows = false;     ///< a list of values ("2,8,48") gives one row per value
};

/// Values of a command's arguments, by flag; every flag that has a value is there.
using Arguments = std::map<std::string, std::uint64_t>;

/// A figure that the workload reports beside the counters.
struct WorkloadMetric {
    std::string name;  ///< "elapsed", "latency-mean"
    std::string unit;  ///< "s", "us", "Mbit/s"
    std::string doc;
};

/// What a run does besides starting the program: how much work there is, and what one unit of it
/// costs the host, so that sampling can size its windows.
struct WorkPlan {
    /// Units of work in all ("calls"), over all threads.
    std::uint64_t units = 0;
    /// Most threads of the program that work at one time.
    unsigned threads = 1;
    /// Threads that one unit visits if `running` of the program's threads are on a CPU: what a unit
    /// costs the host grows with it.
    std::function<double(unsigned running)> visits_per_unit;
};

/// A parsed command: what to run, once.
class Workload {
public:
    virtual ~Workload() = default;
    /// The command's name: "pound_clock_gettime".
    virtual const std::string& name() const = 0;
    /// The whole command as one would type it, arguments in the order of the kind's table; those that
    /// were left out are left out here too.
    virtual std::string command_line() const = 0;
    /// Value of the argument that rows differ in ("48"); empty if the kind has none.
    virtual std::string parameter() const = 0;
    virtual WorkPlan plan() const = 0;
    /// The program's main(): runs in user mode on the modelled machine as `task`, the process's first
    /// thread. Returning from it ends the thread.
    virtual void main(UserTask& task) const = 0;
};

/// A kind of workload.
class WorkloadKind {
public:
    virtual ~WorkloadKind() = default;
    virtual const std::string& name() const = 0;
    virtual std::vector<std::string> aliases() const { return {}; }
    /// One line: what it does.
    virtual std::string summary() const = 0;
    virtual const std::vector<ArgumentSpec>& arguments() const = 0;
    virtual std::vector<WorkloadMetric> metrics() const;
    /// The flag that rows differ in ("--threads"), empty if none: the table's first column.
    std::string row_flag() const;
    virtual std::unique_ptr<Workload> make(const Arguments& given) const = 0;
};

/// All kinds that are built. Kinds register at start-up; lists are sorted by name.
class WorkloadRegistry {
public:
    static WorkloadRegistry& instance();
    void add(std::unique_ptr<WorkloadKind> kind);
    /// The kind of that name or alias. Throws kernel::NotBuiltYet for a workload of the plan that
    /// this build cannot run, UserError for any other unknown name.
    const WorkloadKind& find(const std::string& name) const;
    std::vector<const WorkloadKind*> kinds() const;
    /// Names that `find` knows and refuses: planned, not built.
    static const std::vector<std::string>& planned();

private:
    std::map<std::string, std::unique_ptr<WorkloadKind>> kinds_;
};

/// Registers `Kind` when the program starts: `static const RegisterWorkload<Kind> kRegistered;`
template <class Kind>
struct RegisterWorkload {
    RegisterWorkload() { WorkloadRegistry::instance().add(std::make_unique<Kind>()); }
};

/// Splits a command as a shell would: blanks part words, ' and " keep them together. Throws
/// UserError for a quote that does not end.
std::vector<std::string> split_command(const std::string& command);

/// The workloads that a command stands for, one per row: a list in an argument that makes rows gives
/// one each ("--threads 2,21"). Throws UserError for an unknown command, an unknown flag, a value
/// that is missing, no number, or out of bounds, kernel::NotBuiltYet for planned ones.
std::vector<std::unique_ptr<Workload>> expand_rows(const std::vector<std::string>& words);

/// The same for a command that must be one row: a list is an error.
std::unique_ptr<Workload> parse_workload(const std::vector<std::string>& words);

}  // namespace linefill::scenarios
