#include <kickdrift/contact/response/impulse_newton.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace KickDrift
{
namespace
{
// Weight of the term that keeps impulses near those of the last round, beside a contact's own
// inverse mass. The less, the more of a violated law one round mends, and the more kinks the
// function has: with friction it falls tenfold from round to round.
constexpr double first_weight = 0.1, last_weight = 1e-6;
// Of all rounds together, and of one. With friction 15 to 90 are needed, without it 4 to 8.
constexpr unsigned int most_iterations = 150, most_iterations_of_round = 30;
// Steps are halved until the function has become smaller by this share of what its slope promises
// (Armijo's rule, with the usual share), down to rounding.
constexpr double least_decrease = 1e-4;
constexpr unsigned int most_halvings = 30;

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
    take_larger(largest, std::abs(std::min(a * p, u[0] - contact.wanted)));
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

/// On Coulomb's cone.
template <int spacedim>
typename ImpulseNewton<spacedim>::Projected
ImpulseNewton<spacedim>::project(const Frame &trial, const double friction)
{
  Projected result{};
  const double p = trial[0], size = norm_of_tangential(trial);
  if (!(friction > 0))
  {
    result.impulse[0] = std::max(0., p);
    result.derivative[0][0] = p > 0 ? 1 : 0;
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
  const double share = 1 / (1 + friction * friction);
  const double normal = share * (p + friction * size);
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

/// The convex function; projected is what belongs to it.
template <int spacedim>
double
ImpulseNewton<spacedim>::value(const std::vector<double> &at)
{
  double result = 0;
  for (unsigned int i = 0; i < masses.size(); ++i)
  {
    const unsigned int first = first_components[i], n = first_components[i + 1] - first;
    for (unsigned int k = 0; k < n; ++k)
      for (unsigned int l = 0; l < n; ++l)
        result += 0.5 * masses[i][k][l] * (at[first + k] - free_velocities[first + k]) *
                  (at[first + l] - free_velocities[first + l]);
  }
  for (unsigned int c = 0; c < all.size(); ++c)
  {
    Frame trial = rate(all[c], at);
    trial[0] += given[c].slip - all[c].wanted;
    for (unsigned int d = 0; d < spacedim; ++d)
      trial[d] = given[c].last_impulse[d] - trial[d] / given[c].scale;
    projected[c] = project(trial, all[c].friction);
    for (const double component : projected[c].impulse)
      result += 0.5 * given[c].scale * component * component;
  }
  return result;
}

/// Of the convex function at velocities: with the opposite sign the right side of an iteration.
template <int spacedim>
void
ImpulseNewton<spacedim>::find_gradient()
{
  const unsigned int n_all = velocities.size();
  direction.assign(n_all, 0.);
  for (unsigned int i = 0; i < masses.size(); ++i)
  {
    const unsigned int first = first_components[i], n = first_components[i + 1] - first;
    for (unsigned int k = 0; k < n; ++k)
      for (unsigned int l = 0; l < n; ++l)
        direction[first + k] -=
            masses[i][k][l] * (velocities[first + l] - free_velocities[first + l]);
  }
  for (unsigned int c = 0; c < all.size(); ++c)
    for (unsigned int l = 0; l < all[c].n_links; ++l)
    {
      const Link &link = links[all[c].first_link + l];
      double *const rows = direction.data() + first_components[link.moving];
      for (unsigned int k = 0; k < n_components(link); ++k)
        for (unsigned int d = 0; d < spacedim; ++d)
          rows[k] += link.rate_of[k][d] * projected[c].impulse[d];
    }
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
      for (unsigned int l = 0; l <= k; ++l)
        matrix.add(first + k, first + l, masses[i][k][l]);
  }
  for (unsigned int c = 0; c < all.size(); ++c)
    for (unsigned int l = 0; l < all[c].n_links; ++l)
    {
      const Link &link = links[all[c].first_link + l];
      for (unsigned int k = 0; k < n_components(link); ++k)
      {
        Frame row{}; // what a component does to impulses
        for (unsigned int d = 0; d < spacedim; ++d)
          for (unsigned int e = 0; e < spacedim; ++e)
            row[e] += link.rate_of[k][d] * projected[c].derivative[d][e] / given[c].scale;
        const unsigned int i = first_components[link.moving] + k;
        for (unsigned int m = 0; m < all[c].n_links; ++m)
        {
          const Link &other = links[all[c].first_link + m];
          const unsigned int first = first_components[other.moving];
          for (unsigned int q = 0; q < n_components(other) && first + q <= i; ++q)
          {
            double entry = 0;
            for (unsigned int e = 0; e < spacedim; ++e)
              entry += row[e] * other.rate_of[q][e];
            matrix.add(i, first + q, entry);
          }
        }
      }
    }
}

/// By the whole step of an iteration.
template <int spacedim>
double
ImpulseNewton<spacedim>::largest_rate_of_change() const
{
  double largest = 0;
  for (const Contact &contact : all)
  {
    const Frame change = rate(contact, direction);
    for (unsigned int d = 0; d < spacedim; ++d)
      largest = std::max(largest, std::abs(change[d] - contact.rate[d]));
  }
  return largest;
}

/// Go towards the minimum, as far as iterations allow. Returns false where there is no direction.
template <int spacedim>
bool
ImpulseNewton<spacedim>::minimise(const double tolerance)
{
  trial_velocities.resize(velocities.size());
  double present = value(velocities);
  for (unsigned int i = 0; i < most_iterations_of_round && n_iterations < most_iterations; ++i)
  {
    ++n_iterations;
    find_gradient();
    downhill = direction;
    find_matrix();
    matrix.factorise();
    matrix.solve(direction);
    double slope = 0;
    for (unsigned int k = 0; k < direction.size(); ++k)
      slope -= downhill[k] * direction[k];
    if (!std::isfinite(slope))
      return false;
    // differences of the function are rounding then
    const bool is_last = largest_rate_of_change() <= tolerance;
    double step = 1, next = present;
    for (unsigned int h = 0; h < most_halvings; ++h, step *= 0.5)
    {
      for (unsigned int k = 0; k < direction.size(); ++k)
        trial_velocities[k] = velocities[k] + step * direction[k];
      next = value(trial_velocities);
      if (is_last || next <= present + least_decrease * step * slope)
        break;
    }
    if (!is_last && !(next < present)) // what is left is rounding of the function
    {
      value(velocities);
      return true;
    }
    velocities = trial_velocities;
    present = next;
    if (is_last)
      return true;
  }
  return true;
}

template <int spacedim>
bool
ImpulseNewton<spacedim>::solve(const double tolerance)
{
  double smallest = residual();
  find_pattern();
  std::vector<Frame> best;
  for (const Contact &contact : all)
    best.push_back(contact.impulse);
  given.resize(all.size());
  projected.resize(all.size());
  std::vector<double> slips(all.size()), new_slips(all.size());
  acceleration.restart();
  bool has_friction = false;
  for (const Contact &contact : all)
    has_friction = has_friction || contact.friction > 0;
  double weight = has_friction ? first_weight : last_weight;
  n_iterations = 0;
  for (unsigned int round = 0; n_iterations < most_iterations && !(smallest <= tolerance);
       ++round, weight = std::max(0.1 * weight, last_weight))
  {
    for (unsigned int c = 0; c < all.size(); ++c)
      new_slips[c] = all[c].friction * norm_of_tangential(rate(all[c], velocities));
    if (round > 0)
      acceleration.extrapolate(slips, new_slips);
    slips = new_slips;
    for (unsigned int c = 0; c < all.size(); ++c)
    {
      const Contact &contact = all[c];
      given[c] = {contact.impulse, std::max(0., slips[c]),
                  weight * std::max(contact.inverse_mass, contact.tangential_inverse_mass)};
    }
    const std::vector<double> now = velocities;
    for (Contact &contact : all)
      set_impulse(contact, Frame{});
    free_velocities = velocities;
    velocities = now;
    // impulses are rates over the weight
    const bool has_direction = minimise(weight * tolerance);
    velocities = free_velocities;
    for (unsigned int c = 0; c < all.size(); ++c)
    {
      all[c].impulse = Frame{};
      set_impulse(all[c], projected[c].impulse);
    }
    const double left = residual();
    if (left < smallest || std::isnan(smallest))
    {
      smallest = left;
      for (unsigned int c = 0; c < all.size(); ++c)
        best[c] = all[c].impulse;
    }
    if (!has_direction)
      break;
  }
  for (unsigned int c = 0; c < all.size(); ++c)
    set_impulse(all[c], best[c]);
  return smallest <= tolerance;
}

template class ImpulseNewton<2>;
template class ImpulseNewton<3>;
} // namespace KickDrift
