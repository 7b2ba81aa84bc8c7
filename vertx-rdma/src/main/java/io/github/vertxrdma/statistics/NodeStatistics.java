package io.github.vertxrdma.statistics;

import io.github.vertxrdma.impl.statistics.RecordJson;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * A node at a moment. Each event loop is asked for its part in turn, so the parts are not of one instant.
 *
 * @param nodeId its id in the directory
 * @param name its name for people, empty if it has none
 * @param pid its process
 * @param timeMillis when, as {@link System#currentTimeMillis()} has it
 * @param directory the kind of directory
 * @param members ids of the nodes in the directory
 * @param services names of the services that this node serves
 * @param connectsFailed attempts to connect, over one fabric each, that failed
 * @param refused connections of others that this node rejected or that did not finish their handshake
 * @param devices each device in use on each event loop
 * @param regions the regions it owns
 * @param ways the way to each server of a peer that the event bus or a stream last connected to
 * @param tcpConnections connections of the event bus and of streams to peers that used TCP, by reason
 * @param errors the last things that went wrong, the newest last
 */
public record NodeStatistics(String nodeId, String name, long pid, long timeMillis, String directory, List<String> members,
  List<String> services, long connectsFailed, long refused, List<DeviceStatistics> devices, List<RegionStatistics> regions,
  List<PeerWay> ways, List<TcpConnections> tcpConnections, List<String> errors) {
  public NodeStatistics {
    members = List.copyOf(members);
    services = List.copyOf(services);
    devices = List.copyOf(devices);
    regions = List.copyOf(regions);
    ways = List.copyOf(ways);
    tcpConnections = List.copyOf(tcpConnections);
    errors = List.copyOf(errors);
  }

  /** An object with a member for each component, as {@code ./rdma stat --json} prints it. */
  public JsonObject toJson() {
    return RecordJson.of(this);
  }
}
