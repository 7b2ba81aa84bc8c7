package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

@Command(name = "build", header = "Builds the project.", description = {"",
  "The other commands build it when a source has changed. This command builds it beforehand, for example before a command is"
    + " started with sudo."})
public final class Build implements RdmaCommand {
}
