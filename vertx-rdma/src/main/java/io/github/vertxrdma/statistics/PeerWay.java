package io.github.vertxrdma.statistics;

/**
 * Device or TCP, as used by the last connection of the event bus or a stream to a server of a peer.
 *
 * @param nodeId id in the directory or the cluster; empty if several nodes have the address
 * @param name for people; may be empty
 * @param address host and port of the server
 * @param way name of the device, or {@code TCP}
 * @param reason label of the reason for TCP, as in metrics, such as {@code no-library}; empty for a device
 * @param why text of the reason for people, with a remedy; empty for a device
 */
public record PeerWay(String nodeId, String name, String address, String way, String reason, String why) {
  public static final String TCP = "TCP";
}
