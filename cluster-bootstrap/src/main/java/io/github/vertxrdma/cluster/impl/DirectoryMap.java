package io.github.vertxrdma.cluster.impl;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;

/** Opens the map of a directory with its own configuration: that of other maps may evict entries of living nodes. */
final class DirectoryMap {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryMap.class);

  private DirectoryMap() {
  }

  /**
   * Blocks. Members that join later take the configuration over.
   *
   * @throws IllegalStateException if the application has configured this map so that entries would get lost
   */
  static IMap<String, byte[]> open(HazelcastInstance hazelcast, String name) {
    try {
      hazelcast.getConfig().addMapConfig(new MapConfig(name));
    } catch (RuntimeException e) {
      // The application has a configuration of this name, or does not permit the call to a client.
      LOG.debug("Hazelcast keeps its configuration of map '" + name + '\'', e);
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
      + ", so that entries of living nodes would get lost or be old. Add a configuration for the maps 'vertx-rdma.directory.*' without it");
  }
}
