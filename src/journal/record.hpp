/// @file
/// Internal: one task's record as the payload of a frame.
///
/// A payload is three CBOR values, one behind another (RFC 8742): the length of the head, always
/// in five bytes; the head (key, status, message, times); the result, only if the task is done.
/// So the head can be parsed alone, which is all that resuming needs.
#pragma once

#include "journal/frame.hpp"
#include "results/task_record.hpp"

namespace fairfront::journal {

/// Replaces `frame` by a whole frame, ready to be written at once.
/// @throws base::InputError  the record has 4 GiB or more.
void write_record_frame(const results::TaskRecord& record, Bytes& frame);

/// Everything but the result.
/// @throws base::DamagedError  the payload is no record.
[[nodiscard]] results::TaskRecord read_record_head(ByteView payload);

/// The result of a done task.
/// @throws base::DamagedError  the payload is no record.
[[nodiscard]] results::TaskResult read_record_result(ByteView payload);

}  // namespace fairfront::journal
