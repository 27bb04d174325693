// Step 2: contact between two meshes that are read from files.
//
// A wheel flies inside an elastic ring and bounces around in it. Its core is stiff, its tyre soft,
// so that cells of like size have very different time steps. Both bodies are free: nothing holds
// them, and momentum and angular momentum have to stay what they are.
//
// As in step 1 everything that belongs to one body is the solver's own: mesh, DoFHandler, vectors,
// output. Comments marked with (+) explain what contact adds.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/meshes/mesh.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/function.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/vector_tools.h>

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
  Solid(const std::string &name, const std::map<std::string, std::shared_ptr<Material>> &materials,
        KickDrift::Dynamics<2> &dynamics);

  void output(const std::string &file_name);

  const std::string name;
  Triangulation<2> triangulation;
  const MappingQ1<2> mapping;
  DoFHandler<2> dof_handler;
  Vector<double> displacement, velocity;
  KickDrift::DynamicBody<2> *body;
};

// The file NAME.msh comes from Gmsh. Its physical groups have names, which GridIn does not keep:
// read_mesh_file() asks GridIn to read the mesh, after having checked the file, and returns the
// material and boundary ids that belong to each name.
Solid::Solid(const std::string &name,
             const std::map<std::string, std::shared_ptr<Material>> &materials,
             KickDrift::Dynamics<2> &dynamics)
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
  body =
      &dynamics.add_body(std::make_unique<KickDrift::Body<2>>(dof_handler, mapping, name, by_id));
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
  KickDrift::Dynamics<2> dynamics;
  std::vector<std::pair<double, std::string>> frames;
  double initial_energy = 0;
};

// The first numbers of a material are its density, Young's modulus and Poisson's ratio.
Collision::Collision()
{
  const auto stiff = std::make_shared<Material>(2., 50., 0.3);
  const auto soft = std::make_shared<Material>(1., 1., 0.3);
  using Materials = std::map<std::string, std::shared_ptr<Material>>;
  solids.emplace_back("wheel", Materials{{"core", stiff}, {"tyre", soft}}, dynamics);
  solids.emplace_back("ring", Materials{{"ring", soft}}, dynamics);

  // The wheel flies.
  Solid &wheel = solids[0];
  VectorTools::interpolate(wheel.mapping, wheel.dof_handler,
                           Functions::ConstantFunction<2>(std::vector<double>{0.15, 0.05}),
                           wheel.velocity);
  wheel.body->set_velocity(wheel.velocity);

  // (+) All boundaries can touch and be touched; pairs need not be named, and a body may touch
  // itself. Restitution 1 and friction 0 are the defaults of the parameters.
  dynamics.enable_contact(KickDrift::ContactParameters());
  dynamics.start();
}

// Momentum and energy, and a file for each body.
void
Collision::report(const double time, const unsigned int frame)
{
  const KickDrift::NodeTable<2> &now = dynamics.state();
  Tensor<1, 2> momentum;
  double angular_momentum = 0;
  for (unsigned int node = 0; node < now.size(); ++node)
  {
    const Tensor<1, 2> p = now.mass(node) * now.velocity(node);
    momentum += p;
    angular_momentum += now.position(node)[0] * p[1] - now.position(node)[1] * p[0];
  }
  const double energy = dynamics.energy().total();
  if (frame == 0)
    initial_energy = energy;
  std::cout << "time " << time << ": momentum " << momentum << ", angular momentum "
            << angular_momentum << ", energy error " << energy / initial_energy - 1
            << ", collisions " << dynamics.contact()->statistics().collisions
            << ", largest penetration " << dynamics.contact()->statistics().max_penetration
            << std::endl;
  for (Solid &solid : solids)
  {
    solid.body->get_displacement(solid.displacement);
    solid.body->get_velocity(solid.velocity);
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
    dynamics.advance_to(time);
    report(time, frame);
  }
}

int
main()
{
  Collision().run();
}
