// SPDX-License-Identifier: Apache-2.0
#include "kernel/layout/btf_parse.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/sim/error.h"

namespace linefill::kernel {

using model::InternalError;
using model::UserError;

namespace {

constexpr std::string_view kElf(
    "\x7f"
    "ELF");
constexpr std::string_view kLittleEndian("\x9f\xeb");
constexpr std::string_view kBigEndian("\xeb\x9f");
// Deeper than any C that is compiled; a damaged file may refer to itself.
constexpr int kDeepest = 32;

struct FreeBtf {
    void operator()(btf* types) const { btf__free(types); }
};
using BtfPointer = std::unique_ptr<btf, FreeBtf>;

// libbpf reads ELF from a file by name only, and what was read may have been a pipe.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("layout", MFD_CLOEXEC)) {
        while (descriptor_ >= 0 && !bytes.empty()) {
            const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
            if (written <= 0) {
                close(descriptor_);
                descriptor_ = -1;
            } else {
                bytes.remove_prefix(static_cast<std::size_t>(written));
            }
        }
        if (descriptor_ < 0) {
            throw InternalError(std::string("no memory for an ELF file: ") + std::strerror(errno));
        }
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    [[nodiscard]] std::string path() const {
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }

private:
    int descriptor_;
};

class BtfReader {
public:
    BtfReader(std::string_view bytes, std::string_view file) : file_(file) {
        libbpf_set_print(nullptr);  // what is wrong is said by our own errors
        if (bytes.starts_with(kBigEndian)) {
            throw big_endian();
        }
        if (bytes.starts_with(kElf)) {
            const MemoryFile copy(bytes);
            types_.reset(btf__parse_elf(copy.path().c_str(), nullptr));
            if (types_ == nullptr && (errno == ENODATA || errno == ENOENT)) {
                throw error("an ELF file without a .BTF section")
                    .expected("a vmlinux built with CONFIG_DEBUG_INFO_BTF=y");
            }
        } else if (bytes.size() <= std::numeric_limits<__u32>::max()) {
            types_.reset(btf__new(bytes.data(), static_cast<__u32>(bytes.size())));
        }
        if (types_ == nullptr) {
            throw error(bytes.starts_with(kElf) ? "a damaged ELF file, or its .BTF section is"
                                                : "a damaged BTF file")
                .expected("a whole one, such as /sys/kernel/btf/vmlinux");
        }
        if (btf__endianness(types_.get()) != BTF_LITTLE_ENDIAN) {
            throw big_endian();
        }
    }

    LayoutTables read() {
        find_names();
        LayoutTables tables;
        tables.name = file_;
        for (const auto& [name, ids] : names_) {
            if (is_ambiguous(name)) {
                tables.ambiguous.push_back(name);
                continue;
            }
            // The names are sorted, as the tables are.
            tables.structs.push_back(structure(name, ids.front()));
        }
        if (tables.structs.empty()) {
            throw error("no structure in the file").expected("BTF of a kernel");
        }
        return tables;
    }

private:
    void find_names() {
        const __u32 count = btf__type_cnt(types_.get());
        for (__u32 id = 1; id < count; ++id) {
            const btf_type& type = at(id);
            if (btf_is_composite(&type) && type.name_off != 0) {
                names_[text(type.name_off)].push_back(id);
            } else if (btf_is_typedef(&type)) {
                const btf_type& target = at(type.type);
                if (btf_is_composite(&target) && target.name_off == 0) {
                    std::string name = text(type.name_off);
                    names_[name].push_back(type.type);
                    typedefs_.emplace(type.type, std::move(name));
                }
            }
        }
    }

    // The same structure may stand there several times, as each of a kernel's parts saw it.
    bool is_ambiguous(const std::string& name) {
        const auto known = ambiguous_.find(name);
        if (known != ambiguous_.end()) {
            return known->second;
        }
        const std::vector<__u32>& ids = names_.at(name);
        bool differ = false;
        if (ids.size() > 1) {
            const std::string first = shape(ids.front(), 0);
            differ = std::any_of(ids.begin() + 1, ids.end(),
                                 [&](__u32 id) { return shape(id, 0) != first; });
        }
        ambiguous_.emplace(name, differ);
        return differ;
    }

    // All that the tables say of a structure's own members, those of anonymous ones included.
    std::string shape(__u32 id, int depth) {
        const btf_type& type = at(id);
        check_depth(depth, type);
        std::string all = std::to_string(type.size) + (btf_is_union(&type) ? "u{" : "{");
        for (__u32 i = 0; i < btf_vlen(&type); ++i) {
            const btf_member& member = btf_members(&type)[i];
            const __u32 inner = bare(member.type);
            const Bits bits = bits_of(type, i);
            all += text(member.name_off) + ' ' + std::to_string(bits.begin) + ' ' +
                   std::to_string(bits.width) + ' ' + std::to_string(size_of(member.type)) + ' ';
            if (btf_is_composite(&at(inner))) {
                const std::string name = name_of(inner);
                all += name.empty() ? shape(inner, depth + 1) : name;
            }
            all += ';';
        }
        return all + '}';
    }

    LayoutStruct structure(const std::string& name, __u32 id) {
        LayoutStruct result;
        result.name = name;
        result.size = at(id).size;
        result.origin = file_;
        result.source = "BTF: " + file_;
        result.are_unions_known = true;
        add_members(result, id, "", 0, 0);
        result.finish();
        for (const LayoutField& field : result.fields) {
            if (result.find(field.name) != &field) {
                throw error("a field stands there twice").value(name + "." + field.name);
            }
        }
        return result;
    }

