package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

@Command(name = "completion", header = "Prints a completion script for bash and zsh.", description = {"",
  "To have options completed in this shell:", "  source <(./rdma completion)"})
public final class CompletionScript implements RdmaCommand {
}
