package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import java.util.List;

/** Source of the figures of a page: a node of the cluster, or the statistics of processes of this host. */
public interface FigureSource {

  /**
   * Present entries of the directory.
   *
   * @param directory its type
   * @param self the node that serves the page, empty if it is none
   */
  record Entries(String directory, String self, List<NodeEntry> nodes, List<ServiceEntry> services, List<RegionEntry> regions) {
  }

  /** Completes with the present entries. */
  Future<Entries> entries();

  /** Asks a node for its statistics. */
  Future<NodeStatistics> statistics(NodeEntry node);

  /** Returns the directory of a node, and the statistics of the others over their control connections. */
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
