#include "journal/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "journal/cbor.hpp"
#include "journal/fields_json.hpp"
#include "results/fields.hpp"

namespace fairfront::journal {
namespace {

// CBOR: an unsigned integer in the next four bytes, the highest first.
constexpr std::uint8_t cbor_unsigned_32 = 0x1a;
constexpr std::size_t prefix_bytes = 5;

void put_prefix(std::size_t head_length, std::uint8_t* out) {
  out[0] = cbor_unsigned_32;
  for (std::size_t i = 1; i < prefix_bytes; ++i) {
    out[i] = static_cast<std::uint8_t>(head_length >> (8 * (4 - i)));
  }
}

std::size_t head_length_of(ByteView payload) {
  if (payload.size() < prefix_bytes || payload[0] != cbor_unsigned_32) {
    throw base::DamagedError("a record without a head");
  }
  std::size_t length = 0;
  for (std::size_t i = 1; i < prefix_bytes; ++i) length = length << 8 | payload[i];
  if (length > payload.size() - prefix_bytes)
    throw base::DamagedError("a record shorter than its head");
  return length;
}

Json json_of(const std::map<std::string, double>& metrics) {
  Json names = Json::array();
  std::vector<double> values;
  for (const auto& [name, value] : metrics) {
    names.push_back(name);
    values.push_back(value);
  }
  return {{"names", std::move(names)}, {"values", pack(values)}};
}

Json json_of(const results::Measures& measured) {
  Json names = Json::array();
  Json parts = Json::array();
  Json groups = Json::array();
  std::vector<double> values;
  for (const auto& [name, by_rows] : measured) {
    for (const auto& entry : by_rows) {
      names.push_back(name);
      parts.push_back(entry.first.part);
      groups.push_back(entry.first.group);
      results::for_each_field<results::Measured>(
          [&](const auto& end) { values.push_back(entry.second.*end.member); });
    }
  }
  return {{"names", std::move(names)},
          {"parts", std::move(parts)},
          {"groups", std::move(groups)},
          {"values", pack(values)}};
}

std::span<const std::byte> bytes_of(const results::SolutionValues& solution) {
  return std::visit([](const auto& numbers) { return std::as_bytes(std::span{numbers}); },
                    solution);
}

std::size_t bytes_of(const std::vector<results::SolutionValues>& solutions) {
  std::size_t bytes = 0;
  for (const results::SolutionValues& solution : solutions) bytes += bytes_of(solution).size();
  return bytes;
}

void put_text(std::string_view text, Bytes& out) {
  put_cbor_head(CborKind::text, text.size(), out);
  out.insert(out.end(), text.begin(), text.end());
}

void put_member(std::string_view name, const Json& value, Bytes& out) {
  put_text(name, out);
  to_cbor(value, out);
}

// A task may have thousands of solutions: together they are three byte strings, not thousands.
void put_solutions(const std::vector<results::SolutionValues>& solutions, Bytes& out) {
  Bytes types;
  std::vector<std::int64_t> sizes;
  for (const results::SolutionValues& solution : solutions) {
    types.push_back(static_cast<std::uint8_t>(solution.index()));
    sizes.push_back(std::visit([](const auto& numbers) { return std::ssize(numbers); }, solution));
  }
  put_cbor_head(CborKind::object, 3, out);
  put_member("sizes", pack(sizes), out);
  put_member("types", Json::binary(std::move(types)), out);
  put_text("values", out);
  put_cbor_head(CborKind::bytes, bytes_of(solutions), out);
  for (const results::SolutionValues& solution : solutions) {
    const auto bytes = bytes_of(solution);
    const std::size_t end = out.size();
    out.resize(end + bytes.size());
    if (!bytes.empty()) std::memcpy(out.data() + end, bytes.data(), bytes.size());
  }
}

// More than put_solutions appends, by little.
std::size_t room_of(const std::string& name,
                    const std::vector<results::SolutionValues>& solutions) {
  constexpr std::size_t heads = 64;
  constexpr std::size_t size_and_type = sizeof(std::int64_t) + 1;
  return name.size() + heads + solutions.size() * size_and_type + bytes_of(solutions);
}

// As one Json object would be written, its members in the order of their names; but solutions, of
// which there may be gigabytes, go from the result to `out` without a copy in between.
void put_result(const results::TaskResult& result, Bytes& out) {
  Json series = Json::object();
  for (const auto& [name, trajectory] : result.series) {
    series[name] = fields_to_json(trajectory);
  }
  put_cbor_head(CborKind::object, 5, out);
  put_member("front", fields_to_json(result.front), out);
  put_member("measured", json_of(result.measured), out);
  put_member("metrics", json_of(result.metrics), out);
  put_member("series", series, out);
  constexpr std::size_t heads = 64;
  std::size_t room = out.size() + heads;  // else `out` is there twice whenever it grows
  for (const auto& [name, solutions] : result.solutions) room += room_of(name, solutions);
  out.reserve(room);
  put_text("solutions", out);
  put_cbor_head(CborKind::object, result.solutions.size(), out);
  for (const auto& [name, solutions] : result.solutions) {
    put_text(name, out);
    put_solutions(solutions, out);
  }
}

std::map<std::string, double> metrics_of(const Json& json, ByteView whole) {
  const auto values = unpack<double>(json.at("values"), whole);
  const Json& names = json.at("names");
  if (names.size() != values.size()) throw base::DamagedError("metrics without name or value");
  std::map<std::string, double> metrics;
  for (std::size_t i = 0; i < values.size(); ++i) {
    metrics.emplace(names[i].get<std::string>(), values[i]);
  }
  return metrics;
}

results::Measures measures_of(const Json& json, ByteView whole) {
  const Json& names = json.at("names");
  const Json& parts = json.at("parts");
  const Json& groups = json.at("groups");
  const auto values = unpack<double>(json.at("values"), whole);
  constexpr std::size_t ends = results::field_count<results::Measured>;
  if (parts.size() != names.size() || groups.size() != names.size() ||
      values.size() != ends * names.size()) {
    throw base::DamagedError("measures without name, rows or value");
  }
  results::Measures measured;
  auto value = values.begin();
  for (std::size_t i = 0; i < names.size(); ++i) {
    results::Measured& found = measured[names[i].get<std::string>()][{
        parts[i].get<std::string>(), groups[i].get<std::string>()}];
    results::for_each_field<results::Measured>(
        [&](const auto& end) { found.*end.member = *value++; });
  }
  return measured;
}

// Takes `count` numbers from the front of `bytes`.
template <class Number>
results::SolutionValues take(ByteView& bytes, std::int64_t count) {
  if (count < 0 || static_cast<std::size_t>(count) > bytes.size() / sizeof(Number)) {
    throw base::DamagedError("a solution longer than its values");
  }
  std::vector<Number> numbers(static_cast<std::size_t>(count));
  const std::size_t length = numbers.size() * sizeof(Number);
  if (length > 0) std::memcpy(numbers.data(), bytes.data(), length);
  bytes = bytes.subspan(length);
  return numbers;
}

results::SolutionValues take(ByteView& bytes, std::uint8_t type, std::int64_t count) {
  switch (type) {
    case 0:
      return take<std::uint8_t>(bytes, count);
    case 1:
      return take<std::uint16_t>(bytes, count);
    case 2:
      return take<double>(bytes, count);
    default:
      throw base::DamagedError("a solution of an unknown type");
  }
}

std::vector<results::SolutionValues> solutions_of(const Json& json, ByteView whole) {
  const ByteView types = byte_string(json.at("types"), whole);
  const auto sizes = unpack<std::int64_t>(json.at("sizes"), whole);
  ByteView bytes = byte_string(json.at("values"), whole);
  if (types.size() != sizes.size()) throw base::DamagedError("a solution without type or size");
  std::vector<results::SolutionValues> solutions;
  solutions.reserve(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    solutions.push_back(take(bytes, types[i], sizes[i]));
  }
  return solutions;
}

results::TaskResult result_of(ByteView whole) {
  const Json json = from_cbor_in_place(whole);
  results::TaskResult result;
  result.metrics = metrics_of(json.at("metrics"), whole);
  result.measured = measures_of(json.at("measured"), whole);
  for (const auto& [name, trajectory] : json.at("series").items()) {
    fields_from_json(trajectory, result.series[name], whole);
  }
  for (const auto& [name, solutions] : json.at("solutions").items()) {
    result.solutions[name] = solutions_of(solutions, whole);
  }
  fields_from_json(json.at("front"), result.front, whole);
  return result;
}

results::TaskRecord record_of(const Json& head) {
  results::TaskRecord record;
  fields_from_json(head, record);
  if (record.status == results::TaskStatus::missing) {
    throw base::DamagedError("a record of a task without a result");
  }
  return record;
}

}  // namespace

void write_record_frame(const results::TaskRecord& record, Bytes& frame) {
  constexpr std::size_t head_begin = frame_header_bytes + prefix_bytes;
  frame.assign(head_begin, 0);
  to_cbor(fields_to_json(record), frame);
  put_prefix(frame.size() - head_begin, frame.data() + frame_header_bytes);
  if (record.status == results::TaskStatus::done) put_result(record.result, frame);
  const FrameHeader header = frame_header_of(ByteView{frame}.subspan(frame_header_bytes));
  std::ranges::copy(header, frame.begin());
}

results::TaskRecord read_record_head(ByteView payload) try {
  return record_of(from_cbor(payload.subspan(prefix_bytes, head_length_of(payload))));
} catch (const Json::exception& error) {
  throw base::DamagedError(fmt::format("a record with a bad head: {}", error.what()));
}

results::TaskResult read_record_result(ByteView payload) try {
  return result_of(payload.subspan(prefix_bytes + head_length_of(payload)));
} catch (const Json::exception& error) {
  throw base::DamagedError(fmt::format("a record with a bad result: {}", error.what()));
}

}  // namespace fairfront::journal
