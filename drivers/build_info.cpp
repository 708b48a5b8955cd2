#include "build_info.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <boost/version.hpp>

#include "base/system.hpp"
#include "build_settings.hpp"
#include "results/content.hpp"
#include "revision.hpp"

namespace fairfront::drivers {
namespace {

std::string mpi_version() {
#if defined(OMPI_MAJOR_VERSION)
  return fmt::format("Open MPI {}.{}.{}", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                     OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
  return fmt::format("MPICH {}", MPICH_VERSION);
#else
  return fmt::format("MPI {}.{}", MPI_VERSION, MPI_SUBVERSION);
#endif
}

std::string libraries() {
  return fmt::format("{}; HDF5 {}; Boost {}.{}.{}; fmt {}.{}.{}; OpenSSL {}; zlib {}; Eigen {}",
                     mpi_version(), hdf5_version, BOOST_VERSION / 100000,
                     BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100, FMT_VERSION / 10000,
                     FMT_VERSION / 100 % 100, FMT_VERSION % 100, openssl_version, zlib_version,
                     eigen_version);
}

}  // namespace

results::LaunchFacts build_provenance() {
  results::LaunchFacts facts;
  facts.program_version = program_version;
  facts.git_revision = git_revision;
  facts.git_dirty = git_dirty;
  facts.compiler = compiler;
  facts.compiler_flags = compiler_flags;
  facts.libraries = libraries();
  return facts;
}

std::string version_text() {
  const results::LaunchFacts facts = build_provenance();
  return fmt::format(
      "fairfront {}\nrevision   {}{}\ncompiler   {}\nflags      {}\nlibraries  {}\nprocessor  {}\n"
      "archives   format version {}\n",
      facts.program_version, facts.git_revision, facts.git_dirty ? " with local changes" : "",
      facts.compiler, facts.compiler_flags, facts.libraries, base::processor(),
      results::format_version);
}

}  // namespace fairfront::drivers
