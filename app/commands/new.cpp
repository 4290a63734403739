// SPDX-License-Identifier: Apache-2.0
// linefill new patch: writes the one file of a patch of one's own, and its test.
#include <filesystem>
#include <optional>

#include "app/command.h"
#include "app/data_dirs.h"
#include "app/options.h"
#include "app/output.h"
#include "app/parser.h"
#include "kernel/patches/new_patch.h"
#include "model/sim/error.h"

namespace linefill::app {
namespace {

namespace fs = std::filesystem;
using model::UserError;

/// Neither file may be there: nothing of the user's is ever overwritten.
void require_absent(const fs::path& path) {
    std::error_code error;
    if (fs::exists(path, error)) throw UserError("the file exists already").file(path.string());
}

void write_file(const fs::path& path, const std::string& text) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    Output file(path.string(), Output::Stream::kStdout);
    file.write(text);
    file.finish();
}

}  // namespace

int run_new(const std::vector<std::string>& arguments) {
    std::string from;
    std::optional<std::string> tree;
    Parser parser("new", "Starts a file of your own.", "patch NAME --from VERSION");
    parser.text("--from", from, "VERSION", "the kernel that the patch is made for");
    parser.text("--tree", tree, "FOLDER", "the source tree; default: that of this command");
    parser.subjects([](const std::string& /*word*/, const std::vector<std::string>& so_far) {
        return so_far.size() < 2;
    });
    const Words words = parser.parse(arguments);
    const std::string usage = "linefill new patch NAME --from VERSION";
    if (words.subjects.empty()) throw UserError("nothing to start").expected(usage);
    if (words.subjects.front() != "patch") {
        throw UserError("nothing of that kind to start")
            .value(words.subjects.front())
            .expected(usage);
    }
    if (words.subjects.size() < 2) throw UserError("no name for the patch").expected(usage);
    if (!words.rest.empty()) throw UserError("one patch at a time").value(words.rest.front());
    if (from.empty()) throw UserError("no version given").key("--from").expected(usage);

    const kernel::NewPatchFiles files = kernel::render_new_patch(words.subjects[1], from);
    const fs::path root = tree ? *tree : source_tree();
    const fs::path patch = root / files.patch_path;
    const fs::path test = root / files.test_path;
    require_absent(patch);
    require_absent(test);
    write_file(patch, files.patch_text);
    write_file(test, files.test_text);
    write_stdout("wrote " + patch.string() + "\nwrote " + test.string() +
                 "\nThe switch is `kernel().spec().has(" + files.identifier +
                 ")`; declare `extern const Patch " + files.identifier +
                 ";` in the kernel file that tests it,\nbuild, and compare: linefill compare " +
                 words.subjects[1] + "\n");
    return 0;
}

}  // namespace linefill::app
