// The levels of a heap of cells: a cell holds one node, a line some cells, a page some lines, the heap all pages.
// After Adcock, Improving cache performance by runtime data movement (2009), 4.2.1.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace adcock::move {

// A place for one node. 32 bits name 4 G cells, so that a node's links are half as long as pointers.
enum class CellId : std::uint32_t {};
enum class LineId : std::uint32_t {};
enum class PageId : std::uint32_t {};

// No cell: what a link holds that leads nowhere. A node of zeros therefore has no links.
inline constexpr CellId kNoCell{0};
inline constexpr LineId kNoLine{0xffffffffu};
inline constexpr PageId kNoPage{0xffffffffu};

constexpr bool found(CellId cell) { return cell != kNoCell; }
constexpr bool found(LineId line) { return line != kNoLine; }
constexpr bool found(PageId page) { return page != kNoPage; }

constexpr std::uint32_t number(CellId cell) { return static_cast<std::uint32_t>(cell); }
constexpr std::uint32_t number(LineId line) { return static_cast<std::uint32_t>(line); }
constexpr std::uint32_t number(PageId page) { return static_cast<std::uint32_t>(page); }

enum class Level : std::uint8_t { cell, line, page, heap };

// What a processor fetches and what it translates, in bytes; both powers of two. A page has at most 64 lines, a line
// at most 64 cells. Other values than the machine's make sense, too: lines of 128 bytes, as processors fetch lines in
// pairs; pages of 512 bytes as blocks of short lists.
struct Geometry {
  std::uint32_t line_bytes = 64;
  std::uint32_t page_bytes = 4096;

  constexpr bool operator==(const Geometry &) const = default;
};

// The counts that follow from a geometry for nodes of one size, and the arithmetic of numbering.
template <std::size_t NodeBytes, Geometry Wanted>
struct Numbering {
  static constexpr Geometry kGeometry = Wanted;
  static constexpr std::uint32_t kCellsPerLine = kGeometry.line_bytes / NodeBytes;
  static constexpr std::uint32_t kLinesPerPage = kGeometry.page_bytes / kGeometry.line_bytes;
  static constexpr std::uint32_t kCellsPerPage = kCellsPerLine * kLinesPerPage;
  // Cells are numbered so that a shift finds the line; where they do not fill a line, some numbers name nothing.
  static constexpr unsigned kCellBits = std::bit_width(kCellsPerLine - 1u);
  static constexpr unsigned kLineBits = std::bit_width(kLinesPerPage - 1u);
  static constexpr bool kSeamless = NodeBytes << kCellBits == kGeometry.line_bytes;

  static_assert(kCellsPerLine >= 1 && kCellsPerLine <= 64);
  static_assert(kLinesPerPage >= 1 && kLinesPerPage <= 64);
  static_assert(std::has_single_bit(kLinesPerPage));

  static constexpr LineId line_of(CellId cell) { return LineId{number(cell) >> kCellBits}; }
  static constexpr PageId page_of(LineId line) { return PageId{number(line) >> kLineBits}; }
  static constexpr PageId page_of(CellId cell) { return page_of(line_of(cell)); }
  static constexpr std::uint32_t slot_of(CellId cell) {
    return number(cell) & ((1u << kCellBits) - 1u);
  }
  static constexpr std::uint32_t line_in_page(LineId line) {
    return number(line) & (kLinesPerPage - 1u);
  }
  static constexpr CellId cell(LineId line, std::uint32_t slot) {
    return CellId{(number(line) << kCellBits) | slot};
  }
  static constexpr LineId line(PageId page, std::uint32_t index) {
    return LineId{(number(page) << kLineBits) | index};
  }
  // Where a cell begins, in bytes from the heap's start.
  static constexpr std::size_t offset(CellId cell) {
    if constexpr (kSeamless) return std::size_t{number(cell)} * NodeBytes;
    return std::size_t{number(line_of(cell))} * kGeometry.line_bytes +
           std::size_t{slot_of(cell)} * NodeBytes;
  }
};

} // namespace adcock::move
