package io.github.vertxrdma;

/**
 * Decides what nodes of the group may do on this node. Set by {@link RdmaOptions#setAuthorizer} or {@link RdmaOptions#setAuthorizerClass}.
 * Called on event loops at each connect and open, so it must not block. An exception counts as a refusal. Permitted connections and opens
 * are not checked again: end them with {@link MemoryRegion#revoke} and {@link RdmaConnection#close}.
 *
 * <p>The node has proved the cluster secret together with its id, so no process outside the group can use an id. Nodes with the same secret
 * could use each other's id: give nodes that do not trust each other different secrets.
 *
 * <p>Servers of the network stack ask it for fabric connections only, since TCP connections have no node id.
 */
public interface RdmaAuthorizer {
  /** Allows everything to the whole group. The default. */
  RdmaAuthorizer GROUP = new RdmaAuthorizer() {
  };

  /**
   * Returns whether a node may connect to a server of connections, contracts or functions. @param service name in the directory, or {@code
   * host:port}
   */
  default boolean mayConnect(String nodeId, String service) {
    return true;
  }

  /**
   * Returns whether a node may open a region by name. Called for each right of the region. The node gets the permitted rights, if necessary
   * under a separate key. Without any the open is refused.
   */
  default boolean mayOpen(String nodeId, String region, RegionAccess access) {
    return true;
  }
}
