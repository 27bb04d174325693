#include <kickdrift/contact/response/impulse_newton.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace KickDrift
{
namespace
{
// Weight of the term that keeps impulses near those of the last round, beside a contact's own
// inverse mass. The less, the more of a violated law one round mends, and the more kinks the
// equations have: it falls from round to round, and begins again where a round does not end; where
// that happens twice, it falls no further than before.
constexpr double first_weight = 1, last_weight = 1e-6, fall = 0.1;
// Of all rounds together, and of one. With friction 3 to 30 are needed, without it 4 to 8.
constexpr unsigned int most_iterations = 200, most_iterations_of_round = 20;
// Steps are halved until the square of what is left has become smaller by this share of the step.
constexpr double least_decrease = 0.5;
constexpr unsigned int most_halvings = 8;
// Changes of rates that are rounding, as a share of rates.
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

/// Keep the larger one, or what is not a number.
void
take_larger(double &largest, const double number)
{
  if (!(number <= largest))
    largest = number;
}

template <std::size_t dim>
double
norm_of_tangential(const std::array<double, dim> &frame)
{
  double square = 0;
  for (unsigned int d = 1; d < dim; ++d)
    square += frame[d] * frame[d];
  return std::sqrt(square);
}
} // namespace

template <int spacedim>
void
ImpulseNewton<spacedim>::clear()
{
  velocities.clear();
  first_components.assign(1, 0);
  masses.clear();
  links.clear();
  all.clear();
}

template <int spacedim>
unsigned int
ImpulseNewton<spacedim>::add_moving(const unsigned int n, const Mass &mass)
{
  velocities.resize(velocities.size() + n, 0.);
  first_components.push_back(velocities.size());
  masses.push_back(mass);
  return masses.size() - 1;
}

template <int spacedim>
void
ImpulseNewton<spacedim>::add(const Contact &contact)
{
  all.push_back(contact);
  all.back().first_link = links.size();
  all.back().n_links = 0;
}

template <int spacedim>
void
ImpulseNewton<spacedim>::add(const Link &link)
{
  Contact &contact = all.back();
  for (unsigned int l = 0; l < contact.n_links; ++l)
  {
    Link &other = links[contact.first_link + l];
    if (other.moving != link.moving)
      continue;
    for (unsigned int k = 0; k < n_components(link); ++k)
      for (unsigned int d = 0; d < spacedim; ++d)
      {
        other.rate_of[k][d] += link.rate_of[k][d];
        other.change_by[k][d] += link.change_by[k][d];
      }
    return;
  }
  links.push_back(link);
  ++contact.n_links;
}

template <int spacedim>
typename ImpulseNewton<spacedim>::Frame
ImpulseNewton<spacedim>::rate(const Contact &contact, const std::vector<double> &of) const
{
  Frame result = contact.rate;
  for (unsigned int l = 0; l < contact.n_links; ++l)
  {
    const Link &link = links[contact.first_link + l];
    const double *const velocity = of.data() + first_components[link.moving];
    for (unsigned int k = 0; k < n_components(link); ++k)
      for (unsigned int d = 0; d < spacedim; ++d)
        result[d] += link.rate_of[k][d] * velocity[k];
  }
  return result;
}

template <int spacedim>
void
ImpulseNewton<spacedim>::set_impulse(Contact &contact, const Frame &impulse)
{
  for (unsigned int l = 0; l < contact.n_links; ++l)
  {
    const Link &link = links[contact.first_link + l];
    double *const velocity = velocities.data() + first_components[link.moving];
    for (unsigned int k = 0; k < n_components(link); ++k)
      for (unsigned int d = 0; d < spacedim; ++d)
        velocity[k] += link.change_by[k][d] * (impulse[d] - contact.impulse[d]);
  }
  contact.impulse = impulse;
}

template <int spacedim>
double
ImpulseNewton<spacedim>::residual() const
{
  double largest = 0;
  for (const Contact &contact : all)
  {
    const Frame u = rate(contact, velocities);
    const double p = contact.impulse[0];
    const double a = contact.inverse_mass, b = contact.tangential_inverse_mass;
    take_larger(largest, std::abs(std::min(a * (p - contact.least), u[0] - contact.wanted)));
    if (!(contact.friction > 0))
      continue;
    Frame trial = contact.impulse; // along tangents
    for (unsigned int d = 1; d < spacedim; ++d)
      trial[d] -= u[d] / b;
    const double bound = contact.friction * std::max(0., p), size = norm_of_tangential(trial);
    for (unsigned int d = 1; d < spacedim; ++d)
      trial[d] = contact.impulse[d] - (size > bound ? bound / size : 1) * trial[d];
    take_larger(largest, b * norm_of_tangential(trial));
  }
  return largest;
}

/// On the part of Coulomb's cone where the normal impulse is no less than that.
template <int spacedim>
typename ImpulseNewton<spacedim>::Projected
ImpulseNewton<spacedim>::project(const Frame &trial, const double friction, const double least)
{
  Projected result{};
  const double p = trial[0], size = norm_of_tangential(trial);
  if (!(friction > 0))
  {
    result.impulse[0] = std::max(least, p);
    result.derivative[0][0] = p > least ? 1 : 0;
    return result;
  }
  const double share = 1 / (1 + friction * friction);
  const double normal = size <= friction * p ? p : std::max(0., share * (p + friction * size));
  if (normal < least)
  {
    const double bound = friction * least;
    result.impulse[0] = least;
    for (unsigned int d = 1; d < spacedim; ++d)
    {
      result.impulse[d] = (size > bound ? bound / size : 1) * trial[d];
      for (unsigned int e = 1; e < spacedim; ++e)
        result.derivative[d][e] =
            size > bound ? bound / size * ((d == e ? 1. : 0.) - trial[d] * trial[e] / (size * size))
                         : (d == e ? 1. : 0.);
    }
    return result;
  }
  if (size <= friction * p)
  {
    result.impulse = trial;
    for (unsigned int d = 0; d < spacedim; ++d)
      result.derivative[d][d] = 1;
    return result;
  }
  if (friction * size <= -p)
    return result;
  Frame along; // the ray of the cone, with one along the normal
  along[0] = 1;
  for (unsigned int d = 1; d < spacedim; ++d)
    along[d] = friction * trial[d] / size;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    result.impulse[d] = normal * along[d];
    for (unsigned int e = 0; e < spacedim; ++e)
      result.derivative[d][e] = share * along[d] * along[e];
  }
  for (unsigned int d = 1; d < spacedim; ++d)
    for (unsigned int e = 1; e < spacedim; ++e)
      result.derivative[d][e] +=
          friction * normal / size * ((d == e ? 1. : 0.) - trial[d] * trial[e] / (size * size));
  return result;
}

