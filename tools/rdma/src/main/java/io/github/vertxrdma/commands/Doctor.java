package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;

@Command(name = "doctor", header = "Checks this machine and prints how to repair problems.", description = {"",
  "Prints one line for each check: ok, warning or failure, with the command that repairs it. The status is 1 if there is a"
    + " failure.",
  "",
  "It also checks what decides whether a connection uses a fabric: Netty's epoll, the runtime folder, the cluster secret, and"
    + " devices. ./rdma ping NODE shows which ports of another node a firewall permits."})
public final class Doctor implements RdmaCommand {
}
