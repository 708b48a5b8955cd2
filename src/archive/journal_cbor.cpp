#include "archive/journal_cbor.hpp"

namespace fairfront::archive {
namespace {

// The library's parser calls itself for every level of nesting, so bytes that nobody of us wrote
// could exhaust the stack. Its own builder of values is in a namespace for details, but there is
// no public one that can refuse.
class ShallowBuilder : public nlohmann::detail::json_sax_dom_parser<Json> {
  using Builder = nlohmann::detail::json_sax_dom_parser<Json>;

 public:
  using Builder::Builder;
  bool start_object(std::size_t size) { return enter() && Builder::start_object(size); }
  bool start_array(std::size_t size) { return enter() && Builder::start_array(size); }
  bool end_object() {
    --depth_;
    return Builder::end_object();
  }
  bool end_array() {
    --depth_;
    return Builder::end_array();
  }

 private:
  bool enter() { return ++depth_ <= deepest; }
  static constexpr int deepest = 16;
  int depth_ = 0;
};

}  // namespace

void to_cbor(const Json& value, Bytes& out) { Json::to_cbor(value, out); }

Json from_cbor(ByteView bytes) {
  Json value;
  ShallowBuilder builder{value};
  const auto* begin = bytes.data();
  if (!Json::sax_parse(begin, begin + bytes.size(), &builder, Json::input_format_t::cbor)) {
    throw Json::other_error::create(501, "nested too deep", &value);
  }
  return value;
}

}  // namespace fairfront::archive
