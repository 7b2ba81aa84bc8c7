package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

/** {@code doctor}. */
@Command(name = "doctor", header = "Checks this machine and says how to fix what is wrong.", description = {"",
  "Checks what RDMA needs of this machine: one line per check, ok, warning or failure, with the command that fixes it. The status is 1 if"
    + " there is a failure."})
public final class Doctor implements RdmaCommand {
}
