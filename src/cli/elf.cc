// SPDX-License-Identifier: Apache-2.0
#include "cli/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/version.h"

// Only the section headers, .gnu.version_r and its strings are read: a debug build is 100 MB.
namespace sndr::cli {
namespace {

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  /// The bytes, or "" where the file is too short.
  [[nodiscard]] std::string bytes(std::uint64_t offset, std::uint64_t size) const {
    if (size > (1U << 24)) return {};
    std::string out(size, '\0');
    const auto got = ::pread(fd_, out.data(), size, static_cast<off_t>(offset));
    return got == static_cast<ssize_t>(size) ? out : std::string();
  }

 private:
  int fd_;
};

template <class T>
bool take(const std::string& bytes, std::size_t offset, T& into) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&into, bytes.data() + offset, sizeof(T));
  return true;
}

/// Every version name in a .gnu.version_r section.
std::vector<std::string> needed_versions(const std::string& section, const std::string& strings) {
  std::vector<std::string> out;
  Elf64_Verneed need{};
  for (std::size_t at = 0; take(section, at, need); at += need.vn_next) {
    Elf64_Vernaux aux{};
    for (std::size_t inner = at + need.vn_aux; take(section, inner, aux); inner += aux.vna_next) {
      if (aux.vna_name < strings.size()) out.emplace_back(strings.c_str() + aux.vna_name);
      if (aux.vna_next == 0) break;
    }
    if (need.vn_next == 0) break;
  }
  return out;
}

std::string highest(const std::vector<std::string>& names) {
  constexpr std::string_view kPrefix = "GLIBC_";
  std::string best;
  for (const auto& name : names) {
    if (!name.starts_with(kPrefix)) continue;
    const auto version = Version::parse(name.substr(kPrefix.size()));
    if (!version) continue;  // GLIBC_PRIVATE
    const auto so_far = Version::parse(best);
    if (!so_far || compare(*version, *so_far) > 0) best = name.substr(kPrefix.size());
  }
  return best;
}

}  // namespace

Result<std::string> highest_glibc(const std::string& path) {
  const File file(path);
  if (!file.open()) return fail(Errc::io, "cannot read {}: {}", path, std::strerror(errno));
  Elf64_Ehdr header{};
  if (!take(file.bytes(0, sizeof header), 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return fail(Errc::invalid_input, "{} isn't a 64-bit ELF file", path);
  const auto sections =
      file.bytes(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    Elf64_Shdr strings{};
    if (!take(sections, i * sizeof section, section) || section.sh_type != SHT_GNU_verneed)
      continue;
    if (!take(sections, section.sh_link * sizeof strings, strings)) break;
    return highest(needed_versions(file.bytes(section.sh_offset, section.sh_size),
                                   file.bytes(strings.sh_offset, strings.sh_size)));
  }
  return std::string();
}

}  // namespace sndr::cli
