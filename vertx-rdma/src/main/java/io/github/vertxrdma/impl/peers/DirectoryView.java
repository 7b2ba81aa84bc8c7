package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

public final class DirectoryView implements RdmaDirectory {
  private final RdmaDirectory directory;

  public DirectoryView(RdmaDirectory directory) {
    this.directory = directory;
  }

  @Override
  public String type() {
    return directory.type();
  }

  @Override
  public String where() {
    return directory.where();
  }

  @Override
  public NodeEntry self() {
    return directory.self();
  }

  @Override
  public List<NodeEntry> nodes() {
    return directory.nodes();
  }

  @Override
  public Optional<NodeEntry> node(String nodeId) {
    return directory.node(nodeId);
  }

  @Override
  public List<ServiceEntry> services() {
    return directory.services();
  }

  @Override
  public List<ServiceEntry> services(String name) {
    return directory.services(name);
  }

  @Override
  public List<RegionEntry> regions() {
    return directory.regions();
  }

  @Override
  public Optional<RegionEntry> region(String name) {
    return directory.region(name);
  }

  @Override
  public Future<List<ServiceEntry>> awaitServices(String name, Duration timeout) {
    return directory.awaitServices(name, timeout);
  }

  @Override
  public Future<RegionEntry> awaitRegion(String name, Duration timeout) {
    return directory.awaitRegion(name, timeout);
  }

  @Override
  public Future<NodeEntry> awaitNode(String nodeId, Duration timeout) {
    return directory.awaitNode(nodeId, timeout);
  }

  @Override
  public DirectoryWatch watch(Handler<DirectoryEvent> handler) {
    return directory.watch(handler);
  }

  @Override
  public DirectoryWatch watchEpoch(Handler<Long> handler) {
    return directory.watchEpoch(handler);
  }

  @Override
  public String toString() {
    return directory.where();
  }
}
