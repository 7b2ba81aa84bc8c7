package io.github.vertxrdma.statistics;

/**
 * Another node of the directory.
 *
 * @param name for people; may be empty
 * @param version of vertx-rdma; may be empty
 */
public record PeerNode(String nodeId, String name, String version) {
}
