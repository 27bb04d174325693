#include <kickdrift/output/files.h>
#include <kickdrift/output/json.h>

#include <cmath>
#include <cstdio>

namespace KickDrift
{
namespace
{
std::string
quoted(const std::string &text)
{
  std::string result = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
    {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned int>(c));
      result += escape;
    }
    else
      result += c;
  return result + "\"";
}

std::string
json(const double number)
{
  return std::isfinite(number) ? to_text(number) : "null";
}
} // namespace

JsonObject::Member &
JsonObject::member(const std::string &name)
{
  for (auto &m : members)
    if (m.name == name)
    {
      m = {name, "", {}, false};
      return m;
    }
  members.push_back({name, "", {}, false});
  return members.back();
}

JsonObject &
JsonObject::set(const std::string &name, const double number)
{
  member(name).value = json(number);
  return *this;
}

JsonObject &
JsonObject::set(const std::string &name, const std::uint64_t number)
{
  member(name).value = std::to_string(number);
  return *this;
}

JsonObject &
JsonObject::set(const std::string &name, const unsigned int number)
{
  return set(name, std::uint64_t(number));
}

JsonObject &
JsonObject::set(const std::string &name, const bool value)
{
  member(name).value = value ? "true" : "false";
  return *this;
}

JsonObject &
JsonObject::set(const std::string &name, const std::string &text)
{
  member(name).value = quoted(text);
  return *this;
}

JsonObject &
JsonObject::set(const std::string &name, const char *text)
{
  return set(name, std::string(text));
}

JsonObject &
JsonObject::set(const std::string &name, const std::vector<double> &numbers)
{
  std::string list;
  for (const double number : numbers)
    list += (list.empty() ? "" : ", ") + json(number);
  member(name).value = "[" + list + "]";
  return *this;
}

JsonObject &
JsonObject::set(const std::string &name, const JsonObject &object)
{
  member(name).objects = {object};
  return *this;
}

JsonObject &
JsonObject::set(const std::string &name, const std::vector<JsonObject> &objects)
{
  Member &m = member(name);
  m.objects = objects;
  m.is_list = true;
  return *this;
}

JsonObject &
JsonObject::set_json(const std::string &name, const std::string &json)
{
  member(name).value = json;
  return *this;
}

JsonObject &
JsonObject::merge(const JsonObject &other)
{
  for (const auto &m : other.members)
    member(m.name) = m;
  return *this;
}

std::string
JsonObject::text(const unsigned int indent) const
{
  if (members.empty())
    return "{}";
  const std::string margin(indent, ' ');
  std::string result = "{";
  for (const auto &m : members)
  {
    result += (&m == &members.front() ? "\n  " : ",\n  ") + margin + quoted(m.name) + ": ";
    if (m.is_list)
    {
      std::string list;
      for (const auto &object : m.objects)
        list += (list.empty() ? "" : ", ") + object.text(indent + 2);
      result += "[" + list + "]";
    }
    else
      result += m.objects.empty() ? m.value : m.objects[0].text(indent + 2);
  }
  return result + "\n" + margin + "}";
}
} // namespace KickDrift
