package io.github.vertxrdma.cli;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.process.PublishedStatistics;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.page.impl.FigureSource;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.github.vertxrdma.statistics.PeerNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Statistics of a process's nodes and of the nodes that they know, read from this user's processes. Nodes on other hosts have no
 * statistics.
 */
final class ProcessSource implements FigureSource {
  private final Vertx vertx;
  private final long pid;
  private volatile Map<String, NodeStatistics> latest = Map.of();

  ProcessSource(Vertx vertx, long pid) {
    this.vertx = vertx;
    this.pid = pid;
  }

  @Override
  public Future<Entries> entries() {
    return vertx.executeBlocking(this::read);
  }

  private Entries read() throws IOException {
    List<NodeStatistics> own = read(pid);
    if (own.isEmpty()) {
      throw new CommandException("process " + pid + (StatCommand.lives(pid) ? " has no node now" : " has ended"));
    }
    Map<String, NodeStatistics> near = new LinkedHashMap<>();
    for (long process : PublishedStatistics.processes()) {
      try {
        read(process).forEach(node -> near.put(node.nodeId(), node));
      } catch (IOException e) {
        if (process == pid) {
          throw e;
        }
        // A process of another version is shown without figures.
      }
    }
    List<NodeEntry> nodes = new ArrayList<>();
    List<ServiceEntry> services = new ArrayList<>();
    Map<String, PeerNode> peers = new HashMap<>();
    own.forEach(node -> node.peers().forEach(peer -> peers.put(peer.nodeId(), peer)));
    own.stream().flatMap(node -> node.members().stream()).distinct().forEach(id -> {
      NodeStatistics node = near.get(id);
      nodes.add(entry(peers.getOrDefault(id, new PeerNode(id, "", "")), node));
      if (node != null) {
        node.services().stream().distinct().forEach(name -> services.add(new ServiceEntry(name, id, 0, 0, List.of(), new JsonObject())));
      }
    });
    latest = near;
    return new Entries(own.getFirst().directory(), own.getFirst().nodeId(), nodes, services, List.of());
  }

  /** Returns the statistics of a process's nodes. Blocks. */
  static List<NodeStatistics> read(long pid) throws IOException {
    return PublishedStatistics.read(pid).stream().map(text -> RecordJson.read(NodeStatistics.class, Buffer.buffer(text))).toList();
  }

  /** @param node null for a node on another host */
  private static NodeEntry entry(PeerNode peer, NodeStatistics node) {
    JsonObject json = new JsonObject().put("node", peer.nodeId()).put("name", peer.name()).put("version", peer.version());
    if (node != null) {
      json.put("name", node.name()).put("version", node.version()).put("process",
        new JsonObject().put("pid", node.pid()).put("host", ProcessIdentity.current().host()));
    }
    return NodeEntry.fromJson(json);
  }

  @Override
  public Future<NodeStatistics> statistics(NodeEntry node) {
    NodeStatistics now = latest.get(node.nodeId());
    return now == null ? Future.failedFuture("this node is on another host, or of another user: start ./rdma stat --page there")
      : Future.succeededFuture(now);
  }
}