/// What velocities make of impulses, and what they leave of the equations: downhill. Returns the
/// square of its norm, an energy.
template <int spacedim>
double
ImpulseNewton<spacedim>::find_remainder()
{
  for (unsigned int c = 0; c < all.size(); ++c)
  {
    Frame trial = rate(all[c], velocities);
    trial[0] += all[c].friction * norm_of_tangential(trial) - all[c].wanted;
    for (unsigned int d = 0; d < spacedim; ++d)
      trial[d] = given[c].last_impulse[d] - trial[d] / given[c].scale;
    projected[c] = project(trial, all[c].friction, all[c].least);
  }
  remainder.assign(velocities.size(), 0.);
  for (unsigned int i = 0; i < masses.size(); ++i)
  {
    const unsigned int first = first_components[i], n = first_components[i + 1] - first;
    for (unsigned int k = 0; k < n; ++k)
      for (unsigned int l = 0; l < n; ++l)
        remainder[first + k] -=
            masses[i][k][l] * (velocities[first + l] - free_velocities[first + l]);
  }
  for (unsigned int c = 0; c < all.size(); ++c)
    for (unsigned int l = 0; l < all[c].n_links; ++l)
    {
      const Link &link = links[all[c].first_link + l];
      double *const rows = remainder.data() + first_components[link.moving];
      for (unsigned int k = 0; k < n_components(link); ++k)
        for (unsigned int d = 0; d < spacedim; ++d)
          rows[k] += link.rate_of[k][d] * projected[c].impulse[d];
    }
  double square = 0;
  for (unsigned int i = 0; i < masses.size(); ++i)
    for (unsigned int k = first_components[i]; k < first_components[i + 1]; ++k)
    {
      const unsigned int component = k - first_components[i];
      square += remainder[k] * remainder[k] / masses[i][component][component];
    }
  return square;
}

template <int spacedim>
void
ImpulseNewton<spacedim>::find_pattern()
{
  CompressedRows<unsigned int> cliques;
  const auto add_components = [&](const unsigned int i)
  {
    for (unsigned int k = first_components[i]; k < first_components[i + 1]; ++k)
      cliques.push_back(k);
  };
  for (unsigned int i = 0; i < masses.size(); ++i)
  {
    add_components(i);
    cliques.finish_row();
  }
  for (const Contact &contact : all)
  {
    for (unsigned int l = 0; l < contact.n_links; ++l)
      add_components(links[contact.first_link + l].moving);
    cliques.finish_row();
  }
  matrix.set_pattern(velocities.size(), std::move(cliques));
}

