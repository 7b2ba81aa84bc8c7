package io.github.vertxrdma.page.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import java.util.List;

/** Source of the figures that a page shows: a node of the cluster, or what processes of this host tell. */
public interface FigureSource {

  /**
   * Entries that are there now.
   *
   * @param directory its type
   * @param self the node that looks, empty if it is none
   */
  record Entries(String directory, String self, List<NodeEntry> nodes, List<ServiceEntry> services, List<RegionEntry> regions) {
  }

  /** Completes with who and what is there. */
  Future<Entries> entries();

  /** Asks a node how it stands. */
  Future<NodeStatistics> statistics(NodeEntry node);

  /** Directory of a node, and what the others tell it over their control connections. */
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
