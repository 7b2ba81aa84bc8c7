package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.process.LivenessSocket;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import java.net.InetAddress;

/** Result of a check whether a node can connect to another over a fabric. @param reason empty if reachable */
record Reachability(boolean reachable, String reason) {
  private static final Reachability YES = new Reachability(true, "");

  /**
   * Checks whether a node can reach an address of a peer, as far as the entries show. The caller checks that the node has the fabric.
   *
   * @param self the connecting node
   * @param peer the listening node
   * @param subnet {@link Device#subnet()} of the connecting node's device
   */
  static Reachability of(NodeEntry self, NodeEntry peer, FabricAddress address, String subnet) {
    if (!self.sharesSecret(peer)) {
      return no(peer, address, "the nodes have different cluster secrets; give both the same (VERTX_RDMA_SECRET_FILE)");
    }
    return switch (address.reach()) {
      case PROCESS -> self.process().sameProcess(peer.process()) ? YES : no(peer, address, "it is in another process");
      case HOST -> host(self.process(), peer, address, subnet);
      case NETWORK -> network(self.process(), peer, address, subnet);
    };
  }

  /** Two hosts may have folders with the same numbers: a connect over such an address fails, since no listener has the name there. */
  private static Reachability host(ProcessIdentity self, NodeEntry peer, FabricAddress address, String subnet) {
    if (address.subnet().equals(subnet)) {
      return YES;
    }
    ProcessIdentity other = peer.process();
    if (other.process() == 0) {
      return no(peer, address, "it is not known which host it runs on");
    }
    return no(peer, address,
      "it meets its peers in " + named(address.subnet()) + (self.host().equals(other.host()) ? "" : " of host " + other.host())
        + ", this node in " + named(subnet) + "; processes and containers of one host meet in one runtime folder (VERTX_RDMA_RUNTIME)");
  }

  private static String named(String subnet) {
    return subnet.isEmpty() ? "no folder" : subnet;
  }

  private static Reachability network(ProcessIdentity self, NodeEntry peer, FabricAddress address, String subnet) {
    if (address.address().format().equals(EndpointAddress.INET)) {
      InetAddress ip = address.address().toInet().getAddress();
      if (ip.isAnyLocalAddress()) {
        return no(peer, address, "it advertises a wildcard address");
      }
      ProcessIdentity other = peer.process();
      // A configured peer has no identity: its loopback address means this host.
      if (ip.isLoopbackAddress() && other.process() != 0) {
        if (!LivenessSocket.sameHost(self, other)) {
          return no(peer, address, "it advertises a loopback address, and is on another host, " + other.host()
            + ", as far as the runtime folders of both show (VERTX_RDMA_RUNTIME)");
        }
        if (!same(self.netNamespace(), other.netNamespace())) {
          return no(peer, address, "it advertises a loopback address of another network namespace (container)");
        }
      }
    }
    if (!address.subnet().isEmpty() && !subnet.isEmpty() && !address.subnet().equals(subnet)) {
      return no(peer, address, "it is in subnet " + address.subnet() + ", this node in " + subnet);
    }
    return YES;
  }

  private static boolean same(long namespace, long other) {
    return namespace != 0 && namespace == other;
  }

  private static Reachability no(NodeEntry peer, FabricAddress address, String why) {
    return new Reachability(false, "node " + peer.nodeId() + " cannot be reached by " + address.fabric() + " at " + address.address()
      + ": " + why);
  }
}
