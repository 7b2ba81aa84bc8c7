package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.SoftwareDevice;
import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;
import java.net.InetAddress;

/** TCP sockets: system calls of Linux or channels of the JDK, with the same wire protocol. */
class NioDevice extends SoftwareDevice {
  static final String NAME = "nio";

  final InetAddress host;
  final PortRange ports;
  private final boolean linux;

  NioDevice(InetAddress host, PortRange ports, boolean linux) {
    super(NAME, Reach.NETWORK, Preference.SOCKETS, common().waiting(linux ? Waiting.FD : Waiting.WAKEUP).kernelSocket(true),
      SoftwareRemoteMemory.KEY_SIZE);
    this.host = host;
    this.ports = ports;
    this.linux = linux;
  }

  SocketSet sockets() {
    return linux ? new LinuxSet() : new ChannelSet();
  }

  boolean callsLinux() {
    return linux;
  }

  @Override
  public Domain open() {
    return new NioDomain(this);
  }

  @Override
  public String toString() {
    return NAME + (linux ? " (system calls of Linux)" : " (channels of the JDK)");
  }
}
