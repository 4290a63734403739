// SPDX-License-Identifier: Apache-2.0
// A small state machine over the bytes.
#include "measure/csv_reader.h"

#include <utility>

#include "model/sim/error.h"

namespace linefill::measure {
namespace {

class Reader {
public:
    Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::vector<CsvRecord> read() {
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
            position_ = kByteOrderMark.size();
        }
        while (position_ < text_.size()) {
            read_record();
        }
        return std::move(records_);
    }

private:
    void read_record() {
        CsvRecord record;
        record.line = line_;
        do {
            record.fields.push_back(read_field());
        } while (take(','));
        take('\r');
        if (position_ < text_.size() && !take('\n')) {
            fail("stray characters after a field");
        }
        ++line_;
        if (record.fields.size() > 1 || !record.fields.front().empty()) {
            records_.push_back(std::move(record));
        }
    }

    std::string read_field() { return take('"') ? read_quoted() : read_plain(); }

    std::string read_plain() {
        std::string field;
        while (position_ < text_.size()) {
            const char letter = text_[position_];
            const bool line_end =
                letter == '\n' || (letter == '\r' && text_.substr(position_, 2) == "\r\n");
            if (letter == ',' || line_end) {
                break;
            }
            if (letter == '"') {
                fail("quote inside a field that does not start with one");
            }
            if (letter == '\0') {
                fail("NUL byte, this is no text file");
            }
            field += letter;
            ++position_;
        }
        return field;
    }

    std::string read_quoted() {
        std::string field;
        const int start = line_;
        while (position_ < text_.size()) {
            const char letter = text_[position_++];
            if (letter == '"' && !take('"')) {
                return field;
            }
            line_ += letter == '\n' ? 1 : 0;
            field += letter;
        }
        line_ = start;
        fail("quote that is never closed");
    }

    bool take(char letter) {
        if (position_ < text_.size() && text_[position_] == letter) {
            ++position_;
            return true;
        }
        return false;
    }

    [[noreturn]] void fail(const char* what) const {
        throw model::UserError(what).file(file_).line(line_);
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t position_ = 0;
    int line_ = 1;
    std::vector<CsvRecord> records_;
};

}  // namespace

std::vector<CsvRecord> read_csv(std::string_view text, const std::string& file) {
    return Reader(text, file).read();
}

}  // namespace linefill::measure
