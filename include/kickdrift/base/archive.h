#ifndef KICKDRIFT_BASE_ARCHIVE_H
#define KICKDRIFT_BASE_ARCHIVE_H

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace KickDrift
{
/// 64-bit checksum of bytes. A change of a single byte always changes it, others but for one in
/// 2^64.
inline std::uint64_t
checksum(const std::string &bytes)
{
  std::uint64_t sum = 14695981039346656037ull ^ bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t))
  {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof(word), bytes.size() - i));
    // FNV-1a by words; every step can be undone, so that a single change is never lost
    sum = (sum ^ word) * 1099511628211ull;
    sum ^= sum >> 32;
  }
  return sum;
}

/**
 * The state of objects as bytes, for checkpoints: writes it, or reads it back into objects that
 * were built from the same parameters.
 *
 * A class that takes part has a member `void serialize(Archive &archive)`, which hands all that
 * changes during a run to the archive, once and in the same order for both directions:
 *
 *     archive.section("my springs");
 *     archive(time, work);   // numbers, structs without pointers, strings, vectors of all these,
 *                            // classes with a member serialize()
 *     archive.fixed(forces); // a vector whose length follows from the parameters
 *
 * Numbers are stored as they lie in memory, so that they come back to the last bit, on machines of
 * the same kind. Everything that is read throws dealii::ExceptionBase if it does not fit. Nothing
 * is allocated for lengths that the archive does not hold: vectors of things that are not stored as
 * they lie in memory grow while their entries are read.
 */
class Archive
{
public:
  /// An archive that writes.
  Archive() : reads(false) {}

  /// An archive that reads what another one has written.
  explicit Archive(std::string bytes) : reads(true), data(std::move(bytes)) {}

  /// Does it read?
  bool
  is_reading() const
  {
    return reads;
  }

  /// What has been written, or is read from.
  const std::string &
  bytes() const
  {
    return data;
  }

  /// Write or read all the @p values.
  template <typename... Values>
  void
  operator()(Values &...values)
  {
    (transfer(values), ...);
  }

  /// The same for vectors that must have the right length already.
  template <typename... Vectors>
  void
  fixed(Vectors &...vectors)
  {
    (transfer_fixed(vectors), ...);
  }

  /// Here begin the fields of the object @p name. When reading, throws if it is another one.
  void
  section(const std::string &name)
  {
    std::string found = name;
    (*this)(found);
    AssertThrow(found == name, dealii::ExcMessage("Where the state of '" + name +
                                                  "' should be there is something else."));
  }

  /// Has everything been read?
  bool
  is_at_end() const
  {
    return position == data.size();
  }

private:
  template <typename Value, typename = void>
  struct HasSerialize : std::false_type
  {
  };

  template <typename Value>
  struct HasSerialize<
      Value, std::void_t<decltype(std::declval<Value &>().serialize(std::declval<Archive &>()))>>
      : std::true_type
  {
  };

  /// Is it stored as it lies in memory?
  template <typename Value>
  static constexpr bool is_plain = std::is_trivially_copyable<Value>::value &&
                                   !std::is_pointer<Value>::value && !HasSerialize<Value>::value;

  /// What a value needs in an archive at least [bytes]; an object is told apart from no object.
  template <typename Value>
  struct SmallestSize
  {
    static constexpr std::size_t value = is_plain<Value> ? sizeof(Value) : 1;
  };

  template <typename Character>
  struct SmallestSize<std::basic_string<Character>>
  {
    static constexpr std::size_t value = sizeof(std::uint64_t);
  };

  template <typename Value, typename Allocator>
  struct SmallestSize<std::vector<Value, Allocator>>
  {
    static constexpr std::size_t value = sizeof(std::uint64_t);
  };

  template <typename First, typename Second>
  struct SmallestSize<std::pair<First, Second>>
  {
    static constexpr std::size_t value = SmallestSize<First>::value + SmallestSize<Second>::value;
  };

  void
  transfer_bytes(void *const bytes, const std::size_t size)
  {
    if (size == 0)
      return;
    if (reads)
    {
      check_rest(1, size);
      std::memcpy(bytes, data.data() + position, size);
      position += size;
    }
    else
      data.append(static_cast<const char *>(bytes), size);
  }

  /// Throw if there are not @p n things of @p size left to be read.
  void
  check_rest(const std::uint64_t n, const std::size_t size) const
  {
    AssertThrow(n <= (data.size() - position) / size,
                dealii::ExcMessage("The state ends too early."));
  }

  /// Length of a vector or string; @p size : what each entry needs at least [bytes].
  std::uint64_t
  transfer_length(std::uint64_t n, const std::size_t size)
  {
    transfer_bytes(&n, sizeof(n));
    if (reads)
      check_rest(n, size);
    return n;
  }

  template <typename Value>
  void
  transfer(Value &value)
  {
    if constexpr (HasSerialize<Value>::value)
      value.serialize(*this);
    else
    {
      static_assert(is_plain<Value>, "a class without pointers, or with a member serialize()");
      transfer_bytes(&value, sizeof(Value));
    }
  }

  void
  transfer(std::string &text)
  {
    text.resize(transfer_length(text.size(), 1));
    transfer_bytes(&text[0], text.size());
  }

  template <typename First, typename Second>
  void
  transfer(std::pair<First, Second> &pair)
  {
    transfer(pair.first);
    transfer(pair.second);
  }

  template <typename Value, typename Allocator>
  void
  transfer(std::vector<Value, Allocator> &vector)
  {
    const std::uint64_t length = transfer_length(vector.size(), SmallestSize<Value>::value);
    if (is_plain<Value> || length < vector.size())
      vector.resize(length);
    transfer_entries(vector);
    while (vector.size() < length)
    {
      vector.emplace_back();
      transfer(vector.back());
    }
  }

  template <typename Value, typename Allocator>
  void
  transfer_fixed(std::vector<Value, Allocator> &vector)
  {
    const std::uint64_t length = transfer_length(vector.size(), SmallestSize<Value>::value);
    AssertThrow(length == vector.size(),
                dealii::ExcMessage("The state is of " + std::to_string(length) + " things, not " +
                                   std::to_string(vector.size()) + "."));
    transfer_entries(vector);
  }

  template <typename Value, typename Allocator>
  void
  transfer_entries(std::vector<Value, Allocator> &vector)
  {
    if constexpr (is_plain<Value>)
      transfer_bytes(vector.data(), vector.size() * sizeof(Value));
    else
      for (Value &value : vector)
        transfer(value);
  }

  const bool reads;
  std::string data;
  std::size_t position = 0; ///< of what is read next
};
} // namespace KickDrift

#endif
