// What tests/peers/rbdl_library.py asks RBDL, as C functions. All matrices are given row by row.
#include <rbdl/rbdl.h>
#include <rbdl/rbdl_utils.h>

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

typedef Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Rows;
typedef Eigen::Map<Rows> Out;

static VectorNd numbers(const double *x, int n) { return Eigen::Map<const VectorNd>(x, n); }
static VectorNd positions(Model *m, const double *q) { return numbers(q, m->q_size); }
static VectorNd velocities(Model *m, const double *v) { return numbers(v, m->qdot_size); }
static Matrix3d square(const double *x) { return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x); }
static Vector3d point(const double *x) { return Vector3d(x[0], x[1], x[2]); }

static Joint joint(const char *kind, const double *axis) {
  switch (kind[0]) {
    case 'r': return Joint(JointTypeRevolute, point(axis));
    case 'p': return Joint(JointTypePrismatic, point(axis));
    case 's': return Joint(JointTypeSpherical);
    case 'e': return Joint(JointTypeEulerZYX);
    case 'x': return Joint(SpatialVector(0, 0, 0, 1, 0, 0), SpatialVector(0, 0, 0, 0, 1, 0),
                           SpatialVector(0, 0, 1, 0, 0, 0));
    default: return Joint(JointTypeFloatingBase);
  }
}

extern "C" {
Model *new_model() { return new Model(); }
void delete_model(Model *m) { delete m; }
int q_size(Model *m) { return m->q_size; }
int qdot_size(Model *m) { return m->qdot_size; }
void get_gravity(Model *m, double *g) { for (int k = 0; k < 3; k++) g[k] = m->gravity[k]; }
void set_gravity(Model *m, const double *g) { m->gravity = point(g); }

int add_body(Model *m, int parent, const double *E, const double *r, const char *kind, const double *axis, double mass,
             const double *com, const double *I) {
  return m->AddBody(parent, SpatialTransform(square(E), point(r)), joint(kind, axis),
                    Body(mass, point(com), square(I)));
}

void inverse_dynamics(Model *m, const double *q, const double *qd, const double *qdd, const double *f_ext, int bodies,
                      double *tau) {
  std::vector<SpatialVector> forces;
  for (int i = 0; i < bodies; i++) forces.push_back(numbers(f_ext + 6 * i, 6));
  VectorNd out = VectorNd::Zero(m->qdot_size);
  InverseDynamics(*m, positions(m, q), velocities(m, qd), velocities(m, qdd), out, bodies ? &forces : NULL);
  Eigen::Map<VectorNd>(tau, out.size()) = out;
}

void nonlinear_effects(Model *m, const double *q, const double *qd, double *C) {
  VectorNd out = VectorNd::Zero(m->qdot_size);
  NonlinearEffects(*m, positions(m, q), velocities(m, qd), out);
  Eigen::Map<VectorNd>(C, out.size()) = out;
}

void inertia_matrix(Model *m, const double *q, double *H) {
  MatrixNd out = MatrixNd::Zero(m->qdot_size, m->qdot_size);
  CompositeRigidBodyAlgorithm(*m, positions(m, q), out);
  Out(H, out.rows(), out.cols()) = out;
}

void pose(Model *m, const double *q, int body, double *E, double *p) {
  Out(E, 3, 3) = CalcBodyWorldOrientation(*m, positions(m, q), body, true);
  Out(p, 3, 1) = CalcBodyToBaseCoordinates(*m, positions(m, q), body, Vector3d::Zero(), true);
}

void point_velocity(Model *m, const double *q, const double *qd, int body, const double *p, double *v) {
  Out(v, 6, 1) = CalcPointVelocity6D(*m, positions(m, q), velocities(m, qd), body, point(p));
}

void point_acceleration(Model *m, const double *q, const double *qd, const double *qdd, int body, const double *p,
                        double *a) {
  Out(a, 6, 1) = CalcPointAcceleration6D(*m, positions(m, q), velocities(m, qd), velocities(m, qdd), body, point(p));
}

void jacobians(Model *m, const double *q, int body, const double *p, double *at_point, double *in_body) {
  MatrixNd G = MatrixNd::Zero(6, m->qdot_size);
  CalcPointJacobian6D(*m, positions(m, q), body, point(p), G);
  Out(at_point, 6, G.cols()) = G;
  G.setZero();
  CalcBodySpatialJacobian(*m, positions(m, q), body, G);
  Out(in_body, 6, G.cols()) = G;
}

void momentum(Model *m, const double *q, const double *qd, double *mass, double *com, double *velocity,
              double *angular) {
  Vector3d c, v, h;
  Utils::CalcCenterOfMass(*m, positions(m, q), velocities(m, qd), NULL, *mass, c, &v, NULL, &h);
  Out(com, 3, 1) = c;
  Out(velocity, 3, 1) = v;
  Out(angular, 3, 1) = h;
}
}
