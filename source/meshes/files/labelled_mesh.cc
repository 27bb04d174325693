#include "labelled_mesh.h"

namespace KickDrift
{
void
LabelledMesh::add_node(const Node &node, const std::size_t line)
{
  require_in_line(node_of_label.emplace(node.label, nodes.size()).second, line,
                  "there is a node " + std::to_string(node.label) +
                      " before; files with several parts are not supported");
  nodes.push_back(node);
}

void
LabelledMesh::add_element(const Element &element)
{
  require_in_line(element_of_label.emplace(element.label, elements.size()).second, element.line,
                  "there is an element " + std::to_string(element.label) +
                      " before; files with several parts are not supported");
  elements.push_back(element);
}

void
LabelledMesh::check() const
{
  require(!nodes.empty(), "it has no nodes (*NODE)");
  require(!elements.empty(), "it has no elements (*ELEMENT)");
  for (const Element &element : elements)
    for (const Label node : element.nodes)
      require_in_line(node_of_label.count(node) > 0, element.line,
                      "an element refers to node " + std::to_string(node) +
                          ", which does not exist");
  const auto check = [](const Label label, const std::size_t line, const auto &known)
  {
    require_in_line(known.count(label) > 0, line,
                    "a set has " + std::to_string(label) + ", which does not exist");
  };
  for (const auto &entry : node_sets)
    for (const auto &[label, line] : entry.second.line_of_label)
      check(label, line, node_of_label);
  for (const auto &entry : element_sets)
    for (const auto &[label, line] : entry.second.line_of_label)
      check(label, line, element_of_label);
  for (const Side &side : sides)
    for (const Label label : side.elements)
      check(label, side.line, element_of_label);
}
} // namespace KickDrift
