package io.github.vertxrdma.statistics;

/**
 * The way that the last connection of the event bus, or of a stream, to a server of a peer took.
 *
 * @param nodeId the peer's id in the directory or the cluster; empty if several nodes have the address
 * @param name its name for people, empty if it is not known
 * @param address host and port of the server
 * @param way the device, or {@code TCP}
 * @param reason why the way is TCP, as metrics name it: {@code no-library}; empty for a device
 * @param why the same in words, with a remedy; empty for a device
 */
public record PeerWay(String nodeId, String name, String address, String way, String reason, String why) {
  /** The way without a fabric. */
  public static final String TCP = "TCP";
}
