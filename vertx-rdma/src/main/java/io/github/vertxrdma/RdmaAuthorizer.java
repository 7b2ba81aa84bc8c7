package io.github.vertxrdma;

/**
 * Decides what nodes of the group, by node id, may do on this node. Set by {@link RdmaOptions#setAuthorizer}, or by class name with {@link
 * RdmaOptions#setAuthorizerClass} in JSON options. The default allows everything. Called on event loops at each connect and open, so it
 * must not block. An exception counts as a refusal.
 *
 * <p>The node has proved the cluster secret together with its id, so no process outside the group can use an id. As all nodes have the same
 * secret, this separates only nodes that keep to their ids. Give nodes that do not trust each other different secrets.
 *
 * <p>Servers of the network stack ask it for fabric connections only, as TCP connections have no node id.
 *
 * <p>Permitted connections and opens are not checked again. Use {@link MemoryRegion#revoke} and {@link RdmaConnection#close} to end them.
 */
public interface RdmaAuthorizer {
  /** Allows everything to the whole group; the default. */
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
   * Returns whether a node may open a region by name for reading, writing or atomics; called for each right that the region has. The node
   * gets the permitted rights, if necessary under its own key; without any the open is refused.
   */
  default boolean mayOpen(String nodeId, String region, RegionAccess access) {
    return true;
  }
}
