package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

@Command(name = "doctor", header = "Checks this machine and prints how to repair problems.", description = {"",
  "Prints one line for each check: ok, warning or failure, with the command that repairs it. The status is 1 if there is a"
    + " failure.",
  "",
  "It also checks what a connection needs to use a fabric: Netty's epoll, the runtime folder, the cluster secret, and devices. To see "
    + "which ports of another node a firewall permits, use ./rdma ping NODE."})
public final class Doctor implements RdmaCommand {
}
