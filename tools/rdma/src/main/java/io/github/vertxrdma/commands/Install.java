package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

@Command(name = "install", header = "Installs the libraries into the local Maven repository.", description = {"",
  "Builds the libraries with sources and Javadoc into the local Maven repository (~/.m2). An application depends on"
    + " io.github.vertxrdma:vertx-rdma-cluster. Runs no tests."})
public final class Install implements RdmaCommand {
}
