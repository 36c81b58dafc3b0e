// Pinocchio's algorithms in loops over many states, called through plain C functions.
//
// Everything is instantiated here from Pinocchio's headers, for this processor: the model is built from numbers, and
// the library that comes with the wheel, compiled for any processor, is not linked. A loop leaves its results in
// Pinocchio's own data unless it is given an array to store them in. One of RNEA, CRBA, ABA, RNEA_DERIVATIVES and
// ABA_DERIVATIVES is defined, because all of them at once would take the compiler five gigabytes.

#if defined(RNEA)
#include "pinocchio/algorithm/rnea.hpp"
#elif defined(CRBA)
#include "pinocchio/algorithm/crba.hpp"
#elif defined(ABA)
#include "pinocchio/algorithm/aba.hpp"
#elif defined(RNEA_DERIVATIVES)
#include "pinocchio/algorithm/rnea-derivatives.hpp"
#elif defined(ABA_DERIVATIVES)
#include "pinocchio/algorithm/aba-derivatives.hpp"
#endif

#include <cstdint>
#include <string>

namespace pin = pinocchio;
using Vector = Eigen::Map<const Eigen::VectorXd>;
using Rows = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

namespace {

struct Robot {
    pin::Model model;
    pin::Data data;
};

pin::SE3 pose(const double *numbers) {
    Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers);
    return pin::SE3(R, Eigen::Map<const Eigen::Vector3d>(numbers + 9));
}

pin::Inertia inertia(const double *numbers) {
    Eigen::Matrix3d I = Eigen::Map<const Eigen::Matrix3d>(numbers + 4);
    return pin::Inertia(numbers[0], Eigen::Map<const Eigen::Vector3d>(numbers + 1), I);
}

pin::JointIndex joint(pin::Model &model, int parent, char kind, const pin::SE3 &place, const std::string &name) {
    switch (kind) {
        case 'x': return model.addJoint(parent, pin::JointModelRX(), place, name);
        case 'y': return model.addJoint(parent, pin::JointModelRY(), place, name);
        case 'z': return model.addJoint(parent, pin::JointModelRZ(), place, name);
        default: return model.addJoint(parent, pin::JointModelFreeFlyer(), place, name);
    }
}

void store(double *&out, const Eigen::MatrixXd &M) {
    Rows(out, M.rows(), M.cols()) = M;
    out += M.size();
}

Eigen::MatrixXd symmetric(const Eigen::MatrixXd &upper) { return upper.selfadjointView<Eigen::Upper>(); }

template <class Step, class Store>
void over_states(Robot *robot, long count, const double *q, const double *v, const double *w, double *out, Step step,
                 Store keep) {
    const int nq = robot->model.nq, nv = robot->model.nv;
    for (long k = 0; k < count; ++k) {
        step(Vector(q + k * nq, nq), Vector(v + k * nv, nv), Vector(w + k * nv, nv));
        if (out) keep();
    }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// Of joints 1..n: parents; places, 12 numbers each (rotation by rows, position); inertias, 13 (m, c, I about c); kinds.
void *make_robot(int n, const std::int32_t *parent, const double *places, const double *inertias, const char *kind) {
    pin::Model model;
    for (int i = 0; i < n; ++i) {
        pin::JointIndex k = joint(model, parent[i], kind[i], pose(places + 12 * i), "joint" + std::to_string(i + 1));
        model.appendBodyToJoint(k, inertia(inertias + 13 * i), pin::SE3::Identity());
    }
    return new Robot{model, pin::Data(model)};
}

#if defined(RNEA)
void rnea_loop(Robot *r, long count, const double *q, const double *v, const double *a, double *out) {
    over_states(r, count, q, v, a, out,
                [r](const Vector &q, const Vector &v, const Vector &a) { pin::rnea(r->model, r->data, q, v, a); },
                [&] { store(out, r->data.tau); });
}

#elif defined(CRBA)
void crba_loop(Robot *r, long count, const double *q, const double *v, const double *w, double *out) {
    over_states(r, count, q, v, w, out,
                [r](const Vector &q, const Vector &, const Vector &) {
                    pin::crba(r->model, r->data, q, pin::Convention::LOCAL);
                },
                [&] { store(out, symmetric(r->data.M)); });
}

void crba_world_loop(Robot *r, long count, const double *q, const double *v, const double *w, double *out) {
    over_states(r, count, q, v, w, out,
                [r](const Vector &q, const Vector &, const Vector &) {
                    pin::crba(r->model, r->data, q, pin::Convention::WORLD);
                },
                [&] { store(out, symmetric(r->data.M)); });
}

#elif defined(ABA)
void aba_loop(Robot *r, long count, const double *q, const double *v, const double *tau, double *out) {
    over_states(r, count, q, v, tau, out,
                [r](const Vector &q, const Vector &v, const Vector &tau) {
                    pin::aba(r->model, r->data, q, v, tau, pin::Convention::LOCAL);
                },
                [&] { store(out, r->data.ddq); });
}

void aba_world_loop(Robot *r, long count, const double *q, const double *v, const double *tau, double *out) {
    over_states(r, count, q, v, tau, out,
                [r](const Vector &q, const Vector &v, const Vector &tau) {
                    pin::aba(r->model, r->data, q, v, tau, pin::Convention::WORLD);
                },
                [&] { store(out, r->data.ddq); });
}

#elif defined(RNEA_DERIVATIVES)
void rnea_derivatives_loop(Robot *r, long count, const double *q, const double *v, const double *a, double *out) {
    over_states(r, count, q, v, a, out,
                [r](const Vector &q, const Vector &v, const Vector &a) {
                    pin::computeRNEADerivatives(r->model, r->data, q, v, a);
                },
                [&] {
                    store(out, r->data.dtau_dq);
                    store(out, r->data.dtau_dv);
                    store(out, symmetric(r->data.M));
                });
}

#elif defined(ABA_DERIVATIVES)
void aba_derivatives_loop(Robot *r, long count, const double *q, const double *v, const double *tau, double *out) {
    over_states(r, count, q, v, tau, out,
                [r](const Vector &q, const Vector &v, const Vector &tau) {
                    pin::computeABADerivatives(r->model, r->data, q, v, tau);
                },
                [&] {
                    store(out, r->data.ddq_dq);
                    store(out, r->data.ddq_dv);
                    store(out, symmetric(r->data.Minv));
                });
}
#endif

}  // extern "C"
#pragma GCC visibility pop