template <int spacedim>
void
ImpulseNewton<spacedim>::find_matrix()
{
  matrix.begin();
  for (unsigned int i = 0; i < masses.size(); ++i)
  {
    const unsigned int first = first_components[i], n = first_components[i + 1] - first;
    for (unsigned int k = 0; k < n; ++k)
      for (unsigned int l = 0; l < n; ++l)
        matrix.add(first + k, first + l, masses[i][k][l]);
  }
  for (unsigned int c = 0; c < all.size(); ++c)
  {
    const Frame u = rate(all[c], velocities);
    const double slip = norm_of_tangential(u);
    for (unsigned int l = 0; l < all[c].n_links; ++l)
    {
      const Link &link = links[all[c].first_link + l];
      for (unsigned int k = 0; k < n_components(link); ++k)
      {
        Frame row{}; // what rates do to impulses on a component
        for (unsigned int d = 0; d < spacedim; ++d)
          for (unsigned int e = 0; e < spacedim; ++e)
            row[e] += link.rate_of[k][d] * projected[c].derivative[d][e] / given[c].scale;
        for (unsigned int e = 1; e < spacedim && slip > 0; ++e)
          row[e] += row[0] * all[c].friction * u[e] / slip;
        const unsigned int i = first_components[link.moving] + k;
        for (unsigned int m = 0; m < all[c].n_links; ++m)
        {
          const Link &other = links[all[c].first_link + m];
          for (unsigned int q = 0; q < n_components(other); ++q)
          {
            double entry = 0;
            for (unsigned int e = 0; e < spacedim; ++e)
              entry += row[e] * other.rate_of[q][e];
            matrix.add(i, first_components[other.moving] + q, entry);
          }
        }
      }
    }
  }
}

/// Is a step so small that the round has ended?
template <int spacedim>
bool
ImpulseNewton<spacedim>::is_small(const std::vector<double> &step, const double tolerance) const
{
  double largest = 0, of_rates = 0;
  for (const Contact &contact : all)
  {
    const Frame change = rate(contact, step), now = rate(contact, velocities);
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      take_larger(largest, std::abs(change[d] - contact.rate[d]));
      of_rates = std::max(of_rates, std::abs(now[d]));
    }
  }
  return largest <= std::max(tolerance, rounding * of_rates);
}

/// Solve the equations of a round. Returns whether steps have become small.
template <int spacedim>
bool
ImpulseNewton<spacedim>::iterate(const double tolerance)
{
  double left = find_remainder();
  for (unsigned int i = 0; i < most_iterations_of_round; ++i)
  {
    ++n_iterations;
    direction = remainder;
    find_matrix();
    matrix.factorise();
    matrix.solve(direction);
    const bool is_last = is_small(direction, tolerance);
    const std::vector<double> before = velocities;
    double step = 1, next = left;
    for (unsigned int h = 0; h < most_halvings; ++h, step *= 0.5)
    {
      for (unsigned int k = 0; k < direction.size(); ++k)
        velocities[k] = before[k] + step * direction[k];
      next = find_remainder();
      if (is_last || next <= (1 - least_decrease * step) * left)
        break;
    }
    if (is_last)
      return true;
    left = next;
  }
  return false;
}

template <int spacedim>
bool
ImpulseNewton<spacedim>::solve(const double tolerance)
{
  double smallest = residual();
  find_pattern();
  std::vector<Frame> best;
  bool has_friction = false;
  for (const Contact &contact : all)
  {
    best.push_back(contact.impulse);
    has_friction = has_friction || contact.friction > 0;
  }
  given.resize(all.size());
  projected.resize(all.size());
  double weight = has_friction ? first_weight : last_weight;
  n_iterations = 0;
  double least_weight = last_weight, not_ended = 0;
  while (n_iterations < most_iterations && !(smallest <= tolerance))
  {
    const std::vector<double> now = velocities;
    for (unsigned int c = 0; c < all.size(); ++c)
    {
      given[c] = {all[c].impulse,
                  weight * std::max(all[c].inverse_mass, all[c].tangential_inverse_mass)};
      set_impulse(all[c], Frame{});
    }
    free_velocities = velocities;
    velocities = now;
    const bool has_ended = iterate(weight * tolerance); // impulses are rates over the weight
    velocities = free_velocities;
    for (unsigned int c = 0; c < all.size(); ++c)
      set_impulse(all[c], projected[c].impulse);
    if (!has_ended && std::exchange(not_ended, weight) == weight)
      least_weight = std::min(weight / fall, first_weight);
    weight = has_ended ? std::max(fall * weight, least_weight) : first_weight;
    const double left = residual();
    if (left < smallest || std::isnan(smallest))
    {
      smallest = left;
      for (unsigned int c = 0; c < all.size(); ++c)
        best[c] = all[c].impulse;
    }
  }
  for (unsigned int c = 0; c < all.size(); ++c)
    set_impulse(all[c], best[c]);
  return smallest <= tolerance;
}

template class ImpulseNewton<2>;
template class ImpulseNewton<3>;
} // namespace KickDrift
