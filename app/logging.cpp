// SPDX-License-Identifier: Apache-2.0
// The only file that knows spdlog.
#include "app/logging.h"

#include <memory>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "model/sim/error.h"

namespace linefill::app {
namespace {

std::shared_ptr<spdlog::logger>& logger() {
    static std::shared_ptr<spdlog::logger> instance;
    return instance;
}

bool& to_file() {
    static bool value = false;
    return value;
}

}  // namespace

const std::vector<std::string>& log_levels() {
    static const std::vector<std::string> kLevels = {"trace", "debug", "info",
                                                     "warn",  "error", "off"};
    return kLevels;
}

void start_logging(const std::string& level, const std::optional<std::string>& file) {
    try {
        spdlog::sink_ptr sink;
        if (file) {
            sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(*file, true);
        } else {
            sink = std::make_shared<spdlog::sinks::stderr_sink_st>();
        }
        auto created = std::make_shared<spdlog::logger>("linefill", std::move(sink));
        created->set_level(spdlog::level::from_str(level));
        created->set_pattern(file ? "%Y-%m-%dT%H:%M:%S.%e %l: %v" : "linefill: %l: %v");
        // Runs are forked: a line that is still in a buffer would be written twice.
        created->flush_on(spdlog::level::trace);
        logger() = std::move(created);
        to_file() = file.has_value();
    } catch (const spdlog::spdlog_ex&) {
        throw model::UserError("the log cannot be opened")
            .key("--log-file")
            .value(file.value_or(""));
    }
}

void log_debug(const std::string& message) {
    if (logger()) logger()->debug(message);
}

void log_info(const std::string& message) {
    if (logger()) logger()->info(message);
}

void log_warning(const std::string& message) {
    if (logger()) logger()->warn(message);
}

void log_error(const std::string& message) {
    if (logger() && to_file()) logger()->error(message);
}

}  // namespace linefill::app
