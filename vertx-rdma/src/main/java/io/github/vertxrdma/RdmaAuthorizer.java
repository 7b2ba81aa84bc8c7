package io.github.vertxrdma;

/**
 * Decides what the nodes of the group may do on this one, by their node ids; set it with {@link RdmaOptions#setAuthorizer}, or name its
 * class with {@link RdmaOptions#setAuthorizerClass} where options come from JSON. A node may do what is not decided otherwise. Called on
 * event loops, at each connect and each open: it must not block. If it throws, that counts as a refusal.
 *
 * <p>Who asks has proved the cluster secret together with its node id, so nobody outside of the group can name another's. All nodes of the
 * group have the same secret, though: the authorizer keeps apart nodes that keep to their ids, and is no wall against one that does not.
 * Give nodes that do not trust each other secrets of their own.
 *
 * <p>Servers of the network stack ask it for connections over the fabric alone: TCP to the same port tells of no node.
 *
 * <p>What was allowed is not asked again. {@link MemoryRegion#revoke} and {@link RdmaConnection#close} take it back.
 */
public interface RdmaAuthorizer {
  /** Allows the whole group everything; the default. */
  RdmaAuthorizer GROUP = new RdmaAuthorizer() {
  };

  /**
   * Decides whether a node may connect to a server of this node, of connections, contracts or functions.
   *
   * @param service its name in the directory; {@code host:port} of a server without one
   */
  default boolean mayConnect(String nodeId, String service) {
    return true;
  }

  /**
   * Decides whether a node may open a region of this node by name for reading, writing or atomics; asked for each right that the region is
   * shared for. The node gets the rights that it may have, under a key of its own if those are not all; without any, the open is refused.
   */
  default boolean mayOpen(String nodeId, String region, RegionAccess access) {
    return true;
  }
}
