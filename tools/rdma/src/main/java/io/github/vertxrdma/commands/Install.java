package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

/** {@code install}. */
@Command(name = "install", header = "Puts the libraries into the local Maven repository.", description = {"",
  "Builds everything and puts it into the local Maven repository (~/.m2), so that an application can depend on"
    + " io.github.vertxrdma:vertx-rdma-cluster. Runs no tests."})
public final class Install implements RdmaCommand {
}
