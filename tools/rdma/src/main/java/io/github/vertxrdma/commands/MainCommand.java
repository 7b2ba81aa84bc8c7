package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "rdma", description = "RDMA for Vert.x: demos, tests and tools. The first command builds them.",
  subcommands = {Demo.class, Test.class, Info.class, Doctor.class, Ping.class, Stat.class, Perf.class, Soak.class,
    Build.class, Docs.class, Install.class, Release.class, CompletionScript.class},
  footer = {"", "./rdma COMMAND --help shows the options of a command.", "", "Environment:",
    "  JAVA_HOME             a JDK 25 or later; otherwise PATH and the usual", "                        folders are searched",
    "  VERTX_RDMA_LIBFABRIC  path of the libfabric library to use",
    "  VERTX_RDMA_VERBS      path of the libibverbs library to use",
    "  VERTX_RDMA_RDMACM     path of the librdmacm library to use"})
final class MainCommand {
  @Option(names = "--verbose", description = "Prints the executed commands.")
  boolean verbose;

  @Option(names = "--install", description = "Installs libfabric and libibverbs even without an RDMA device. As root on Debian and Ubuntu"
    + " they are installed automatically if there is a device, and Maven if it is missing.")
  boolean install;

  @Option(names = "--no-install", description = "Installs no packages.")
  boolean noInstall;

  @Option(names = "--version", description = "Prints the version.")
  boolean version;
}
