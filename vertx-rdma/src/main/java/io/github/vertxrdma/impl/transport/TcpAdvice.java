package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.peers.LookupFailure;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;

/** Logs once per address why connections stay on TCP. */
final class TcpAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(TcpAdvice.class);
  private static final int LINES = 16;

  private final Set<String> advised = new HashSet<>();

  void notStarted(InetSocketAddress address, Throwable cause) {
    if (isFirst(text(address))) {
      LOG.warn("Connections to " + text(address) + " stay on TCP, since RDMA did not start: " + cause.getMessage());
    }
  }

  void noServer(InetSocketAddress address, DirectoryBackend directory) {
    if (isFirst(text(address))) {
      long others = LookupFailure.otherNodes(directory);
      String stay = "Connections to " + text(address) + " stay on TCP: the " + directory.where() + ", with " + others
        + (others == 1 ? " other node" : " other nodes") + ", knows no server there";
      LookupFailure.groupsWith(directory, entry -> isAt(entry, address.getPort())).onSuccess(found -> LOG.info(stay + (found.isEmpty()
        ? "; to reach it over a fabric, start it with vertx-rdma, -Dvertx.rdma.streams=all and the same directory and group"
        : ", and group '" + found.getFirst() + "' does: give both nodes the same group, by DirectoryOptions or -Dvertx.rdma.group="
          + found.getFirst())));
    }
  }

  private static boolean isAt(DirectoryEntry entry, int port) {
    return entry instanceof ServiceEntry service && RouteNames.isRoute(service.name()) && service.name().endsWith(":" + port);
  }

  private boolean isFirst(String address) {
    synchronized (advised) {
      return advised.size() < LINES && advised.add(address);
    }
  }

  private static String text(InetSocketAddress address) {
    return address.getHostString() + ':' + address.getPort();
  }
}
