package io.github.vertxrdma.commands;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "test", header = "Builds and runs the tests.", description = {"",
  "Takes about 14 minutes on two cores. Prints a line when a test JVM has ended, and when a test fails. At the end it prints how "
    + "long each part took, the reasons for skipped tests, each failure with its stack, and a line `N passed, N failed, N skipped`. "
    + "The status is 0 if something passed and nothing failed.",
  "",
  "With a test class, such as ConnectionTest, or a method of it, such as ConnectionTest.missingNameIsNamed, it runs only these tests.",
  "",
  "As root on Debian and Ubuntu it installs the packages that the tests use: libfabric, rdma-core, their headers, a C compiler and"
    + " perftest."
    + " Otherwise it prints the command and skips the tests that need them.",
  "",
  "With --full and --verbs the verbs provider is tested on software devices in an emulated machine (QEMU, Debian packages). If this "
    + "machine cannot be emulated, or is too slow for --full, the remaining tests count as skipped, with the reason.",
  ""})
public final class Test implements RdmaCommand {
  @ArgGroup
  Extent extent;

  static final class Extent {
    @Option(names = "--fast",
      description = "Runs a selection for use while coding, at most 3 minutes: the provider contract on devices in memory,"
        + " nio and shm, connections and remote memory on each kind of fabric, and the simulator.")
    boolean fast;

    @Option(names = "--changed", description = "Also runs tests of --full for modules that changed since the last --full run, and for "
      + "modules that use them, for at most 4 minutes. Continuous integration uses it.")
    boolean changed;

    @Option(names = "--full", description = "Runs all tests except the long ones, on four other versions of Vert.x instead of one, and the "
      + "provider contract in the emulated machine; about 45 minutes.")
    boolean full;

    @Option(names = "--all", description = "Also runs the long tests, the containers, the checks and the site of the docs; some hours.")
    boolean all;
  }

  @Option(names = "--verbose",
    description = "Prints the output of Maven and of scripts, which is always in target/rdma/*.log. The output of tests is in "
      + "target/rdma/tests.")
  boolean verbose;

  @Option(names = "--repeat", paramLabel = "N", description = "Runs the class, or each class that starts processes or reads a clock, N "
    + "times beside two busy processes, and adds the results to tests/repeats.tsv.")
  int repeat;

  @Parameters(arity = "0..1", paramLabel = "CLASS[.METHOD]", description = "A test class, or a test in it.")
  String selected;

  @ArgGroup
  Part part;

  static final class Part {
    @Option(names = "--verbs", description = "Runs only the tests in the emulated machine: the verbs provider, connections, remote "
      + "memory, services, two adapters, two NUMA nodes, functions, contracts, demos, Vert.x's tests of the event bus, and "
      + "tests/adapters/run.")
    boolean verbs;

    @Option(names = "--compose",
      description = "Runs only the three nodes in containers (docker-compose.yml): builds the image, checks that the nodes receive "
        + "messages from each other, and kills one; over tcp, and in the emulated machine over siw and rxe.")
    boolean compose;

    @Option(names = "--checks",
      description = "Runs only static checks: the format and rules of the text, Error Prone, the notices of all dependencies, and "
        + "whether a release that is built in two folders is the same byte for byte.")
    boolean checks;

    @Option(names = "--versions",
      description = "Runs only the provider contract, with each supported version of libfabric and rdma-core: that of the system, and "
        + "versions of libfabric whose sources or builds are in VERTX_RDMA_LIBRARIES (default: ~/.cache/vertx-rdma).")
    boolean versions;

    @Option(names = "--libfabric", paramLabel = "PATH", description = "Runs only the tests of libfabric's fabrics, with the "
      + "libfabric.so at PATH.")
    Path libfabric;
  }

  @Override
  public void check() {
    if (repeat != 0 && (repeat < 0 || part != null || extent != null)) {
      throw new UsageException("--repeat needs a number above 0, and no option that selects other tests");
    }
    if (selected != null && (part != null || extent != null)) {
      throw new UsageException("a test class cannot be combined with an option that selects other tests");
    }
    if (part != null && extent != null && (!extent.all || part.libfabric == null)) {
      throw new UsageException((extent.fast ? "--fast" : extent.changed ? "--changed" : extent.full ? "--full" : "--all")
        + " cannot be combined with an option for one part of the tests" + (extent.all ? ", except --libfabric" : ""));
    }
    if (part != null && part.libfabric != null && !Files.isReadable(part.libfabric)) {
      throw new UsageException("--libfabric needs the path of a libfabric.so that can be read");
    }
  }
}
