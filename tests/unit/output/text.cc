// Everything of output/ that is text: CSV, JSON, folders, progress.

#include <kickdrift/base/archive.h>
#include <kickdrift/output/histories.h>
#include <kickdrift/output/log.h>
#include <kickdrift/output/output_folder.h>
#include <kickdrift/output/progress.h>
#include <kickdrift/output/summary.h>
#include <kickdrift/potentials/springs.h>

#include <deal.II/base/exceptions.h>

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;
namespace fs = std::filesystem;

namespace
{
/// A folder of its own for every test, removed afterwards.
class Output : public testing::Test
{
protected:
  Output()
      : folder(fs::temp_directory_path() /
               ("kickdrift-output-" + std::to_string(getpid()) + "-" +
                testing::UnitTest::GetInstance()->current_test_info()->name()))
  {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~Output() override { fs::remove_all(folder); }

  std::string
  file(const std::string &name) const
  {
    return (folder / name).string();
  }
  std::string
  text(const std::string &name) const
  {
    std::ifstream in(folder / name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  const fs::path folder;
};

std::vector<std::string>
split(const std::string &text, const char separator)
{
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    parts.push_back(part);
  return parts;
}

/// Rows of a CSV file, header included.
std::vector<std::vector<std::string>>
rows(const std::string &text)
{
  std::vector<std::vector<std::string>> result;
  for (const auto &line : split(text, '\n'))
    result.push_back(split(line, ','));
  return result;
}

double
value(const std::vector<std::vector<std::string>> &table, const unsigned int row,
      const std::string &column)
{
  const auto found = std::find(table[0].begin(), table[0].end(), column);
  EXPECT_NE(found, table[0].end()) << column;
  return std::stod(table[row].at(found - table[0].begin()));
}

/// What the exception says, empty if there is none.
std::string
message(const std::function<void()> &f)
{
  try
  {
    f();
  }
  catch (const dealii::ExceptionBase &e)
  {
    std::ostringstream out;
    e.print_info(out);
    return out.str();
  }
  return "";
}

bool
contains(const std::string &text, const std::string &part)
{
  return text.find(part) != std::string::npos;
}

/// What a frame refers to.
template <int spacedim>
struct State
{
  NodeTable<spacedim> nodes;
  EnergyBalance balance;
  ContactStatistics<spacedim> contact;

  Frame<spacedim>
  frame(const double time = 0, const unsigned int index = 0) const
  {
    return {index, time, nodes, balance, 0., 0, contact};
  }

  void
  add(const Point<spacedim> &reference, const double mass,
      const Tensor<1, spacedim> &displacement = {}, const Tensor<1, spacedim> &velocity = {})
  {
    const unsigned int node = nodes.add(reference, mass);
    nodes.set_displacement(node, displacement);
    nodes.set_velocity(node, velocity);
  }
};
} // namespace

// -- numbers and files --------------------------------------------------------------------------

TEST(Text, NumbersReadBackTheSame)
{
  EXPECT_EQ(to_text(0.1), "0.1");
  std::mt19937_64 random(42);
  for (unsigned int i = 0; i < 10000; ++i)
  {
    const std::uint64_t bits = random();
    double number;
    std::memcpy(&number, &bits, sizeof(number));
    if (std::isfinite(number))
    {
      EXPECT_EQ(std::strtod(to_text(number).c_str(), nullptr), number);
    }
  }
}

TEST_F(Output, CsvQuotesOnlyWhereNecessary)
{
  EXPECT_EQ((CsvRow() << 1.5 << std::uint64_t(7) << "left"
                      << "a,b"
                      << "say \"x\"")
                .text(),
            "1.5,7,left,\"a,b\",\"say \"\"x\"\"\"");
}

TEST_F(Output, CsvRowsAreReadableAtOnce)
{
  CsvFile csv(file("a.csv"), {"time", "x"});
  EXPECT_EQ(text("a.csv"), "time,x\n");
  csv.write(CsvRow() << 0. << 0.25);
  EXPECT_EQ(text("a.csv"), "time,x\n0,0.25\n"); // while it is still open
  EXPECT_TRUE(contains(message([&] { csv.write(CsvRow() << 1.); }), "a.csv"));
}

// Whoever can put links into a folder does not get other files overwritten.
TEST_F(Output, LinksThatAreInTheWayAreNotFollowed)
{
  fs::create_directories(folder / "run");
  std::ofstream(folder / "other") << "mine";
  fs::create_symlink(folder / "other", folder / "run" / "a.txt.part");
  atomic_write(file("run/a.txt"), "all of it");
  EXPECT_EQ(text("run/a.txt"), "all of it");
  EXPECT_FALSE(fs::is_symlink(folder / "run" / "a.txt"));
  EXPECT_EQ(text("other"), "mine");
  for (const std::string target : {"other", "nothing"})
  {
    fs::create_symlink(folder / target, folder / "run" / "run.lock");
    const std::string said =
        message([&] { const OutputFolder run(file("run"), ExistingRun::resume); });
    EXPECT_TRUE(contains(said, "'run.lock' is a symbolic link")) << said;
    EXPECT_EQ(text("other"), "mine");
    EXPECT_FALSE(fs::exists(folder / "nothing"));
    EXPECT_TRUE(fs::is_symlink(folder / "run" / "run.lock"));
    fs::remove(folder / "run" / "run.lock");
  }
}

TEST_F(Output, FullDiskNamesTheFile)
{
  fs::create_symlink("/dev/full", folder / "statistics.csv");
  const std::string said = message([&] { StatisticsRecorder<2> recorder(folder.string()); });
  EXPECT_TRUE(contains(said, file("statistics.csv"))) << said;
  EXPECT_TRUE(contains(said, "No space left")) << said;
}

TEST_F(Output, RowThatDoesNotFitIsTakenBack)
{
  CsvFile csv(file("a.csv"), {"time", "x"});
  csv.write(CsvRow() << 1. << 2.);
  const std::string before = text("a.csv");

  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old;
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight{before.size() + 3, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  const std::string said = message([&] { csv.write(CsvRow() << 3.25 << 4.25); });
  const std::string said_atomic =
      message([&] { atomic_write(file("b.txt"), std::string(10000, 'b')); });
  setrlimit(RLIMIT_FSIZE, &old);

  EXPECT_TRUE(contains(said, "a.csv")) << said;
  EXPECT_EQ(text("a.csv"), before);
  EXPECT_TRUE(contains(said_atomic, "b.txt")) << said_atomic;
  EXPECT_FALSE(fs::exists(folder / "b.txt"));
  EXPECT_FALSE(fs::exists(folder / "b.txt.part"));
}

TEST_F(Output, RemovedFolderIsAnError)
{
  CsvFile csv(file("a.csv"), {"time"});
  fs::remove_all(folder);
  EXPECT_TRUE(contains(message([&] { csv.write(CsvRow() << 1.); }), file("a.csv")));
  EXPECT_TRUE(contains(message([&] { atomic_write(file("b"), "b"); }), file("b")));
}

TEST_F(Output, AtomicWriteReplacesOrLeavesAlone)
{
  atomic_write(file("a"), "old");
  atomic_write(file("a"), "new");
  EXPECT_EQ(text("a"), "new");
  EXPECT_THROW(atomic_write(file("a"),
                            [](std::ostream &out)
                            {
                              out << "half";
                              throw std::runtime_error("stop");
                            }),
               std::runtime_error);
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

namespace
{
/// What a checkpoint holds of an object.
template <typename Object>
std::string
state_of(Object &object)
{
  Archive archive;
  archive(object);
  return archive.bytes();
}
} // namespace

TEST_F(Output, ResumeKeepsWhatLiesBefore)
{
  std::string state;
  {
    CsvFile csv(file("a.csv"), {"time", "x"});
    csv.write(CsvRow() << 0. << 5.);
    csv.write(CsvRow() << 0.1 << 6.);
    state = state_of(csv);
    csv.write(CsvRow() << 0.2 << 7.);
  }
  std::ofstream(folder / "a.csv", std::ios::app) << "0.3"; // a torn row
  {
    CsvFile csv(file("a.csv"), {"time", "x"}, Opening::resumed);
    Archive archive(state);
    archive(csv);
    csv.write(CsvRow() << 0.15 << 8.);
  }
  EXPECT_EQ(text("a.csv"), "time,x\n0,5\n0.1,6\n0.15,8\n");

  const auto complaint = [&](const std::vector<std::string> &columns)
  {
    return message(
        [&]
        {
          CsvFile csv(file("a.csv"), columns, Opening::resumed);
          Archive archive(state);
          archive(csv);
        });
  };
  EXPECT_TRUE(contains(complaint({"time", "y"}), "time,y"));
  std::ofstream(folder / "a.csv") << "time,x\n0,5\n";
  EXPECT_TRUE(contains(complaint({"time", "x"}), "it is shorter"));
  EXPECT_EQ(text("a.csv"), "time,x\n0,5\n");
  fs::remove(folder / "a.csv");
  EXPECT_TRUE(contains(complaint({"time", "x"}), file("a.csv")));

  PvdFile old(file("a.pvd"));
  old.add(0, {"old.vtu"});
  old.add(0.1, {"old.vtu"});
  state = state_of(old);
  old.add(0.2, {"old.vtu"});
  PvdFile continued(file("a.pvd"));
  Archive archive(state);
  archive(continued);
  continued.add(0.15, {"new.vtu"});
  const std::string pvd = text("a.pvd");
  EXPECT_EQ(split(pvd, '\n').size(), 8u) << pvd; // two old and one new between 3+2 lines
  EXPECT_TRUE(contains(pvd, "timestep=\"0.15\"")) << pvd;
  EXPECT_FALSE(contains(pvd, "timestep=\"0.2")) << pvd;
}

TEST_F(Output, FilesOfOthersAreNoticed)
{
  for (const bool replaced : {true, false})
  {
    CsvFile csv(file("a.csv"), {"x"});
    csv.write(CsvRow() << 1.);
    const std::string before = text("a.csv");
    if (replaced)
    {
      std::ofstream(folder / "b.csv") << before;
      fs::rename(folder / "b.csv", folder / "a.csv");
    }
    else
      std::ofstream(folder / "a.csv", std::ios::app) << "2\n";
    const std::string present = text("a.csv");
    const std::string said = message([&] { csv.write(CsvRow() << 3.); });
    EXPECT_TRUE(contains(said, file("a.csv")) && contains(said, "replaced")) << said;
    EXPECT_EQ(text("a.csv"), present);
  }
}

TEST_F(Output, PvdIsCompleteAfterEveryAddition)
{
  PvdFile pvd(file("a.pvd"));
  for (unsigned int i = 0; i < 3; ++i)
  {
    pvd.add(0.5 * i, {"a.vtu", "b.vtu"});
    const std::string xml = text("a.pvd");
    EXPECT_EQ(split(xml, '\n').size(), 5u + 2 * (i + 1)) << xml;
    EXPECT_EQ(xml.substr(xml.size() - 27), "  </Collection>\n</VTKFile>\n");
    EXPECT_TRUE(contains(xml, "part=\"1\" file=\"b.vtu\"")) << xml;
  }
  // no room: what is there stays complete
  const std::string before = text("a.pvd");
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  struct rlimit small = limit;
  small.rlim_cur = before.size() + 10;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string said = message([&] { pvd.add(2, {"c.vtu"}); });
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_TRUE(contains(said, file("a.pvd"))) << said;
  EXPECT_EQ(text("a.pvd"), before);
}

// -- histories ----------------------------------------------------------------------------------

TEST_F(Output, StatisticsColumnsAreThePromisedOnes)
{
  const std::string common =
      "time,kinetic_energy,strain_energy,external_work,prescribed_work,restitution_loss,"
      "friction_loss,contact_energy,hourglass_energy,total_energy,energy_error,";
  const std::string counts = ",strain_kicks,collision_tests,collisions,max_penetration,"
                             "damping_loss,projection_work,contact_ripple,layer_energy,"
                             "plastic_work,viscous_loss,dashpot_loss,eroded_energy,deleted_cells\n";
  StatisticsRecorder<3> in_space(folder.string());
  EXPECT_EQ(text("statistics.csv"),
            common +
                "momentum_x,momentum_y,momentum_z,angular_momentum_x,angular_momentum_y,"
                "angular_momentum_z" +
                counts);
  StatisticsRecorder<2> in_plane(folder.string());
  EXPECT_EQ(text("statistics.csv"), common + "momentum_x,momentum_y,angular_momentum_z" + counts);
}

TEST_F(Output, StatisticsHoldTheFrame)
{
  State<2> state;
  state.add({0, 0}, 1);
  state.balance = {1, 2, 4, 8, 16, 32, 64, 256, 128, 4096, 1024, 2048, 8192, 16384, 32768};
  state.contact.tests = 11;
  state.contact.collisions = 12;
  state.contact.max_penetration = 1. / 3;
  state.contact.projection_work = 512;
  const Frame<2> frame{
      0, 0.1, state.nodes, state.balance, -1e-7 / 3, 123456789012345, state.contact, 13};
  StatisticsRecorder<2>(folder.string()).record(frame);

  const auto table = rows(text("statistics.csv"));
  ASSERT_EQ(table.size(), 2u);
  ASSERT_EQ(table[1].size(), table[0].size());
  const std::map<std::string, double> expected = {
      {"time", 0.1},
      {"kinetic_energy", 1},
      {"strain_energy", 2},
      {"hourglass_energy", 4},
      {"external_work", 8},
      {"prescribed_work", 16},
      {"restitution_loss", 32},
      {"friction_loss", 64},
      {"contact_energy", 128},
      {"total_energy",
       1 + 2 + 4 - 8 - 16 + 32 + 64 + 128 + 256 + 1024 + 2048 + 4096 + 8192 + 16384 + 32768},
      {"contact_ripple", 1024},
      {"plastic_work", 2048},
      {"viscous_loss", 8192},
      {"dashpot_loss", 16384},
      {"eroded_energy", 32768},
      {"deleted_cells", 13},
      {"layer_energy", 4096},
      {"damping_loss", 256},
      {"projection_work", 512},
      {"energy_error", -1e-7 / 3},
      {"strain_kicks", 123456789012345},
      {"collision_tests", 11},
      {"collisions", 12},
      {"max_penetration", 1. / 3}};
  for (const auto &entry : expected)
    EXPECT_EQ(value(table, 1, entry.first), entry.second) << entry.first;
}

// A rigidly spinning cloud, far from the origin: momentum M V and angular momentum J w.
TEST_F(Output, MomentaOfARigidMotion3D)
{
  const Point<3> centre(1e6, -2e6, 3e6);
  const Tensor<1, 3> V = Point<3>(3, -1, 2), w = Point<3>(0.5, -0.25, 2);
  const Tensor<1, 3> drift = Point<3>(40, 50, -60);
  State<3> state;
  Tensor<1, 3> J_w;
  const double a = 0.5, m = 0.75;
  for (const double x : {-a, a})
    for (const double y : {-2 * a, 2 * a})
      for (const double z : {-3 * a, 3 * a})
      {
        const Point<3> r(x, y, z);
        state.add(Point<3>(centre + r), m, drift, V + cross_product_3d(w, r));
      }
  for (unsigned int d = 0; d < 3; ++d) // box of eight points: J_xx = 8 m (y^2 + z^2), ...
    J_w[d] = 8 * m * a * a * (14 - (d + 1) * (d + 1)) * w[d];
  const Tensor<1, 3> momentum = 8 * m * V;
  const Tensor<1, 3> angular = J_w + cross_product_3d(drift, momentum);
  StatisticsRecorder<3>(folder.string()).record(state.frame());

  const auto table = rows(text("statistics.csv"));
  const std::string axes = "xyz";
  for (unsigned int d = 0; d < 3; ++d)
  {
    EXPECT_NEAR(value(table, 1, std::string("momentum_") + axes[d]), momentum[d], 1e-12);
    EXPECT_NEAR(value(table, 1, std::string("angular_momentum_") + axes[d]), angular[d], 1e-6);
  }
}

TEST_F(Output, MomentaOfARigidMotion2D)
{
  State<2> state; // masses 1 and 3 at a distance of 2, spinning with 2 about (0.9, 1.2)
  state.add({0, 0}, 1, {}, 2 * Tensor<1, 2>(Point<2>(1.2, -0.9)));
  state.add({1.2, 1.6}, 3, {}, 2 * Tensor<1, 2>(Point<2>(-0.4, 0.3)));
  StatisticsRecorder<2>(folder.string()).record(state.frame());
  const auto table = rows(text("statistics.csv"));
  EXPECT_NEAR(value(table, 1, "momentum_y"), 0, 1e-15);
  EXPECT_NEAR(value(table, 1, "angular_momentum_z"), (1.5 * 1.5 + 3 * 0.5 * 0.5) * 2, 1e-14);
}

TEST_F(Output, ProbesAreAverages)
{
  State<2> state;
  state.add({0, 0}, 1, Point<2>(1, 2), Point<2>(10, 20));
  state.add({1, 0}, 9, Point<2>(3, 5), Point<2>(30, 50)); // masses must not matter
  state.add({2, 0}, 1, Point<2>(7, 7), Point<2>(70, 70));
  const std::vector<Probe> probes = {{"tip", {0, 1}}, {"end", {2}}};
  ProbesRecorder<2> recorder(folder.string(), probes);
  recorder.record(state.frame(0.5));
  EXPECT_EQ(text("probes.csv"),
            "time,tip_displacement_x,tip_displacement_y,tip_velocity_x,tip_velocity_y,"
            "end_displacement_x,end_displacement_y,end_velocity_x,end_velocity_y\n"
            "0.5,2,3.5,20,35,7,7,70,70\n");

  const auto with = [&](const std::vector<Probe> &p)
  { return message([&] { ProbesRecorder<2>(folder.string(), p); }); };
  EXPECT_TRUE(contains(with({{"nothing", {}}}), "nothing"));
  EXPECT_TRUE(contains(with({{"twice", {0}}, {"twice", {1}}}), "twice"));
}

TEST_F(Output, BodiesAreMassAverages)
{
  State<2> state;
  state.add({9, 9}, 5);
  state.add({0, 0}, 1, Point<2>(1, 0), Point<2>(4, 0));
  state.add({4, 4}, 3, Point<2>(1, 0), Point<2>(0, 8));
  const auto cells = std::make_shared<Springs<2>>(std::vector<Spring>());
  const auto others = std::make_shared<Springs<2>>(std::vector<Spring>());
  const std::vector<RecordedBody<2>> bodies = {{"still", 0, 1, {}, {}, {}},
                                               {"fast", 1, 2, {cells, others}, {}, {}},
                                               // the first node, and half of another one's mass
                                               {"tied", 0, 1, {}, {}, {{0, 1.}, {1, 0.5}}}};
  Frame<2> frame = state.frame(2);
  frame.of_families[cells.get()].strain = 0.125;
  frame.of_families[others.get()].strain = 0.0625;
  frame.of_families[others.get()].hourglass = 0.0625;
  BodiesRecorder<2>(folder.string(), bodies).record(frame);
  EXPECT_EQ(text("bodies.csv"),
            "time,body,center_x,center_y,velocity_x,velocity_y,kinetic_energy,strain_energy\n"
            "2,still,9,9,0,0,0,0\n"
            "2,fast,4,3,1,6,104,0.25\n"
            "2,tied,8.272727272727273,8.181818181818182,0.36363636363636365,0,4,0\n");
}

TEST_F(Output, LargestNumbersOfBodies)
{
  State<2> state;
  state.add({9, 9}, 5);
  state.add({0, 0}, 1);
  const std::vector<RecordedBody<2>> bodies = {{"elastic", 0, 1, {}, {}, {}},
                                               {"plastic",
                                                1,
                                                1,
                                                {},
                                                [](const NodeTable<2> &) {
                                                  return std::vector<double>{0.5, 300};
                                                },
                                                {}}};
  BodiesRecorder<2>(folder.string(), bodies, Opening::anew, {"plastic_strain", "temperature"})
      .record(state.frame(2));
  EXPECT_EQ(text("bodies.csv"),
            "time,body,center_x,center_y,velocity_x,velocity_y,kinetic_energy,strain_energy,"
            "largest_plastic_strain,largest_temperature\n"
            "2,elastic,9,9,0,0,0,0,0,0\n"
            "2,plastic,0,0,0,0,0,0,0.5,300\n");
}

// -- summary ------------------------------------------------------------------------------------

TEST_F(Output, SummaryHasThePromisedKeys)
{
  Summary summary;
  summary.cells = 12345678901;
  summary.h_min = 1e-9 / 3;
  summary.kicks["penalty"] = 5;
  summary.wall_time.stepping = 1.5;
  summary.energy_error_max = std::numeric_limits<double>::infinity();
  summary.more.set("status", "failed").set("message", "a \"quoted\"\\ line\nand another");
  summary.more.set("steps", std::vector<double>{1, 0.5});
  write_summary(folder.string(), summary);

  const auto json = nlohmann::json::parse(text("summary.json"));
  for (const char *key : {"/cells",
                          "/nodes",
                          "/h_min",
                          "/h_max",
                          "/h_average",
                          "/work_ratio",
                          "/kicks",
                          "/kicks/strain",
                          "/kicks/collision_tests",
                          "/kicks/collisions",
                          "/wall_time/total",
                          "/wall_time/setup",
                          "/wall_time/stepping",
                          "/wall_time/contact",
                          "/wall_time/output",
                          "/profile/setup",
                          "/profile/strain_kicks",
                          "/profile/drift",
                          "/profile/other_kicks",
                          "/profile/scheduling",
                          "/profile/contact_search",
                          "/profile/contact_response",
                          "/profile/energy_checks",
                          "/profile/output",
                          "/profile/rest",
                          "/kicks_per_second",
                          "/bytes_per_cell",
                          "/peak_memory",
                          "/energy_error_end",
                          "/energy_error_max",
                          "/threads",
                          "/versions"})
    EXPECT_TRUE(json.contains(nlohmann::json::json_pointer(key))) << key;
  EXPECT_EQ(json["cells"], 12345678901u);
  EXPECT_EQ(json["h_min"], 1e-9 / 3);
  EXPECT_EQ(json["kicks"]["penalty"], 5u);
  EXPECT_EQ(json["wall_time"]["stepping"], 1.5);
  EXPECT_TRUE(json["h_max"].is_null());            // unknown
  EXPECT_TRUE(json["energy_error_max"].is_null()); // infinite
  EXPECT_EQ(json["message"], "a \"quoted\"\\ line\nand another");
  EXPECT_GT(json["peak_memory"], 1e6);
  EXPECT_TRUE(contains(text("summary.json"), "\"steps\": [1, 0.5]"));
  EXPECT_TRUE(contains(text("summary.json"), "\"KickDrift\": \""));
}

TEST(Json, ValuesReplaceEarlierOnes)
{
  JsonObject inner, outer;
  outer.set("a", inner).set("b", true).set("a", 2.5);
  EXPECT_EQ(outer.text(), "{\n  \"a\": 2.5,\n  \"b\": true\n}");
  outer.set("b", JsonObject().set("c", 1u));
  EXPECT_EQ(outer.text(), "{\n  \"a\": 2.5,\n  \"b\": {\n    \"c\": 1\n  }\n}");
  outer.set("b", std::vector<JsonObject>{JsonObject().set("c", 1u), JsonObject()});
  outer.set_json("a", "[1, null]");
  EXPECT_EQ(outer.text(), "{\n  \"a\": [1, null],\n  \"b\": [{\n    \"c\": 1\n  }, {}]\n}");
  outer.set("b", std::vector<JsonObject>()).set("a", 1u);
  EXPECT_EQ(outer.text(), "{\n  \"a\": 1,\n  \"b\": []\n}");
}

// -- folder -------------------------------------------------------------------------------------

TEST_F(Output, FolderIsCreatedAndAnEarlierRunRefused)
{
  const std::string path = file("new/run");
  {
    const OutputFolder output(path);
    EXPECT_EQ(output.file("a"), path + "/a");
    std::ofstream(path + "/notes.txt") << "mine";
  }
  EXPECT_NO_THROW(OutputFolder{path}); // no run yet

  for (const char *mark : {"summary.json", "statistics.csv", "parameters.prm", "comparison.json"})
  {
    std::ofstream(path + "/" + mark) << "x";
    const std::string said = message([&] { OutputFolder folder(path); });
    EXPECT_TRUE(contains(said, path) && contains(said, "--overwrite")) << said;
    EXPECT_NO_THROW(OutputFolder(path, ExistingRun::resume));
    EXPECT_TRUE(fs::exists(path + "/" + mark));
    fs::remove(path + "/" + mark);
  }
  EXPECT_TRUE(fs::exists(path + "/notes.txt"));
}

TEST_F(Output, FoldersThatRemainEmptyAreRemoved)
{
  {
    const OutputFolder output(file("new/run"));
    EXPECT_TRUE(fs::exists(file("new/run")));
  }
  EXPECT_FALSE(fs::exists(file("new")));
  {
    const OutputFolder output(file("new/run"));
    std::ofstream(output.file("a")) << "x";
  }
  EXPECT_TRUE(fs::exists(file("new/run/a")));
}

TEST_F(Output, OneAtATime)
{
  {
    const OutputFolder first(file("run"));
    for (const ExistingRun existing :
         {ExistingRun::refuse, ExistingRun::overwrite, ExistingRun::resume})
    {
      const std::string said = message([&] { OutputFolder second(file("run"), existing); });
      EXPECT_TRUE(contains(said, file("run")) &&
                  contains(said, "process " + std::to_string(getpid()) + " on host"))
          << said;
    }
  }
  EXPECT_FALSE(fs::exists(file("run/run.lock")));
  // left behind by one that was killed
  std::ofstream(folder / "run.lock") << "process 1 on host 'x'";
  EXPECT_NO_THROW(OutputFolder(folder.string()));
}

TEST_F(Output, EarlierRunsAreRemovedAndNothingElse)
{
  for (const char *subfolder : {"solution", "surface", "checkpoint"})
    fs::create_directory(folder / subfolder);
  OutputFolder(folder.string()).write_parameters("set a = 1\n");
  for (const char *name : {"solution_000007.pvtu", "surface_000007_0.vtu", "surface.pvd",
                           "solution/solution_000001.vtu", "solution/solution_000002_1.vtu",
                           "surface/surface_000012.vtu.part", "statistics.csv",
                           "checkpoint/checkpoint_000001", "checkpoint/checkpoint_000002.part"})
    std::ofstream(folder / name) << "x";
  const std::vector<std::string> mine = {"solution_of_riddle.txt", "solution_notes.vtu",
                                         "solution_1.vtu", "solution/solution_00000x.vtu",
                                         "checkpoint/checkpoint_old"};
  for (const auto &name : mine)
    std::ofstream(folder / name) << "x";

  OutputFolder(folder.string(), ExistingRun::overwrite).remove_earlier_run();
  std::vector<std::string> left;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory())
      left.push_back(fs::relative(entry.path(), folder).string());
  EXPECT_EQ((std::set<std::string>(left.begin(), left.end())),
            (std::set<std::string>(mine.begin(), mine.end())));
  EXPECT_FALSE(fs::exists(folder / "surface"));
}

TEST_F(Output, EditedParametersAreNobodyElses)
{
  OutputFolder(folder.string()).write_parameters("set a = 1\n");
  EXPECT_TRUE(contains(text("parameters.prm"), "set a = 1"));
  OutputFolder(folder.string(), ExistingRun::resume).write_parameters("set a = 2\n");
  EXPECT_TRUE(contains(text("parameters.prm"), "set a = 2"));

  const std::string edited = text("parameters.prm") + "# mine\n";
  std::ofstream(folder / "parameters.prm") << edited;
  const std::string said =
      message([&] { OutputFolder output(folder.string(), ExistingRun::overwrite); });
  EXPECT_TRUE(contains(said, file("parameters.prm"))) << said;
  const OutputFolder output(folder.string(), ExistingRun::resume);
  output.write_parameters("set a = 3\n");
  output.remove_earlier_run();
  EXPECT_EQ(text("parameters.prm"), edited);
}

TEST_F(Output, UnusablePlacesAreNamed)
{
  std::ofstream(folder / "a") << "x";
  for (const std::string &path : {file("a"), file("a/b"), std::string("/proc/kickdrift")})
  {
    const std::string said = message([&] { OutputFolder folder(path); });
    EXPECT_TRUE(contains(said, path)) << said;
  }
  EXPECT_NE(message([] { OutputFolder folder(""); }), "");
}

// -- progress -----------------------------------------------------------------------------------

TEST(Progress, LinesAtTenthsAndAfterALongTime)
{
  std::ostringstream out;
  double now = 100;
  Progress progress(out, 0, 2, Progress::Style::lines, [&] { return now; });
  const auto n_lines = [&] { return split(out.str(), '\n').size(); };
  for (unsigned int i = 1; i <= 1000; ++i) // 1 s
  {
    now += 1e-3;
    progress.update(2. * i / 1000, 2000 * i, 1e-6);
  }
  EXPECT_EQ(n_lines(), 10u);
  EXPECT_TRUE(contains(split(out.str(), '\n')[4], "t = 1")) << out.str();
  EXPECT_TRUE(contains(split(out.str(), '\n')[4], "50.0 %  2.00e+06 kicks/s")) << out.str();
  EXPECT_TRUE(contains(split(out.str(), '\n')[4], "0.5 s left")) << out.str();
  progress.finish(2, 2000000, 1e-6);
  EXPECT_EQ(n_lines(), 10u); // the last line was there already

  Progress slow(out, 0, 1, Progress::Style::lines, [&] { return now; });
  out.str("");
  for (unsigned int i = 0; i < 60; ++i, now += 1)
    slow.update(0.05, 1, 0);
  EXPECT_EQ(n_lines(), 5u); // at 10, 20, ... 50 s
}

TEST(Progress, OneLineOnATerminal)
{
  std::ostringstream out;
  double now = 0;
  {
    Progress progress(out, 0, 1, Progress::Style::terminal, [&] { return now; });
    for (unsigned int i = 0; i < 100; ++i, now += 0.01)
      progress.update(0.01 * i, 100 * i, 0);
    progress.finish(1, 10000, 0);
  }
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  const unsigned int n_refreshes = std::count(text.begin(), text.end(), '\r');
  EXPECT_GE(n_refreshes, 4u);
  EXPECT_LE(n_refreshes, 6u);
  const auto lines = split(text, '\r'); // each must cover what is visible of the one before
  for (unsigned int i = 2; i < lines.size(); ++i)
    EXPECT_GE(lines[i].size(), lines[i - 1].find_last_not_of(' ') + 1) << text;
}

TEST(Progress, ResumedWorkDoesNotCountForSpeed)
{
  std::ostringstream out;
  double now = 0;
  Progress progress(out, 0, 1, Progress::Style::lines, [&] { return now; });
  progress.resume(0.5, 1000000);
  now = 1;
  progress.update(0.75, 1000100, 0);
  EXPECT_TRUE(contains(out.str(), "1.00e+02 kicks/s")) << out.str();
  EXPECT_TRUE(contains(out.str(), "1.0 s left")) << out.str();
}

TEST(Progress, QuietSaysNothing)
{
  std::ostringstream out;
  Progress progress(out, 0, 1, Progress::Style::quiet);
  progress.update(0.5, 1, 0);
  progress.finish(1, 1, 0);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(Progress::detect_style(true), Progress::Style::quiet);
}

// Lines of warnings go to a stream of their own, however they are cut, and in order with the
// others.
TEST(Log, WarningsApart)
{
  const std::string text = "Wall time\nWarning: one\nplain Warning: two\n\nWarning:three\nWarn";
  for (std::size_t piece = 1; piece <= text.size(); ++piece)
  {
    std::ostringstream out, warnings;
    {
      Log log(out, warnings);
      for (std::size_t i = 0; i < text.size(); i += piece)
        log << text.substr(i, piece);
      log << "ing: " << 4 << '\n' << std::flush << "W";
    }
    EXPECT_EQ(out.str(), "Wall time\nplain Warning: two\n\nWarning:three\nW");
    EXPECT_EQ(warnings.str(), "Warning: one\nWarning: 4\n");
  }
  std::ostringstream out, both;
  both.setstate(std::ios::badbit); // one that is closed
  Log log(both, out);
  log << "lost\n" << std::flush << "Warning: not lost\n";
  EXPECT_EQ(out.str(), "Warning: not lost\n");
}

TEST(Progress, Durations)
{
  EXPECT_EQ(duration_text(4.21), "4.2 s");
  EXPECT_EQ(duration_text(59.96), "1 min 00 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(std::nan("")), "unknown");
}
