package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;

/** Checks the TCP port on which a cluster forms by default. */
final class PortsCheck implements Check {
  private final int port;

  PortsCheck(int port) {
    this.port = port;
  }

  @Override
  public List<Finding> run(Machine machine) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(port));
      return List.of(Finding.ok("TCP " + port, "free for Hazelcast"));
    } catch (IOException e) {
      return List.of(Finding.ok("TCP " + port, "taken (" + e.getMessage() + "); Hazelcast takes the next free one, so nothing has to be "
        + "mended; who has it: " + machine.sudo() + "ss -ltnp sport = :" + port));
    }
  }
}
