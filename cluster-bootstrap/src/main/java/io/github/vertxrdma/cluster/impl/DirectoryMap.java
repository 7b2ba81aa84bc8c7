package io.github.vertxrdma.cluster.impl;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;

/** Opens the Hazelcast map of a directory with its own configuration: the default of a cluster may evict entries. */
final class DirectoryMap {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryMap.class);

  private DirectoryMap() {
  }

  /**
   * Opens the map. Members that join later adopt its configuration. Blocks.
   *
   * @throws IllegalStateException if the configuration of the map could lose entries
   */
  static IMap<String, byte[]> open(HazelcastInstance hazelcast, String name) {
    try {
      hazelcast.getConfig().addMapConfig(new MapConfig(name));
    } catch (RuntimeException e) {
      // The application has configured this map, or forbids clients to configure it.
      LOG.debug("Hazelcast does not accept the directory's configuration of map '" + name + "' and uses its own", e);
    }
    if (hazelcast.getLocalEndpoint() instanceof Member) {
      MapConfig config = hazelcast.getConfig().findMapConfig(name);
      String fault = fault(config);
      if (fault != null) {
        throw refused(name, "<map name=\"" + config.getName() + "\"> has " + fault);
      }
    }
    IMap<String, byte[]> map = hazelcast.getMap(name);
    if (map.getLocalMapStats().getNearCacheStats() != null) {
      throw refused(name, "this instance has a near-cache for it");
    }
    return map;
  }

  private static String fault(MapConfig config) {
    if (config.getEvictionConfig().getEvictionPolicy() != EvictionPolicy.NONE) {
      return "eviction";
    }
    if (config.getMaxIdleSeconds() > 0) {
      return "max-idle-seconds";
    }
    if (config.getNearCacheConfig() != null) {
      return "near-cache";
    }
    return config.getMapStoreConfig().isEnabled() ? "map-store" : null;
  }

  private static IllegalStateException refused(String name, String why) {
    return new IllegalStateException("cannot keep the directory in Hazelcast's map '" + name + "': " + why
      + ", which can lose entries of living nodes or return outdated ones. Add a configuration without it for the maps "
      + "'vertx-rdma.directory.*'");
  }
}
