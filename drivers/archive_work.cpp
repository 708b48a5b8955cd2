#include "archive_work.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "count_notice.hpp"
#include "data/catalogue/data_folder.hpp"
#include "moved_files.hpp"

namespace fairfront::drivers {

ArchiveWork work_on_archive(const Call& call, const results::Content& content,
                            const std::string& path, const std::string& did) {
  ArchiveWork work{reopen_sweep(content, path), context_of(call.values)};
  data::DataFolder& folder = work.context.data_dir;
  const std::vector<std::string> moved = moved_files(content, folder.path);
  for (std::size_t i = 0; i + 1 < moved.size(); i += 2) folder.moved[moved[i]] = moved[i + 1];
  work.context.counted = CountNotice(did);
  return work;
}

}  // namespace fairfront::drivers
