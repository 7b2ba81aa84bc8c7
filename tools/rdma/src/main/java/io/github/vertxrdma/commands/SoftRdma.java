package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

public abstract sealed class SoftRdma {

  @Command(name = "siw", header = "Makes an iWARP device in software, or removes it.", subcommands = {Up.class, Down.class},
    description = {"",
      "siw0, for machines without RDMA hardware. Needs root, and a kernel with the module siw (Ubuntu's and Fedora's have it, Debian's have"
        + " not)."})
  public static final class Siw extends SoftRdma {
  }

  @Command(name = "rxe", header = "Makes a RoCE v2 device in software, or removes it.", subcommands = {Up.class, Down.class},
    description = {"",
      "rxe0, for machines without RDMA hardware. Needs root, and a kernel with the module rdma_rxe (Debian's, Ubuntu's and Fedora's have"
        + " it)."})
  public static final class Rxe extends SoftRdma {
  }

  @Command(name = "up", header = "Makes the device.")
  public static final class Up implements RdmaCommand {
    @ParentCommand
    public SoftRdma kind;

    @Parameters(arity = "0..1", paramLabel = "NETDEV", description = "The network device under it; default: that of the default route,"
      + " else a dummy that reaches this machine alone.")
    public String netdev;
  }

  @Command(name = "down", header = "Removes the device.")
  public static final class Down implements RdmaCommand {
    @ParentCommand
    public SoftRdma kind;
  }
}
