package io.github.vertxrdma.commands;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code test}. */
@Command(name = "test", header = "The tests.", description = {"",
  "Builds and runs the tests; at most 30 minutes on two cores. Each module has a line when it is through, a failed test when it failed. At"
    + " the end stands each failure with its stack, where the time went, each test that was skipped or failed with its reason, then a"
    + " line `N passed, N failed, N skipped`. The status is 0 if something passed and nothing failed.", "",
  "The verbs provider is tested on software devices in an emulated machine (QEMU, Debian packages), where that can be made; else it says"
    + " why, and counts as skipped. So it does where the machine is too slow for the provider contract, unless --all or --verbs ask for"
    + " more.", "",
  "Fabrics of libfabric are tested where libfabric is installed; as root on Debian and Ubuntu it is installed for that.", ""})
public final class Test implements RdmaCommand {
  @Option(names = "--all", description = "The long tests too, the containers and the site of the docs.")
  boolean all;

  @Option(names = "--verbose", description = "All that Maven and the tests print, as it comes; target/rdma/*.log has it in any case.")
  boolean verbose;

  @ArgGroup
  Part part;

  /** One part of the tests alone. */
  static final class Part {
    @Option(names = "--verbs", description = "Only what is run in the emulated machine: the tests of the verbs provider, connections,"
      + " remote memory, services, two adapters, two NUMA nodes, functions, contracts, demos, and Vert.x's of the event bus.")
    boolean verbs;

    @Option(names = "--compose", description = "Only the three nodes in containers (docker-compose.yml): builds the image, sees them hear"
      + " each other, kills one; over tcp, and in the emulated machine over siw and rxe.")
    boolean compose;

    @Option(names = "--checks", description = "Only what needs no run: Error Prone finds nothing, the notices name every dependency, and a"
      + " release built twice, in two folders, is the same byte for byte.")
    boolean checks;

    @Option(names = "--versions", description = "Only the contract on each version of libfabric and rdma-core that is supported: the system's,"
      + " and libfabric's that are built, or whose sources lie, in VERTX_RDMA_LIBRARIES (~/.cache/vertx-rdma by default).")
    boolean versions;

    @Option(names = "--libfabric", paramLabel = "PATH", description = "Only the fabrics of libfabric, with the libfabric.so at PATH.")
    Path libfabric;
  }

  @Override
  public void check() {
    if (part != null && part.libfabric != null && !Files.isReadable(part.libfabric)) {
      throw new UsageException("--libfabric needs the path of a libfabric.so that can be read");
    }
  }
}
