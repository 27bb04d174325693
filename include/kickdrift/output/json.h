#ifndef KICKDRIFT_OUTPUT_JSON_H
#define KICKDRIFT_OUTPUT_JSON_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * A JSON object that is written, member by member, in the order of the calls. A name that is set
 * again replaces the earlier value. Numbers that JSON does not know (not-a-number, infinity) become
 * null.
 */
class JsonObject
{
public:
  /// Set a value; one of that name is replaced.
  JsonObject &set(const std::string &name, const double number);
  /// Set a count.
  JsonObject &set(const std::string &name, const std::uint64_t number);
  /// Set a count.
  JsonObject &set(const std::string &name, const unsigned int number);
  /// Set true or false.
  JsonObject &set(const std::string &name, const bool value);
  /// Set a text.
  JsonObject &set(const std::string &name, const std::string &text);
  /// Set a text.
  JsonObject &set(const std::string &name, const char *text);
  /// Set an array of numbers.
  JsonObject &set(const std::string &name, const std::vector<double> &numbers);
  /// Set an object.
  JsonObject &set(const std::string &name, const JsonObject &object);
  /// Set an array of objects.
  JsonObject &set(const std::string &name, const std::vector<JsonObject> &objects);

  /// Set a member to what is JSON already; @p json is not checked.
  JsonObject &set_json(const std::string &name, const std::string &json);

  /// Set all members of @p other.
  JsonObject &merge(const JsonObject &other);

  /// The text, lines after the first indented by @p indent spaces, without final end of line.
  std::string text(const unsigned int indent = 0) const;

private:
  struct Member
  {
    std::string name;
    std::string value;               ///< as JSON, unless it is made of objects
    std::vector<JsonObject> objects; ///< the elements of a list, or a single object
    bool is_list = false;            ///< of objects
  };
  Member &member(const std::string &name);

  std::vector<Member> members;
};
} // namespace KickDrift

#endif
