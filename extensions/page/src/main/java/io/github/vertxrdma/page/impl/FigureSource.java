package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import java.util.List;

/** Source of statistics: a node of the cluster, or files of processes on this host. */
public interface FigureSource {

  /**
   * Current entries of the directory.
   *
   * @param self id of the node that serves the page; empty for none
   */
  record Entries(String directory, String self, List<NodeEntry> nodes, List<ServiceEntry> services, List<RegionEntry> regions) {
  }

  Future<Entries> entries();

  Future<NodeStatistics> statistics(NodeEntry node);

  static FigureSource of(Rdma rdma) {
    return new FigureSource() {
      @Override
      public Future<Entries> entries() {
        return rdma.directory().map(directory -> new Entries(directory.type(), directory.nodeId(), directory.nodes(), directory.services(),
          directory.regions()));
      }

      @Override
      public Future<NodeStatistics> statistics(NodeEntry node) {
        return rdma.statistics(node.nodeId());
      }
    };
  }
}
