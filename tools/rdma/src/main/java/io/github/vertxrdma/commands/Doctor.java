package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

/** {@code doctor}. */
@Command(name = "doctor", header = "Checks this machine and says how to fix what is wrong.", description = {"",
  "Checks what RDMA needs of this machine: one line per check, ok, warning or failure, with the command that fixes it. The status is 1 if"
    + " there is a failure.",
  "",
  "Checks also what decides whether a connection takes a fabric: Netty's epoll, the runtime folder, the cluster secret, and devices. What a"
    + " firewall lets through to another node is what ./rdma ping NODE shows."})
public final class Doctor implements RdmaCommand {
}
