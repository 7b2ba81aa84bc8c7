package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.impl.process.FlightEvents;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.statistics.PeerWay;
import io.github.vertxrdma.statistics.TcpConnections;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Records whether Vert.x network connections use a fabric or TCP. Logs changes per peer with growing pauses: INFO for a fabric, WARN for
 * avoidable TCP. Thread-safe.
 */
public final class Ways {
  /** Maximum number of servers, and of peers. Then the least recently used is removed. */
  static final int MOST = 256;
  static final Attempts.Limits PAUSES = Attempts.Limits.endless(10_000, 600_000, () -> 0.5);
  private static final int MOST_WORDS = 512;
  private static final Logger LOG = LoggerFactory.getLogger(Ways.class);

  private final LongSupplier nanoTime;
  private Predicate<String> present = nodeId -> true;
  private final long[] byTcp = new long[TcpReason.values().length];
  private final Map<String, Server> servers = new Recent<>();
  /** Log state by node id, or by address if the id is unknown. */
  private final Map<String, PeerLog> peers = new Recent<>();

  private static final class Recent<T> extends LinkedHashMap<String, T> {
    Recent() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
      return size() > MOST;
    }
  }

  private static final class Server {
    PeerWay way;
    /** Fabric or TCP, and the reason, as last logged about this server or its peer; null before. */
    String logged;
  }

  private static final class PeerLog {
    String last;
    Attempts pauses;
    long nextNanos;
  }

  public Ways(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  public synchronized void fabric(String nodeId, String name, String address, String device, Object choice) {
    if (isNews(new PeerWay(nodeId, name, address, device, "", ""), true)) {
      LOG.info(line(nodeId, name, address) + " go over " + choice);
    }
  }

  public synchronized void tcp(String nodeId, String name, String address, TcpReason reason, String why) {
    byTcp[reason.ordinal()]++;
    FlightEvents.tcp(nodeId, name, address, reason.label(), why);
    String kept = why.substring(0, Math.min(why.length(), MOST_WORDS));
    if (isNews(new PeerWay(nodeId, name, address, PeerWay.TCP, reason.label(), kept), reason.isFallback())) {
      String line = line(nodeId, name, address) + " use TCP: " + why;
      if (reason.isFallback()) {
        LOG.warn(line);
      } else {
        LOG.info(line);
      }
    }
  }

  private static String line(String nodeId, String name, String address) {
    return "Connections to " + address + (nodeId.isEmpty() ? "" : " of node " + NodeName.words(name, nodeId));
  }

  private boolean isNews(PeerWay way, boolean first) {
    Server server = servers.computeIfAbsent(way.nodeId() + ' ' + way.address(), key -> new Server());
    server.way = way;
    String key = way.way() + way.reason();
    if (key.equals(server.logged) || server.logged == null && !first) {
      return false;
    }
    PeerLog lines = peers.computeIfAbsent(way.nodeId().isEmpty() ? way.address() : way.nodeId(), peer -> new PeerLog());
    long now = nanoTime.getAsLong();
    boolean isNew = !key.equals(lines.last);
    if (isNew && lines.last != null && now - lines.nextNanos < 0) {
      return false;
    }
    server.logged = key;
    if (isNew) {
      if (lines.last == null || now - lines.nextNanos > PAUSES.maxBackoff().toNanos()) {
        lines.pauses = new Attempts(PAUSES);
      }
      lines.nextNanos = now + lines.pauses.next(true, 0);
      lines.last = key;
    }
    return isNew;
  }

  /** Sets a predicate for nodes that are present. {@link #now} removes entries of other nodes. */
  public synchronized void presence(Predicate<String> nodeIds) {
    present = nodeIds;
  }

  public synchronized List<PeerWay> now() {
    servers.values().removeIf(server -> !server.way.nodeId().isEmpty() && !present.test(server.way.nodeId()));
    return servers.values().stream().map(server -> server.way).toList();
  }

  public synchronized List<TcpConnections> byTcp() {
    List<TcpConnections> counts = new ArrayList<>();
    Arrays.stream(TcpReason.values()).filter(reason -> reason != TcpReason.OTHER_SERVER)
      .forEach(reason -> counts.add(new TcpConnections(reason.label(), byTcp[reason.ordinal()])));
    return counts;
  }
}
