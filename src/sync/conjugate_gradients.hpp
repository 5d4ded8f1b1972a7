// Conjugate gradients for a symmetric matrix that is known by what it does to a vector, with a preconditioner of the
// same form.
//
// Units    Those of the unknowns, all the same. A residual would have the weights of the equations, which differ by
//          many orders of magnitude; the next step of the preconditioner shows how far each unknown may still be
//          off.
// Results  Sums are formed in the order of the unknowns.
#pragma once

#include <Eigen/Core>

namespace clc::sync {

/// Solves matrix(x) = right from the x that is given, until preconditioner(right - matrix(x)) is nowhere larger than
/// `exact`, or for `most_steps`. Both return vectors. The number of steps.
template <class Matrix, class Preconditioner>
int conjugate_gradients(const Matrix& matrix, const Eigen::VectorXd& right, const Preconditioner& preconditioner,
                        double exact, Eigen::VectorXd& x, int most_steps = 2000) {
  constexpr double rounding = 1e-15;  // less is left where the equations leave something free
  Eigen::VectorXd residual = right - matrix(x);
  Eigen::VectorXd direction;
  double energy = 0;
  for (int step = 0; step < most_steps; ++step) {
    const Eigen::VectorXd next = preconditioner(residual);
    if (!(next.cwiseAbs().maxCoeff() > exact)) return step;
    const double before = energy;
    if (residual.norm() < rounding * right.norm()) return step;
    energy = residual.dot(next);
    if (step == 0)
      direction = next;
    else
      direction = next + energy / before * direction;
    const Eigen::VectorXd image = matrix(direction);
    const double curvature = direction.dot(image);
    if (!(curvature > 0)) return step;
    const double length = energy / curvature;
    x += length * direction;
    residual -= length * image;
  }
  return most_steps;
}

}  // namespace clc::sync
