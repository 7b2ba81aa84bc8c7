module io.github.vertxrdma.cluster {
  requires transitive io.github.vertxrdma;
  requires transitive com.hazelcast.core;
  requires io.vertx.clustermanager.hazelcast;
  requires io.netty.common;
  requires io.vertx.core.logging;

  exports io.github.vertxrdma.cluster;
  exports io.github.vertxrdma.cluster.impl to io.github.vertxrdma.cli, io.github.vertxrdma.perf;

  provides io.github.vertxrdma.directory.DirectoryBackendFactory with io.github.vertxrdma.cluster.impl.HazelcastDirectoryFactory;
}
