// Step 2: contact between two meshes that are read from files.
//
// A wheel flies inside an elastic ring and bounces around in it. Its core is stiff, its tyre soft,
// so that cells of like size have very different time steps. Both bodies are free: nothing holds
// them, and momentum and angular momentum have to stay what they are.
//
// As in step 1 everything that belongs to one body is the solver's own: mesh, DoFHandler, vectors,
// output. Comments marked with (+) explain what contact adds.

#include <kickdrift/contact/contact.h>
#include <kickdrift/deal_ii/body.h>
#include <kickdrift/meshes/mesh.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/stepping/stepper.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/data_out.h>

#include <deque>
#include <fstream>
#include <iostream>

using namespace dealii;

// The bodies bend and turn by large amounts. The stress of a linear elastic body would not turn
// with it, so the material is neo-Hookean, and with it go the stiffness matrix and the energy that
// were computed from it: the library integrates the cells.
using Material = KickDrift::NeoHookean<2>;

// What the solver has for each of its bodies.
class Solid
{
public:
  Solid(const std::string &name, const std::map<std::string, std::shared_ptr<Material>> &materials);

  void output(const std::string &file_name);

  const std::string name;
  Triangulation<2> triangulation;
  const MappingQ1<2> mapping;
  DoFHandler<2> dof_handler;
  Vector<double> displacement, velocity;
  std::unique_ptr<KickDrift::Body<2>> body;
};

// The file NAME.msh comes from Gmsh. Its physical groups have names, which GridIn does not keep:
// read_mesh_file() asks GridIn to read the mesh, after having checked the file, and returns the
// material and boundary ids that belong to each name.
Solid::Solid(const std::string &name,
             const std::map<std::string, std::shared_ptr<Material>> &materials)
    : name(name), dof_handler(triangulation)
{
  const KickDrift::MeshNames names =
      KickDrift::read_mesh_file(TUTORIAL_FOLDER "/" + name + ".msh", triangulation);
  dof_handler.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  displacement.reinit(dof_handler.n_dofs());
  velocity.reinit(dof_handler.n_dofs());

  KickDrift::Body<2>::Materials by_id;
  for (const auto &[group, material] : materials)
    for (const auto id : names.materials.at(group))
      by_id[id] = material;
  body = std::make_unique<KickDrift::Body<2>>(dof_handler, mapping, name, by_id);
}

void
Solid::output(const std::string &file_name)
{
  using Interpretation = DataComponentInterpretation::DataComponentInterpretation;
  const std::vector<Interpretation> vectors(2, Interpretation::component_is_part_of_vector);
  DataOut<2> data_out;
  data_out.attach_dof_handler(dof_handler);
  data_out.add_data_vector(displacement, std::vector<std::string>(2, "displacement"),
                           DataOut<2>::type_dof_data, vectors);
  data_out.add_data_vector(velocity, std::vector<std::string>(2, "velocity"),
                           DataOut<2>::type_dof_data, vectors);
  data_out.build_patches(mapping);
  std::ofstream file(file_name);
  data_out.write_vtu(file);
}

class Collision
{
public:
  Collision();
  void run();

private:
  void report(double time, unsigned int frame);

  std::deque<Solid> solids;
  KickDrift::NodeTable<2> nodes;
  KickDrift::Stepper<2> stepper;
  std::unique_ptr<KickDrift::Contact<2>> contact;
  std::vector<std::pair<double, std::string>> frames;
  double initial_energy = 0;
};

// All bodies share one table of nodes and one stepper. The first numbers of a material are its
// density, Young's modulus and Poisson's ratio.
Collision::Collision() : stepper(nodes, KickDrift::StepperParameters())
{
  const auto stiff = std::make_shared<Material>(2., 50., 0.3);
  const auto soft = std::make_shared<Material>(1., 1., 0.3);
  solids.emplace_back(
      "wheel", std::map<std::string, std::shared_ptr<Material>>{{"core", stiff}, {"tyre", soft}});
  solids.emplace_back("ring", std::map<std::string, std::shared_ptr<Material>>{{"ring", soft}});

  // (+) The outer faces of all bodies: what can touch and be touched. Pairs need not be named, and
  // a body may touch itself.
  KickDrift::Surface<2> surface;
  for (Solid &solid : solids)
  {
    solid.body->add_nodes(nodes);
    solid.body->add_surface(surface, surface.body_names.size());
    for (const auto &kicks : solid.body->strain_kicks())
      stepper.add(kicks);
  }
  // The wheel flies.
  const KickDrift::Body<2> &wheel = *solids[0].body;
  for (unsigned int node = wheel.first_node(); node < wheel.first_node() + wheel.n_nodes(); ++node)
    nodes.set_velocity(node, Tensor<1, 2>({0.15, 0.05}));

  // (+) Contact attaches itself to the stepper: from now on advance_to() tests and answers. It
  // looks at the critical steps, so it starts after the stepper. Restitution 1 and friction 0 are
  // the defaults of the parameters.
  contact = std::make_unique<KickDrift::Contact<2>>(nodes, stepper, surface,
                                                    KickDrift::ContactParameters());
  stepper.start();
  contact->start();
}

// Momentum and energy, and a file for each body.
void
Collision::report(const double time, const unsigned int frame)
{
  const KickDrift::NodeTable<2> now = stepper.snapshot(time);
  Tensor<1, 2> momentum;
  double angular_momentum = 0;
  for (unsigned int node = 0; node < now.size(); ++node)
  {
    const Tensor<1, 2> p = now.mass(node) * now.velocity(node);
    momentum += p;
    angular_momentum += now.position(node)[0] * p[1] - now.position(node)[1] * p[0];
  }
  const double energy = stepper.energy(now).total();
  if (frame == 0)
    initial_energy = energy;
  std::cout << "time " << time << ": momentum " << momentum << ", angular momentum "
            << angular_momentum << ", energy error " << energy / initial_energy - 1
            << ", collisions " << contact->statistics().collisions << ", largest penetration "
            << contact->statistics().max_penetration << std::endl;
  for (Solid &solid : solids)
  {
    solid.body->get_displacement(now, solid.displacement);
    solid.body->get_velocity(now, solid.velocity);
    const std::string file_name = solid.name + "_" + std::to_string(frame) + ".vtu";
    solid.output(file_name);
    frames.emplace_back(time, file_name);
  }
  std::ofstream pvd("contact.pvd");
  DataOutBase::write_pvd_record(pvd, frames);
}

void
Collision::run()
{
  report(0., 0);
  for (unsigned int frame = 1; frame <= 10; ++frame)
  {
    const double time = 0.6 * frame;
    stepper.advance_to(time);
    report(time, frame);
  }
}

int
main()
{
  Collision().run();
}
