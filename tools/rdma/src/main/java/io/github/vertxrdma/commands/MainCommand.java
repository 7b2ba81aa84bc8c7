package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "rdma", description = "RDMA for Vert.x: demos, tests and tools. The first command builds them.",
  subcommands = {Demo.class, Test.class, Info.class, Doctor.class, Ping.class, Stat.class, Perf.class, Soak.class,
    MainCommand.Build.class, MainCommand.Docs.class, MainCommand.Install.class, MainCommand.Release.class,
    MainCommand.CompletionScript.class},
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

  @Command(name = "build", header = "Builds the project.", description = {"",
    "The other commands build the project when a source has changed. Use this command to build it in advance, for example before you "
      + "start a command with sudo."})
  static final class Build implements RdmaCommand {
  }

  @Command(name = "docs", header = "Builds a website from the docs.", description = {"",
    "Builds a website from docs/*.adoc in target/site, and prints its address. A warning of Asciidoctor, a page that is missing in the "
      + "index, and a dead link are errors: each is printed, and the status is 1. Links to other sites are not checked.",
    "",
    "The first run downloads Asciidoctor from Maven Central. If that fails, the status is 125. The site itself loads nothing from other "
      + "sites."})
  static final class Docs implements RdmaCommand {
  }

  @Command(name = "install", header = "Installs the libraries into the local Maven repository.", description = {"",
    "Builds the libraries with sources and Javadoc into the local Maven repository (~/.m2). An application depends on"
      + " io.github.vertxrdma:vertx-rdma-cluster. Runs no tests."})
  static final class Install implements RdmaCommand {
  }

  @Command(name = "release", header = "Rehearses a release.", description = {"",
    "Builds the release twice, with sources, Javadoc (a warning is an error) and a bill of materials, compares the two byte for"
      + " byte, and puts the first into a staging repository in target/release. Signs it with a temporary key, checks the rules of"
      + " Maven Central one by one, and runs the README's first program in a project that uses only the staging repository.",
    "",
    "Each check is a line: ok, failed, or skipped with its reason. The status is 1 if one failed. Nothing is uploaded; the"
      + " project's workflow does that for a tag. MAVEN_ARGS has further arguments for Maven.",
    ""})
  static final class Release implements RdmaCommand {
    @Option(names = "--dry-run", required = true, description = "Required: nothing is released from here.")
    boolean dryRun;
  }

  @Command(name = "completion", header = "Prints a completion script for bash and zsh.", description = {"",
    "To have options completed in this shell:", "  source <(./rdma completion)"})
  static final class CompletionScript implements RdmaCommand {
  }
}
