package io.github.vertxrdma.statistics;

import io.github.vertxrdma.impl.process.RecordJson;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/**
 * Snapshot of a node. Its event loops are read at different times.
 *
 * @param nodeId id in the directory
 * @param name for people; may be empty
 * @param version of vertx-rdma; empty for nodes that do not write it
 * @param timeMillis as {@link System#currentTimeMillis()}
 * @param directory type of directory
 * @param members ids of the nodes in the directory
 * @param peers the other nodes in the directory; empty in statistics of another node, which omit them if they are long
 * @param services names served by this node
 * @param connectsFailed failed attempts to connect, per fabric
 * @param refused inbound connections that were rejected or did not finish their handshake
 * @param refusals refused connections and requests of peers, by reason
 * @param ended nodes that ended or were lost while they were connected to this node
 * @param devices each device in use on each event loop
 * @param adapters adapters of these devices, without the values of their counters, see {@link #withAdapterCounters}; empty in statistics of
 * another node
 * @param regions owned by the node
 * @param ways last route of the event bus or a stream to each server of a peer
 * @param tcpConnections connections of the event bus and of streams to peers over TCP, by reason
 * @param errors the latest errors, newest last
 */
public record NodeStatistics(String nodeId, String name, String version, long pid, long timeMillis, String directory,
  List<String> members, List<PeerNode> peers, List<String> services, long connectsFailed, long refused, List<RefusalCount> refusals,
  EndedNodes ended, List<DeviceStatistics> devices, List<AdapterStatistics> adapters, List<RegionStatistics> regions,
  List<PeerWay> ways, List<TcpConnections> tcpConnections, List<String> errors) {
  public NodeStatistics {
    members = List.copyOf(members);
    peers = List.copyOf(peers);
    services = List.copyOf(services);
    refusals = List.copyOf(refusals);
    devices = List.copyOf(devices);
    adapters = List.copyOf(adapters);
    regions = List.copyOf(regions);
    ways = List.copyOf(ways);
    tcpConnections = List.copyOf(tcpConnections);
    errors = List.copyOf(errors);
  }

  /** Returns the device of the same name on the same event loop, for differences of two snapshots; empty if it was not in use. */
  public Optional<DeviceStatistics> same(DeviceStatistics device) {
    return devices.stream().filter(each -> each.device().equals(device.device()) && each.loop().equals(device.loop())).findFirst();
  }

  /** Returns the same statistics with the present values of the adapters' counters. For nodes of this host. Blocks for milliseconds. */
  public NodeStatistics withAdapterCounters() {
    return new NodeStatistics(nodeId, name, version, pid, timeMillis, directory, members, peers, services, connectsFailed, refused,
      refusals, ended, devices, adapters.stream().map(AdapterStatistics::read).toList(), regions, ways, tcpConnections, errors);
  }

  /** Returns an object with a member per component, as printed by {@code ./rdma stat --json}. */
  public JsonObject toJson() {
    return RecordJson.of(this);
  }
}
