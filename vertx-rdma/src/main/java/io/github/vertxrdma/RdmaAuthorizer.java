package io.github.vertxrdma;

/**
 * Decides which nodes of the group may connect to servers and open regions of this node, see {@link RdmaOptions#setAuthorizer}. Called on
 * event loops at each connect and open, so it must not block. An exception counts as a refusal. A permitted connection or region is not
 * checked again: end it with {@link RdmaConnection#close} or {@link MemoryRegion#revoke}.
 *
 * <p>A process without the cluster secret cannot claim a node id. A node with the secret can claim any id: give nodes that do not trust
 * each other different secrets. TCP connections have no node id and are not checked.
 */
public interface RdmaAuthorizer {
  /** Default authorizer, which permits everything to all nodes of the group. */
  RdmaAuthorizer GROUP = new RdmaAuthorizer() {
  };

  /**
   * Returns whether a node may connect to a server of connections, contracts or functions.
   *
   * @param service name in the directory, or {@code host:port}
   */
  default boolean mayConnect(String nodeId, String service) {
    return true;
  }

  /**
   * Returns whether a node may open a region by name with one right. Called for each right of the region. If none is permitted, the open
   * fails.
   */
  default boolean mayOpen(String nodeId, String region, RegionAccess access) {
    return true;
  }
}
