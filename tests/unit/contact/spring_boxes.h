#ifndef KICKDRIFT_TESTS_UNIT_CONTACT_SPRING_BOXES_H
#define KICKDRIFT_TESTS_UNIT_CONTACT_SPRING_BOXES_H

#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/springs.h>

#include "step_setter.h"

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace KickDriftTests
{
using namespace KickDrift;
using dealii::Point;
using Vector = dealii::Tensor<1, 3>;

/// Boxes of cells whose corners are joined by springs, in contact: bodies without finite elements.
struct SpringBoxes
{
  using Map = std::function<Point<3>(const Point<3> &)>;
  using Cells = std::array<unsigned int, 3>;

  /// What a body is made of.
  struct Body
  {
    Cells cells{{1, 1, 1}};
    Map map; ///< of the unit cube, orientation kept [length]
    Vector velocity;
    double mass = 1;
    double stiffness = 100; ///< of every spring [force/length]
    bool is_held = false;   ///< keeps its velocity
    /// Which cells there are.
    std::function<bool(unsigned int, unsigned int, unsigned int)> keep =
        [](unsigned int, unsigned int, unsigned int) { return true; };
  };

  /// A box with these lower and upper corners.
  static Map
  box(const Point<3> &lower, const Point<3> &upper)
  {
    return [=](const Point<3> &p)
    {
      Point<3> x = lower;
      for (unsigned int d = 0; d < 3; ++d)
        x[d] += p[d] * (upper[d] - lower[d]);
      return x;
    };
  }

  /// Appends a body; returns its first node. Nodes of a full box are numbered lexicographically.
  unsigned int
  add(const Body &body)
  {
    const auto [nx, ny, nz] = body.cells;
    const auto id = [&, nx = nx, ny = ny](unsigned int i, unsigned int j, unsigned int k)
    { return i + (nx + 1) * (j + (ny + 1) * k); };
    std::vector<double> mass((nx + 1) * (ny + 1) * (nz + 1), 0);
    const unsigned int first = nodes.size(), number = surface.body_names.size();
    const double share = body.mass / (8. * nx * ny * nz);
    const auto exists = [&](int i, int j, int k)
    {
      return i >= 0 && j >= 0 && k >= 0 && i < int(body.cells[0]) && j < int(body.cells[1]) &&
             k < int(body.cells[2]) && body.keep(i, j, k);
    };
    std::vector<std::array<unsigned int, 2>> links;
    for (unsigned int k = 0; k < nz; ++k)
      for (unsigned int j = 0; j < ny; ++j)
        for (unsigned int i = 0; i < nx; ++i)
        {
          if (!exists(i, j, k))
            continue;
          std::array<unsigned int, 8> corners;
          for (unsigned int c = 0; c < 8; ++c)
          {
            corners[c] = id(i + c % 2, j + c / 2 % 2, k + c / 4);
            mass[corners[c]] += share;
            for (unsigned int other = 0; other < c; ++other)
              links.push_back({{first + corners[other], first + corners[c]}});
          }
          // corners by axis: of the lower face, in an order whose normal points along the axis
          constexpr unsigned int faces[3][4] = {{0, 2, 4, 6}, {0, 4, 1, 5}, {0, 1, 2, 3}};
          for (int d = 0; d < 3; ++d)
            for (const int side : {-1, 1})
              if (!exists(i + side * (d == 0), j + side * (d == 1), k + side * (d == 2)))
              {
                SurfaceFace<3> face{{}, 4, number, 2u * d + (side > 0)};
                for (unsigned int c = 0; c < 4; ++c)
                  face.nodes[c] = first + corners[faces[d][c] + (side > 0 ? 1u << d : 0)];
                if (side < 0)
                  std::swap(face.nodes[1], face.nodes[2]);
                surface.faces.push_back(face);
              }
        }
    for (unsigned int k = 0; k <= nz; ++k)
      for (unsigned int j = 0; j <= ny; ++j)
        for (unsigned int i = 0; i <= nx; ++i)
        {
          const double m = mass[id(i, j, k)];
          const unsigned int node = nodes.add(
              body.map(Point<3>(double(i) / nx, double(j) / ny, double(k) / nz)), m > 0 ? m : 1);
          nodes.set_velocity(node, body.velocity);
          if (!body.is_held)
            continue;
          std::vector<Vector> directions;
          for (unsigned int d = 0; d < 3; ++d)
          {
            directions.push_back(Point<3>::unit_vector(d));
            nodes.restraints.add(node, directions.back());
          }
          nodes.restraints.set_initial_support_velocity(node, directions, body.velocity,
                                                        body.velocity);
        }
    for (const auto &[a, b] : links)
    {
      springs.push_back(
          {{{a, b}}, body.stiffness, nodes.reference(a).distance(nodes.reference(b))});
      end_masses.push_back(share / 7);
    }
    std::vector<double> length(nodes.size() - first, 1e300);
    for (const auto &[a, b] : links)
      for (const unsigned int end : {a, b})
        length[end - first] =
            std::min(length[end - first], nodes.reference(a).distance(nodes.reference(b)));
    for (unsigned int n = 0; n < length.size(); ++n)
      if (mass[n] > 0)
        surface.contactors.push_back({first + n, number, length[n]});
    surface.body_names.push_back("body" + std::to_string(number));
    return first;
  }

  void
  start(const ContactParameters &parameters, const Vector &gravity = Vector(),
        const std::vector<Obstacle<3>> &obstacles = {},
        const StepperParameters &stepper_parameters = {})
  {
    stepper = std::make_unique<Stepper<3>>(nodes, stepper_parameters);
    const unsigned int first = stepper->add(std::make_shared<Springs<3>>(springs));
    if (!flying_pairs.empty())
      stepper->add(std::make_shared<KickDriftTests::StepSetter<3>>(flying_pairs, 1000.));
    // every spring carries the weight of its part of the masses
    std::vector<unsigned int> ends, units;
    std::vector<Vector> weights;
    for (unsigned int s = 0; s < springs.size(); ++s)
    {
      units.push_back(first + s);
      for (unsigned int i = 0; i < 2; ++i)
      {
        ends.push_back(springs[s].nodes[i]);
        weights.push_back(end_masses[s] * gravity);
      }
    }
    const auto loads = std::make_shared<ConstantLoads<3>>("gravity", 2, ends, weights);
    stepper->add_on_clock_of(loads, units);
    contact = make_contact_method<3>(nodes, *stepper, surface, parameters, obstacles, nullptr);
    layers = dynamic_cast<LayerContact<3> *>(contact.get());
    loads->begin(nodes);
    stepper->start();
    contact->start();
  }

  /// Mean velocity now of nodes @p first to @p end.
  Vector
  velocity(const unsigned int first, const unsigned int end) const
  {
    const auto now = stepper->snapshot(stepper->time());
    return mean(first, end, [&](const unsigned int n) { return now.velocity(n); });
  }

  /// Mean displacement now of nodes @p first to @p end.
  Vector
  displacement(const unsigned int first, const unsigned int end) const
  {
    const auto now = stepper->snapshot(stepper->time());
    return mean(first, end, [&](const unsigned int n) { return now.displacement(n); });
  }

  NodeTable<3> nodes;
  std::vector<Spring> springs;
  std::vector<double> end_masses; ///< by spring, the part of the mass of either end
  std::vector<std::array<unsigned int, 2>> flying_pairs; ///< of nodes, of masses 1, without forces
  Surface<3> surface;
  std::unique_ptr<Stepper<3>> stepper;
  std::unique_ptr<ContactMethod<3>> contact;
  LayerContact<3> *layers = nullptr; ///< the same with Response::layers, otherwise null

private:
  template <typename VectorOfNode>
  Vector
  mean(const unsigned int first, const unsigned int end, const VectorOfNode &vector) const
  {
    Vector sum;
    double mass = 0;
    for (unsigned int n = first; n < end; ++n)
    {
      sum += nodes.mass(n) * vector(n);
      mass += nodes.mass(n);
    }
    return sum / mass;
  }
};
} // namespace KickDriftTests

#endif