    void add_members(LayoutStruct& result, __u32 id, const std::string& prefix, std::uint64_t base,
                     int depth) {
        const btf_type& type = at(id);
        check_depth(depth, type);
        for (__u32 i = 0; i < btf_vlen(&type); ++i) {
            const btf_member& member = btf_members(&type)[i];
            const __u32 inner = bare(member.type);
            const bool is_composite = btf_is_composite(&at(inner));
            const Bits bits = bits_of(type, i);
            if (member.name_off == 0) {
                // The members of an anonymous one are members of the one around it; an unnamed
                // bitfield only fills up.
                if (is_composite) add_members(result, inner, prefix, base + bits.begin, depth + 1);
                continue;
            }
            const std::string name = prefix + text(member.name_off);
            const std::string tag =
                is_composite && btf_is_struct(&at(inner)) ? name_of(inner) : std::string();
            const bool has_table = !tag.empty() && !is_ambiguous(tag);
            add_row(result, name, base, bits, size_of(member.type), has_table ? tag : "");
            if (is_composite && !has_table) {
                add_members(result, inner, name + ".", base + bits.begin, depth + 1);
            }
        }
    }

    struct Bits {
        std::uint32_t begin = 0;  ///< from the start of the structure
        std::uint32_t width = 0;  ///< 0: no bitfield
    };

    Bits bits_of(const btf_type& type, __u32 index) const {
        Bits bits{btf_member_bit_offset(&type, index), btf_member_bitfield_size(&type, index)};
        const btf_type& inner = at(bare(btf_members(&type)[index].type));
        // The older form has width and place in an integer type of its own.
        if (btf_is_int(&inner) && bits.width == 0 &&
            (btf_int_bits(&inner) != inner.size * 8 || btf_int_offset(&inner) != 0)) {
            bits.begin += btf_int_offset(&inner);
            bits.width = btf_int_bits(&inner);
        }
        return bits;
    }

    void add_row(LayoutStruct& result, std::string name, std::uint64_t base, const Bits& bits,
                 std::uint32_t size, std::string type) const {
        LayoutField field;
        field.name = std::move(name);
        field.offset = static_cast<std::uint32_t>((base + bits.begin) / 8);
        field.size = size;
        field.type = std::move(type);
        const auto bit = static_cast<std::uint32_t>((base + bits.begin) % 8);
        if (bits.width > 64 || (bits.width == 0 && bit != 0)) {
            throw error("not the place of a member").value(result.name + "." + field.name);
        }
        if (bits.width > 0) {
            // The bytes that hold the bits, and not the whole word that they were declared in.
            field.bit_start = static_cast<std::uint8_t>(bit);
            field.bit_width = static_cast<std::uint8_t>(bits.width);
            field.size = (bit + bits.width + 7) / 8;
        }
        if (field.end() > result.size || field.end() < field.offset) {
            throw error("a field lies behind the end of its structure")
                .value(result.name + "." + field.name)
                .expected("an end of at most " + std::to_string(result.size));
        }
        if (result.fields.size() >= std::numeric_limits<std::uint16_t>::max()) {
            throw error("a structure with too many members").value(result.name);
        }
        result.fields.push_back(std::move(field));
    }

    const btf_type& at(__u32 id) const {
        const btf_type* type = btf__type_by_id(types_.get(), id);
        if (type == nullptr) {
            throw error("a type that the file does not have")
                .value(std::to_string(id))
                .expected("the kernel's own BTF; a module's is not complete by itself");
        }
        return *type;
    }

    // Without typedefs and qualifiers.
    __u32 bare(__u32 id) const {
        for (int depth = 0; depth < kDeepest; ++depth) {
            const btf_type& type = at(id);
            if (!btf_is_mod(&type) && !btf_is_typedef(&type)) {
                return id;
            }
            id = type.type;
        }
        throw error("a type that refers to itself").value(std::to_string(id));
    }

    std::uint32_t size_of(__u32 id) const {
        const __s64 size = btf__resolve_size(types_.get(), id);
        if (size < 0 || size > std::numeric_limits<std::uint32_t>::max()) {
            throw error("a member without a size").value("type " + std::to_string(id));
        }
        return static_cast<std::uint32_t>(size);
    }

    std::string name_of(__u32 id) const {
        const btf_type& type = at(id);
        if (type.name_off != 0) {
            return text(type.name_off);
        }
        const auto found = typedefs_.find(id);
        return found == typedefs_.end() ? std::string() : found->second;
    }

    std::string text(__u32 offset) const {
        const char* name = btf__name_by_offset(types_.get(), offset);
        if (name == nullptr) {
            throw error("a name that the file does not have").value(std::to_string(offset));
        }
        return name;
    }

    void check_depth(int depth, const btf_type& type) const {
        if (depth > kDeepest) {
            throw error("structures inside each other without end").value(text(type.name_off));
        }
    }

    [[nodiscard]] UserError error(std::string what) const {
        UserError result(std::move(what));
        result.file(file_);
        return result;
    }

    [[nodiscard]] UserError big_endian() const {
        return error("BTF of a big-endian machine").expected("that of an x86-64 or arm64 kernel");
    }

    std::string file_;
    BtfPointer types_;
    /// All types of a name, in the order of the file.
    std::map<std::string, std::vector<__u32>> names_;
    /// Of structures that have no name themselves: the first typedef.
    std::map<__u32, std::string> typedefs_;
    std::map<std::string, bool> ambiguous_;
};

}  // namespace

bool looks_like_btf(std::string_view bytes) {
    return bytes.starts_with(kElf) || bytes.starts_with(kLittleEndian) ||
           bytes.starts_with(kBigEndian);
}

LayoutTables parse_btf(std::string_view bytes, std::string_view file) {
    return BtfReader(bytes, file).read();
}

}  // namespace linefill::kernel
