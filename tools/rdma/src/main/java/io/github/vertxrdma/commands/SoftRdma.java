package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

public abstract sealed class SoftRdma {

  @Command(name = "siw", header = "Makes an iWARP device in software, or removes it.", subcommands = {Up.class, Down.class},
    description = {"",
      "The device siw0 is for machines without RDMA hardware. It needs root, and a kernel with the module siw: kernels of Ubuntu and "
        + "Fedora have it, those of Debian do not."})
  public static final class Siw extends SoftRdma {
  }

  @Command(name = "rxe", header = "Makes a RoCE v2 device in software, or removes it.", subcommands = {Up.class, Down.class},
    description = {"",
      "The device rxe0 is for machines without RDMA hardware. It needs root, and a kernel with the module rdma_rxe: kernels of "
        + "Debian, Ubuntu and Fedora have it."})
  public static final class Rxe extends SoftRdma {
  }

  @Command(name = "up", header = "Makes the device.")
  public static final class Up implements RdmaCommand {
    @ParentCommand
    public SoftRdma kind;

    @Parameters(arity = "0..1", paramLabel = "NETDEV", description = "Network interface that the device uses; default: that of the "
      + "default route, otherwise a new dummy interface, which reaches this machine only.")
    public String netdev;
  }

  @Command(name = "down", header = "Removes the device.")
  public static final class Down implements RdmaCommand {
    @ParentCommand
    public SoftRdma kind;
  }
}
