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
    String why = !self.sharesSecret(peer)
      ? "the nodes have different cluster secrets. Give both the same secret (VERTX_RDMA_SECRET_FILE)" : switch (address.reach()) {
        case PROCESS -> self.process().sameProcess(peer.process()) ? null
          : "that node is in another process, and this fabric connects nodes of one process only";
        case HOST -> host(self.process(), peer.process(), address, subnet);
        case NETWORK -> network(self.process(), peer.process(), address, subnet);
      };
    return why == null ? null
      : "node " + peer.nodeId() + " cannot be reached by " + address.fabric() + " at " + address.address() + ": " + why;
  }

  /** Compares the runtime folders' device and inode numbers. If those of two hosts are equal by chance, the connect fails. */
  private static String host(ProcessIdentity self, ProcessIdentity peer, FabricAddress address, String subnet) {
    if (address.subnet().equals(subnet)) {
      return null;
    }
    if (peer.process() == 0) {
      return "the host of that node is not known";
    }
    return "its runtime folder is " + named(address.subnet()) + (self.host().equals(peer.host()) ? "" : " of host " + peer.host())
      + ", and that of this node is " + named(subnet) + ". Give processes and containers of one host one runtime folder "
      + "(VERTX_RDMA_RUNTIME)";
  }

  private static String named(String subnet) {
    return subnet.isEmpty() ? "none" : subnet;
  }

  private static String network(ProcessIdentity self, ProcessIdentity peer, FabricAddress address, String subnet) {
    if (address.address().format().equals(EndpointAddress.INET)) {
      InetAddress ip = address.address().toInet().getAddress();
      if (ip.isAnyLocalAddress()) {
        return "that node advertises a wildcard address";
      }
      // A statically configured peer has no process identity. Its loopback address means this host.
      if (ip.isLoopbackAddress() && peer.process() != 0) {
        if (!LivenessSocket.sameHost(self, peer)) {
          return "that node advertises a loopback address, and its runtime folder is that of another host, " + peer.host()
            + ". If both run on one host, give them one runtime folder (VERTX_RDMA_RUNTIME)";
        }
        if (self.netNamespace() == 0 || self.netNamespace() != peer.netNamespace()) {
          return "that node advertises a loopback address of another network namespace (container)";
        }
      }
    }
    return address.subnet().isEmpty() || subnet.isEmpty() || address.subnet().equals(subnet) ? null
      : "that node is in subnet " + address.subnet() + ", and this node is in " + subnet;
  }
}
