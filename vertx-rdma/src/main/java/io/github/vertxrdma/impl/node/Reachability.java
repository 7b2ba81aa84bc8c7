package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.process.LivenessSocket;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import java.net.InetAddress;

final class Reachability {
  private Reachability() {
  }

  /**
   * Returns why a node cannot reach an address of a peer, according to their directory entries. The caller checks that the node has the
   * fabric.
   *
   * @param self connecting node
   * @param peer listening node
   * @param subnet {@link Device#subnet()} of the connecting node's device
   * @return null if the node can reach the address
   */
  static String obstacle(NodeEntry self, NodeEntry peer, FabricAddress address, String subnet) {
    if (!self.sharesSecret(peer)) {
      return no(peer, address, "the nodes have different cluster secrets. Give both the same secret (VERTX_RDMA_SECRET_FILE)");
    }
    return switch (address.reach()) {
      case PROCESS -> self.process().sameProcess(peer.process()) ? null : no(peer, address, "that node is in another process, and this "
        + "fabric connects nodes of one process only");
      case HOST -> host(self.process(), peer, address, subnet);
      case NETWORK -> network(self.process(), peer, address, subnet);
    };
  }

  /** Compares the runtime folders' device and inode numbers. If those of two hosts are equal by chance, the connect fails. */
  private static String host(ProcessIdentity self, NodeEntry peer, FabricAddress address, String subnet) {
    if (address.subnet().equals(subnet)) {
      return null;
    }
    ProcessIdentity other = peer.process();
    if (other.process() == 0) {
      return no(peer, address, "the host of that node is not known");
    }
    return no(peer, address,
      "its runtime folder is " + named(address.subnet()) + (self.host().equals(other.host()) ? "" : " of host "
        + other.host()) + ", and that of this node is " + named(subnet) + ". Give processes and containers of one host one "
        + "runtime folder (VERTX_RDMA_RUNTIME)");
  }

  private static String named(String subnet) {
    return subnet.isEmpty() ? "none" : subnet;
  }

  private static String network(ProcessIdentity self, NodeEntry peer, FabricAddress address, String subnet) {
    if (address.address().format().equals(EndpointAddress.INET)) {
      InetAddress ip = address.address().toInet().getAddress();
      if (ip.isAnyLocalAddress()) {
        return no(peer, address, "that node advertises a wildcard address");
      }
      ProcessIdentity other = peer.process();
      // A statically configured peer has no process identity. Its loopback address means this host.
      if (ip.isLoopbackAddress() && other.process() != 0) {
        if (!LivenessSocket.sameHost(self, other)) {
          return no(peer, address, "that node advertises a loopback address, and its runtime folder is that of another host, "
            + other.host() + ". If both run on one host, give them one runtime folder (VERTX_RDMA_RUNTIME)");
        }
        if (!same(self.netNamespace(), other.netNamespace())) {
          return no(peer, address, "that node advertises a loopback address of another network namespace (container)");
        }
      }
    }
    if (!address.subnet().isEmpty() && !subnet.isEmpty() && !address.subnet().equals(subnet)) {
      return no(peer, address, "that node is in subnet " + address.subnet() + ", and this node is in " + subnet);
    }
    return null;
  }

  private static boolean same(long namespace, long other) {
    return namespace != 0 && namespace == other;
  }

  private static String no(NodeEntry peer, FabricAddress address, String why) {
    return "node " + peer.nodeId() + " cannot be reached by " + address.fabric() + " at " + address.address() + ": " + why;
  }
}
