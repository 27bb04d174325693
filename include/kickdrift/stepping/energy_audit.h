#ifndef KICKDRIFT_STEPPING_ENERGY_AUDIT_H
#define KICKDRIFT_STEPPING_ENERGY_AUDIT_H

#include <kickdrift/stepping/energy_balance.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
/**
 * Relative error of the energy balance: deviation of its total from the first one, over the larger
 * of the first total and the work put in so far. A run that starts at rest has nothing but the work
 * to compare with.
 */
class EnergyAudit
{
public:
  /// Take the balance of the next time; returns its error [-].
  double
  update(const EnergyBalance &balance)
  {
    if (n_updates++ == 0)
    {
      first_total = balance.total();
      first_work = balance.external_work + balance.prescribed_work;
    }
    const double work = std::abs(balance.external_work + balance.prescribed_work - first_work);
    largest_work = std::max(largest_work, work);
    const double deviation = balance.total() - first_total;
    last_error = deviation == 0 ? 0. : deviation / reference();
    largest_error = std::max(largest_error, std::abs(last_error));
    const double apart = deviation + balance.contact_account;
    last_error_apart = apart == 0 ? 0. : apart / reference();
    return last_error;
  }

  /// Error at the last time, with its sign [-].
  double
  error() const
  {
    return last_error;
  }

  /// Error at the last time, apart from what contact accounts hold: they give it back later [-].
  double
  error_apart_from_accounts() const
  {
    return last_error_apart;
  }

  /// Largest absolute error so far [-].
  double
  max_error() const
  {
    return largest_error;
  }

  /// What errors are relative to so far [energy].
  double
  reference() const
  {
    return std::max(std::abs(first_total), largest_work);
  }

  /// Does the error refer to the energy that was there at the start?
  bool
  refers_to_start() const
  {
    return std::abs(first_total) >= largest_work;
  }

private:
  unsigned int n_updates = 0;
  double first_total = 0, first_work = 0;
  double largest_work = 0;
  double last_error = 0, last_error_apart = 0, largest_error = 0;
};
} // namespace KickDrift

#endif
