package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

@Command(name = "build", header = "Builds the project.", description = {"",
  "The other commands build the project when a source has changed. Use this command to build it in advance, for example before you "
    + "start a command with sudo."})
public final class Build implements RdmaCommand {
}
