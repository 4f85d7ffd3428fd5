// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "overlay/build_testing.h"
#include "overlay/overlay.h"
#include "overlay/store.h"

namespace sndr::overlay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ScopedEnv;
using testing::World;

void used_at(const Built& built, std::int64_t seconds) {
  const struct timespec times[2] = {{seconds, 0}, {seconds, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (built.path / "used").c_str(), times, 0), 0);
}

/// Three overlays, last used at 300, 100 and 200 seconds.
std::vector<Built> three(World& world) {
  std::vector<Built> out = {world.built()};
  world.patches.pop_back();
  out.push_back(world.built());
  world.patches[0].fingerprint += "z";
  out.push_back(world.built());
  used_at(out[0], 300);
  used_at(out[1], 100);
  used_at(out[2], 200);
  return out;
}

/// A process that sleeps, with GENESIS_OVERLAY set or not, until the scope ends.
class Sleeper {
 public:
  explicit Sleeper(const std::string& overlay) {
    std::string program = "sleep", time = "60", variable = "GENESIS_OVERLAY=" + overlay;
    std::vector<char*> argv = {program.data(), time.data(), nullptr};
    std::vector<char*> environment = {nullptr, nullptr};
    if (!overlay.empty()) environment[0] = variable.data();
    EXPECT_EQ(::posix_spawnp(&pid_, "sleep", nullptr, nullptr, argv.data(), environment.data()), 0);
    // exec gives the process its environment a moment after its name.
    const auto seen = [&](const char* file, const std::string& text) {
      return read_file(fs::path("/proc") / std::to_string(pid_) / file)
          .value_or("")
          .starts_with(text);
    };
    for (int i = 0;
         i < 5000 && !(seen("comm", "sleep\n") && (overlay.empty() || seen("environ", variable)));
         ++i)
      ::usleep(2000);
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string start_time() const {
    const auto stat = read_file(fs::path("/proc") / std::to_string(pid_) / "stat").value();
    return std::string(split(stat, ' ').at(21));
  }

 private:
  pid_t pid_ = 0;
};

std::vector<std::string> hashes(const std::vector<Listed>& list) {
  std::vector<std::string> out;
  for (const auto& entry : list) out.push_back(entry.hash);
  return out;
}

TEST(List, NewestUseFirst) {
  World world;
  EXPECT_THAT(list().value(), IsEmpty());
  const auto built = three(world);
  world.write("home/overlays/notes.txt", "not ours");
  const auto found = list().value();
  EXPECT_THAT(hashes(found), ElementsAre(built[0].hash, built[2].hash, built[1].hash));
  EXPECT_EQ(found[0].vllm, "9.9.9");
  EXPECT_THAT(found[0].ids, ElementsAre("P1", "P2"));
  EXPECT_THAT(found[1].ids, ElementsAre("P1"));
  EXPECT_EQ(found[0].used_at, 300);
  EXPECT_GT(found[0].built_at, 1'700'000'000);
  EXPECT_GT(found[0].bytes, 1000U);
  EXPECT_THAT(found[0].running, IsEmpty());
  EXPECT_EQ(found[0].path, built[0].path);
}

TEST(List, SaysWhatIsDamaged) {
  World world;
  const Built built = world.built();
  const auto manifest = built.path / "manifest.json";
  const auto problem = [] { return list().value().at(0).problem; };
  world.write(world.relative(manifest), "{\"format\": 2}");
  EXPECT_EQ(problem(), manifest.string() + " has another format than 1");
  world.write(world.relative(manifest), "{\"format\": 1}");
  EXPECT_EQ(problem(), manifest.string() + " has no 'files'");
  world.write(world.relative(manifest),
              "{\"format\": 1, \"hash\": \"0123456789\", \"files\": {}, \"links\": {}}");
  EXPECT_EQ(problem(), "its manifest belongs to 01234567");
  fs::remove(manifest);
  EXPECT_EQ(problem(), "cannot read " + manifest.string() + ": No such file or directory");
}

TEST(Collect, KeepsTheMostRecentlyUsed) {
  World world;
  EXPECT_THAT(collect(0, false).value(), IsEmpty());
  const auto built = three(world);
  EXPECT_THAT(hashes(collect(1, true).value()), ElementsAre(built[2].hash, built[1].hash));
  EXPECT_EQ(list().value().size(), 3U) << "a dry run removes nothing";
  EXPECT_THAT(hashes(collect(2, false).value()), ElementsAre(built[1].hash));
  EXPECT_THAT(hashes(list().value()), ElementsAre(built[0].hash, built[2].hash));
  fs::remove(built[0].path / "manifest.json");
  EXPECT_THAT(hashes(collect(1, false).value()), ElementsAre(built[0].hash))
      << "a damaged one is no use, however new";
  EXPECT_THAT(hashes(collect(0, false).value()), ElementsAre(built[2].hash));
  EXPECT_EQ(entries(overlays_dir()), std::vector<std::string>{".lock"});
}

TEST(Collect, NeverOneThatRuns) {
  World world;
  const auto built = three(world);
  const Sleeper by_environment(built[0].path.string());
  const Sleeper by_record(""), mounted("/somewhere/else/" + built[2].hash + "/");
  const auto record = [&](const std::string& start_time) {
    world.write("home/run/1.json", "{\"pid\": " + std::to_string(by_record.pid()) +
                                       ", \"start_time\": " + start_time + ", \"overlay\": \"" +
                                       built[1].path.string() + "\"}");
  };
  record(by_record.start_time());
  world.write("home/run/2.json", "{broken");
  world.write("home/run/3.json", "{\"pid\": 0, \"overlay\": \"x\"}");
  const auto found = list().value();
  EXPECT_THAT(found[0].running, ElementsAre(by_environment.pid()));
  EXPECT_THAT(found[1].running, ElementsAre(mounted.pid()))
      << "by its name, wherever it is mounted";
  EXPECT_THAT(found[2].running, ElementsAre(by_record.pid()));
  EXPECT_THAT(collect(0, false).value(), IsEmpty());
  record("12345");  // the pid was used again since
  EXPECT_THAT(hashes(collect(0, false).value()), ElementsAre(built[1].hash));
}

struct Damage {
  std::string what;
  std::function<void(World&, const Built&)> make;
  std::string expected;  // OVERLAY and SITE stand for the paths
};

TEST(Verify, NamesTheDamage) {
  const std::vector<Damage> damages = {
      {"nothing", [](World&, const Built&) {}, ""},
      {"compiled files",
       [](World& w, const Built& b) {
         w.write(w.relative(b.path) + "/vllm/__pycache__/params.cpython-311.pyc", "x");
       },
       ""},
      {"changed",
       [](World& w, const Built& b) {
         w.write(w.relative(b.path) + "/vllm/params.py", "one = 12\n");
       },
       "OVERLAY/vllm/params.py was changed"},
      {"missing", [](World&, const Built& b) { fs::remove(b.path / "boot/sitecustomize.py"); },
       "cannot read OVERLAY/boot/sitecustomize.py: No such file or directory"},
      {"another file",
       [](World& w, const Built& b) { w.write(w.relative(b.path) + "/vllm/evil.py", "x\n"); },
       "OVERLAY/vllm/evil.py is none of the overlay's files"},
      {"a link elsewhere",
       [](World& w, const Built& b) {
         fs::remove(b.path / "vllm/moe/configs");
         fs::create_symlink(w.path(), b.path / "vllm/moe/configs");
       },
       "OVERLAY/vllm/moe/configs is no link to SITE/vllm/moe/configs"},
      {"a link to nothing",
       [](World& w, const Built&) { fs::remove_all(w.tree().package / "moe/configs"); },
       "SITE/vllm/moe/configs is gone; OVERLAY/vllm/moe/configs links to it"},
      {"another's manifest",
       [](World&, const Built& b) {
         fs::rename(b.path, b.path.parent_path() / std::string(64, '0'));
       },
       "OVERLAY has the manifest of HASH"},
  };
  for (const auto& damage : damages) {
    SCOPED_TRACE(damage.what);
    World world;
    world.patches.push_back(World::third());
    const Built built = world.built();
    damage.make(world, built);
    const auto path =
        fs::exists(built.path) ? built.path : built.path.parent_path() / std::string(64, '0');
    const auto status = verify(path);
    ASSERT_EQ(status.has_value(), damage.expected.empty());
    if (status) continue;
    auto what = replace_all(status.error().what, path.string(), "OVERLAY");
    what = replace_all(what, world.tree().site.string(), "SITE");
    EXPECT_EQ(replace_all(what, built.hash, "HASH"), damage.expected);
    EXPECT_EQ(status.error().hint,
              "remove " + path.string() + " and start again; it is built anew");
  }
}

TEST(Environment, Table) {
  const std::string hash(64, 'a'), other(64, 'b');
  Built built;
  built.hash = hash;
  built.path = "/home/overlays/" + hash;
  const std::string boot = built.path.string() + "/boot";
  struct Case {
    const char* python_path;  // nullptr: unset
    const char* plugins;
    std::string expected_path, expected_plugins;
  };
  const std::string nested = "/other/overlays/" + other + "/boot:/a";
  const std::string twice = boot + ":/a:/b/boot";
  const std::vector<Case> cases = {
      {nullptr, nullptr, boot, "unset"},
      {"", "", boot, "genesis"},
      {"/a:/b", "lora", boot + ":/a:/b", "lora,genesis"},
      {":/a:", "genesis", boot + "::/a:", "genesis"},
      {nested.c_str(), "a,genesis,b", boot + ":/a", "a,genesis,b"},
      {twice.c_str(), "genesis2", boot + ":/a:/b/boot", "genesis2,genesis"},
  };
  const ScopedEnv keep_path("PYTHONPATH", ""), keep_plugins("VLLM_PLUGINS", "");
  const auto set = [](const char* name, const char* value) {
    if (value == nullptr)
      ::unsetenv(name);
    else
      ::setenv(name, value, 1);
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.expected_path);
    set("PYTHONPATH", one.python_path);
    set("VLLM_PLUGINS", one.plugins);
    std::map<std::string, std::string> got;
    for (auto& [name, value] : environment_for(built, "/home/live/1")) got[name] = value;
    EXPECT_EQ(got["GENESIS_OVERLAY"], built.path.string());
    EXPECT_EQ(got["GENESIS_LIVE"], "/home/live/1");
    EXPECT_EQ(got["PYTHONPATH"], one.expected_path);
    EXPECT_EQ(got.contains("VLLM_PLUGINS") ? got["VLLM_PLUGINS"] : "unset", one.expected_plugins);
    EXPECT_EQ(got.size(), one.expected_plugins == "unset" ? 3U : 4U);
  }
}

TEST(Home, IsAbsolute) {
  {
    const ScopedEnv set("SNDR_HOME", "here/../there/");
    EXPECT_EQ(home(), fs::current_path() / "there");
  }
  const ScopedEnv unset("SNDR_HOME", ""), user("HOME", "/home/user");
  EXPECT_EQ(home(), "/home/user/.sndr");
  EXPECT_EQ(overlays_dir(), "/home/user/.sndr/overlays");
}

}  // namespace
}  // namespace sndr::overlay
