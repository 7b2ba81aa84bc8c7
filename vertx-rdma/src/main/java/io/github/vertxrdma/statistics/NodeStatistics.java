package io.github.vertxrdma.statistics;

import io.github.vertxrdma.impl.process.RecordJson;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * Snapshot of a node. Its event loops are read at different times.
 *
 * @param name for people; may be empty
 * @param version of vertx-rdma; may be empty
 * @param timeMillis as {@link System#currentTimeMillis()}
 * @param members ids of the nodes in the directory
 * @param peers other nodes in the directory; may be empty in statistics of another node
 * @param services names served by this node
 * @param connectsFailed failed attempts to connect, per fabric
 * @param refused inbound connections that were rejected or did not finish their handshake
 * @param refusals refused connections and requests of peers, by reason
 * @param ended nodes that ended or were lost while they were connected to this node
 * @param devices each device in use on each event loop
 * @param adapters adapters of these devices; {@link #withAdapterCounters} reads their counters. Empty in statistics of another node
 * @param regions owned by the node
 * @param ways device or TCP of the last connection of the event bus or a stream to each server of a peer
 * @param tcpConnections connections of the event bus and of streams to peers over TCP, by reason
 * @param errors the latest errors, newest last
 */
public record NodeStatistics(String nodeId, String name, String version, long pid, long timeMillis, String directory,
  List<String> members, List<PeerNode> peers, List<String> services, long connectsFailed, long refused, List<RefusalCount> refusals,
  EndedNodes ended, List<DeviceStatistics> devices, List<AdapterStatistics> adapters, List<RegionStatistics> regions,
  List<PeerWay> ways, List<TcpConnections> tcpConnections, List<String> errors) {
  /** Finds a device of another snapshot in this one, by name and event loop. Returns empty if it was not in use there. */
  public Optional<DeviceStatistics> same(DeviceStatistics device) {
    return devices.stream().filter(each -> each.device().equals(device.device()) && each.loop().equals(device.loop())).findFirst();
  }

  /** Returns the same statistics with the present counters of the adapters. Works only on the node's host. Blocks for milliseconds. */
  public NodeStatistics withAdapterCounters() {
    return new NodeStatistics(nodeId, name, version, pid, timeMillis, directory, members, peers, services, connectsFailed, refused,
      refusals, ended, devices, adapters.stream().map(AdapterStatistics::read).toList(), regions, ways, tcpConnections, errors);
  }

  /** Returns a JSON object with a member per record component. */
  public JsonObject toJson() {
    return RecordJson.of(this);
  }
}
